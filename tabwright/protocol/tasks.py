"""Tasks, described in words, that an agent does in a browser."""

from collections.abc import Callable
from enum import StrEnum
from typing import Literal, Protocol, TypeAlias

import attrs

from tabwright.protocol.llm import Model
from tabwright.protocol.progress import ignore_progress

EventActor: TypeAlias = Literal["system", "user", "planner", "navigator", "validator", "extractor"]


class EventState(StrEnum):
    """What happened to a task, a step or an action."""

    TASK_START = "task.start"
    TASK_OK = "task.ok"
    TASK_FAIL = "task.fail"
    TASK_PAUSE = "task.pause"
    TASK_RESUME = "task.resume"
    TASK_CANCEL = "task.cancel"
    STEP_START = "step.start"
    STEP_OK = "step.ok"
    STEP_FAIL = "step.fail"
    STEP_CANCEL = "step.cancel"
    ACT_START = "act.start"
    ACT_OK = "act.ok"
    ACT_FAIL = "act.fail"


@attrs.frozen
class TaskEvent:
    """An event of a task.

    Each ``ok``, ``fail`` or ``cancel`` of a step or an action follows its ``start``.

    Attributes:
        actor: the source: tabwright (``system``), the ``user``, or a part of the agent.
        state: what happened.
        task: the task's id.
        step: the step, counted from 1; 0 before the first.
        steps_max: the maximum number of steps.
        details: the intention or the result, in a sentence or two; secrets by their names.
        time: in seconds since 1970 UTC.
    """

    actor: EventActor
    state: EventState
    task: str
    step: int
    steps_max: int
    details: str
    time: float


Report: TypeAlias = Callable[[TaskEvent], None]
"""Called with every event; must not block."""


class TaskEnd(StrEnum):
    """Why a task has ended."""

    DONE = "done"
    GIVEN_UP = "given_up"
    STEPS = "too_many_steps"
    FAILURES = "too_many_failures"
    VALIDATIONS = "too_many_failed_validations"
    MODEL = "model_failed"
    BROWSER = "browser_failed"
    CANCELLED = "cancelled"


@attrs.frozen(kw_only=True)
class Limits:
    """The limits of a task.

    Attributes:
        steps_max: the maximum number of steps.
        actions_max: the maximum number of actions in a step; further ones are skipped.
        failures_max: the number of failed steps in a row that ends the task. A step fails if the
            model gives no usable answer, or if none of its actions succeeds.
        validations_max: the number of rejected answers that ends the task.
        planning_interval: the number of steps from one plan to the next.
        validates: whether answers are validated.
        pictures: the parts of the agent that also get a picture of the page.
    """

    steps_max: int = 100
    actions_max: int = 10
    failures_max: int = 3
    validations_max: int = 3
    planning_interval: int = 3
    validates: bool = True
    pictures: tuple[Literal["planner", "navigator"], ...] = ()


@attrs.frozen
class TaskResult:
    """The result of a task.

    Attributes:
        task: its id.
        success: whether it was done, as far as the agent can tell.
        answer: the answer, or the part of it that was found. Made of page text: untrusted.
        end: why the task ended.
        reason: the same in a sentence, with the next step if there is one.
        steps: the number of steps.
        trail: every event, oldest first.
        input_tokens, output_tokens: of all requests to models, as far as they were reported.
    """

    task: str
    success: bool
    answer: str
    end: TaskEnd
    reason: str
    steps: int
    trail: tuple[TaskEvent, ...]
    input_tokens: int = 0
    output_tokens: int = 0


@attrs.frozen(kw_only=True)
class RunTask:
    """A task, and how it is done.

    Attributes:
        task: the task in words. ``{{NAME}}`` in it, or in a task that it continues, is a secret
            that can be typed for it; no other can.
        session: the name of the session.
        model: the language model.
        limits: its limits.
        follow_up: whether to continue from the last task of the session, with its history, which is
            kept as long as the session.
        report: called with every event; must not block.
    """

    task: str
    session: str
    model: Model
    limits: Limits = attrs.field(factory=Limits)
    follow_up: bool = False
    report: Report = ignore_progress


@attrs.frozen
class TaskState:
    """A running task.

    Attributes:
        paused: whether it is paused, or will be before its next action.
    """

    id: str
    task: str
    session: str
    step: int
    steps_max: int
    paused: bool


TaskControl: TypeAlias = Literal["pause", "resume", "cancel"]


class Tasks(Protocol):
    """Runs tasks; those of different sessions at the same time."""

    async def run(self, request: RunTask, /) -> TaskResult:
        """Do a task in a session's tabs; a session that is not open is opened.

        Cancellation ends the task before its next action, and closes nothing: the session stays as
        it is. Error: `BadInput` if the task is empty, another one is running in the session, or a
        limit is less than 1.
        """
        ...

    async def list(self) -> tuple[TaskState, ...]:
        """Return the running tasks, oldest first."""
        ...

    async def change(self, task: str, change: TaskControl) -> TaskState:
        """Pause, resume or cancel a task; `BadInput` if none of this id is running.

        A paused task stops before its next action or request to a model; the current one is
        finished.

        Args:
            task: its id.
            change: what is done.
        """
        ...
