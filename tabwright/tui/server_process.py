"""The server that is asked: started when it is needed, and anew when it is lost."""

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, TextIO, TypeAlias, cast

from tabwright.tui.server_calls import ServerLocation, ServerLost, ServerMissing, Told, ToolReply

if TYPE_CHECKING:
    from tabwright.tui.mcp_client import MCPConnection

Connect: TypeAlias = Callable[
    [ServerLocation, TextIO], AbstractAsyncContextManager["MCPConnection"]
]

START_S = 30.0
"""For a server to start and to greet."""

SAID_LAST = 2000
"""Characters of what a server has said on standard error before it ended."""


class ServerProcess:
    """A connection that is made when it is asked for, and made again after it was lost.

    `run` owns it, in one task; any task may `call`.
    """

    def __init__(self, where: ServerLocation) -> None:
        self._where = where
        self._wanted = asyncio.Event()
        self._lost = asyncio.Event()
        self._connection: asyncio.Future[MCPConnection] | None = None
        self._said: TextIO | None = None
        self.number = 0
        """Of the connection, counted from 0: with another one everything begins anew."""

    @property
    def is_ready(self) -> bool:
        """Whether the server can answer at once."""
        return self._connection is not None and self._connection.done()

    async def run(self) -> None:
        """Connects whenever somebody calls, until cancelled; then the server is ended."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
                self._said = said
                await self._converse(said)

    async def call(
        self, tool: str, arguments: Mapping[str, object], told: Told | None = None
    ) -> ToolReply:
        """What a tool answers. Cancellation is told to the server.

        Raises:
            ServerMissing: there is no server to be had.
            ServerLost: it ended meanwhile.
        """
        if self._connection is None:
            self._connection = asyncio.get_running_loop().create_future()
            self._wanted.set()
        connection = await asyncio.shield(self._connection)
        number = self.number
        try:
            return await connection.call(tool, arguments, told)
        except ServerLost as lost:
            words = "" if self._said is None or self._said.closed else _last_words(self._said)
            if number == self.number:
                self.number += 1
                self._connection = None
                self._lost.set()
            raise ServerLost(words.rpartition("\n")[2]) from lost

    async def _converse(self, said: TextIO) -> None:
        """One connection, from its greeting to its loss."""
        greeted, lost = self._connection, asyncio.Event()
        self._lost = lost
        try:
            connect = await asyncio.to_thread(_import_connect)
            async with (
                asyncio.timeout(START_S) as greeting,
                connect(self._where, said) as connection,
            ):
                greeting.reschedule(None)
                if greeted is not None and not greeted.done():
                    greeted.set_result(connection)
                await lost.wait()
        except Exception as error:  # noqa: BLE001  (whatever keeps a server from coming is told)
            if greeted is not None and not greeted.done():
                words = _last_words(said) or _reason(error)
                greeted.set_exception(ServerMissing(f"There is no server: {words}"))
        finally:
            if self._connection is greeted:
                self._connection = None


def _import_connect() -> Connect:
    """Takes its time: meanwhile the first screen is drawn."""
    from tabwright.tui.mcp_client import connect  # noqa: PLC0415

    return connect


def _last_words(said: TextIO) -> str:
    """The end of what a server has written to standard error."""
    said.seek(0)
    return said.read()[-SAID_LAST:].strip()


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):  # as tasks of the SDK fail
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return (
        "it did not answer the handshake"
        if isinstance(error, TimeoutError)
        else str(error) or repr(error)
    )
