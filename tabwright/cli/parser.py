"""The commands, and the parser of what is said on the command line."""

import argparse
from collections.abc import Callable, Mapping
from typing import TypeAlias

import attrs

from tabwright import __version__
from tabwright.cli.browse import add_browse
from tabwright.command_line.options import (
    add_browser,
    add_general,
    add_interventions,
    add_json,
    add_pool,
    add_search,
    add_serve,
    add_task,
    add_top,
    add_tui,
    add_web_search,
)
from tabwright.config.settings import Settings

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
class Command:
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
    Command(
        "serve",
        "Serve an MCP client over standard input and output.",
        (add_browser, add_serve),
    ),
    Command(
        "search",
        "Ask Google AI Mode a question.",
        (add_browser, add_search, add_json),
    ),
    Command(
        "web-search",
        "Search the result pages of several engines.",
        (add_browser, add_web_search, add_json),
    ),
    Command("browse", "Print pages as text.", (add_browser, add_browse, add_json)),
    Command(
        "task",
        "Have a model do a task in the browser.",
        (add_browser, add_task, add_json),
    ),
    Command("tui", "Browse in this terminal.", (add_browser, add_tui), fills_screen=True),
    Command(
        "interventions",
        "List the CAPTCHAs that wait for you, or act on one.",
        (add_interventions, add_json),
    ),
    Command(
        "pool",
        "Say how it stands with the tabs of running servers.",
        (add_pool, add_json),
    ),
    Command("top", "Watch running servers, live.", (add_top, add_json), fills_screen=True),
    Command(
        "doctor",
        "Say which browser is used and why, and try it.",
        (add_browser, add_json),
    ),
    Command(
        "demo",
        "Search and read in a replica of the web, without the net.",
        (add_browser,),
    ),
)
