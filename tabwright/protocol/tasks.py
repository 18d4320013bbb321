"""Tasks: what an agent does in a browser with words for its orders."""

from collections.abc import Callable
from enum import StrEnum
from typing import Literal, Protocol, TypeAlias

import attrs

from tabwright.protocol.llm import Model
from tabwright.protocol.progress import ignore_progress

EventActor: TypeAlias = Literal["system", "user", "planner", "navigator", "validator"]


class EventState(StrEnum):
    """What has happened to a task, to a step of it, or to an action of a step."""

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


FINAL = (EventState.TASK_OK, EventState.TASK_FAIL, EventState.TASK_CANCEL)
"""One of these ends each task, once, and nothing comes after it."""


@attrs.frozen
class TaskEvent:
    """Something that happened in a task.

    Each ``ok``, ``fail`` or ``cancel`` of a step or an action comes after a ``start`` of it.

    Attributes:
        actor: who did it: tabwright (``system``), who gave the task (``user``), or a part.
        task: the task's id.
        step: which step, counted from 1; 0 before the first.
        details: what was meant or what came of it, in a sentence or two; secrets by their names.
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
"""Is called with every event; must not block."""


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
    """How far a task may go.

    Attributes:
        steps_max: how often the navigator is asked.
        actions_max: what it may do in one step; what is more is dropped.
        failures_max: steps in a row that fail: a model gave nothing to go by, or not one action
            could be done.
        validations_max: results that the validator refuses.
        planning_interval: every how many steps there is a new plan.
        validates: whether results are validated.
        input_tokens_max: what a question to a model may have.
        pictures: who of the planner and the navigator sees the page as a picture too.
        picture_bytes_max: what that picture may have.
    """

    steps_max: int = 100
    actions_max: int = 10
    failures_max: int = 3
    validations_max: int = 3
    planning_interval: int = 3
    validates: bool = True
    input_tokens_max: int = 128_000
    pictures: tuple[Literal["planner", "navigator"], ...] = ()
    picture_bytes_max: int = 200_000


@attrs.frozen
class TaskResult:
    """What came of a task.

    Attributes:
        task: its id.
        success: whether it was done, as far as the agent can tell.
        answer: what was asked for, or as much of it as was found. Made of page text: untrusted.
        end: why it has ended.
        reason: the same in a sentence, with what to do next where something can be done.
        steps: how many there were.
        trail: every event, oldest first.
        input_tokens, output_tokens: of all questions, as far as models said.
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
    """Do a task in a session's tabs; the session is begun where it is not there.

    Cancellation ends the task before its next act, and closes nothing: the session stays as it is.
    Refused with `BadInput` where the task is empty, another one is at work in the session, or a
    limit is less than 1.

    Attributes:
        task: what to do, in words. ``{{NAME}}`` in it, or in one that it follows up, is a secret
            that may be typed for it; no other may.
        model: who thinks.
        follow_up: whether it goes on from the last task of the session, with its history; that is
            kept for as long as the session is.
        report: hears of every event.
    """

    task: str
    session: str
    model: Model
    limits: Limits = attrs.field(factory=Limits)
    follow_up: bool = False
    report: Report = ignore_progress

    async def visit(self, tasks: "Tasks", /) -> TaskResult:
        """Has `tasks` answer."""
        return await tasks.run(self)


@attrs.frozen
class TaskState:
    """A task that is not over.

    Attributes:
        paused: whether it waits to be resumed, or will before its next act.
    """

    id: str
    task: str
    session: str
    step: int
    steps_max: int
    paused: bool


@attrs.frozen
class ChangeTask:
    """Pause, resume or cancel a task; refused with `BadInput` where none of that id is at work.

    A paused task stops before its next act or question; what is under way comes to its end.
    """

    id: str
    change: Literal["pause", "resume", "cancel"]

    async def visit(self, tasks: "Tasks", /) -> TaskState:
        """Has `tasks` answer."""
        return await tasks.change(self)


class Tasks(Protocol):
    """Does tasks; those of different sessions side by side."""

    async def run(self, request: RunTask, /) -> TaskResult:
        """See `RunTask`."""
        ...

    async def list(self) -> tuple[TaskState, ...]:
        """The tasks that are not over, oldest first."""
        ...

    async def change(self, request: ChangeTask, /) -> TaskState:
        """See `ChangeTask`."""
        ...
