"""Events of a task as lines of text for a person."""

import pytest

from tabwright.agent.events import DETAILS_MAX, event_line, result_text
from tabwright.protocol.tasks import EventActor, EventState, TaskEnd, TaskEvent, TaskResult


def event(
    state: EventState, details: str = "", *, step: int = 2, actor: EventActor = "navigator"
) -> TaskEvent:
    return TaskEvent(actor, state, "task-1", step, 9, details, 0.0)


def result(answer: str, *, success: bool) -> TaskResult:
    end = TaskEnd.DONE if success else TaskEnd.STEPS
    return TaskResult("task-1", success, answer, end, "9 steps were not enough.", 9, ())


@pytest.mark.parametrize(
    ("happened", "line"),
    [
        (event(EventState.ACT_OK, "Clicked.\nNow at /b"), "2/9 navigator, act.ok: Clicked."),
        (event(EventState.TASK_START, "Buy it.", step=0), "navigator, task.start: Buy it."),
        (event(EventState.STEP_FAIL), "2/9 navigator, step.fail"),
        (event(EventState.ACT_OK, "a\x1b[2Jb"), "2/9 navigator, act.ok: a[2Jb"),
        (event(EventState.ACT_START, "Clicks."), None),
        (event(EventState.STEP_OK), None),
        (event(EventState.STEP_OK, "Buy.", actor="planner"), "2/9 planner, step.ok: Buy."),
    ],
)
def test_event_line_has_no_terminal_escapes(happened: TaskEvent, line: str | None) -> None:
    assert event_line(happened) == line


def test_long_event_line_is_truncated() -> None:
    line = event_line(event(EventState.ACT_OK, "x" * 10_000))
    assert line is not None
    assert len(line) < DETAILS_MAX + 50
    assert "more" in line or "characters" in line


def test_result_text_has_answer_and_failure_reason() -> None:
    assert result_text(result("42", success=True)) == "42"
    assert result_text(result("", success=False)) == ("The task failed: 9 steps were not enough.")
    assert result_text(result("so far", success=False)).startswith("so far\n\nThe task failed")
