"""The exit codes of commands."""

from enum import IntEnum

from tabwright.protocol.errors import (
    BadInput,
    BrowserUnavailable,
    ErrorCode,
    SettingsError,
    TabwrightError,
)

SIGNALLED = 128
"""Added to the number of the signal that ended a command."""


class ExitCode(IntEnum):
    """The exit code of a command; after a signal it is 128 and the signal's number."""

    OK = 0
    FAILED = 1
    WRONG_USE = 2
    NO_BROWSER = 3


def page_exit_code(code: ErrorCode) -> int:
    """Return the exit code for why a page could not be read: 12 for 102, 51 for 501.

    It is less than 128, so that it cannot be taken for a signal.
    """
    return code // 100 * 10 + code % 100


def exit_code(error: TabwrightError) -> ExitCode:
    """Return the exit code of an error."""
    match error:
        case BadInput() | SettingsError():
            return ExitCode.WRONG_USE
        case BrowserUnavailable():
            return ExitCode.NO_BROWSER
        case _:
            return ExitCode.FAILED
