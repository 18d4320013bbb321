"""What the models of a task are shown, on sessions with scripted answers."""

import json
from random import Random

import attrs
import pytest

from tabwright.actors.task_runner import TaskRunner
from tabwright.config.secrets import Secrets
from tabwright.protocol.llm import ModelRequest, ModelResponse
from tabwright.protocol.snapshot import Thumbnail
from tabwright.protocol.tasks import Limits, RunTask, TaskEnd

PICTURE = Thumbnail(0, "", "", "image/jpeg", b"x", 1, 1)
SAID = {
    "planner": {"done": False, "next_steps": "End it."},
    "navigator": {"action": [{"done": {"text": "All done.", "success": True}}]},
    "validator": {"is_valid": True},
}


@attrs.frozen
class Model:
    """A model that does nothing and reports that it is done."""

    asked: list[ModelRequest] = attrs.field(factory=list[ModelRequest])

    async def answer(self, question: ModelRequest, /) -> ModelResponse:
        self.asked.append(question)
        return ModelResponse(json.dumps(SAID[question.part]))

    @property
    def shown(self) -> dict[str, int]:
        """Return how many pictures each part of the agent has seen."""
        return {one.part: sum(len(m.pictures) for m in one.messages) for one in self.asked}


async def result_of(sessions, model, limits, report=lambda _event: None):
    store = TaskRunner(sessions, Secrets(), Random(1), lambda: 7.0, str)
    return await store.run(
        RunTask(task="Do it", session="s", model=model, limits=limits, report=report)
    )


@pytest.mark.parametrize("parts", [(), ("planner",), ("navigator",), ("planner", "navigator")])
async def test_only_configured_parts_receive_screenshot(parts, sessions_with):
    model = Model()
    sessions = sessions_with(picture=PICTURE)
    result = await result_of(sessions, model, Limits(pictures=parts))
    assert result.end is TaskEnd.DONE
    assert model.shown == {
        "planner": int("planner" in parts),
        "navigator": int("navigator" in parts),
        "validator": 0,
    }


async def test_events_contain_actor_time_task_and_step(sessions_with):
    events = []
    await result_of(sessions_with(), Model(), Limits(steps_max=5), events.append)
    assert {event.time for event in events} == {7.0}
    assert {event.task for event in events} == {"task-1"}
    assert {event.steps_max for event in events} == {5}
    assert [(event.actor, event.step) for event in events] == [
        ("system", 0),
        *[("planner", 1)] * 2,
        *[("navigator", 1)] * 4,
        *[("validator", 1)] * 2,
        ("system", 1),
    ]
