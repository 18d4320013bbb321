"""The command: arguments to settings, a run, an exit code.

The only place with signals and logging set-up. Heavy modules are imported by the command that
needs them: ``serve`` answers its client first.
"""

import argparse
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import trio

from tabwright.cli.log_file import DailyFile, Masked, ShortFormatter, log_folder
from tabwright.cli.page_options import reading, urls
from tabwright.cli.parser import Run, layers, parser, server_arguments
from tabwright.concurrency.nursery import one_of_a_kind
from tabwright.config.loader import AUTO, load_settings
from tabwright.config.settings import LogSettings, Settings
from tabwright.protocol.errors import BadInput, SettingsError

if TYPE_CHECKING:
    from tabwright.config.engines import EngineConfig
    from tabwright.environment import Environment

HANGUP = [signal.SIGHUP] if sys.platform != "win32" else []
SIGNALS = [signal.SIGINT, signal.SIGTERM, *HANGUP]
SIGNALLED = 128
WRONG_USE = 2

CHATTY = ("httpx2", "httpcore2", "h2", "hpack", "mcp")
"""Below a warning these log what they send and receive, queries included."""


Work: TypeAlias = Callable[[Settings, argparse.Namespace], Awaitable[int]]
"""What a command does that lives on trio; gives the exit code."""


def main() -> int:
    """Runs the command line; gives the exit code."""
    options = parser(RUNS).parse_args()
    try:
        settings = load_settings(*layers(options))
        masked = _masking(settings.acting.secrets)
        _set_up_logging(settings.log, masked, to_terminal=not options.fills_screen)
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG_USE
    run: Run = options.run
    return run(settings, options)


def _on_trio(work: Work) -> Run:
    return lambda settings, options: _run(partial(work, settings, options))


def _run(work: Callable[[], Awaitable[int]]) -> int:
    code = SIGNALLED + signal.SIGPIPE if sys.platform != "win32" else WRONG_USE
    try:
        code = trio.run(_until_signal, work)
    except* BrokenPipeError:  # who read our output has gone; there is nobody to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except* SettingsError as wrong:  # a file that they name cannot be used
        sys.stderr.write(f"{one_of_a_kind(wrong, SettingsError)}\n")
        code = WRONG_USE
    return code


async def _until_signal(work: Callable[[], Awaitable[int]]) -> int:
    """Runs `work`; a signal stops it in order, a second one at once."""
    code = signalled = 0
    with trio.open_signal_receiver(*SIGNALS) as signals:
        async with trio.open_nursery() as nursery:
            working = trio.CancelScope()

            async def obey() -> None:
                nonlocal signalled
                async for number in signals:
                    if signalled:
                        os._exit(SIGNALLED + number)  # the browser's guardian clears up after us
                    signalled = number
                    working.cancel()

            nursery.start_soon(obey)
            with working:
                code = await work()
            nursery.cancel_scope.cancel()
    return SIGNALLED + signalled if signalled else code


async def _serve(settings: Settings, _options: argparse.Namespace) -> int:
    from tabwright.cli.serve import serve_stdio
    from tabwright.config.engines import configured_engines

    try:
        engines = configured_engines(settings.engines)
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG_USE
    await serve_stdio(settings, engines, partial(_environment, settings, engines))
    return 0


async def _search(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.search import search

    query = " ".join(options.query)
    environment = _environment(settings)
    return await search(settings, environment, query, options.language, as_json=options.json)


async def _web_search(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.search import web_search
    from tabwright.protocol.web_search import WebSearch

    request = WebSearch(
        " ".join(options.query),
        options.engines,
        options.page,
        options.limit,
        options.time_range,
        options.language,
    )
    return await web_search(settings, _environment(settings), request, as_json=options.json)


async def _browse(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import browse
    from tabwright.cli.batch import BatchOptions

    try:
        order = BatchOptions(
            urls=urls(options, sys.stdin),
            reading=reading(options, settings),
            session=options.session,
            media_dir=options.media_dir,
            download_media=options.download_media,
            as_json=options.json,
            output=options.batch_output,
            at_once=options.batch_concurrency,
        )
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        return WRONG_USE
    return await browse.browse(settings, _environment(settings), order)


async def _task(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import task

    words, environment = " ".join(options.task), _environment(settings)
    return await task.task(settings, environment, words, options.session, as_json=options.json)


async def _interventions(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import servers

    return await servers.interventions(options.action, options.id, as_json=options.json)


async def _pool(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import servers

    return await servers.pool(reset=options.reset, as_json=options.json)


async def _top(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import top

    return await top.top(once=options.once, as_json=options.json)


async def _doctor(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import doctor

    return await doctor.report(settings, os.environ, as_json=options.json)


async def _demo(settings: Settings, _options: argparse.Namespace) -> int:
    from tabwright.testing.demo import show

    return await show(settings)


def _tui(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.tui.main import browse_in_terminal

    return browse_in_terminal(options, server_arguments(options))  # the settings are the server's


RUNS: Mapping[str, Run] = {
    "serve": _on_trio(_serve),
    "search": _on_trio(_search),
    "web-search": _on_trio(_web_search),
    "browse": _on_trio(_browse),
    "task": _on_trio(_task),
    "interventions": _on_trio(_interventions),
    "pool": _on_trio(_pool),
    "top": _on_trio(_top),
    "doctor": _on_trio(_doctor),
    "tui": _tui,
    "demo": _on_trio(_demo),
}


def _environment(settings: Settings, engines: "EngineConfig | None" = None) -> "Environment":
    from tabwright.actors.kit.tracing import ActorSystem, log_record
    from tabwright.environment import Environment

    wire = logging.getLogger("tabwright.wire").debug if settings.log.wire else None
    return Environment(system=ActorSystem(tracer=log_record), engines=engines, wire_log=wire)


def _masking(secrets: str | None) -> Callable[[str], str]:
    """What takes secrets out of a log; the file that has them is read once more for that.

    Raises:
        SettingsError: it cannot be read.
    """
    if secrets is None:
        return str
    from tabwright.config.secrets import load_secrets

    return load_secrets(secrets).masked


def _set_up_logging(
    settings: LogSettings, masked: Callable[[str], str] = str, *, to_terminal: bool = True
) -> None:
    terminal = logging.StreamHandler(sys.stderr) if to_terminal else logging.NullHandler()
    terminal.setFormatter(Masked(ShortFormatter(), masked))
    logging.basicConfig(level=settings.level.upper(), handlers=[terminal])
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    if settings.dir is None:
        return
    folder = log_folder(settings.dir)
    try:
        logging.getLogger().addHandler(DailyFile(folder, private=settings.queries, masked=masked))
    except OSError as error:
        problem = f"log.dir: no log can be written in {folder}: {error}."
        if settings.dir != AUTO:
            raise SettingsError(problem) from error
        logging.getLogger("tabwright").warning("%s", problem)


if __name__ == "__main__":
    sys.exit(main())
