"""Serving one MCP client over standard input and output, from its first line to its last.

The client is greeted at once, while the SDK and the house are imported in a thread.
"""

import gc
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

import trio

from tabwright.actors.gateway_tools import toolbox
from tabwright.actors.greeting import Greeting
from tabwright.actors.json_rpc import INVALID_REQUEST, PARSE_ERROR, error_line, is_json
from tabwright.actors.stdio import (
    LINE_BYTES_MAX,
    ClientGone,
    LineReader,
    LineTooLong,
    LineWriter,
    open_stdio,
)
from tabwright.config.engines import Engines
from tabwright.config.settings import Settings

if TYPE_CHECKING:
    from tabwright.actors.house import Seams

Send: TypeAlias = Callable[[bytes], Awaitable[None]]
ServeLines: TypeAlias = Callable[
    [Settings, Callable[[], "Seams"], trio.MemoryReceiveChannel[bytes], Send, set[str | int]],
    Awaitable[None],
]

_log = logging.getLogger("tabwright.gateway")

FLUSH_S = 0.3
"""For the last lines to be written at the end; a client that reads takes them at once."""

BACKLOG_MAX = 64
"""Lines that may wait for the SDK; the client waits with more."""


async def serve_stdio(settings: Settings, engines: Engines, seams: Callable[[], "Seams"]) -> None:
    """Serves until the end of input, then stops the browser and returns.

    Cancellation stops at once what is in work, and the browser.

    Args:
        settings: for the house.
        engines: whom its searches may ask.
        seams: makes what else the house needs, once its modules are imported.
    """
    try:
        await _serve(settings, engines, seams)
    except* ClientGone:
        _log.warning("The client stopped reading; nothing more can be said to it.")


async def _serve(settings: Settings, engines: Engines, seams: Callable[[], "Seams"]) -> None:
    greeting = Greeting(toolbox(settings, engines))
    lines, backlog = trio.open_memory_channel[bytes](BACKLOG_MAX)
    async with open_stdio() as (reader, writer), trio.open_nursery() as nursery:
        nursery.start_soon(writer.run)
        nursery.start_soon(_receive, reader, writer, greeting, lines)
        serve_lines = await trio.to_thread.run_sync(_import_the_rest, abandon_on_cancel=True)
        greeting.over = True
        await serve_lines(settings, seams, backlog, writer.send, greeting.replayed)
        writer.close()
        nursery.cancel_scope.deadline = trio.current_time() + FLUSH_S


async def _receive(
    reader: LineReader,
    writer: LineWriter,
    greeting: Greeting,
    lines: trio.MemorySendChannel[bytes],
) -> None:
    async with lines:
        while True:
            try:
                line = await reader.receive()
            except LineTooLong:
                text = f"a line of more than {LINE_BYTES_MAX} bytes"
                await writer.send(error_line(INVALID_REQUEST, text))
                continue
            if line is None:
                return
            await _take(line, writer, greeting, lines)


async def _take(
    line: bytes,
    writer: LineWriter,
    greeting: Greeting,
    lines: trio.MemorySendChannel[bytes],
) -> None:
    if not line.strip():
        return
    if not is_json(line):
        await writer.send(error_line(PARSE_ERROR, "not JSON"))
        return
    reply = greeting.reply(line)
    if reply is not None:
        await writer.send(reply.line)
    if reply is None or reply.forward:
        await lines.send(line)


def _import_the_rest() -> ServeLines:
    """Imports what is heavy. The collector would only look again and again at what stays."""
    gc.disable()
    try:
        from tabwright.actors.gateway_lines import serve_lines  # noqa: PLC0415  (the whole point)
    finally:
        gc.enable()
        gc.freeze()
    return serve_lines
