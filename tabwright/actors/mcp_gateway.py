"""The MCPGateway: converts MCP calls to requests, and answers and refusals to MCP results.

Only modules of this package import the SDK (`.importlinter` lists them). Its low-level server
leaves results, errors and cancellation to us. Arguments are checked here, because the SDK only
advertises their schema.
"""

import logging
from collections.abc import Mapping
from functools import partial
from math import inf

import mcp_types as mcp
import trio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from tabwright._version import __version__
from tabwright.actors.kit.context import TaskContext, use_context
from tabwright.client import Tabwright
from tabwright.mcp.apps import APPS, VIEW_TABS, ViewTabsArguments, app_tool, listing_for
from tabwright.mcp.call import (
    CallContext,
    OnCallProgress,
    ProgressSender,
    RunningCall,
    SuspendedCalls,
)
from tabwright.mcp.client_requests import ClientRequest, asks_by_result, confirms, thinks
from tabwright.mcp.handshake import SERVER_NAME, SERVER_TITLE
from tabwright.mcp.page_tools import PageTools
from tabwright.mcp.prompts import get_prompt, list_prompts
from tabwright.mcp.registry import toolbox
from tabwright.mcp.resources import Resources
from tabwright.mcp.results import Renderer, refused
from tabwright.mcp.tasks import TASK_AFTER_S, CallTasks, Render, declares_tasks
from tabwright.mcp.tool import AnyTool, ToolContext, ToolResult, Toolset, failed
from tabwright.mcp.tools.page_arguments import DEFAULT_SESSION
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.untrusted_text import STRUCTURED

_log = logging.getLogger("tabwright.gateway")

_Context = ServerRequestContext[dict[str, object]]


