"""What happened in a task, in a line."""

from tabwright.protocol.tasks import EventState, TaskEvent, TaskResult
from tabwright.reading.lines import visible

LINE_MAX = 300
"""Characters of what an event tells; all of it is in the event."""

_QUIET = (EventState.STEP_OK, EventState.ACT_START)
"""What is told again at once by another."""


def event_line(event: TaskEvent) -> str | None:
    """The event as a line for a person; None where another one tells the same."""
    if event.state in _QUIET:
        return None
    step = f"{event.step}/{event.steps_max} " if event.step else ""
    details = " ".join(map(visible, event.details.splitlines()))
    if len(details) > LINE_MAX:
        details = f"{details[: LINE_MAX - 1]}…"
    return f"{step}{event.actor}, {event.state.value}: {details}".removesuffix(": ")


def result_text(result: TaskResult) -> str:
    """The answer, or as much of it as there is, and why there is no more."""
    if result.success:
        return result.answer
    return "\n\n".join(filter(None, (result.answer, f"The task was not done: {result.reason}")))
