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
  tabwright browse https://example.com
  tabwright search "What is structured concurrency?"

exit codes:
  0        success
  1        failure; `crawl` and `map` only if no page was read
  2        usage or configuration error
  3        no browser available
  10-51    a page could not be read: 10 network, 11 name lookup, 12 time-out, 13 TLS,
           20 HTTP 4xx, 21 HTTP 5xx, 30 script, 31 blocked, 40 file type, 41 encoding,
           42 content, 50 unknown session, 51 expired session
  128 + n  ended by signal n
"""


def add_foreground(up: argparse.ArgumentParser) -> None:
    """Add the option of `up`."""
    up.add_argument(
        "--foreground", action="store_true", help="run in this terminal instead of the background"
    )


def _start_user_process(options: Sequence[str]) -> int:
    if connection := user_client.connect():
        connection.close()
        if options:
            sys.stderr.write(
                "The user process is already running, with the settings of its start."
                " Run `tabwright down` first to change them.\n"
            )
            return ExitCode.WRONG_USE
        sys.stdout.write("The user process is already running.\n")
        return 0
    connection = user_client.start(options)
    if connection is None:
        return ExitCode.WRONG_USE
    return user_client.exchange(connection, ["status"])


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


UP = CLICommand(
    "up",
    "Start the process that keeps a browser for other commands.",
    _up,
    (add_browser, add_foreground),
    examples=("tabwright up", "tabwright up --headed"),
)


DOWN = CLICommand(
    "down",
    "Stop that process and its browser.",
    BeforeSettings(lambda _: user_client.stop()),
    (),
    examples=("tabwright down",),
    has_settings=False,
)


def _status(_options: argparse.Namespace) -> int:
    connection = user_client.connect()
    if connection is None:
        sys.stdout.write("The user process is not running.\n")
        return 1
    return user_client.exchange(connection, ["status"])


STATUS = CLICommand(
    "status",
    "Show that process.",
    BeforeSettings(_status),
    (),
    examples=("tabwright status",),
    has_settings=False,
)


SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
"""The shells that shtab writes completions for."""


def add_completion(completion: argparse.ArgumentParser) -> None:
    """Add the argument of `completion`."""
    completion.add_argument("shell", choices=SHELLS, help="shell to complete commands in")


async def _completion(_settings: Settings, options: argparse.Namespace) -> int:
    import shtab

    sys.stdout.write(f"{shtab.complete(parser(), options.shell)}\n")
    return 0


COMPLETION = CLICommand(
    "completion",
    "Print a script that completes commands and options in a shell.",
    _completion,
    (add_completion,),
    examples=(
        "tabwright completion bash > ~/.local/share/bash-completion/completions/tabwright",
        "tabwright completion fish > ~/.config/fish/completions/tabwright.fish",
    ),
)


COMMANDS = (
    *SERVING,
    *SEARCHING,
    *READING,
    UP,
    DOWN,
    STATUS,
    *map(page_command, shell.COMMANDS),
    *ACTING,
    *OPERATING,
    COMPLETION,
)
"""The commands of the core, in the order of the help."""


def all_commands() -> tuple[CLICommand, ...]:
    """Return the commands of the core and of our plugins."""
    return (*COMMANDS, *_commands_of(built_in()))


def parser(only: str | None = None, of: type[CommandParser] = CommandParser) -> CommandParser:
    """Return the parser of the program; the parsed options have the chosen `command`.

    Args:
        only: the command that gets its options; None for all.
        of: the class of the parser; it decides what a mistake ends.
    """
    whole = of("tabwright", DESCRIPTION, EPILOG)
    is_of_core = only in {one.name for one in COMMANDS}
    more = () if is_of_core else _plugin_commands(only)
    of_plugins = [one for plugin in built_in() for one in plugin.parts("options", AddedOptions)]
    whole.add_argument("--version", action="version", version=f"tabwright {__version__}")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    for one in (*COMMANDS, *more):
        command = commands.add_parser(
            one.name, help=one.text, description=one.text, epilog=examples_text(one.examples)
        )
        command.set_defaults(command=one, parser=command)
        if only not in {None, one.name}:
            continue  # its options take time
        added = [options for options in of_plugins if one.name in options.commands]
        command.set_defaults(added=added)
        general = (add_general,) if one.has_settings else ()
        for add in (*general, *one.options, *(options.add for options in added)):
            add(command)
    return whole


def _plugin_commands(chosen: str | None) -> tuple[CLICommand, ...]:
    """Return the commands of our plugins; those of others, too, unless the chosen one is ours."""
    ours = _commands_of(built_in())
    return ours if chosen in {one.name for one in ours} else _commands_of(installed())


def _commands_of(plugins: Iterable[Plugin]) -> tuple[CLICommand, ...]:
    return named_parts(plugins, "commands", CLICommand, (one.name for one in COMMANDS))


def parse(
    arguments: Sequence[str] | None = None, of: type[CommandParser] = CommandParser
) -> argparse.Namespace:
    """Return the options of a command line, by default that of this process.

    A mistake in it ends the program with `ExitCode.WRONG_USE`, unless the parser class `of` says
    otherwise.
    """
    given = sys.argv[1:] if arguments is None else arguments
    options, unknown = parser(given[0] if given else "", of).parse_known_args(given or ["--help"])
    if unknown:
        chosen: CommandParser = options.parser
        chosen.refuse(unknown)
    return options
