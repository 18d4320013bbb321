"""The command: arguments to settings, a run, an exit code.

The only place with signals and logging set-up. Heavy modules are imported by the command that
needs them: ``serve`` answers its client first.
"""

import argparse
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import trio

from tabwright import __version__
from tabwright.actors.log_file import AUTO, Brief, DailyFile, log_folder
from tabwright.actors.tools.interventions import Action
from tabwright.config.file import load_settings, read_layer
from tabwright.config.layers import Entry, Layer, Rank
from tabwright.config.settings import LogSettings, Settings
from tabwright.protocol.errors import SettingsError
from tabwright.protocol.result_pages import TIME_RANGES

if TYPE_CHECKING:
    from tabwright.actors.house import Seams
    from tabwright.config.engines import Engines

HANGUP = [signal.SIGHUP] if sys.platform != "win32" else []
SIGNALS = [signal.SIGINT, signal.SIGTERM, *HANGUP]
SIGNALLED = 128
WRONG_USE = 2

CHATTY = ("httpx2", "mcp")
"""Below a warning these log what they send and receive, queries included."""

DESCRIPTION = "Search with Google AI Mode and read web pages, in a real browser."
EPILOG = """\
exit codes: 0 done; 1 no answer, page or server; 2 wrong use or settings; 3 no browser;
128 + n ended by signal n.
"""


def main() -> int:
    """Runs the command line; gives the exit code."""
    options = _parser().parse_args()
    try:
        settings = load_settings(*_layers(options))
        _set_up_logging(settings.log)
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG_USE
    return _run(partial(options.run, settings, options))


def _run(work: Callable[[], Awaitable[int]]) -> int:
    code = SIGNALLED + signal.SIGPIPE if sys.platform != "win32" else WRONG_USE
    try:
        code = trio.run(_until_signal, work)
    except* BrokenPipeError:  # who read our output has gone; there is nobody to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
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
    from tabwright.actors.gateway_stdio import serve_stdio
    from tabwright.config.engines import configured_engines

    try:
        engines = configured_engines(settings.engines)
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG_USE
    await serve_stdio(settings, engines, partial(_seams, settings, engines))
    return 0


async def _search(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.actors import shell

    query = " ".join(options.query)
    seams = _seams(settings)
    return await shell.search(settings, seams, query, options.language, as_json=options.json)


async def _web_search(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.actors import shell
    from tabwright.protocol.web_search import WebSearch

    request = WebSearch(
        " ".join(options.query),
        options.engines,
        options.page,
        options.limit,
        options.time_range,
        options.language,
    )
    return await shell.web_search(settings, _seams(settings), request, as_json=options.json)


async def _browse(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.actors import shell

    seams = _seams(settings)
    return await shell.browse(settings, seams, options.url, options.format, as_json=options.json)


async def _interventions(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.actors import shell_servers

    return await shell_servers.interventions(options.action, options.id, as_json=options.json)


async def _pool(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.actors import shell_servers

    return await shell_servers.pool(reset=options.reset, as_json=options.json)


async def _doctor(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.actors import doctor

    return await doctor.report(settings, os.environ, as_json=options.json)


async def _demo(settings: Settings, _options: argparse.Namespace) -> int:
    from tabwright.testing.demo import show

    return await show(settings)


def _seams(settings: Settings, engines: "Engines | None" = None) -> "Seams":
    from tabwright.actors.house import Seams
    from tabwright.actors.trace_log import log_record
    from tabwright.actors.tracing import ActorSystem

    wire = logging.getLogger("tabwright.wire").debug if settings.log.wire else None
    return Seams(system=ActorSystem(tracer=log_record), engines=engines, wire_log=wire)


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--config", type=Path, metavar="FILE", help="a YAML file of settings")
    shared.add_argument("--headed", action="store_true", help="show the browser's window")
    shared.add_argument("--browser", metavar="PATH", help="the browser to start")
    shared.add_argument("--profile", metavar="DIR", help="keep cookies and log-ins there")
    shared.add_argument("--cdp-endpoint", metavar="URL", help="use a running browser")

    parser = argparse.ArgumentParser(prog="tabwright", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--version", action="version", version=f"tabwright {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str, text: str, run: Callable[[Settings, argparse.Namespace], Awaitable[int]]
    ) -> argparse.ArgumentParser:
        added = commands.add_parser(name, parents=[shared], help=text, description=text)
        added.set_defaults(run=run)
        return added

    command("serve", "Serve an MCP client over standard input and output.", _serve)
    search = command("search", "Ask Google AI Mode a question.", _search)
    search.add_argument("query", nargs="+")
    search.add_argument("--language", metavar="CODE", help="zh-CN, en-US, ja-JP, ko-KR, …")
    web_search = command("web-search", "Search the result pages of several engines.", _web_search)
    web_search.add_argument("query", nargs="+")
    web_search.add_argument("--engines", type=_names, metavar="A,B", help="whom to ask")
    web_search.add_argument("--page", type=int, default=1, metavar="N", help="1, 2, …")
    web_search.add_argument("--limit", type=int, default=10, metavar="N", help="results on a page")
    web_search.add_argument("--time-range", choices=TIME_RANGES, help="only results of the last …")
    web_search.add_argument("--language", metavar="CODE", help="of results: de, pt-BR, …")
    browse = command("browse", "Print the main content of a page.", _browse)
    browse.add_argument("url")
    browse.add_argument("--format", choices=("markdown", "text", "html"), default="markdown")
    interventions = command(
        "interventions", "List the CAPTCHAs that wait for you, or act on one.", _interventions
    )
    interventions.add_argument("action", nargs="?", choices=get_args(Action), default="list")
    interventions.add_argument("id", nargs="?", metavar="ID", help="which one; not for list")
    pool = command("pool", "Say how it stands with the tabs of running servers.", _pool)
    pool.add_argument("--reset", action="store_true", help="let all tabs search again")
    doctor = command("doctor", "Say which browser is used and why, and try it.", _doctor)
    for printing in (search, web_search, browse, interventions, pool, doctor):
        printing.add_argument("--json", action="store_true", help="print JSON for a program")
    command("demo", "Search and read in a replica of Google AI Mode, without the net.", _demo)
    return parser


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _layers(options: argparse.Namespace) -> list[Layer]:
    given = {
        "browser.headless": (False if options.headed else None, "--headed"),
        "browser.path": (options.browser, "--browser"),
        "browser.profile": (options.profile, "--profile"),
        "browser.cdp_endpoint": (options.cdp_endpoint, "--cdp-endpoint"),
    }
    flags = {key: Entry(*entry) for key, entry in given.items() if entry[0] is not None}
    files = [read_layer(options.config)] if options.config else []
    return [Layer(Rank.FLAGS, flags), *files]


def _set_up_logging(settings: LogSettings) -> None:
    terminal = logging.StreamHandler(sys.stderr)
    terminal.setFormatter(Brief())
    logging.basicConfig(level=settings.level.upper(), handlers=[terminal])
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    if settings.dir is None:
        return
    folder = log_folder(settings.dir)
    try:
        logging.getLogger().addHandler(DailyFile(folder, private=settings.queries))
    except OSError as error:
        problem = f"log.dir: no log can be written in {folder}: {error}."
        if settings.dir != AUTO:
            raise SettingsError(problem) from error
        logging.getLogger("tabwright").warning("%s", problem)


if __name__ == "__main__":
    sys.exit(main())
