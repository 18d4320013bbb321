"""The event log of a task: each event is reported as it happens and kept for the result."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

import attrs
import trio

from tabwright.page.outline_text import escape_refs, truncate
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.llm import Part
from tabwright.protocol.tasks import EventActor, EventState, Report, TaskEvent, TaskResult
from tabwright.text.lines import strip_invisible

DETAILS_MAX = 400
"""Maximum characters of the text of an event, and of an error shown to a model."""


@attrs.define
class TaskLog:
    """The outcome to report at the end of a step or an action.

    Attributes:
        ok: whether it succeeded.
    """

    details: str = ""
    ok: bool = True


@attrs.define(eq=False)
class TaskEventLog:
    """The event log of one task.

    Attributes:
        task: the id of the task.
        step: the number of the current step; 0 before the first.
        trail: all events reported so far.
    """

    task: str
    steps_max: int
    _report: Report
    _now: Callable[[], float]
    _masked: Callable[[str], str]
    step: int = 0
    trail: list[TaskEvent] = attrs.field(factory=list[TaskEvent])

    def note(self, actor: EventActor, state: EventState, details: str) -> None:
        """Report an event."""
        shown = truncate(escape_refs(self._masked(details)), DETAILS_MAX)
        event = TaskEvent(actor, state, self.task, self.step, self.steps_max, shown, self._now())
        self.trail.append(event)
        self._report(event)

    @contextmanager
    def part(self, part: Part, details: str) -> Generator[TaskLog]:
        """Report the start of an agent part in the step, and its end, however it ends."""
        self.note(part, EventState.STEP_START, details)
        account = TaskLog()
        try:
            yield account
        except trio.Cancelled:
            self.note(part, EventState.STEP_CANCEL, "The task was cancelled.")
            raise
        except BaseException as error:
            self.note(part, EventState.STEP_FAIL, error_text(error))
            raise
        state = EventState.STEP_OK if account.ok else EventState.STEP_FAIL
        self.note(part, state, account.details)

    @contextmanager
    def act(self, details: str) -> Generator[TaskLog]:
        """Report the start of a navigator's action, and its end, however it ends."""
        self.note("navigator", EventState.ACT_START, details)
        account = TaskLog()
        try:
            yield account
        except BaseException as error:
            self.note("navigator", EventState.ACT_FAIL, error_text(error))
            raise
        state = EventState.ACT_OK if account.ok else EventState.ACT_FAIL
        self.note("navigator", state, account.details)


def error_text(error: BaseException) -> str:
    """Return the text for the error that ended a step or an action."""
    match error:
        case TabwrightError():
            return str(error)
        case trio.Cancelled():
            return "The task was cancelled."
        case _:
            return f"{type(error).__name__}: {error}"


# Events and results as text.


def event_line(event: TaskEvent) -> str | None:
    """Return the event as a line for a person, or None if other events report the same."""
    match event:
        case (
            TaskEvent(state=EventState.ACT_START)
            | TaskEvent(state=EventState.STEP_OK, actor="navigator")
        ):
            return None
        case _:
            step = f"{event.step}/{event.steps_max} " if event.step else ""
            first, *_ = event.details.splitlines() or [""]
            details = truncate(strip_invisible(first), DETAILS_MAX)
            return f"{step}{event.actor}, {event.state.value}: {details}".removesuffix(": ")


def result_text(result: TaskResult) -> str:
    """Return the answer, or the partial answer and the reason why it is not complete."""
    if result.success:
        return result.answer
    return "\n\n".join(filter(None, (result.answer, f"The task failed: {result.reason}")))
