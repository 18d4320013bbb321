"""The process of the server: started on demand, and restarted when it is lost.

Nothing here imports the MCP SDK, which takes longer than the rest of the program: the first screen
is drawn before the import is done.
"""

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, TextIO, TypeAlias, cast

from tabwright.plugins.tui.replies import (
    OnStep,
    ServerLocation,
    ServerLost,
    ServerMissing,
    ToolReply,
)

if TYPE_CHECKING:
    from tabwright.plugins.tui.mcp_client import MCPConnection

Connect: TypeAlias = Callable[
    [ServerLocation, TextIO], AbstractAsyncContextManager["MCPConnection"]
]

START_S = 30.0
"""The time limit for the start of a server, in seconds."""

STDERR_MAX = 2000
"""The number of last characters to keep of a server's standard error."""


class ServerProcess:
    """A connection that is opened on demand, and reopened after it was lost.

    `run` owns it, in one task; any task may `call`.
    """

    def __init__(self, where: ServerLocation) -> None:
        self._where = where
        self._wanted = asyncio.Event()
        self._lost = asyncio.Event()
        self._connection: asyncio.Future[MCPConnection] | None = None
        self._stderr: TextIO | None = None
        self.number = 0
        """The number of the connection, counted from 0; each has new state."""

    @property
    def is_ready(self) -> bool:
        """Whether the server can answer at once."""
        return self._connection is not None and self._connection.done()

    async def run(self) -> None:
        """Connect when there are calls, until cancelled; then end the server."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stderr:
                self._stderr = stderr
                await self._converse(stderr)

    async def call(
        self, tool: str, arguments: Mapping[str, object], on_step: OnStep | None = None
    ) -> ToolReply:
        """Call a tool. Cancellation is sent to the server.

        Raises:
            ServerMissing: no server is available.
            ServerLost: it ended during the call.
        """
        if self._connection is None:
            self._connection = asyncio.get_running_loop().create_future()
            self._wanted.set()
        connection = await asyncio.shield(self._connection)
        number = self.number
        try:
            return await connection.call(tool, arguments, on_step)
        except ServerLost as lost:
            words = "" if self._stderr is None or self._stderr.closed else _last_words(self._stderr)
            if number == self.number:
                self.number += 1
                self._connection = None
                self._lost.set()
            raise ServerLost(words.rpartition("\n")[2]) from lost

    async def _converse(self, stderr: TextIO) -> None:
        """Run one connection, from its start to its loss."""
        greeted, lost = self._connection, asyncio.Event()
        self._lost = lost
        try:
            connect = await asyncio.to_thread(_import_connect)
            async with (
                asyncio.timeout(START_S) as greeting,
                connect(self._where, stderr) as connection,
            ):
                greeting.reschedule(None)
                if greeted is not None and not greeted.done():
                    greeted.set_result(connection)
                await lost.wait()
        except Exception as error:  # noqa: BLE001  (whatever keeps a server from starting is reported)
            if greeted is not None and not greeted.done():
                words = _last_words(stderr) or _reason(error)
                greeted.set_exception(ServerMissing(f"There is no server: {words}"))
        finally:
            if self._connection is greeted:
                self._connection = None


def _import_connect() -> Connect:
    """Import the SDK, which takes time: meanwhile the first screen is drawn."""
    from tabwright.plugins.tui.mcp_client import connect  # noqa: PLC0415

    return connect


def _last_words(stderr: TextIO) -> str:
    """Return the end of a server's standard error."""
    stderr.seek(0)
    return stderr.read()[-STDERR_MAX:].strip()


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):  # as tasks of the SDK fail
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return (
        "it did not answer the handshake"
        if isinstance(error, TimeoutError)
        else str(error) or repr(error)
    )
