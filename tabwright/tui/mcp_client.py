"""The connection to the server through the MCP SDK, the only module that imports it."""

import os
import shlex
from base64 import b64decode
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TextIO, TypeAlias, TypeVar, cast

import attrs
import msgspec
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

from tabwright.config.loader import own_command
from tabwright.content.documents import each_text
from tabwright.protocol.page_text import STRUCTURED, unmarked

# Results of tools, as far as the terminal needs them.

RecordT = TypeVar("RecordT")

Told: TypeAlias = Callable[[str], None]
"""Is called with each step of a call."""


@attrs.frozen
class ReplyImage:
    """A small picture.

    Attributes:
        number: of the medium that it shows, as the page's record has it; None where nobody says.
        data: a JPEG or a PNG.
    """

    number: int | None
    data: bytes


@attrs.frozen
class ToolReply:
    """An answer of a tool.

    Attributes:
        text: without the marks that are there for models.
        record: for programs; plain values.
        failed: whether the text says why nothing came of it.
    """

    text: str
    pictures: tuple[ReplyImage, ...] = ()
    record: object = None
    failed: bool = False

    def read(self, wanted: type[RecordT]) -> RecordT:
        """The record as a value of a type.

        Raises:
            msgspec.ValidationError: it is none.
        """
        return msgspec.convert(self.record, wanted)


# Errors of the terminal browser; each says what to do next.


class TerminalError(Exception):
    """Something that is told in the status bar; the page stays where it is."""


class ServerMissing(TerminalError):
    """There is no server."""


class ServerLost(TerminalError):
    """The server ended in the middle of a call.

    Args:
        words: the last line that it wrote to standard error, as far as it is known.
    """

    def __init__(self, words: str = "") -> None:
        cause = f": {words}" if words else "."
        super().__init__(
            f"The server ended{cause} Your next action starts another; r reloads the page."
        )


class CallFailed(TerminalError):
    """A tool says that it could not be done, and why."""


class WrongCommand(TerminalError):
    """A command that is none, or lacks something."""


# Finding the server.

TOOLS = "search,read,forms,act,sessions"
"""The groups that are used here; a client that is not told of a tool cannot check its answers."""


@attrs.frozen
class ServerLocation:
    """Where the server is: at a URL, or started by a command."""

    url: str = ""
    command: Sequence[str] = ()

    @classmethod
    def named(cls, where: str, arguments: Sequence[str]) -> "ServerLocation":
        """What a person calls it.

        Args:
            where: a URL of streamable HTTP, or a command line; empty for a server of our own.
            arguments: for our own.
        """
        if where.startswith(("http://", "https://")):
            return cls(url=where)
        own = own_command("serve", "--tools", TOOLS, *arguments)
        return cls(command=shlex.split(where) or own)


RECORDED = cast("RequestParamsMeta", {STRUCTURED: True})
"""Asks for a record of each answer, which this program reads instead of the text."""


@attrs.frozen(eq=False)
class MCPConnection:
    """A connection, while it lasts."""

    _client: Client

    async def call(
        self, tool: str, arguments: Mapping[str, object], told: Told | None = None
    ) -> ToolReply:
        """What a tool answers. Cancellation is told to the server.

        Raises:
            ServerMissing: it is no server that we can talk to.
            ServerLost: it ended meanwhile.
        """

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            """A step of the call; those without words are only counted."""
            del progress, total
            if message and told:
                told(message)

        callback = on_progress if told else None
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
async def connect(where: ServerLocation, said: TextIO) -> AsyncGenerator[MCPConnection]:
    """A connection for the length of the block; leaving it ends a server that was started for it.

    Args:
        where: the server.
        said: takes what a server that is started says on standard error.
    """
    async with Client(_transport(where, said)) as client:
        yield MCPConnection(client)


def _transport(
    where: ServerLocation, said: TextIO
) -> AbstractAsyncContextManager[TransportStreams]:
    if where.url:
        return streamable_http_client(where.url)
    program, *arguments = where.command
    parameters = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    return stdio_client(parameters, errlog=said)
