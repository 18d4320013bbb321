"""The server that is asked: started when it is needed, and anew when it is lost."""

import asyncio
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TextIO, TypeAlias

import attrs
from mcp.client._transport import TransportStreams
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, CallToolResult

from tabwright.tui.errors import ServerLost, ServerMissing

START_S = 30.0
"""For a server to start and to greet."""

TOOLS = "search,read,forms,act,sessions"
"""The groups that are used here; a client that is not told of a tool cannot check its answers."""

SAID_LAST = 2000
"""Characters of what a server has said on standard error before it ended."""

Told: TypeAlias = Callable[[str], None]
"""Is called with each step of a call."""


@attrs.frozen
class Whereabouts:
    """Where the server is: at a URL, or started by a command."""

    url: str = ""
    command: Sequence[str] = ()

    @classmethod
    def named(cls, where: str, arguments: Sequence[str]) -> "Whereabouts":
        """What a person calls it.

        Args:
            where: a URL of streamable HTTP, or a command line; empty for a server of our own.
            arguments: for our own.
        """
        if where.startswith(("http://", "https://")):
            return cls(url=where)
        own = (sys.executable, "-m", "tabwright", "serve", "--tools", TOOLS, *arguments)
        return cls(command=shlex.split(where) or own)


class Server:
    """A connection that is made when it is asked for, and made again after it was lost.

    `run` owns it, in one task; any task may `call`.
    """

    def __init__(self, where: Whereabouts) -> None:
        self._where = where
        self._wanted = asyncio.Event()
        self._lost = asyncio.Event()
        self._client: asyncio.Future[Client] | None = None
        self.number = 0
        """Of the connection, counted from 0: with another one everything begins anew."""

    async def run(self) -> None:
        """Connects whenever somebody calls, until cancelled; then the server is ended."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
                await self._converse(said)

    async def call(
        self, tool: str, arguments: Mapping[str, object], told: Told | None = None
    ) -> CallToolResult:
        """What a tool answers. Cancellation is told to the server.

        Raises:
            ServerMissing: there is no server to be had.
            ServerLost: it ended meanwhile.
        """
        client = await self._connected()
        number = self.number
        try:
            return await client.call_tool(
                tool, dict(arguments), progress_callback=_heard(told) if told else None
            )
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                self._lose(number)
                raise ServerLost from error
            raise ServerMissing(f"The server does not understand us: {error.message}") from error

    def _lose(self, number: int) -> None:
        """Notes that a connection is lost; who finds out later has nothing to do with the next."""
        if number == self.number:
            self.number += 1
            self._client = None
            self._lost.set()

    async def _connected(self) -> Client:
        if self._client is None:
            self._client = asyncio.get_running_loop().create_future()
            self._wanted.set()
        return await asyncio.shield(self._client)

    async def _converse(self, said: TextIO) -> None:
        """One connection, from its greeting to its loss."""
        greeted, lost = self._client, asyncio.Event()
        self._lost = lost
        try:
            async with asyncio.timeout(START_S) as greeting, self._new_client(said) as client:
                greeting.reschedule(None)
                if greeted is not None and not greeted.done():
                    greeted.set_result(client)
                await lost.wait()
        except Exception as error:  # noqa: BLE001  (whatever keeps a server from coming is told)
            if greeted is not None and not greeted.done():
                greeted.set_exception(_missing(error, said))
        finally:
            if self._client is greeted:
                self._client = None

    def _new_client(self, said: TextIO) -> Client:
        transport: AbstractAsyncContextManager[TransportStreams]
        if self._where.url:
            transport = streamable_http_client(self._where.url)
        else:
            program, *arguments = self._where.command
            environment = dict(os.environ)
            parameters = StdioServerParameters(command=program, args=arguments, env=environment)
            transport = stdio_client(parameters, errlog=said)
        return Client(transport)


def _heard(told: Told) -> ProgressFnT:
    async def hear(progress: float, total: float | None, message: str | None) -> None:
        """A step of the call; those without words are only counted."""
        del progress, total
        if message:
            told(message)

    return hear


def _missing(error: Exception, said: TextIO) -> ServerMissing:
    """Why there is no server: its own last words, where it has said any."""
    said.seek(0)
    words = said.read()[-SAID_LAST:].strip()
    reason = "it does not greet us" if isinstance(error, TimeoutError) else f"{error}"
    return ServerMissing(f"There is no server: {words or reason}")
