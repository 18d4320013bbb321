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

from tabwright.concurrency.lines import LineReader
from tabwright.concurrency.timers import STALL_S

Send: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Writes a line."""

DRAIN_S = 0.8
"""The time for running calls when the input ends, in seconds; the client waits 2 s in all."""

LINES_MAX = 256
"""The maximum number of lines that wait for a slow client, or for the SDK."""


class ClientGone(Exception):
    """The client closed our standard output."""


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
