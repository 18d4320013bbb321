"""What `run_task` does for its call: an agent's task, thought by the client's model or another."""

import attrs

from tabwright.agent.events import event_line, result_text
from tabwright.client import Tabwright
from tabwright.mcp.call import CallContext, TaskLine
from tabwright.mcp.client_requests import SamplingModel
from tabwright.mcp.results import Answer, tool_result
from tabwright.mcp.tools.run_task import RunTaskArguments
from tabwright.protocol.llm import Model
from tabwright.protocol.page_text import quoted
from tabwright.protocol.tasks import Limits, RunTask, TaskEvent

OUTPUT_TOKENS_MAX = 4096
"""Of the client's model, which has to be told a number, where the settings have none."""


@attrs.frozen(eq=False)
class TaskAnswers:
    """The tasks of a house for MCP clients."""

    tabwright: Tabwright

    async def answer(self, asked: RunTaskArguments, caller: CallContext) -> Answer:
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
            model=self.tabwright.models.choose(self._client_model(caller)),
            limits=self._limits(asked),
            follow_up=asked.follow_up,
            report=report,
        )
        result = await self.tabwright.run_task(request)
        told = tool_result(quoted(result_text(result)), attrs.asdict(result))
        return attrs.evolve(told, failed=not result.success)

    def _client_model(self, caller: CallContext) -> Model | None:
        if not caller.thinks:
            return None
        wishes = self.tabwright.settings.models
        return SamplingModel(
            caller.hear,
            output_tokens_max=wishes.output_tokens_max or OUTPUT_TOKENS_MAX,
            timeout_s=wishes.timeout_s,
            by_result=caller.asked_by_result,
        )

    def _limits(self, asked: RunTaskArguments) -> Limits:
        limits = self.tabwright.settings.agent.limits
        return attrs.evolve(
            limits,
            steps_max=asked.max_steps or limits.steps_max,
            validates=limits.validates if asked.validate is None else asked.validate,
        )
