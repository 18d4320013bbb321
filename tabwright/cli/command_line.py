"""The command line: all commands, and its parser."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from functools import partial

import trio

from tabwright._version import __version__
from tabwright.cli import shell, user_client
from tabwright.cli.commands.acting import ACTING, page_command
from tabwright.cli.commands.command import (
    AddedOptions,
    BeforeSettings,
    CLICommand,
    add_browser,
    add_general,
    environment_of,
    server_arguments,
)
from tabwright.cli.commands.operating import OPERATING
from tabwright.cli.commands.reading import READING
from tabwright.cli.commands.searching import SEARCHING
from tabwright.cli.commands.serving import SERVING
from tabwright.cli.exit_codes import ExitCode
from tabwright.cli.parsing import CommandParser, examples_text
from tabwright.config.settings import Settings
from tabwright.plugin import Plugin, built_in, installed, named_parts

DESCRIPTION = "Search the web, read pages and act on them in a real browser."
EPILOG = """\
examples:
  tabwright install claude-code
  tabwright read https://example.com
  tabwright search "What is structured concurrency?"

exit codes:
  0        success
  1        failure; `crawl` only if no page was read
  2        usage or configuration error
  3        no browser available
  10-51    a page could not be read: 10 network, 11 name lookup, 12 time-out, 13 TLS,
           20 HTTP 4xx, 21 HTTP 5xx, 30 script, 31 blocked, 40 file type, 41 encoding,
           42 content, 50 unknown session, 51 expired session
  128 + n  ended by signal n
