"""Serving one MCP client over standard input and output, from its first line to its last.

The handshake is answered at once, while tabwright is imported in a thread. If the first call needs
a browser, it is launched meanwhile: before the tools are imported, if the call is there already.
Calls are answered without the SDK, which is imported when the client needs it.
"""

import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import attrs
import trio

from tabwright.cli import user_client
from tabwright.cli.first_answers import FirstAnswers
from tabwright.cli.late_imports import import_late
from tabwright.concurrency.lines import LINE_BYTES_MAX, LineReader, LineTooLong
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.engines import EngineConfig
from tabwright.config.settings import Settings
from tabwright.control.json_rpc import INVALID_REQUEST, PARSE_ERROR, error_line, is_json
from tabwright.mcp.browser_calls import BrowserRequest
from tabwright.mcp.stdio import (
    LINES_MAX,
    ClientGone,
    LineWriter,
    open_stdio,
)

if TYPE_CHECKING:
    from tabwright.browser.early_browser import EarlyBrowser
    from tabwright.environment import Environment
    from tabwright.mcp.handshake import InitializeHandshake

_log = logging.getLogger("tabwright.gateway")

FLUSH_S = 0.3
"""The time limit for writing the last lines, in seconds; an active client reads them at once."""


async def serve_stdio(
    settings: Settings,
    engines: EngineConfig,
    environment: Callable[[], "Environment"],
    first: FirstAnswers,
    files: Sequence[str],
) -> None:
    """Serve until the end of input, then stop the browser and return.

    Cancellation stops running calls and the browser at once.

    Args:
        settings: of the server.
        engines: the engines for its searches.
        environment: creates the environment once its modules are imported.
        first: the answers that were given meanwhile.
        files: the paths of the files that the answers depend on, besides the code.
    """
    try:
        lines, backlog = trio.open_memory_channel[bytes](LINES_MAX)
        first.end()
        request, browser = BrowserRequest(), None
        for line in first.received.split(b"\n"):
            request.take(line)
        async with background_nursery() as launching:
            if request.made.is_set():
                browser = await _prepare_browser(settings, request, launching)
            handshake = await import_late(partial(_handshake, settings, engines))
            streams = open_stdio(first.received)
            async with streams as (reader, writer), trio.open_nursery() as nursery:
                nursery.start_soon(writer.run)
                nursery.start_soon(_receive, reader, writer, handshake, request, first, lines)
                if browser is None:
                    browser = await _prepare_browser(settings, request, launching)
                await import_late(_import_server)
                from tabwright.cli.early_calls import serve_client  # noqa: PLC0415  (imported by now)

                nursery.start_soon(trio.to_thread.run_sync, first.save, files)
                world = environment()
                if browser is not None:
                    world = attrs.evolve(world, launcher=browser)
                await serve_client(settings, world, handshake, backlog, writer.send)
                writer.close()
                nursery.cancel_scope.deadline = trio.current_time() + FLUSH_S
    except* ClientGone:
        _log.warning("The client stopped reading; no more messages can be sent.")


async def _prepare_browser(
    settings: Settings, request: BrowserRequest, launching: trio.Nursery
) -> "EarlyBrowser | None":
    """Return the browser of the settings, which is launched once a call needs one."""
    browser = await import_late(partial(browser_of_this_machine, settings))
    if browser is not None:
        launching.start_soon(_launch_early, browser, request, settings)
    return browser


async def _launch_early(
    browser: "EarlyBrowser", request: BrowserRequest, settings: Settings
) -> None:
    from tabwright.browser.early_browser import first_options  # noqa: PLC0415  (imported before)

    await request.made.wait()
    await browser.run(first_options(settings, request.use))


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


async def _receive(  # noqa: PLR0913, PLR0917  (all that a line concerns)
    reader: LineReader,
    writer: LineWriter,
    handshake: "InitializeHandshake",
    request: BrowserRequest,
    first: FirstAnswers,
    lines: trio.MemorySendChannel[bytes],
) -> None:
    answered = iter(first.answered)
    if first.unsent:
        await writer.send(first.unsent.removesuffix(b"\n"))
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
            is_answered = next(answered, False)
            if not line.strip():
                continue
            if not is_json(line):
                await writer.send(error_line(PARSE_ERROR, "not JSON"))
                continue
            request.take(line)
            reply = handshake.reply(line)
            first.keep(line, None if reply is None else reply.line)
            if reply is not None and not is_answered:
                await writer.send(reply.line)
            if reply is None or reply.forward:
                await lines.send(line)


def _handshake(settings: Settings, engines: EngineConfig) -> "InitializeHandshake":
    from tabwright.mcp.handshake import InitializeHandshake  # noqa: PLC0415  (after the browser)
    from tabwright.mcp.registry import toolbox  # noqa: PLC0415  (the same)

    return InitializeHandshake(toolbox(settings, engines))


def browser_of_this_machine(settings: Settings) -> "EarlyBrowser | None":
    """Import what a browser needs, and return that of the settings; None if it runs elsewhere."""
    from tabwright.browser.early_browser import early_browser  # noqa: PLC0415  (the whole point)
    from tabwright.environment import Environment, changed_by_plugins  # noqa: PLC0415  (as before)

    if changed_by_plugins(Environment(), settings).sources is not None:
        return None
    return early_browser(settings)


def _import_server() -> None:
    from tabwright.app import PAGE_MODULES, import_modules  # noqa: PLC0415  (the whole point)

    import_modules(["tabwright.cli.early_calls", *PAGE_MODULES])
