"""Standard input and output as lines, for a protocol that must own them (MCP, transport stdio).

While they are owned, what other code reads from standard input is nothing, and what it prints
goes to standard error: the protocol's lines are all that standard output carries.
"""

import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

import trio

Send: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Has a line written."""

LINE_BYTES_MAX = 16 << 20
"""A longer line is no message; it is read to its end and given up."""

READ_BYTES = 1 << 16

LINES_MAX = 256
"""Lines that may wait for a client that is slow to read."""

WRITE_STALL_S = 30.0
"""A client that takes no byte of a line for so long has gone."""


class ClientGone(Exception):
    """Nobody reads our standard output any more."""


class LineTooLong(Exception):
    """A line of more than `LINE_BYTES_MAX` was read and thrown away."""


class LineReader:
    """Cuts what a stream gives into lines."""

    def __init__(self, stream: trio.abc.ReceiveStream) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self._searched = 0

    async def receive(self) -> bytes | None:
        """The next line without its end; None at the end of input. Cancellation loses nothing.

        Raises:
            LineTooLong: the line was too long; the next one can be received.
        """
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            if self._searched > LINE_BYTES_MAX:
                await self._skip_line()
            if not await self._read_more():
                return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    async def _skip_line(self) -> None:
        while (end := self._buffer.find(b"\n")) < 0:
            self._buffer.clear()
            if not await self._read_more():
                break
        del self._buffer[: end + 1]
        self._searched = 0
        raise LineTooLong

    async def _read_more(self) -> bool:
        chunk = await self._stream.receive_some(READ_BYTES)
        self._buffer += chunk
        return bool(chunk)


class LineWriter:
    """Writes whole lines, one after the other, in a task of its own.

    So the end of input is seen also while the client does not read.
    """

    def __init__(self, stream: trio.abc.SendStream) -> None:
        self._stream = stream
        self._lines, self._outgoing = trio.open_memory_channel[bytes](LINES_MAX)

    async def send(self, line: bytes) -> None:
        """Queues a line; waits where `LINES_MAX` wait already."""
        await self._lines.send(line)

    def close(self) -> None:
        """Takes no more lines; `run` ends when those that wait are written."""
        self._lines.close()

    async def run(self) -> None:
        """Writes until `close`.

        Raises:
            ClientGone: nobody reads any more, or nothing for `WRITE_STALL_S`.
        """
        try:
            async for line in self._outgoing:
                with trio.fail_after(WRITE_STALL_S):
                    await self._stream.send_all(line + b"\n")
        except (trio.BrokenResourceError, trio.TooSlowError) as error:
            raise ClientGone from error


@asynccontextmanager
async def open_stdio() -> AsyncGenerator[tuple[LineReader, LineWriter]]:
    """Owns standard input and output for as long as the block runs (POSIX).

    What else prints in the meantime goes to standard error, and what else reads finds nothing.

    Raises:
        OSError: the process has no standard input or output, or no descriptor is left.
    """
    wire_in, wire_out = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        async with (
            trio.lowlevel.FdStream(wire_in) as receiving,
            trio.lowlevel.FdStream(wire_out) as sending,
        ):
            yield LineReader(receiving), LineWriter(sending)
    finally:
        sys.stdout = stdout