class MCPGateway:
    """Serves tools to the MCP clients of one user; their calls run in `nursery`.

    Args:
        tools: the tools to serve; those of the settings by default.
    """

    def __init__(
        self, tabwright: Tabwright, nursery: trio.Nursery, tools: Toolset | None = None
    ) -> None:
        self._tabwright = tabwright
        self._renderer = Renderer.of(tabwright.secrets, tabwright.settings)
        self._nursery = nursery
        self.tasks = CallTasks(nursery)
        self._suspended = SuspendedCalls()
        self._tools = tools or toolbox(tabwright.settings, tabwright.searcher.engines)
        self._page_tools = PageTools(tabwright)
        resources = self._resources = Resources(tabwright, self._renderer)
        self.server = Server(
            SERVER_NAME,
            version=__version__,
            title=SERVER_TITLE,
            instructions=self._tools.instructions,
            on_list_tools=self._list_tools,
            on_list_resources=resources.listed,
            on_list_resource_templates=resources.templates,
            on_read_resource=resources.read,
            on_subscribe_resource=resources.subscribe,
            on_unsubscribe_resource=resources.unsubscribe,
            on_subscriptions_listen=resources.listen,
            on_completion=resources.complete,
            on_list_prompts=list_prompts,
            on_get_prompt=get_prompt,
        )
        self.server.add_request_handler("tools/call", mcp.CallToolRequestParams, self._call_tool)
        self.tasks.serve(self.server)
        self.server.extensions[APPS] = {}
        if not tabwright.settings.log.traces:
            self.server.middleware.clear()  # that of OpenTelemetry

    async def _list_tools(
        self, context: _Context, _params: mcp.PaginatedRequestParams | None
    ) -> mcp.ListToolsResult:
        listed = (*listing_for(self._tools, _extensions(context)), *self._page_tools.listing)
        return mcp.ListToolsResult(tools=[mcp.Tool.model_validate(tool) for tool in listed])

    async def _call_tool(
        self, context: _Context, params: mcp.CallToolRequestParams
    ) -> mcp.CallToolResult | mcp.InputRequiredResult | dict[str, object]:
        try:
            tool = (
                self._page_tools.tool(params.name)
                or app_tool(self._tools, params.name, _extensions(context))
                or self._tools.tool(params.name)
            )
        except BadInput as error:
            if self._tools.capabilities:
                return self._renderer.result(refused(error), schema={}, structured=False)
            raise MCPError(mcp.INVALID_PARAMS, str(error)) from error
        given = params.arguments or {}
        rendered = partial(
            self._renderer.result,
            schema=tool.output_schema,
            structured=tool is VIEW_TABS or bool((params.meta or {}).get(STRUCTURED)),
        )
        try:
            arguments: object = tool.read_arguments(given)
        except BadInput as error:
            return rendered(refused(error))
        tokens_max = getattr(arguments, "max_tokens", None) or 0

        def render(end: ToolResult | Exception) -> mcp.CallToolResult:
            """Return the result of the call, or of its failure."""
            match end:
                case ToolResult():
                    return rendered(end, tokens_max=tokens_max)
                case TabwrightError():
                    return rendered(refused(end))
                case _:  # a bug in a tool must not end the server
                    _log.error("%s failed", tool.name, exc_info=end)
                    text = f"{tool.name} failed because of a bug in tabwright. See its log."
                    return rendered(failed((text,)))

        with use_context(TaskContext(trail=(f"mcp#{context.request_id}",))):
            try:
                call = self._suspended.resume(arguments, params) or self._begun(
                    tool, arguments, context
                )
            except BadInput as error:
                return render(error)
            return await self._ended(call, arguments, context, render)

    async def _ended(
        self, call: RunningCall, arguments: object, context: _Context, render: Render
    ) -> mcp.CallToolResult | mcp.InputRequiredResult | dict[str, object]:
        """Wait for the end of a call, for its question to the client, or until it is a task."""

        def render_task(end: ToolResult | Exception) -> mcp.CallToolResult:
            """Return the result of a call that has become a task."""
            self._note_changes(arguments, context)
            return render(end)

        session, shown = context.session, self._renderer.step
        takes_tasks = declares_tasks(session)
        end: ToolResult | ClientRequest | None = None
        try:
            with trio.move_on_after(TASK_AFTER_S if takes_tasks else inf):
                end = await call.result(ProgressSender(session, str(context.request_id), shown))
        except Exception as error:  # noqa: BLE001  (`render` tells them apart)
            return render(error)
        except BaseException:
            call.cancel()
            raise
        finally:
            self._note_changes(arguments, context)
        match end:
            case None:
                return self.tasks.begin(call, session, shown, render_task)
            case ToolResult():
                return render(end)
            case _:
                return self._suspended.suspend(arguments, call, end)

    def _note_changes(self, arguments: object, context: _Context) -> None:
        """Tell subscribers that a call may have changed the browser and the tools of its page."""
        if isinstance(arguments, ViewTabsArguments):  # it changes nothing, and is called often
            return
        session = context.session
        self._nursery.start_soon(self._resources.send_updates)
        named: str = getattr(arguments, "session", "") or DEFAULT_SESSION
        changed = partial(self._resources.send_tools_changed, session.send_tool_list_changed)
        self._nursery.start_soon(self._page_tools.look, named, changed)

    def _begun(self, tool: AnyTool, arguments: object, context: _Context) -> RunningCall:
        session = context.session

        async def work(on_progress: OnCallProgress) -> ToolResult:
            """Await the handler; it is cancelled with the call, or outlives it."""
            client = CallContext(
                on_progress, thinks(session), asks_by_result(session), confirms(session)
            )
            given = ToolContext(self._tabwright, client, self._tools.names)
            return await tool.handler(arguments, given)

        call = RunningCall(work)
        self._nursery.start_soon(call.run)
        return call


def _extensions(context: _Context) -> Mapping[str, object] | None:
    """Return the extensions that the client declares."""
    able = context.session.client_capabilities
    return able.extensions if able else None
