"""A twin of the server that `tabwright serve` runs, on streamable HTTP, with the suite's fixtures.

Its greeting, its tools, how it reads arguments and tells errors are the gateway's own. It is bound
to loopback, prints its URL, and ends when its standard input does.
"""

import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs
import fixtures
import mcp_types as mcp
import trio
from hypercorn.config import Config
from hypercorn.trio import serve
from mcp.server.streamable_http import (
    EventCallback,
    EventId,
    EventMessage,
    EventStore,
    StreamId,
)

from tabwright import load_settings, open_tabwright, override
from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.client import Tabwright
from tabwright.concurrency.nursery import background_nursery
from tabwright.mcp.registry import toolbox

RETRY_MS = 500
"""After so long a client comes back whose stream was closed."""

SHUTDOWN_S = 1.0
"""For the streams that clients have left open."""


class Twin(MCPGateway):
    """The gateway of a house, which also has what the suite asks for."""

    def __init__(self, tabwright: Tabwright, nursery: trio.Nursery) -> None:
        own = toolbox(tabwright.settings, tabwright.searcher.engines)
        tools = attrs.evolve(own, tools=(*own.tools, *fixtures.TOOLS))
        super().__init__(tabwright, nursery, tools)
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

    async def _result(self, tool, arguments, params, context):
        work = fixtures.WORKS.get(tool.name)
        if work is None:
            return await super()._result(tool, arguments, params, context)
        return await work(arguments, context)

    def _behind(self, method, handler) -> None:
        """Has a handler asked that knows the one that was there."""
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
        said = fixtures.messages(params.name, params.arguments or {})
        if said is None:
            return await own(context, params)
        told = [mcp.PromptMessage(role="user", content=part) for part in said]
        return mcp.GetPromptResult(messages=told)

    async def _set_level(self, context, params):
        return mcp.EmptyResult()


class Events(EventStore):
    """What was sent on the streams of one run, for clients that come back."""

    def __init__(self) -> None:
        self._events: list[tuple[StreamId, mcp.JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: StreamId, message: mcp.JSONRPCMessage | None) -> EventId:
        self._events.append((stream_id, message))
        return str(len(self._events))

    async def replay_events_after(
        self, last_event_id: EventId, send_callback: EventCallback
    ) -> StreamId | None:
        last = int(last_event_id)
        stream = self._events[last - 1][0]
        for number, (stream_id, message) in enumerate(self._events[last:], last + 1):
            if stream_id == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


@asynccontextmanager
async def open_twin() -> AsyncIterator[str]:
    """Serves for as long as the block runs; gives the URL."""
    chosen = override(browser__profile=None, network__proxy="none")
    async with (
        open_tabwright(load_settings(chosen)) as tabwright,
        background_nursery() as background,
        trio.open_nursery() as nursery,
    ):
        server = Twin(tabwright, background).server
        app = server.streamable_http_app(event_store=Events(), retry_interval=RETRY_MS)
        config = Config.from_mapping(bind=["127.0.0.1:0"], graceful_timeout=SHUTDOWN_S)
        over = trio.Event()
        bound = await nursery.start(_serve, app, config, over)
        yield f"{bound[0]}/mcp"
        over.set()


async def _serve(app, config: Config, over: trio.Event, *, task_status) -> None:
    await serve(app, config, shutdown_trigger=over.wait, task_status=task_status)


async def main() -> None:
    async with open_twin() as url:
        print(url, flush=True)  # noqa: T201  (whoever started it waits for that)
        async with trio.lowlevel.FdStream(0) as stdin:
            while await stdin.receive_some():
                pass


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    trio.run(main)
