"""What each tool does for its call: a request to the house, and its answer as an MCP result."""

from collections.abc import Iterable

import attrs

from tabwright.client import Tabwright
from tabwright.mcp.arguments import JSONObject
from tabwright.mcp.call import CallContext
from tabwright.mcp.page_answers import ActingAnswers, PageAnswers
from tabwright.mcp.playwright.answers import PlaywrightAnswers
from tabwright.mcp.playwright.targets import PlaywrightArguments
from tabwright.mcp.registry import ActingArguments, Arguments
from tabwright.mcp.results import Answer, failed, tool_result
from tabwright.mcp.task_answers import TaskAnswers
from tabwright.mcp.tools.interventions import InterventionsArguments, queue_text
from tabwright.mcp.tools.run_task import RunTaskArguments
from tabwright.mcp.tools.search import AISearchArguments, WebSearchArguments
from tabwright.protocol.ai_search import SearchResult
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.interventions import Intervention
from tabwright.protocol.page_text import quoted
from tabwright.protocol.progress import OnProgress
from tabwright.search.ai_mode.render import document, to_record
from tabwright.search.ai_mode.result import failure_message
from tabwright.search.serp.results import result_list


def _playwright_answers(tools: "ToolAnswers") -> PlaywrightAnswers:
    return PlaywrightAnswers(tools.tabwright)


@attrs.frozen(eq=False)
class ToolAnswers:
    """The tools of a house at work."""

    tabwright: Tabwright
    _playwright: PlaywrightAnswers = attrs.field(
        default=attrs.Factory(_playwright_answers, takes_self=True), init=False
    )

    async def answer(self, asked: Arguments, caller: CallContext) -> Answer:  # noqa: PLR0911  (a case a kind of tool)
        """Does what a call asks for.

        Raises:
            TabwrightError: it could not be done.
        """
        progress = caller.hear
        match asked:
            case AISearchArguments():
                return await self._ai_search(asked, progress)
            case WebSearchArguments():
                return await self._web_search(asked, progress)
            case InterventionsArguments():
                return await self._interventions(asked)
            case RunTaskArguments():
                return await TaskAnswers(self.tabwright).answer(asked, caller)
            case PlaywrightArguments():
                return await self._playwright.answer(asked, progress)
            case _:
                pass
        if isinstance(asked, ActingArguments):
            return await ActingAnswers(self.tabwright).answer(asked, progress)
        return await PageAnswers(self.tabwright).answer(asked, progress)

    async def _ai_search(self, asked: AISearchArguments, progress: OnProgress) -> Answer:
        language = asked.language or self.tabwright.settings.search.language
        try:
            result = await self.tabwright.search(
                asked.query, language=language, follow_up=asked.follow_up, progress=progress
            )
        except TabwrightError as error:
            return failed(quoted(failure_message(error, language)), error)
        text = document(result, follow_up=bool(asked.follow_up))
        whose = f"Conversation: {result.conversation}" if result.conversation else ""
        return tool_result((*quoted(text), whose), _search_record(result, blocks=asked.blocks))

    async def _web_search(self, asked: WebSearchArguments, progress: OnProgress) -> Answer:
        results = await self.tabwright.web_search(asked.request(), progress=progress)
        return tool_result(quoted(result_list(results)), attrs.asdict(results))

    async def _interventions(self, asked: InterventionsArguments) -> Answer:
        if asked.action == "list":
            return _queue(await self.tabwright.interventions())
        if asked.id is None:
            raise BadInput(f"{asked.action} needs the id of an intervention.")
        return _queue([await self.tabwright.answer_intervention(asked.id, asked.action)])


def _search_record(result: SearchResult, *, blocks: bool) -> JSONObject:
    record = to_record(result)
    return record if blocks else {key: record[key] for key in record if key != "blocks"}


def _queue(interventions: Iterable[Intervention]) -> Answer:
    listed = tuple(interventions)
    return tool_result(
        quoted(queue_text(listed)), {"interventions": [attrs.asdict(one) for one in listed]}
    )
