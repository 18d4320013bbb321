"""A streamable HTTP server that relays calls to `tabwright serve`: ``PORT CONFIG``."""

import asyncio
import sys

import mcp_types as mcp
import uvicorn
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server import Server
from mcp.server.context import ServerRequestContext

Context = ServerRequestContext[dict[str, object]]


async def main() -> None:
    port, config = sys.argv[1:]
    command = ["-m", "tabwright", "serve", "--config", config]
    behind = Client(StdioServerParameters(command=sys.executable, args=command))
    async with behind:

        async def listed(
            _context: Context, _params: mcp.PaginatedRequestParams | None
        ) -> mcp.ListToolsResult:
            return await behind.list_tools()

        async def called(
            _context: Context, params: mcp.CallToolRequestParams
        ) -> mcp.CallToolResult:
            return await behind.call_tool(params.name, params.arguments)

        server = Server("relay", on_list_tools=listed, on_call_tool=called)
        app = server.streamable_http_app()
        config_of = uvicorn.Config(app, port=int(port), log_level="error")
        await uvicorn.Server(config_of).serve()


asyncio.run(main())
