"""A command of the program: its description, options and implementation.

Heavy modules are imported by the command that needs them: ``serve`` answers its client first.
"""

import argparse
import logging
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import attrs

from tabwright.cli.layers import add_set
from tabwright.config.settings import Settings
from tabwright.protocol.errors import BadInput

if TYPE_CHECKING:
    from tabwright.cli.query import Query
    from tabwright.config.engines import EngineConfig
    from tabwright.environment import Environment

Work: TypeAlias = Callable[[Settings, argparse.Namespace], Awaitable[int]]
"""The implementation of a command on trio; returns the exit code."""

Options: TypeAlias = Callable[[argparse.ArgumentParser], None]
"""Adds options to a command."""


@attrs.frozen
class OwnLoop:
    """The implementation of a command with its own event loop; returns the exit code."""

    run: Callable[[Settings, argparse.Namespace], int]


@attrs.frozen
class BeforeSettings:
    """The implementation of a command that reads the settings itself; returns the exit code."""

    run: Callable[[argparse.Namespace], int]


def _the_command(_settings: Settings) -> None:
    """Leave the work to the command."""


GivenSettings: TypeAlias = Mapping[str, tuple[object, str]]
"""The settings that options give, by key: each with its option; None for one that is not given."""


@attrs.frozen
class AddedOptions:
    """Options that a plugin adds to commands of the core.

    Attributes:
        commands: the names of the commands.
        add: adds the options.
        settings: returns the settings that they give.
        work: returns what runs in place of the command with these settings; None for the command.
    """

    commands: tuple[str, ...]
    add: Options
    settings: Callable[[argparse.Namespace], GivenSettings]
    work: Callable[[Settings], Work | None] = _the_command


@attrs.frozen
class CLICommand:
    """A command.

    Attributes:
        text: its description, in a sentence.
        work: its implementation.
        options: its options, in the order of the help.
        examples: command lines for its help.
        fills_screen: whether it uses the whole terminal, so that no log may be written there.
        has_settings: whether it accepts the options that choose settings.
        query: returns what the user process can run instead of `work`; None if it cannot.
    """

    name: str
    text: str
    work: Work | OwnLoop | BeforeSettings
    options: tuple[Options, ...]
    examples: tuple[str, ...] = ()
    fills_screen: bool = False
    has_settings: bool = True
    query: "Callable[[Settings, argparse.Namespace], Query | None] | None" = None


def add_general(command: argparse.ArgumentParser) -> None:
    """Add the options of all commands."""
    command.add_argument(
        "--config", type=Path, metavar="FILE", help="settings file (default: the file of the user)"
    )
    add_set(command)
    command.add_argument("-v", "--verbose", action="store_true", help="log more to standard error")
    command.add_argument("-q", "--quiet", action="store_true", help="log only errors")


def add_browser(command: argparse.ArgumentParser) -> None:
    """Add the options that choose a browser."""
    command.add_argument("--headed", action="store_true", help="show the browser's window")
    command.add_argument(
        "--stealth",
        action="store_true",
        help="identify as the same browser with a window (browser.identity: ordinary)",
    )
    command.add_argument("--browser", metavar="PATH", help="browser to use, by path or name")
    command.add_argument("--profile", metavar="DIR", help="keep cookies and log-ins in DIR")
    command.add_argument("--cdp-endpoint", metavar="URL", help="connect to a running browser")
    command.add_argument(
        "--cdp-header",
        action="append",
        metavar="'NAME: VALUE'",
        help="HTTP header for the connection to it; can be repeated",
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """Add the option for JSON output."""
    command.add_argument("--json", action="store_true", help="print JSON")


def refuse_options(options: argparse.Namespace, add: Options, problem: str) -> None:
    """Refuse the options of a part of a command that does not apply.

    Args:
        options: the options of the command line.
        add: adds the options of that part.
        problem: what the message says about an option, for example ``requires --web``.

    Raises:
        BadInput: one of them is given.
    """
    part = argparse.ArgumentParser()
    add(part)
    for name, default in vars(part.parse_args([])).items():
        if getattr(options, name) != default:
            raise BadInput(f"--{name.replace('_', '-')} {problem}.", advice="Omit one of them.")


def count(text: str) -> int:
    """Return the number of an option; the type of its argument.

    Raises:
        ArgumentTypeError: it is not a whole number of at least 1.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return int(text)


def names(text: str) -> tuple[str, ...]:
    """Return the names of an option, separated by commas; the type of its argument."""
    return tuple(name.strip() for name in text.split(","))


def environment_of(settings: Settings, engines: "EngineConfig | None" = None) -> "Environment":
    """Return the environment of the program, with these engines instead of the configured ones."""
    from tabwright.actors.kit.tracing import ActorSystem, log_record
    from tabwright.environment import Environment

    wire = logging.getLogger("tabwright.wire").debug if settings.log.level == "wire" else None
    return Environment(system=ActorSystem(tracer=log_record), engines=engines, wire_log=wire)


def server_arguments(options: argparse.Namespace) -> list[str]:
    """Return the arguments for a `serve` with the same options as this command."""
    given = {
        "--config": options.config and options.config.absolute(),
        "--browser": options.browser,
        "--profile": options.profile,
        "--cdp-endpoint": options.cdp_endpoint,
    }
    named = [part for flag, value in given.items() if value for part in (flag, str(value))]
    named += [part for line in options.cdp_header or () for part in ("--cdp-header", line)]
    assigned = [part for key, text in options.set for part in ("--set", f"{key}={text}")]
    switches = [f"--{name}" for name in ("headed", "stealth") if getattr(options, name)]
    return [*named, *switches, *assigned]
