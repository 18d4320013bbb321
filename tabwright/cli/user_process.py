"""The process of a user: keeps a browser and its sessions for the commands of a shell.

It listens on a Unix socket that only the user can reach. Each connection is one command line (see
`tabwright.cli.user_client`), or a client of MCP that shares the process. Without a connection, a
running task or somebody at the live view for `daemon.idle_s` seconds it ends.
"""

import fcntl
import logging
import os
import shutil
import socket
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import IO

import attrs
import msgspec
import trio

from tabwright._version import __version__
from tabwright.app import import_modules, open_tabwright
from tabwright.cli.exit_codes import ExitCode, exit_code
from tabwright.cli.late_imports import import_late
from tabwright.cli.output import StepLines, json_text
from tabwright.cli.query import Query, SharedQueries
from tabwright.cli.shell import (
    ShellCall,
    ShellCommand,
    ShellExit,
    arguments_of,
    named_command,
    parsed,
)
from tabwright.cli.tool_names import SHELL
from tabwright.cli.user_client import (
    POLL_S,
    QUERY_COMMANDS,
    START_S,
    connect,
    socket_paths,
    surroundings,
)
from tabwright.client import Tabwright
from tabwright.concurrency.lines import LineReader, LineTooLong
from tabwright.concurrency.nursery import background_nursery
from tabwright.concurrency.timers import IdleTimer
from tabwright.config.settings import Settings
from tabwright.control.server import serve_control
from tabwright.control.transport import make_private
from tabwright.environment import Environment
from tabwright.mcp.registry import toolbox
from tabwright.mcp.results import Renderer, TextContent, refused
from tabwright.mcp.stdio import LINES_MAX
from tabwright.mcp.tool import CallContext, ToolContext, ToolResult, Toolset
from tabwright.protocol.errors import BadInput, SettingsError, TabwrightError
from tabwright.protocol.tasks import Tasks
from tabwright.text.file_errors import file_problem
from tabwright.text.records import each_text

_log = logging.getLogger("tabwright.user_process")


class ShellRequest(msgspec.Struct, frozen=True):
    """The first line of a connection.

    Attributes:
        version: of tabwright.
        arguments: the command line; empty for a client of MCP, whose lines follow.
        folder: the working directory.
        input: the standard input, if the command line names it.
        environment: the variables that decide about settings.
        surroundings: see `tabwright.cli.user_client.SURROUNDINGS`.
    """

    version: str
    arguments: tuple[str, ...] = ()
    folder: str = ""
    input: str = ""
    environment: dict[str, str] = {}
    surroundings: dict[str, str] = {}


class ShellStep(msgspec.Struct, frozen=True):
    """A line of an answer: a step of the running command."""

    step: str


class ShellAnswer(msgspec.Struct, frozen=True):
    """The last line of an answer.

    Attributes:
        declined: whether the command has to run by itself.
    """

    out: str = ""
    err: str = ""
    code: int = 0
    declined: bool = False


async def run_user_process(
    settings: Settings, environment: Environment, queries: SharedQueries
) -> None:
    """Serve the commands of the user until `tabwright daemon stop`, idleness or cancellation.

    Args:
        settings: of the process.
        environment: of its actors.
        queries: decides which commands run here that could run by themselves.

    Raises:
        SettingsError: a process of this user is already running, or its socket cannot be used.
    """
    with _open_socket() as listening:
        async with (
            open_tabwright(settings, environment) as tabwright,
            background_nursery() as background,
        ):
            background.start_soon(serve_control, tabwright)
            process = UserProcess.of(tabwright, background, queries)
            listening.listen()  # clients connect from here on, so that none meets a failing start
            listener = trio.SocketListener(trio.socket.from_stdlib_socket(listening))
            background.start_soon(trio.serve_listeners, process.meet, [listener])
            await process.over.wait()


@contextmanager
def _open_socket() -> Generator[socket.socket]:
    """Claim the socket of the user, which is removed at the end of the block.

    Raises:
        SettingsError: see `run_user_process`.
    """
    try:
        place = Path(socket_paths()[0])
        make_private(place.parent)
        with (
            place.with_suffix(".lock").open("w") as lock,
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening,
        ):
            _lock(lock)
            place.unlink(missing_ok=True)  # of a process that was killed
            listening.bind(str(place))
            place.chmod(0o600)
            try:
                yield listening
            finally:
                place.unlink(missing_ok=True)
    except OSError as error:
        raise SettingsError(f"The user process cannot start: {error.strerror}.") from error


