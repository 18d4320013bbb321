"""Commands that ask one question and print the answer: `read`, `extract` and `search`.

They run in the user process, with its browser, sessions and conversations, and start it if needed.
A command with other settings than those of the process runs by itself, as all do where
`daemon.autostart` is off and no process runs.
"""

import argparse
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

import attrs

from tabwright.app import open_tabwright
from tabwright.cli.layers import changing_flags, layers
from tabwright.cli.output import CommandOutput, StepLines, outcome, print_output, watching
from tabwright.client import Tabwright
from tabwright.config.loader import Layer, LayerEntry, LayerRank, settings_from
from tabwright.config.settings import Settings
from tabwright.environment import Environment
from tabwright.protocol.errors import SettingsError, TabwrightError
from tabwright.protocol.progress import OnProgress


@attrs.frozen
class Asked:
    """The context in which a query runs.

    Attributes:
        progress: is called with each step.
        notice: is called with each line for standard error.
    """

    tabwright: Tabwright
    progress: OnProgress
    notice: Callable[[str], object]


@attrs.frozen(kw_only=True)
class Query:
    """A question and the form of its answer.

    Attributes:
        ask: returns the text for standard output; None for nothing.
        error_text: returns the message of an error for standard error.
        as_json: whether to print errors as JSON on standard output, too.
        coded: whether the exit code says why a page could not be read; see `ErrorCode`.
        parts: the parts that begin at once, if the steps are drawn; see `watching`.
    """

    ask: Callable[[Asked], Awaitable[str | None]]
    error_text: Callable[[TabwrightError], str] = str
    as_json: bool
    coded: bool = False
    parts: tuple[str, ...] | None = None

    async def run(
        self,
        opening: AbstractAsyncContextManager[Tabwright],
        progress: OnProgress,
        notice: Callable[[str], object],
    ) -> CommandOutput:
        """Return the output of the command; `opening` has the tabwright to ask."""

        async def work() -> str | None:
            """Return the text; the tabwright is closed at the end, also when cancelled."""
            async with opening as tabwright:
                return await self.ask(Asked(tabwright, progress, notice))

        return await outcome(work, self.error_text, as_json=self.as_json, coded=self.coded)


async def run_alone(query: Query, settings: Settings, environment: Environment) -> int:
    """Print the answer of a separate tabwright; return the exit code."""
    steps = nullcontext(StepLines()) if query.parts is None else watching(*query.parts)
    with steps as progress:
        opening = open_tabwright(settings, environment)
        output = await query.run(opening, progress, _print_notice)
    return print_output(output)


def _print_notice(line: str) -> None:
    sys.stderr.write(f"{line}\n")


@attrs.frozen
class SharedQueries:
    """Decides which command lines the user process runs.

    Attributes:
        settings: of the process.
        flags: of those, the ones that the options of its command gave.
        config: the settings file that it was started with; None for that of the user.
        parse: parses a command line; see `tabwright.cli.command_line.parse`.
    """

    settings: Settings
    flags: Mapping[str, LayerEntry]
    config: Path | None
    parse: Callable[[Sequence[str]], argparse.Namespace]

    def find(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> Query | None:
        """Return what to ask; None if the command has to run by itself.

        Args:
            arguments: the command line.
            folder: the working directory of the caller.
            environment: the caller's variables for settings and the locale.

        Raises:
            ShellExit: the command line is not valid.
            BadInput: an option has a value that cannot be used.
        """
        options = self.parse(arguments)
        for name, value in vars(options).items():
            if isinstance(value, Path):
                setattr(options, name, folder / value)
        options.config = options.config or self.config
        make: MakeQuery | None = options.command.query
        if make is None or not self._same_settings(options, environment):
            return None
        return make(self.settings, options)

    def _same_settings(self, options: argparse.Namespace, environment: Mapping[str, str]) -> bool:
        """Return whether the command would have what matters to it of the process's settings."""
        try:
            given = layers(options, environment)
            flags = {**self.flags, **changing_flags(given)}
            others = (layer for layer in given if layer.rank is not LayerRank.FLAGS)
            settings = settings_from(Layer(LayerRank.FLAGS, flags), *others)
        except SettingsError:
            return False  # the command reports it
        return attrs.evolve(settings, daemon=self.settings.daemon) == self.settings


MakeQuery = Callable[[Settings, argparse.Namespace], Query | None]
"""Returns what a command asks; None if the user process cannot run it."""
