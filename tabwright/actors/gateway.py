"""The MCPGateway: MCP calls to requests, answers and refusals to MCP results.

Only the modules whose names begin with ``gateway`` know the SDK. Its low-level server leaves
results, errors and cancellation to us; arguments are checked here, because the SDK only advertises
their schema.
"""

import logging
import secrets

import attrs
import mcp_types as mcp
import trio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from tabwright import __version__
from tabwright.actors.gateway_search import RunningSearch
from tabwright.actors.gateway_steps import OPENED, Steps, asks_by_result
from tabwright.actors.gateway_tools import (
    INSTRUCTIONS,
    BrowseArguments,
    JSONObject,
    SearchArguments,
    Tool,
    tools,
)
from tabwright.actors.greeting import SERVER_NAME, SERVER_TITLE, listed_tool
from tabwright.actors.house import Tabwright
from tabwright.actors.place import Place, standing_at
from tabwright.protocol.answers import SearchResult
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.searching import PersonNeeded, Progress
from tabwright.searching.failures import failure_message
from tabwright.searching.formatting import document
from tabwright.searching.records import to_record

CAPTCHA = "captcha"
"""The name of our question to a client."""

SUSPENDED_MAX = 16
"""Searches whose client was asked and has not called again; more are not worth their tabs."""

NO_TEXT = "(The page shows no text.)"

_log = logging.getLogger("tabwright.gateway")

_Context = ServerRequestContext[dict[str, object]]


class MCPGateway:
    """Serves the tools of a house to one MCP client; its searches run in `nursery`."""

    def __init__(self, house: Tabwright, nursery: trio.Nursery) -> None:
        self._house = house
        self._nursery = nursery
        self._suspended: dict[str, tuple[SearchArguments, RunningSearch]] = {}
        self._tools: dict[str, Tool[SearchArguments] | Tool[BrowseArguments]] = {
            tool.name: tool for tool in tools(house.settings)
        }
        self.server = Server(
            SERVER_NAME,
            version=__version__,
            title=SERVER_TITLE,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        self.server.middleware.clear()  # OpenTelemetry's, which nobody listens to here

    async def _list_tools(
        self, context: _Context, params: mcp.PaginatedRequestParams | None
    ) -> mcp.ListToolsResult:
        del context, params
        listed = [mcp.Tool.model_validate(listed_tool(tool)) for tool in self._tools.values()]
        return mcp.ListToolsResult(tools=listed)

    async def _call_tool(
        self, context: _Context, params: mcp.CallToolRequestParams
    ) -> mcp.CallToolResult | mcp.InputRequiredResult:
        tool = self._tools.get(params.name)
        if tool is None:
            known = ", ".join(self._tools)
            raise MCPError(mcp.INVALID_PARAMS, f"Unknown tool: {params.name}. There are: {known}.")
        with standing_at(Place(trail=(f"mcp#{context.request_id}",))):
            try:
                return await self._result(tool, params, context)
            except TabwrightError as error:
                return _failed(str(error), error)
            except Exception:  # noqa: BLE001  (a bug in a tool must not end the server)
                _log.exception("%s failed", tool.name)
                return _failed(f"{tool.name} failed inside tabwright; its log says why.")

    async def _result(
        self,
        tool: Tool[SearchArguments] | Tool[BrowseArguments],
        params: mcp.CallToolRequestParams,
        context: _Context,
    ) -> mcp.CallToolResult | mcp.InputRequiredResult:
        match tool.read_arguments(params.arguments or {}):
            case SearchArguments() as search:
                return await self._search(search, params, context)
            case BrowseArguments() as browse:
                return await self._browse(browse)

    async def _search(
        self, asked: SearchArguments, params: mcp.CallToolRequestParams, context: _Context
    ) -> mcp.CallToolResult | mcp.InputRequiredResult:
        language = asked.language or self._house.settings.search.language
        try:
            end = await self._searched(asked, language, params, context)
        except TabwrightError as error:
            return _failed(failure_message(error, language), error)
        if isinstance(end, mcp.InputRequiredResult):
            return end
        text = document(end, follow_up=asked.follow_up)
        return _answered(text, _search_record(end, blocks=asked.blocks))

    async def _searched(
        self,
        asked: SearchArguments,
        language: str,
        params: mcp.CallToolRequestParams,
        context: _Context,
    ) -> SearchResult | mcp.InputRequiredResult:
        search = self._resumed(asked, params) or self._begun(asked, language)
        steps = Steps(context.session, str(context.request_id))
        try:
            end = await search.result(steps, may_ask=asks_by_result(context.session))
        except BaseException:
            search.cancel()
            raise
        return self._suspend(asked, search, end) if isinstance(end, PersonNeeded) else end

    def _begun(self, asked: SearchArguments, language: str) -> RunningSearch:
        async def work(progress: Progress) -> SearchResult:
            return await self._house.search(
                asked.query, language=language, follow_up=asked.follow_up, progress=progress
            )

        search = RunningSearch(work)
        self._nursery.start_soon(search.run)
        return search

    def _resumed(
        self, asked: SearchArguments, params: mcp.CallToolRequestParams
    ) -> RunningSearch | None:
        """The search that the client comes back to with its answer, if it does.

        Raises:
            BadInput: there is no such search any more.
        """
        if params.request_state is None:
            return None
        begun, search = self._suspended.pop(params.request_state, (None, None))
        if search is None or search.question is None or begun != asked:
            raise BadInput("That search is over.", advice="Search again.")
        answer = (params.input_responses or {}).get(CAPTCHA)
        if not (isinstance(answer, mcp.ElicitResult) and answer.action == OPENED):
            search.question.decline()
        return search

    def _suspend(
        self, asked: SearchArguments, search: RunningSearch, question: PersonNeeded
    ) -> mcp.InputRequiredResult:
        """Asks the client, which has to call again; the search goes on."""
        ticket = secrets.token_urlsafe()  # nobody else may come for it, nor another run's client
        self._suspended[ticket] = asked, search
        if len(self._suspended) > SUSPENDED_MAX:
            _, oldest = self._suspended.pop(next(iter(self._suspended)))
            oldest.cancel()
        shown = mcp.ElicitRequestURLParams(message=question.text, url=question.url)
        request = mcp.ElicitRequest(params=shown)
        return mcp.InputRequiredResult(input_requests={CAPTCHA: request}, request_state=ticket)

    async def _browse(self, asked: BrowseArguments) -> mcp.CallToolResult:
        page = await self._house.browse(asked.url, page_format=asked.format)
        return _answered(page.text.strip() or NO_TEXT, attrs.asdict(page))


def _search_record(result: SearchResult, *, blocks: bool) -> JSONObject:
    record = to_record(result)
    return record if blocks else {key: record[key] for key in record if key != "blocks"}


def _answered(text: str, record: JSONObject) -> mcp.CallToolResult:
    """An answer: as text for the model, as a record for programs."""
    return mcp.CallToolResult(
        content=[mcp.TextContent(type="text", text=text)], structured_content=dict(record)
    )


def _failed(text: str, error: TabwrightError | None = None) -> mcp.CallToolResult:
    """A tool error; programs find its kind and what may be done in the metadata."""
    if error is not None:
        level = logging.INFO if isinstance(error, BadInput) else logging.WARNING
        _log.log(level, "A call failed: %s", error.kind, exc_info=error)
    internal: dict[str, object] = {"kind": "internal", "retryable": False, "effect": "unknown"}
    return mcp.CallToolResult(
        content=[mcp.TextContent(type="text", text=text)],
        is_error=True,
        _meta={"tabwright/error": error.details() if error else internal},
    )
