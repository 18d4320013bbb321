"""The MCPGateway: converts MCP requests to calls, and their ends to MCP results.

The SDK's low-level server leaves results, errors and cancellation to us. Arguments are checked
here, because the SDK only advertises their schema.
"""

from collections.abc import Callable
from math import inf

import mcp_types as mcp
import trio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from tabwright._version import __version__
from tabwright.actors.kit.context import TaskContext, use_context
from tabwright.client import Tabwright
from tabwright.mcp.apps import APPS, listing_for
from tabwright.mcp.client_questions import CallClient
from tabwright.mcp.handshake import SERVER_NAME, SERVER_TITLE
from tabwright.mcp.prompts import get_prompt, list_prompts
from tabwright.mcp.resources import Resources
from tabwright.mcp.results import CallResult, refused
from tabwright.mcp.sdk_client import SDKClient, SuspendedCalls
from tabwright.mcp.tasks import TASK_AFTER_S, CallTasks, declares_tasks
from tabwright.mcp.tool import ToolResult
from tabwright.mcp.tool_calls import RunningCall, ToolCall, ToolCalls
from tabwright.protocol.errors import BadInput

_Context = ServerRequestContext[dict[str, object]]


class MCPGateway:
    """Serves tools to the MCP clients of one user; their calls run in `nursery`.

    Args:
        calls: what runs the calls; that of the settings by default.
        connected: called with a client of the handshake era once it is initialized.
    """

    def __init__(
        self,
        tabwright: Tabwright,
        nursery: trio.Nursery,
        calls: ToolCalls | None = None,
        connected: Callable[[CallClient], None] | None = None,
    ) -> None:
        self._calls = calls or ToolCalls(tabwright, nursery)
        self._connected = connected
        self.tasks = CallTasks(nursery)
        self._suspended = SuspendedCalls()
        resources = self._calls.watcher = Resources(tabwright, self._calls.renderer)
        self.server = Server(
            SERVER_NAME,
            version=__version__,
            title=SERVER_TITLE,
            instructions=self._calls.tools.instructions,
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
        self.server.add_notification_handler(
            "notifications/initialized", mcp.NotificationParams, self._initialized
        )
        self.tasks.serve(self.server)
        self.server.extensions[APPS] = {}
        if not tabwright.settings.log.traces:
            self.server.middleware.clear()  # that of OpenTelemetry

    async def _initialized(self, context: _Context, _params: mcp.NotificationParams) -> None:
        await trio.lowlevel.checkpoint()
        if self._connected is not None:
            self._connected(SDKClient(context.session))

    async def _list_tools(
        self, context: _Context, _params: mcp.PaginatedRequestParams | None
    ) -> mcp.ListToolsResult:
        extensions = SDKClient(context.session).capabilities.extensions
        listed = (
            *listing_for(self._calls.tools, extensions),
            *self._calls.page_tools.listing,
        )
        return mcp.ListToolsResult(tools=[mcp.Tool.model_validate(tool) for tool in listed])

    async def _call_tool(
        self, context: _Context, params: mcp.CallToolRequestParams
    ) -> mcp.InputRequiredResult | dict[str, object]:
        client = SDKClient(context.session)
        try:
            call = self._calls.find(params.name, client, params.meta)
        except BadInput as error:
            if self._calls.tools.capabilities:
                return _complete(self._calls.renderer.result(refused(error), schema={}))
            raise MCPError(mcp.INVALID_PARAMS, str(error)) from error
        with use_context(TaskContext(trail=(f"mcp#{context.request_id}",))):
            try:
                call = call.with_arguments(params.arguments or {})
                running = self._suspended.resume(call.arguments, params)
            except BadInput as error:
                return _complete(call.render(error))
            running = running or self._calls.begin(call, client)
            return await self._ended(call, running, client, str(context.request_id))

    async def _ended(
        self, call: ToolCall, running: RunningCall, client: CallClient, name: str
    ) -> mcp.InputRequiredResult | dict[str, object]:
        """Wait for the end of a call, for its question to the client, or until it is a task."""

        def render_task(end: ToolResult | Exception) -> CallResult:
            """Return the result of a call that has become a task."""
            self._calls.note_changes(call.arguments, client)
            return call.render(end)

        task_after_s = TASK_AFTER_S if declares_tasks(client) else inf
        end = await self._calls.end(call, running, client, name, task_after_s)
        match end:
            case None:
                return self.tasks.begin(running, client, self._calls.renderer.step, render_task)
            case ToolResult() | Exception():
                return _complete(call.render(end))
            case _:
                return self._suspended.suspend(call.arguments, running, end)


def _complete(result: CallResult) -> dict[str, object]:
    """Return a result as the SDK accepts it; it removes what the client's protocol lacks."""
    return {**result.as_json(), "resultType": "complete"}
