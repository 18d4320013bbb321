"""What happened in a task, in a line."""

from tabwright.page.outline_text import shortened
from tabwright.protocol.tasks import EventState, TaskEvent, TaskResult
from tabwright.text.lines import visible

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
            return _line(event)


def _line(event: TaskEvent) -> str:
    step = f"{event.step}/{event.steps_max} " if event.step else ""
    first, *_ = event.details.splitlines() or [""]
    details = shortened(visible(first), LINE_MAX)
    return f"{step}{event.actor}, {event.state.value}: {details}".removesuffix(": ")


def result_text(result: TaskResult) -> str:
    """The answer, or as much of it as there is, and why there is no more."""
    if result.success:
        return result.answer
    return "\n\n".join(filter(None, (result.answer, f"The task was not done: {result.reason}")))