def _lock(file: IO[str]) -> None:
    """Lock a file; wait for a process that has it and is ending, or starting.

    Raises:
        SettingsError: a process has it, and accepts commands.
        OSError: a process that has it does not end.
    """
    deadline = time.monotonic() + START_S
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if connection := connect():
                connection.close()
                raise SettingsError("The user process is already running.") from None
            if time.monotonic() > deadline:
                raise
            time.sleep(POLL_S)


@attrs.define(eq=False)
class UserProcess:
    """The served process.

    Attributes:
        over: set once it has to end.
    """

    _tabwright: Tabwright
    _tools: Toolset
    _renderer: Renderer
    _queries: SharedQueries
    over: trio.Event = attrs.field(factory=trio.Event, init=False)
    _idleness: IdleTimer = attrs.field(factory=IdleTimer, init=False)
    _began_s: float = attrs.field(factory=trio.current_time, init=False)

    @classmethod
    def of(
        cls, tabwright: Tabwright, background: trio.Nursery, queries: SharedQueries
    ) -> "UserProcess":
        """Return the process that runs commands with `tabwright`, and its tasks in `background`."""
        settings = tabwright.settings
        renderer = Renderer.of(tabwright.parts.secrets, settings)
        tools = toolbox(settings, tabwright.parts.searcher.engines)
        process = cls(tabwright, tools, renderer, queries)
        background.start_soon(process._end_when_idle)
        return process

    async def meet(self, client: trio.SocketStream) -> None:
        """Serve one connection; its end cancels its command."""
        with self._idleness.interrupted():
            try:
                reader = LineReader(client)
                line = await reader.receive()
                if line is not None:
                    await self._serve(client, reader, line)
            except (trio.BrokenResourceError, LineTooLong):
                _log.debug("A client closed its connection before its answer.")
            except Exception:  # noqa: BLE001  (a bug here must not end the process)
                _log.exception("A command failed")

    async def _serve(self, client: trio.SocketStream, reader: LineReader, line: bytes) -> None:
        try:
            request = msgspec.json.decode(line, type=ShellRequest)
        except msgspec.DecodeError as error:
            text = f"invalid request: {error}\n"
            await _send(client, ShellAnswer(err=text, code=ExitCode.WRONG_USE))
            return
        is_query = request.arguments[:1] and request.arguments[0] in QUERY_COMMANDS
        if request.version != __version__ and is_query:
            await _send(client, ShellAnswer(declined=True))
        elif request.version != __version__:
            text = f"Tabwright {__version__} is running. Run `tabwright daemon stop` first.\n"
            await _send(client, ShellAnswer(err=text, code=ExitCode.FAILED))
        elif request.arguments:
            await self._serve_command(client, reader, request)
        else:
            await import_late(partial(import_modules, ["tabwright.cli.mcp_session"]))
            from tabwright.cli.mcp_session import serve_connection  # noqa: PLC0415  (half of a start)

            await serve_connection(self._tabwright, client, reader)

    async def _serve_command(
        self, client: trio.SocketStream, reader: LineReader, request: ShellRequest
    ) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_cancel_at_end, reader, nursery.cancel_scope)
            steps, shown = trio.open_memory_channel[str](LINES_MAX)
            async with trio.open_nursery() as sending:
                sending.start_soon(_send_steps, client, shown)
                with steps:
                    answer = await self._answer(request, steps)
            await _send(client, answer)
            nursery.cancel_scope.cancel()
        if request.arguments == ("daemon", "stop"):
            self.over.set()

    async def _answer(
        self, request: ShellRequest, steps: trio.MemorySendChannel[str]
    ) -> ShellAnswer:
        command, words = named_command(request.arguments)
        try:
            match request.arguments:
                case ["daemon", "stop"]:
                    return ShellAnswer(out="Stopped.\n")
                case ["daemon", "status"]:
                    return ShellAnswer(out=await self._status())
                case [name, *_] if name in QUERY_COMMANDS:
                    return await self._ask(request, steps)
                case _ if command is None:
                    name = " ".join(request.arguments[:2])
                    return ShellAnswer(err=f"unknown command {name}\n", code=ExitCode.WRONG_USE)
                case _:
                    call = ShellCall(Path(request.folder), request.input)
                    return await self._run(command, words, call, steps)
        except ShellExit as mistake:
            return ShellAnswer(err=str(mistake), code=mistake.code)

    async def _run(
        self,
        command: ShellCommand,
        words: Sequence[str],
        call: ShellCall,
        steps: trio.MemorySendChannel[str],
    ) -> ShellAnswer:
        tool = self._tools.tool(command.tool)
        options = parsed(command, tool, words)
        report = self._report_to(steps)
        try:
            given = arguments_of(command, options, call)
            client = CallContext(report, thinks=False, asked_by_result=False)
            context = ToolContext(self._tabwright, client, SHELL)
            result = await tool.handler(tool.read_arguments(given), context)
            if command.saves_file:
                result = await _saved(result, options.output, call.folder)
            code = ExitCode.FAILED if result.is_error else ExitCode.OK
        except TabwrightError as error:
            error.advice = SHELL.advice(error)
            code, result = exit_code(error), refused(error)
        content = self._renderer.result(result, tool.output_schema).content
        texts = (one.text for one in content if isinstance(one, TextContent))
        text = "\n".join(texts) + "\n"
        if options.json:  # for a program: page text in it needs no marks
            record: object = {"error": result.error, "text": text.rstrip()}
            if not result.is_error:
                structured = result.structured or {"text": text.rstrip()}
                record = each_text(structured, self._tabwright.parts.secrets.masked)
            return ShellAnswer(f"{json_text(record)}\n", code=code)
        return ShellAnswer(err=text, code=code) if result.is_error else ShellAnswer(text, code=code)

    async def _ask(self, request: ShellRequest, steps: trio.MemorySendChannel[str]) -> ShellAnswer:
        """Run a query, unless it has to run by itself, such as to report a wrong option."""
        query: Query | None = None
        if request.surroundings == surroundings():
            with suppress(BadInput):
                query = self._queries.find(
                    request.arguments, Path(request.folder), request.environment
                )
        if query is None:
            return ShellAnswer(declined=True)
        notices: list[str] = []
        progress = StepLines(self._report_to(steps))
        output = await query.run(nullcontext(self._tabwright), progress, notices.append)
        text = "".join(f"{line}\n" for line in notices)
        return ShellAnswer(output.out, text + output.err, output.code)

    def _report_to(self, steps: trio.MemorySendChannel[str]) -> Callable[[object], None]:
        def report(step: object) -> None:
            """Send a step unless the client is slow."""
            try:
                steps.send_nowait(self._renderer.step(str(step)))
            except (trio.WouldBlock, trio.BrokenResourceError):
                _log.debug("A step was dropped.")

        return report

    async def _status(self) -> str:
        up_s = trio.current_time() - self._began_s
        sessions = await self._tabwright.list_sessions()
        names = ", ".join(one.name for one in sessions) or "none"
        tabs = len((await self._tabwright.pool()).tabs)
        return (
            f"tabwright {__version__}, process {os.getpid()}, running for {up_s:.0f} s\n"
            f"sessions: {names}\ntabs: {tabs}\n"
        )

    async def _end_when_idle(self) -> None:
        while True:
            await self._idleness.lasts(self._tabwright.settings.daemon.idle_s)
            is_watched = self._tabwright.parts.view.shared.is_watched
            if not is_watched and not await self._tabwright.parts.tasks.ask(Tasks.list):
                break
            await trio.sleep(1)
        self.over.set()


