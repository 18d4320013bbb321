"""The chronicle of a task: what happens in it, told as it happens and kept for its result."""

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
"""Characters of what is said of an event."""


@attrs.define
class TaskLog:
    """What there is to say at the end of a step or an action.

    Attributes:
        ok: whether it came to what it was for.
    """

    details: str = ""
    ok: bool = True


@attrs.define(eq=False)
class TaskEventLog:
    """Of one task.

    Attributes:
        task: its id.
        step: which one is under way; 0 before the first.
        trail: all that was told.
    """

    task: str
    steps_max: int
    _report: Report
    _now: Callable[[], float]
    _masked: Callable[[str], str]
    step: int = 0
    trail: list[TaskEvent] = attrs.field(factory=list[TaskEvent])

    def note(self, actor: EventActor, state: EventState, details: str) -> None:
        """Tells of an event."""
        said = truncate(escape_refs(self._masked(details)), DETAILS_MAX)
        event = TaskEvent(actor, state, self.task, self.step, self.steps_max, said, self._now())
        self.trail.append(event)
        self._report(event)

    @contextmanager
    def part(self, part: Part, details: str) -> Generator[TaskLog]:
        """A part at work in the step; its end is told too, whatever that is."""
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
        """An action of the navigator; its end is told too, whatever that is."""
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
    """What is said of what has ended something."""
    match error:
        case TabwrightError():
            return str(error)
        case trio.Cancelled():
            return "The task was cancelled."
        case _:
            return f"{type(error).__name__}: {error}"


# Events and results as text.

LINE_MAX = 300
"""Characters of the first line of what an event tells; the rest is in the event."""


def event_line(event: TaskEvent) -> str | None:
    """The event as a line for a person; None where others tell the same."""
    match event:
        case (
            TaskEvent(state=EventState.ACT_START)
            | TaskEvent(state=EventState.STEP_OK, actor="navigator")
        ):
            return None
        case _:
            step = f"{event.step}/{event.steps_max} " if event.step else ""
            first, *_ = event.details.splitlines() or [""]
            details = truncate(strip_invisible(first), LINE_MAX)
            return f"{step}{event.actor}, {event.state.value}: {details}".removesuffix(": ")


def result_text(result: TaskResult) -> str:
    """The answer, or as much of it as there is, and why there is no more."""
    if result.success:
        return result.answer
    return "\n\n".join(filter(None, (result.answer, f"The task failed: {result.reason}")))
