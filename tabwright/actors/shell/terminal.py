"""What every command leaves at the terminal: text or JSON, what went wrong, an exit code."""

import logging
import sys
from collections.abc import Awaitable, Callable
from enum import IntEnum

import msgspec

from tabwright.content.documents import as_it_stands, record_as_it_stands
from tabwright.protocol.errors import (
    BadInput,
    BrowserUnavailable,
    ErrorPage,
    SettingsError,
    TabwrightError,
)

_log = logging.getLogger("tabwright.shell")


EXIT_CODES = 256
"""How many there are; a larger one is cut by the system."""


class ExitCode(IntEnum):
    """How a command ended; a signal ends it with 128 and its number."""

    OK = 0
    FAILED = 1
    WRONG_USE = 2
    NO_BROWSER = 3


def exit_code(error: TabwrightError) -> ExitCode:
    """The exit code that an error stands for."""
    match error:
        case BadInput() | SettingsError():
            return ExitCode.WRONG_USE
        case BrowserUnavailable():
            return ExitCode.NO_BROWSER
        case _:
            return ExitCode.FAILED


async def print_outcome(
    work: Callable[[], Awaitable[str]],
    told: Callable[[TabwrightError], str] = str,
    *,
    as_json: bool,
    coded: bool = False,
) -> int:
    """Prints what `work` gives, or why it gives nothing; gives the exit code.

    Args:
        work: gives the text for standard output.
        told: what standard error has to say of an error.
        as_json: whether standard output has a record of an error too.
        coded: whether the exit code says what kept a page from being read; see `ErrorCode`.
    """
    try:
        text = await work()
    except TabwrightError as error:
        _log.info("A command failed: %s", error.kind, exc_info=error)
        if as_json:
            print_json(error_record(error))
        sys.stderr.write(as_it_stands(told(error)) + "\n")
        return error.code % EXIT_CODES if coded and error.code else exit_code(error)
    sys.stdout.write(as_it_stands(text) + "\n")
    return ExitCode.OK


def error_record(error: TabwrightError) -> dict[str, object]:
    """An error for a program to read."""
    text = {"text": error.text} if isinstance(error, ErrorPage) else {}
    return {"success": False, "error": error.message, **error.details(), **text}


def print_json(record: object) -> None:
    """Prints a value for a program to read."""
    sys.stdout.write(json_text(record) + "\n")


def json_text(record: object) -> str:
    """A value for a program to read, and for a person who looks over its shoulder."""
    return msgspec.json.format(msgspec.json.encode(record_as_it_stands(record)), indent=2).decode()
