"""Parsing of the command line: mistakes in one line with a hint, examples in every help."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn

from tabwright.cli.exit_codes import ExitCode
from tabwright.text.similarity import did_you_mean


class CommandParser(argparse.ArgumentParser):
    """A parser for the program or one of its commands.

    Names of options cannot be abbreviated: an abbreviation would change its meaning when another
    option is added. A mistake ends the program with `ExitCode.WRONG_USE` and two lines: what is
    wrong, and where to read more.

    Attributes:
        sections: descriptions of commands by their names, under the headings of the help; empty
            for one list.
    """

    def __init__(self, prog: str, description: str, epilog: str = "") -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.sections: Mapping[str, Mapping[str, str]] = {}

    def format_help(self) -> str:
        """Return the help, with the commands under the headings of `sections`."""
        whole = super().format_help()
        if not self.sections:
            return whole
        head, _, rest = whole.partition("positional arguments:\n")
        formatter = argparse.RawDescriptionHelpFormatter(self.prog)
        for heading, commands in self.sections.items():
            formatter.start_section(heading)
            for name, text in commands.items():
                formatter.add_argument(argparse.Action([], dest=name, metavar=name, help=text))
            formatter.end_section()
        options = rest.partition("options:")[2]
        return f"{head}{formatter.format_help()}\noptions:{options}"

    def error(self, message: str) -> NoReturn:
        """Report a mistake and end the program."""
        self.exit(ExitCode.WRONG_USE, f"{self.prog}: {message}\nSee `{self.prog} --help`.\n")

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Report arguments that no option or argument of the command takes."""
        first = next((one for one in unknown if one.startswith("-")), unknown[0])
        if not first.startswith("-"):
            self.error(f"unexpected argument {first!r}")
        name = first.partition("=")[0]
        known = [string for action in self._actions for string in action.option_strings]
        self.error(f"unknown option {name!r}{_question(name, known)}")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse a value that is not among the choices, or an unknown command."""
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        what = "command" if isinstance(action.choices, dict) else "value"
        known = "" if what == "command" else f"; use {', '.join(choices)}"
        text = f"unknown {what} {str(value)!r}{_question(str(value), choices) or known}"
        raise argparse.ArgumentError(None if what == "command" else action, text)


def _question(given: str, known: Iterable[str]) -> str:
    """Return the end of a mistake that asks what was meant; empty if nothing is similar enough."""
    question = did_you_mean(given, known, cutoff=0.7)  # short options are all somewhat similar
    return f".{question}" if question else ""


def examples_text(examples: Sequence[str]) -> str:
    """Return the end of a help text with examples."""
    return "\n  ".join(("examples:", *examples)) if examples else ""