async def _cancel_at_end(reader: LineReader, scope: trio.CancelScope) -> None:
    """Cancel a command once its client closes the connection, which sends nothing more."""
    with suppress(trio.BrokenResourceError):
        await reader.receive()
    scope.cancel()


async def _send_steps(client: trio.SocketStream, steps: trio.MemoryReceiveChannel[str]) -> None:
    async for step in steps:
        await _send(client, ShellStep(step))


async def _send(client: trio.SocketStream, line: ShellStep | ShellAnswer) -> None:
    await client.send_all(msgspec.json.encode(line) + b"\n")


async def _saved(result: ToolResult, output: str | None, folder: Path) -> ToolResult:
    """Save the picture of a result, or move its file; return a result that names the file.

    Raises:
        BadInput: the file cannot be written.
    """
    if result.images:
        picture = result.images[0]
        suffix = picture.media_type.rpartition("/")[2].replace("jpeg", "jpg")
        path = folder / (output or f"{result.structured['shot']}.{suffix}")
        save: Callable[[], object] = partial(path.write_bytes, picture.data)
    elif output is not None:
        path = folder / output
        save = partial(shutil.move, str(result.structured["path"]), path)
    else:
        return result
    try:
        await trio.to_thread.run_sync(save)
    except OSError as error:
        raise BadInput(file_problem(error, path, writing=True)) from error
    return attrs.evolve(
        result,
        parts=(*(result.parts if result.images else ()), f"Saved: {path}"),
        structured={**result.structured, "path": str(path)},
        images=(),
    )
