"""What a person at a shell gets: text on standard output, errors on standard error, exit codes."""

import logging
import sys
from collections.abc import Awaitable, Callable
from enum import IntEnum

import attrs
import msgspec

from tabwright.actors.house import Seams, Tabwright, open_tabwright
from tabwright.config.settings import Settings
from tabwright.protocol.errors import (
    BadInput,
    BrowserUnavailable,
    SettingsError,
    TabwrightError,
)
from tabwright.protocol.pages import PageFormat
from tabwright.protocol.searching import PersonNeeded, Step
from tabwright.searching.failures import failure_message
from tabwright.searching.formatting import document
from tabwright.searching.records import to_record

_log = logging.getLogger("tabwright.shell")


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


async def search(
    settings: Settings, seams: Seams, query: str, language: str | None, *, as_json: bool
) -> int:
    """Prints the answer to `query`."""
    language = language or settings.search.language

    async def ask(house: Tabwright) -> str:
        result = await house.search(query, language=language, progress=_call_person)
        return _json(to_record(result)) if as_json else document(result)

    def told(error: TabwrightError) -> str:
        return failure_message(error, language)

    return await _print(settings, seams, ask, told, as_json=as_json)


async def browse(
    settings: Settings, seams: Seams, url: str, page_format: PageFormat, *, as_json: bool
) -> int:
    """Prints the text of the page at `url`."""

    async def read(house: Tabwright) -> str:
        page = await house.browse(url, page_format=page_format)
        return _json(attrs.asdict(page)) if as_json else page.text.rstrip("\n")

    return await _print(settings, seams, read, str, as_json=as_json)


async def _print(
    settings: Settings,
    seams: Seams,
    work: Callable[[Tabwright], Awaitable[str]],
    told: Callable[[TabwrightError], str],
    *,
    as_json: bool,
) -> int:
    try:
        async with open_tabwright(settings, seams) as house:
            text = await work(house)
    except TabwrightError as error:
        _log.info("A command failed: %s", error.kind, exc_info=error)
        if as_json:
            print_json(error_record(error))
        sys.stderr.write(told(error) + "\n")
        return exit_code(error)
    sys.stdout.write(text + "\n")
    return ExitCode.OK


def _call_person(step: Step) -> None:
    if isinstance(step, PersonNeeded):
        sys.stderr.write(f"{step}\n")


def error_record(error: TabwrightError) -> dict[str, object]:
    """An error for a program to read."""
    return {"success": False, "error": error.message, **error.details()}


def print_json(record: object) -> None:
    """Prints a value for a program to read."""
    sys.stdout.write(_json(record) + "\n")


def _json(record: object) -> str:
    return msgspec.json.format(msgspec.json.encode(record), indent=2).decode()
