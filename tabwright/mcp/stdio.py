"""Standard input and output as lines, for a protocol that must own them (MCP, transport stdio).

Meanwhile, other code reads nothing from standard input, and its output goes to standard error:
standard output carries only the protocol's lines.
"""

import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

import trio

from tabwright.concurrency.timers import STALL_S

Send: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Writes a line."""

LINE_BYTES_MAX = 16 << 20
"""A longer line is not a message; it is read to its end and dropped."""

DRAIN_S = 0.8
"""The time for running calls when the input ends, in seconds; the client waits 2 s in all."""

LINES_MAX = 256
"""The maximum number of lines that wait for a slow client, or for the SDK."""


class ClientGone(Exception):
    """The client closed our standard output."""


class LineTooLong(Exception):
    """A line of more than `LINE_BYTES_MAX` was read and dropped."""


class LineReader:
    """Splits a stream into lines.

    Args:
        received: what was read from it before.
    """

    def __init__(self, stream: trio.abc.ReceiveStream, received: bytes = b"") -> None:
        self._stream = stream
        self._buffer = bytearray(received)
        self._searched = 0

    async def receive(self) -> bytes | None:
        """Return the next line without its end; None at the end of input.

        Cancellation loses nothing.

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
        chunk = await self._stream.receive_some()
        self._buffer += chunk
        return bool(chunk)


class LineWriter:
    """Writes whole lines in order, in a separate task.

    The end of input is thus noticed even while the client does not read.
    """

    def __init__(self, stream: trio.abc.SendStream) -> None:
        self._stream = stream
        self._lines, self._outgoing = trio.open_memory_channel[bytes](LINES_MAX)

    async def send(self, line: bytes) -> None:
        """Queue a line; wait while `LINES_MAX` lines are queued."""
        await self._lines.send(line)

    def close(self) -> None:
        """Reject further lines; `run` ends when the queued ones are written."""
        self._lines.close()

    async def run(self) -> None:
        """Write lines until `close`.

        Raises:
            ClientGone: the client closed the stream, or read nothing for `STALL_S`.
        """
        try:
            async for line in self._outgoing:
                with trio.fail_after(STALL_S):
                    await self._stream.send_all(line + b"\n")
        except (trio.BrokenResourceError, trio.TooSlowError) as error:
            raise ClientGone from error


@asynccontextmanager
async def open_stdio(received: bytes = b"") -> AsyncGenerator[tuple[LineReader, LineWriter]]:
    """Own standard input and output while the block runs (POSIX).

    Meanwhile, the output of other code goes to standard error, and its input is empty.

    Args:
        received: what was read from standard input before.

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
            yield LineReader(receiving, received), LineWriter(sending)
    finally:
        sys.stdout = stdout
