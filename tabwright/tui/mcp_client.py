"""A connection to the server, by MCP's SDK: the one module here that has to wait for that."""

import os
from base64 import b64decode
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TextIO, cast

import attrs
from mcp.client._transport import TransportStreams
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    CallToolResult,
    ImageContent,
    RequestParamsMeta,
    TextContent,
)

from tabwright.content.documents import each_text
from tabwright.protocol.page_text import STRUCTURED, unmarked
from tabwright.tui.answers import Answer, Picture, Told
from tabwright.tui.errors import ServerLost, ServerMissing
from tabwright.tui.whereabouts import Whereabouts

RECORDED = cast("RequestParamsMeta", {STRUCTURED: True})
"""Asks for a record of each answer, which this program reads instead of the text."""


@attrs.frozen(eq=False)
class Connection:
    """A connection, while it lasts."""

    _client: Client

    async def call(
        self, tool: str, arguments: Mapping[str, object], told: Told | None = None
    ) -> Answer:
        """What a tool answers. Cancellation is told to the server.

        Raises:
            ServerMissing: it is no server that we can talk to.
            ServerLost: it ended meanwhile.
        """
        hear = _heard(told) if told else None
        try:
            return _answer(
                await self._client.call_tool(
                    tool, dict(arguments), progress_callback=hear, meta=RECORDED
                )
            )
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                raise ServerLost from error
            raise ServerMissing(f"The server does not understand us: {error.message}") from error


@asynccontextmanager
async def connect(where: Whereabouts, said: TextIO) -> AsyncGenerator[Connection]:
    """A connection for the length of the block; leaving it ends a server that was started for it.

    Args:
        where: the server.
        said: takes what a server that is started says on standard error.
    """
    async with Client(_transport(where, said)) as client:
        yield Connection(client)


def _transport(where: Whereabouts, said: TextIO) -> AbstractAsyncContextManager[TransportStreams]:
    if where.url:
        return streamable_http_client(where.url)
    program, *arguments = where.command
    parameters = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    return stdio_client(parameters, errlog=said)


def _heard(told: Told) -> ProgressFnT:
    async def hear(progress: float, total: float | None, message: str | None) -> None:
        """A step of the call; those without words are only counted."""
        del progress, total
        if message:
            told(message)

    return hear


def _answer(result: CallToolResult) -> Answer:
    texts = [part.text for part in result.content if isinstance(part, TextContent)]
    return Answer(
        "\n".join(map(unmarked, texts)),
        tuple(_picture(part) for part in result.content if isinstance(part, ImageContent)),
        each_text(result.structured_content, unmarked),
        failed=bool(result.is_error),
    )


def _picture(part: ImageContent) -> Picture:
    number = (part.meta or {}).get("tabwright/number")
    return Picture(number if isinstance(number, int) else None, b64decode(part.data))
