"""Run the server of `tabwright serve --http` with the suite's fixtures.

The server listens on loopback, prints its URL and stops when its standard input is closed.
"""

import logging
import sys

import attrs
import fixtures
import mcp_types as mcp
import trio

from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.client import Tabwright
from tabwright.config.loader import override, settings_from
from tabwright.environment import Environment
from tabwright.mcp.registry import toolbox
from tabwright.mcp.results import refused
from tabwright.mcp.tool_calls import ToolCalls
from tabwright.plugins.server.http import serve_http
from tabwright.protocol.errors import TabwrightError


class FixtureGateway(MCPGateway):
    """MCP gateway that also offers the fixtures of the conformance suite."""

    def __init__(self, tabwright: Tabwright, nursery: trio.Nursery) -> None:
        own = toolbox(tabwright.settings, tabwright.parts.searcher.engines)
        tools = attrs.evolve(own, tools=(*own.tools, *fixtures.TOOLS))
        super().__init__(tabwright, nursery, ToolCalls(tabwright, nursery, tools))
        self._behind("resources/list", self._resources_too)
        self._behind("resources/templates/list", self._templates_too)
        self._behind("resources/read", self._read_too)
        self._behind("prompts/list", self._prompts_too)
        self._behind("prompts/get", self._get_prompt_too)
        self.server.add_request_handler(
            "logging/setLevel", mcp.SetLevelRequestParams, self._set_level
        )

    async def _list_tools(self, context, params):
        listed = await super()._list_tools(context, params)
        for tool in listed.tools:
            tool.input_schema = fixtures.LISTED_AS.get(tool.name, tool.input_schema)
        return listed

    async def _call_tool(self, context, params):
        work = fixtures.WORKS.get(params.name)
        if work is None:
            return await super()._call_tool(context, params)
        arguments = self._calls.tools.tool(params.name).read_arguments(params.arguments or {})
        try:
            return await work(arguments, context)
        except TabwrightError as error:
            return self._calls.renderer.result(refused(error), schema={}).as_json()

    def _behind(self, method, handler) -> None:
        """Wrap the handler of a method in one that receives the original handler."""
        entry = self.server.get_request_handler(method)

        async def handle(context, params):
            return await handler(entry.handler, context, params)

        self.server.add_request_handler(method, entry.params_type, handle)

    async def _resources_too(self, own, context, params):
        listed = await own(context, params)
        return mcp.ListResourcesResult(resources=[*listed.resources, *fixtures.RESOURCES])

    async def _templates_too(self, own, context, params):
        listed = await own(context, params)
        templates = [*listed.resource_templates, fixtures.TEMPLATE]
        return mcp.ListResourceTemplatesResult(resource_templates=templates)

    async def _read_too(self, own, context, params):
        uri = str(params.uri)
        if not uri.startswith("test://"):
            return await own(context, params)
        return mcp.ReadResourceResult(contents=[fixtures.contents(uri)])

    async def _prompts_too(self, own, context, params):
        listed = await own(context, params)
        return mcp.ListPromptsResult(prompts=[*listed.prompts, *fixtures.PROMPTS])

    async def _get_prompt_too(self, own, context, params):
        output = fixtures.messages(params.name, params.arguments or {})
        if output is None:
            return await own(context, params)
        reported = [mcp.PromptMessage(role="user", content=part) for part in output]
        return mcp.GetPromptResult(messages=reported)

    async def _set_level(self, context, params):
        return mcp.EmptyResult()


def announce(url: str) -> None:
    print(url, flush=True)  # noqa: T201  (whoever started it waits for that)


async def main() -> None:
    settings = settings_from(
        override(
            browser__profile=None,
            network__proxy="none",
            server__http="127.0.0.1:0",
            server__drain_s=1,
        )
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_http, settings, Environment(), announce, FixtureGateway)
        async with trio.lowlevel.FdStream(0) as stdin:
            while await stdin.receive_some():
                pass
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    trio.run(main)
