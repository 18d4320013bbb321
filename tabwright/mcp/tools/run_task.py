"""What `run_task` does for its call: an agent's task, thought by the client's model or another."""

from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.agent.events import event_line, result_text
from tabwright.client import Tabwright
from tabwright.mcp.arguments import object_schema
from tabwright.mcp.call import Caller, TaskLine
from tabwright.mcp.client_requests import ClientModel
from tabwright.mcp.results import Answer, answered
from tabwright.mcp.tool import ACTS, Tool
from tabwright.mcp.tools.page_arguments import Plain, Rare, Session
from tabwright.protocol.llm import Model
from tabwright.protocol.page_text import quoted
from tabwright.protocol.tasks import Limits, RunTask, TaskEvent

# ``run_task``: a task in words, done in a browser by a model.

EVENT = object_schema(
    {
        "actor": {"type": "string"},
        "state": {"type": "string", "description": "As act.ok: of the task, a step or an act."},
        "task": {"type": "string"},
        "step": {"type": "integer"},
        "steps_max": {"type": "integer"},
        "details": {"type": "string"},
        "time": {"type": "number", "description": "Seconds since 1970 UTC."},
    },
    required=["actor", "state", "step", "details", "time"],
)

RESULT = object_schema(
    {
        "task": {"type": "string", "description": "Its id."},
        "success": {"type": "boolean"},
        "answer": {"type": "string"},
        "end": {"type": "string", "description": "Why it has ended: done, or what kept it."},
        "reason": {"type": "string"},
        "steps": {"type": "integer"},
        "trail": {"type": "array", "items": EVENT, "description": "All that happened."},
        "input_tokens": {"type": "integer"},
        "output_tokens": {"type": "integer"},
    },
    required=["task", "success", "answer", "end", "reason", "steps", "trail"],
)
"""What comes of a task."""


@attrs.frozen
class RunTaskArguments:
    """What `run_task` takes."""

    session: Session
    task: Annotated[str, Meta(min_length=1, description="what to do, and what to tell in the end")]
    max_steps: Plain[Annotated[int, Meta(ge=1, le=1000)]] | None = None
    follow_up: Annotated[bool, Meta(description="go on from this session's last task")] = False
    validate: Rare[bool] | None = None


def run_task_tool() -> Tool[RunTaskArguments]:
    """The tool."""
    return Tool(
        name="run_task",
        description="Have another agent do a task in a session's tabs, step by step.",
        group="task",
        effects=ACTS,
        arguments=RunTaskArguments,
        output_schema=RESULT,
    )


OUTPUT_TOKENS_MAX = 4096
"""Of the client's model, which has to be told a number, where the settings have none."""


@attrs.frozen(eq=False)
class TaskAnswers:
    """The tasks of a house for MCP clients."""

    house: Tabwright

    async def answer(self, asked: RunTaskArguments, caller: Caller) -> Answer:
        """Does what a call asks for; a task that was not done is an error with all it has found.

        Raises:
            BadInput: it cannot be begun.
            ModelFailed: there is no model.
        """

        def report(event: TaskEvent) -> None:
            """Tells the caller of an event that a person would want to hear of."""
            if line := event_line(event):
                caller.hear(TaskLine(line))

        request = RunTask(
            task=asked.task,
            session=asked.session,
            model=self.house.models.choose(self._client_model(caller)),
            limits=self._limits(asked),
            follow_up=asked.follow_up,
            report=report,
        )
        result = await self.house.run_task(request)
        told = answered(quoted(result_text(result)), attrs.asdict(result))
        return attrs.evolve(told, failed=not result.success)

    def _client_model(self, caller: Caller) -> Model | None:
        if not caller.thinks:
            return None
        wishes = self.house.settings.models
        return ClientModel(
            caller.hear,
            output_tokens_max=wishes.output_tokens_max or OUTPUT_TOKENS_MAX,
            timeout_s=wishes.timeout_s,
            by_result=caller.asked_by_result,
        )

    def _limits(self, asked: RunTaskArguments) -> Limits:
        limits = self.house.settings.agent.limits
        return attrs.evolve(
            limits,
            steps_max=asked.max_steps or limits.steps_max,
            validates=limits.validates if asked.validate is None else asked.validate,
        )
