"""Serving one MCP client over standard input and output, from its first line to its last.

The handshake is answered at once, while tabwright and then the SDK are imported in a thread. If the
first call needs a browser, it starts while the SDK is still being imported.
"""

import gc
import logging
import socket
from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import trio

from tabwright.cli import user_client
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.engines import EngineConfig
from tabwright.config.settings import Settings
from tabwright.control.json_rpc import INVALID_REQUEST, PARSE_ERROR, error_line, is_json
from tabwright.mcp.handshake import InitializeHandshake
from tabwright.mcp.registry import begins_in_browser, toolbox
from tabwright.mcp.stdio import (
    LINE_BYTES_MAX,
    ClientGone,
    LineReader,
    LineTooLong,
    LineWriter,
    Send,
    open_stdio,
)
from tabwright.protocol.errors import TabwrightError

if TYPE_CHECKING:
    from tabwright.client import Tabwright
    from tabwright.environment import Environment

Open: TypeAlias = Callable[[Settings, "Environment"], AbstractAsyncContextManager["Tabwright"]]
ServeLines: TypeAlias = Callable[
    ["Tabwright", trio.MemoryReceiveChannel[bytes], Send, set[str | int]], Awaitable[None]
]

_log = logging.getLogger("tabwright.gateway")

FLUSH_S = 0.3
"""The time limit for writing the last lines, in seconds; an active client reads them at once."""

BACKLOG_MAX = 64
"""The maximum number of lines that wait for the SDK; further ones make the client wait."""


async def serve_stdio(
    settings: Settings, engines: EngineConfig, environment: Callable[[], "Environment"]
) -> None:
    """Serve until the end of input, then stop the browser and return.

    Cancellation stops running calls and the browser at once.

    Args:
        settings: of the server.
        engines: the engines for its searches.
        environment: creates the environment once its modules are imported.
    """
    try:
        greeting = InitializeHandshake(toolbox(settings, engines), begins_in_browser)
        lines, backlog = trio.open_memory_channel[bytes](BACKLOG_MAX)
        async with open_stdio() as (reader, writer), trio.open_nursery() as nursery:
            nursery.start_soon(writer.run)
            nursery.start_soon(_receive, reader, writer, greeting, lines)
            open_app = await trio.to_thread.run_sync(_import_app, abandon_on_cancel=True)
            async with (
                open_app(settings, environment()) as tabwright,
                background_nursery() as background,
            ):
                background.start_soon(_start_browser, greeting, tabwright)
                serve_lines = await trio.to_thread.run_sync(_import_sdk, abandon_on_cancel=True)
                greeting.over = True
                background.start_soon(
                    partial(trio.to_thread.run_sync, _import_actors, abandon_on_cancel=True)
                )
                await serve_lines(tabwright, backlog, writer.send, greeting.replayed)
            writer.close()
            nursery.cancel_scope.deadline = trio.current_time() + FLUSH_S
    except* ClientGone:
        _log.warning("The client stopped reading; no more messages can be sent.")


async def serve_shared(connection: socket.socket) -> None:
    """Connect standard input and output to the user process, whose sessions the client shares.

    Returns when either side closes.
    """
    stream = trio.SocketStream(trio.socket.from_stdlib_socket(connection))
    async with (
        open_stdio() as (reader, writer),
        stream,
        background_nursery() as background,
        trio.open_nursery() as nursery,
    ):
        background.start_soon(writer.run)
        await stream.send_all(user_client.mcp_line())
        nursery.start_soon(_forward_input, reader, stream)
        answers = LineReader(stream)
        while (line := await answers.receive()) is not None:
            await writer.send(line)
        nursery.cancel_scope.cancel()


async def _forward_input(reader: LineReader, stream: trio.SocketStream) -> None:
    with suppress(trio.BrokenResourceError):  # the process has ended
        while (line := await reader.receive()) is not None:
            await stream.send_all(line + b"\n")
        await stream.send_eof()


async def _start_browser(greeting: InitializeHandshake, tabwright: "Tabwright") -> None:
    await greeting.browser_wanted.wait()
    with suppress(TabwrightError):  # the call that wants it is told
        await tabwright.start_browser()


async def _receive(
    reader: LineReader,
    writer: LineWriter,
    greeting: InitializeHandshake,
    lines: trio.MemorySendChannel[bytes],
) -> None:
    async with lines:
        while True:
            try:
                line = await reader.receive()
            except LineTooLong:
                text = f"a line of more than {LINE_BYTES_MAX >> 20} MiB"
                await writer.send(error_line(INVALID_REQUEST, text))
                continue
            if line is None:
                return
            if not line.strip():
                continue
            if not is_json(line):
                await writer.send(error_line(PARSE_ERROR, "not JSON"))
                continue
            reply = greeting.reply(line)
            if reply is not None:
                await writer.send(reply.line)
            if reply is None or reply.forward:
                await lines.send(line)


def _import_app() -> Open:
    with _uncollected():
        from tabwright.app import open_tabwright  # noqa: PLC0415  (the whole point)
    return open_tabwright


def _import_sdk() -> ServeLines:
    with _uncollected():
        from tabwright.cli.mcp_session import serve_lines  # noqa: PLC0415  (the whole point)
    return serve_lines


def _import_actors() -> None:
    """Import modules that the first call may need, while the client decides on it."""
    with _uncollected():
        from tabwright.app import import_actors  # noqa: PLC0415  (the whole point)

        import_actors()


@contextmanager
def _uncollected() -> Generator[None]:
    """Exclude the imported modules from garbage collection, which would scan them repeatedly."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()
