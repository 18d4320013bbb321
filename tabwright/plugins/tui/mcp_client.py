"""The connection to the server through the MCP SDK, the only module that imports it."""

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
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    ImageContent,
    RequestParamsMeta,
    TextContent,
)

from tabwright.plugins.tui.replies import (
    OnStep,
    ReplyImage,
    ServerLocation,
    ServerLost,
    ServerMissing,
    ToolReply,
)
from tabwright.protocol.untrusted_text import STRUCTURED, unmarked
from tabwright.text.records import each_text

RECORDED = cast("RequestParamsMeta", {STRUCTURED: True})
"""Requests structured content, which this program reads instead of the text."""


@attrs.frozen(eq=False)
class MCPConnection:
    """An open connection."""

    _client: Client

    async def call(
        self, tool: str, arguments: Mapping[str, object], on_step: OnStep | None = None
    ) -> ToolReply:
        """Call a tool. Cancellation is sent to the server.

        Raises:
            ServerMissing: it is not a supported server.
            ServerLost: it ended during the call.
        """

        async def on_progress(
            progress: float,  # noqa: ARG001  (as the SDK calls it)
            total: float | None,  # noqa: ARG001
            message: str | None,
        ) -> None:
            """Report a step of the call; steps without a text are ignored."""
            if message and on_step:
                on_step(message)

        callback = on_progress if on_step else None
        try:
            result = await self._client.call_tool(
                tool, dict(arguments), progress_callback=callback, meta=RECORDED
            )
            texts = [part.text for part in result.content if isinstance(part, TextContent)]
            pictures: list[ReplyImage] = []
            for part in result.content:
                if isinstance(part, ImageContent):
                    number = (part.meta or {}).get("tabwright/number")
                    pictures.append(
                        ReplyImage(
                            number if isinstance(number, int) else None, b64decode(part.data)
                        )
                    )
            return ToolReply(
                "\n".join(map(unmarked, texts)),
                tuple(pictures),
                each_text(result.structured_content, unmarked),
                failed=bool(result.is_error),
            )
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                raise ServerLost from error
            raise ServerMissing(f"The server rejected the request: {error.message}") from error


@asynccontextmanager
async def connect(where: ServerLocation, stderr: TextIO) -> AsyncGenerator[MCPConnection]:
    """Connect for the length of the block; leaving it ends a server that was started for it.

    Args:
        where: the server.
        stderr: receives the standard error of a started server.
    """
    async with Client(_transport(where, stderr)) as client:
        yield MCPConnection(client)


def _transport(
    where: ServerLocation, stderr: TextIO
) -> AbstractAsyncContextManager[TransportStreams]:
    if where.url:
        return streamable_http_client(where.url)
    program, *arguments = where.command
    parameters = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    return stdio_client(parameters, errlog=stderr)