"""


def add_foreground(up: argparse.ArgumentParser) -> None:
    """Add the option of `daemon start`."""
    up.add_argument(
        "--foreground", action="store_true", help="run in this terminal instead of the background"
    )


def _start_user_process(options: Sequence[str]) -> int:
    if connection := user_client.connect():
        connection.close()
        if options:
            sys.stderr.write(
                "The user process is already running, with the settings of its start."
                " Run `tabwright daemon stop` first to change them.\n"
            )
            return ExitCode.WRONG_USE
        sys.stdout.write("The user process is already running.\n")
        return 0
    connection = user_client.start(options)
    if connection is None:
        return ExitCode.WRONG_USE
    return user_client.exchange(connection, ["daemon", "status"])


async def _up(settings: Settings, options: argparse.Namespace) -> int:
    if options.foreground:
        from tabwright.cli.layers import flags_of, layers
        from tabwright.cli.query import SharedQueries
        from tabwright.cli.user_process import run_user_process

        config = options.config and options.config.absolute()
        parsing = partial(parse, of=shell.ShellParser)
        queries = SharedQueries(settings, flags_of(layers(options)), config, parsing)
        await run_user_process(settings, environment_of(settings), queries)
        return 0
    return await trio.to_thread.run_sync(_start_user_process, server_arguments(options))


START = CLICommand(
    "daemon start",
    "Start the process that keeps a browser for other commands.",
    _up,
    (add_browser, add_foreground),
    examples=("tabwright daemon start", "tabwright daemon start --headed"),
)


STOP = CLICommand(
    "daemon stop",
    "Stop that process and its browser.",
    BeforeSettings(lambda _: user_client.stop()),
    (),
    examples=("tabwright daemon stop",),
    has_settings=False,
)


def _status(_options: argparse.Namespace) -> int:
    connection = user_client.connect()
    if connection is None:
        sys.stdout.write("The user process is not running.\n")
        return 1
    return user_client.exchange(connection, ["daemon", "status"])


STATUS = CLICommand(
    "daemon status",
    "Show that process.",
    BeforeSettings(_status),
    (),
    examples=("tabwright daemon status",),
    has_settings=False,
)


COMMANDS = (
    *SERVING,
    *SEARCHING,
    *READING,
    START,
    STOP,
    STATUS,
    *map(page_command, shell.COMMANDS),
    *ACTING,
    *OPERATING,
)
"""The commands of the core; the name of a command in a group begins with that of the group."""

GROUPS = {
    "act": "Select options, answer dialogs, hover, drag, touch or use the mouse.",
    "files": "Upload files, or wait for a download.",
    "debug": "Print the console or the requests of the page, or run a script in it.",
    "session": "List, save or close sessions, or log in.",
    "trace": "Record, show, export or repeat what was done on pages.",
    "task": "Let an AI model do a task in the browser, or control running tasks.",
    "view": "Watch the tabs of running servers, act in them, and solve CAPTCHAs.",
    "daemon": "Start, stop or show the process that keeps a browser for other commands.",
    "fleet": "Read pages for other machines, or show the jobs of a queue.",
    "config": "Show or explain the settings and plugins, or create your settings file or a key.",
}
"""Descriptions of the groups of commands."""

SECTIONS = {
    "Search and read": ("search", "read", "crawl", "extract"),
    "Act on pages": (
        *("open", "snapshot", "click", "type", "fill", "press", "scroll", "wait", "run"),
        *("screenshot", "act", "files", "debug", "tabs"),
    ),
    "Keep": ("session", "trace"),
    "Agents and people": ("task", "view", "tui"),
    "Serve": ("serve", "install", "daemon", "fleet"),
    "Operate": ("top", "doctor", "config"),
}
"""The headings of the help, with the commands and groups of each. Others are added at the end."""


def all_commands() -> tuple[CLICommand, ...]:
    """Return the commands of the core and of our plugins."""
    return (*COMMANDS, *_commands_of(built_in()))


def parser(*only: str, of: type[CommandParser] = CommandParser) -> CommandParser:
    """Return the parser of the program; the parsed options have the chosen `command`.

    Args:
        only: first words of a command line, whose command gets its options; without any, all do.
        of: the class of the parser; it decides what a mistake ends.
    """
    whole = of("tabwright", DESCRIPTION, EPILOG)
    more = () if any(_begins(only, one) for one in COMMANDS) else _plugin_commands(only)
    of_plugins = [one for plugin in built_in() for one in plugin.parts("options", AddedOptions)]
    whole.add_argument("--version", action="version", version=f"tabwright {__version__}")
    commands = {"": whole.add_subparsers(required=True, metavar="COMMAND")}
    texts = dict[str, str]()
    for one in (*COMMANDS, *more):
        group, _, name = one.name.rpartition(" ")
        if group not in commands:
            text = GROUPS.get(group, "")
            parent = commands[""].add_parser(group, help=text, description=text)
            texts[group] = text
            commands[group] = parent.add_subparsers(required=True, metavar="COMMAND")
        command = commands[group].add_parser(
            name, help=one.text, description=one.text, epilog=examples_text(one.examples)
        )
        command.set_defaults(command=one, parser=command)
        if not group:
            texts[name] = one.text
        if only and not _begins(only, one):
            continue  # its options take time
        added = [options for options in of_plugins if one.name in options.commands]
        command.set_defaults(added=added)
        general = (add_general,) if one.has_settings else ()
        for add in (*general, *one.options, *(options.add for options in added)):
            add(command)
    listed = {
        heading: {name: texts.pop(name, "") for name in names}
        for heading, names in SECTIONS.items()
    }
    whole.sections = {**listed, **({"Others": texts} if texts else {})}
    return whole


def _begins(words: Sequence[str], command: CLICommand) -> bool:
    """Return whether a command line begins with the name of a command."""
    name = command.name.split()
    return [*words[: len(name)]] == name


def _plugin_commands(words: Sequence[str]) -> tuple[CLICommand, ...]:
    """Return the commands of our plugins; those of others, too, unless one of ours is chosen."""
    ours = _commands_of(built_in())
    return ours if any(_begins(words, one) for one in ours) else _commands_of(installed())


def _commands_of(plugins: Iterable[Plugin]) -> tuple[CLICommand, ...]:
    taken = (*GROUPS, *(one.name for one in COMMANDS))
    return named_parts(plugins, "commands", CLICommand, taken)


def parse(
    arguments: Sequence[str] | None = None, of: type[CommandParser] = CommandParser
) -> argparse.Namespace:
    """Return the options of a command line, by default that of this process.

    A mistake in it ends the program with `ExitCode.WRONG_USE`, unless the parser class `of` says
    otherwise.
    """
    given = sys.argv[1:] if arguments is None else arguments
    named = parser(*given[:2] or [""], of=of)
    options, unknown = named.parse_known_args(given or ["--help"])
    if unknown:
        chosen: CommandParser = options.parser
        chosen.refuse(unknown)
    return options
