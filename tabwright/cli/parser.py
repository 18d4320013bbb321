"""The command-line parser: all commands and their options."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias, get_args

import attrs

from tabwright._version import __version__
from tabwright.cli.page_options import add_browse
from tabwright.config.loader import Layer, LayerEntry, LayerRank, read_layer
from tabwright.config.settings import TOOL_GROUPS, Settings
from tabwright.mcp.tools.interventions import Action
from tabwright.protocol.web_search import TIME_RANGES

# Options as layers of settings.


def layers(options: argparse.Namespace) -> list[Layer]:
    """The layers of settings that the command line gives.

    Raises:
        SettingsError: the file that it names cannot be read.
    """
    option = vars(options).get  # a command has only those that it takes
    width, height = option("image_size") or (None, None)
    given = {
        "browser.headless": (False if option("headed") else None, "--headed"),
        "browser.path": (option("browser"), "--browser"),
        "browser.profile": (option("profile"), "--profile"),
        "browser.cdp_endpoint": (option("cdp_endpoint"), "--cdp-endpoint"),
        "network.page_timeout_s": (option("timeout"), "--timeout"),
        "reading.picture_width": (width, "--image-size"),
        "reading.picture_height": (height, "--image-size"),
        "reading.video_frames": (option("video_frames"), "--video-frames"),
        "reading.picture_quality": (option("image_quality"), "--image-quality"),
        "models.provider": (option("provider"), "--provider"),
        "models.name": (option("model"), "--model"),
        "agent.steps_max": (option("max_steps"), "--max-steps"),
        "agent.validate": (False if option("no_validate") else None, "--no-validate"),
        "mcp.tools": (option("tools"), "--tools"),
        "mcp.compat": (option("compat"), "--compat"),
        "log.level": (_level(options), "--verbose or --quiet"),
    }
    flags = {key: LayerEntry(*entry) for key, entry in given.items() if entry[0] is not None}
    files = [read_layer(options.config)] if options.config else []
    return [Layer(LayerRank.FLAGS, flags), *files]


def _level(options: argparse.Namespace) -> str | None:
    if options.quiet:
        return "error"
    return "info" if options.verbose else None


def server_arguments(options: argparse.Namespace) -> list[str]:
    """The arguments for a `serve` that is to run as this command would."""
    given = {
        "--config": options.config,
        "--browser": options.browser,
        "--profile": options.profile,
        "--cdp-endpoint": options.cdp_endpoint,
    }
    named = [part for flag, value in given.items() if value for part in (flag, str(value))]
    return [*named, *(["--headed"] if options.headed else [])]


# Options of the commands except `browse`; each function adds one kind.


def add_general(command: argparse.ArgumentParser) -> None:
    """What all commands take."""
    command.add_argument("--config", type=Path, metavar="FILE", help="a YAML file of settings")
    command.add_argument("-v", "--verbose", action="store_true", help="say more on standard error")
    command.add_argument("-q", "--quiet", action="store_true", help="say errors alone there")


def add_browser(command: argparse.ArgumentParser) -> None:
    """Which browser a command uses."""
    command.add_argument("--headed", action="store_true", help="show the browser's window")
    command.add_argument("--browser", metavar="PATH", help="the browser to start")
    command.add_argument("--profile", metavar="DIR", help="keep cookies and log-ins there")
    command.add_argument("--cdp-endpoint", metavar="URL", help="use a running browser")


def add_json(command: argparse.ArgumentParser) -> None:
    """How an answer is printed."""
    command.add_argument("--json", action="store_true", help="print JSON for a program")


def add_serve(serve: argparse.ArgumentParser) -> None:
    """What a client is offered."""
    serve.add_argument(
        "--tools", type=_names, metavar="A,B", help=f"only these groups: {', '.join(TOOL_GROUPS)}"
    )
    serve.add_argument(
        "--compat", choices=("playwright",), help="the tools of another server, by their names"
    )


def add_search(search: argparse.ArgumentParser) -> None:
    """A question."""
    search.add_argument("query", nargs="+", help="search terms, or a question")
    search.add_argument(
        "--language", metavar="CODE", help="of the answer, as en-US; else search.language (zh-CN)"
    )


def add_web_search(web_search: argparse.ArgumentParser) -> None:
    """Words, and which results are wanted."""
    web_search.add_argument("query", nargs="+", help="search terms")
    web_search.add_argument(
        "--engines", type=_names, metavar="A,B", help="whom to ask: mojeek, brave, …"
    )
    web_search.add_argument(
        "--page", type=int, default=1, metavar="N", help="of results: 1 (default), 2, …"
    )
    web_search.add_argument(
        "--limit",
        type=int,
        default=10,
        metavar="N",
        help="results in the list, 1 to 50 (default 10)",
    )
    web_search.add_argument("--time-range", choices=TIME_RANGES, help="only results of the last …")
    web_search.add_argument("--language", metavar="CODE", help="of results: de, pt-BR, …")


def add_task(task: argparse.ArgumentParser) -> None:
    """A task, and who does it."""
    task.add_argument("task", nargs="+", help="what to do, and what to tell in the end")
    task.add_argument("--session", default="task", metavar="NAME", help="whose cookies and tabs")
    task.add_argument("--provider", metavar="NAME", help="whose model: openai, anthropic, …")
    task.add_argument("--model", metavar="NAME", help="which of them")
    task.add_argument("--max-steps", type=int, metavar="N", help="then it is given up")
    task.add_argument("--no-validate", action="store_true", help="take its answer as it is")


def add_tui(tui: argparse.ArgumentParser) -> None:
    """Where a person begins."""
    tui.add_argument("url", nargs="?", default="", help="where to begin; or pipe it in")
    tui.add_argument("--dump", action="store_true", help="print the page as text, and end")
    tui.add_argument(
        "--session", default="", metavar="NAME", help="with its cookies, and keep them"
    )
    tui.add_argument(
        "--server",
        default="",
        metavar="WHERE",
        help="a server that runs elsewhere: its URL, or a command that starts one, as "
        "'ssh box tabwright serve'",
    )


def add_interventions(interventions: argparse.ArgumentParser) -> None:
    """What to do with which of those that wait."""
    interventions.add_argument("action", nargs="?", choices=get_args(Action), default="list")
    interventions.add_argument("id", nargs="?", metavar="ID", help="which one; not for list")


def add_pool(pool: argparse.ArgumentParser) -> None:
    """What to do besides."""
    pool.add_argument("--reset", action="store_true", help="let all tabs search again")


def add_top(top: argparse.ArgumentParser) -> None:
    """How long to watch."""
    top.add_argument("--once", action="store_true", help="as they stand now, and end")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


Run: TypeAlias = Callable[[Settings, argparse.Namespace], int]
"""What a command does; gives the exit code."""

Options: TypeAlias = Callable[[argparse.ArgumentParser], None]
"""Adds options to a command."""

DESCRIPTION = "Search the web, read pages and act on them, in a real browser."
EPILOG = """\
exit codes: 0 done; 1 not done, or no server there; 2 wrong use or settings; 3 no browser; 128 + n
ended by signal n. browse ends with what kept the page from being read, modulo 256: 100 network,
101 name, 102 time-out, 103 TLS, 200 and 201 an error of HTTP, 44 script, 45 blocked, 144 to 146
unreadable, 244 and 245 no such session.
"""


@attrs.frozen
class CLICommand:
    """A command.

    Attributes:
        text: what it does, in a sentence.
        options: what it takes, in the order in which the help tells of it.
        fills_screen: whether it draws on the whole terminal, so that no log may go there.
    """

    name: str
    text: str
    options: tuple[Options, ...]
    fills_screen: bool = False


def parser(runs: Mapping[str, Run]) -> argparse.ArgumentParser:
    """The parser; what it gives has the `run` of the chosen command, out of `runs`."""
    whole = argparse.ArgumentParser(prog="tabwright", description=DESCRIPTION, epilog=EPILOG)
    whole.add_argument("--version", action="version", version=f"tabwright {__version__}")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    for one in COMMANDS:
        command = commands.add_parser(one.name, help=one.text, description=one.text)
        command.set_defaults(run=runs[one.name], fills_screen=one.fills_screen)
        for add in (add_general, *one.options):
            add(command)
    return whole


COMMANDS = (
    CLICommand(
        "serve",
        "Serve an MCP client over standard input and output.",
        (add_browser, add_serve),
    ),
    CLICommand(
        "search",
        "Ask Google AI Mode a question.",
        (add_browser, add_search, add_json),
    ),
    CLICommand(
        "web-search",
        "Search the result pages of several engines.",
        (add_browser, add_web_search, add_json),
    ),
    CLICommand("browse", "Print pages as text.", (add_browser, add_browse, add_json)),
    CLICommand(
        "task",
        "Have a model do a task in the browser.",
        (add_browser, add_task, add_json),
    ),
    CLICommand("tui", "Browse in this terminal.", (add_browser, add_tui), fills_screen=True),
    CLICommand(
        "interventions",
        "List the CAPTCHAs that wait for you, or act on one.",
        (add_interventions, add_json),
    ),
    CLICommand(
        "pool",
        "Say how it stands with the tabs of running servers.",
        (add_pool, add_json),
    ),
    CLICommand("top", "Watch running servers, live.", (add_top, add_json), fills_screen=True),
    CLICommand(
        "doctor",
        "Say which browser is used and why, and try it.",
        (add_browser, add_json),
    ),
    CLICommand(
        "demo",
        "Search and read in a replica of the web, without the net.",
        (add_browser,),
    ),
)
