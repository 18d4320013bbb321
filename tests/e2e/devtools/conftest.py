"""Fixtures for the developer tools: test pages, and MCP clients with all tools."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import attrs
import pytest

from tabwright.config.settings import TOOL_GROUPS
from tabwright.plugin import built_in_groups
from tabwright.testing.demo import text_of
from tabwright.testing.replica.server import Exchange, Seen, ServerResponse, html, open_server

Reply: TypeAlias = ServerResponse | Callable[[Exchange], Awaitable[None]]


@attrs.define(eq=False)
class Site:
    """A site on loopback with pages that a test provides.

    Attributes:
        pages: the response for each path.
        log: every request.
    """

    port: int = 0
    pages: dict[str, Reply] = attrs.field(factory=dict[str, Reply])
    log: list[Seen] = attrs.field(factory=list[Seen])

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def put(self, path: str, body: str) -> None:
        icon = "<link rel=icon href=data:,>"
        self.pages[path] = html(f"<!doctype html><title>Up</title>{icon}{body}")

    def seen(self, path: str) -> list[Seen]:
        return [seen for seen in self.log if seen.path == path]

    async def answer(self, exchange: Exchange) -> None:
        reply = self.pages.get(exchange.path) or ServerResponse(status=404)
        if isinstance(reply, ServerResponse):
            await exchange.answer(reply)
        else:
            await reply(exchange)


class ToolCaller:
    """Calls tools of a server through an MCP client."""

    def __init__(self, client) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments: object) -> str:
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    async def refused(self, tool: str, **arguments: object) -> str:
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, text_of(result)
        return text_of(result)

    async def value(self, script: str) -> str:
        """Return the value of a script in the session's page, as JSON."""
        text = await self("evaluate", script=script)
        return text.partition("\nConsole")[0].partition("\nRequests: ")[0]


OpenCaller: TypeAlias = Callable[..., AbstractAsyncContextManager[ToolCaller]]


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    own = Site()
    async with open_server(own.answer, own.log) as port:
        own.port = port
        yield own


@pytest.fixture
def open_caller(write_config, open_client, tmp_path: Path) -> OpenCaller:
    """Open callers of servers that offer all tools and allow scripts."""

    @asynccontextmanager
    async def opened(**groups: dict[str, object]) -> AsyncGenerator[ToolCaller]:
        acting = {
            "scripts": True,
            "downloads": str(tmp_path / "downloads"),
            "upload_roots": [str(tmp_path)],
            **groups.pop("acting", {}),
        }
        mcp = {"tools": [*TOOL_GROUPS, *built_in_groups()], **groups.pop("mcp", {})}
        config = write_config(
            mcp=mcp,
            acting=acting,
            session={"dir": str(tmp_path / "sessions"), **groups.pop("session", {})},
            log={"dir": None},
            **groups,
        )
        async with open_client(config) as client:
            yield ToolCaller(client)

    return opened


@pytest.fixture
async def call(open_caller: OpenCaller) -> AsyncGenerator[ToolCaller]:
    async with open_caller() as caller:
        yield caller
