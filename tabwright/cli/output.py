"""Output of commands at a terminal: steps and progress, tables, JSON, errors and exit codes."""

import logging
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from enum import IntEnum

import attrs
import msgspec
from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from tabwright.content.documents import record_as_it_stands, verbatim
from tabwright.protocol.errors import (
    BadInput,
    BrowserUnavailable,
    ErrorCode,
    ErrorPage,
    SettingsError,
    TabwrightError,
)
from tabwright.protocol.progress import (
    AnswerProgress,
    EngineDoneProgress,
    OnProgress,
    ProgressEvent,
    WaitProgress,
)
from tabwright.text.lines import strip_invisible

# The step that a command waits for, on standard error.


@attrs.define
class StepLines:
    """Says what a request waits for; the same wait is said once."""

    _wait: WaitProgress | None = attrs.field(default=None, init=False)

    def __call__(self, step: ProgressEvent) -> None:
        """Says it now. What was found is printed when all of it is there."""
        if isinstance(step, AnswerProgress | EngineDoneProgress) or step == self._wait:
            return
        self._wait = step if isinstance(step, WaitProgress) else None
        sys.stderr.write(f"{step}\n")


# Tables and durations.

GAP = "  "

MINUTE_S, HOUR_S = 60, 3600


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Sequence[str]:
    """Lines with columns as wide as need be; nothing without rows.

    Args:
        heads: one that begins with ``>`` stands over a column of numbers, to the right.
        rows: the cells.
    """
    if not rows:
        return []
    lines = [[head.removeprefix("> ") for head in heads], *rows]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    columns = [(width, head.startswith(">")) for width, head in zip(widths, heads, strict=True)]
    return [GAP.join(map(_filled, line, columns)).rstrip() for line in lines]


def _filled(cell: str, column: tuple[int, bool]) -> str:
    """A cell as wide as its column, which may stand to the right."""
    width, to_the_right = column
    space = " " * (width - cell_len(cell))
    return space + cell if to_the_right else cell + space


def span(time_s: float) -> str:
    """A length of time, as exact as anybody wants to know it."""
    if time_s < 1.5 * MINUTE_S:
        return f"{time_s:.1f} s"
    if time_s < 1.5 * HOUR_S:
        return f"{time_s / MINUTE_S:.0f} min"
    return f"{time_s / HOUR_S:.1f} h"


def cut(text: str, length: int) -> str:
    """The text, of at most so many cells."""
    return text if cell_len(text) <= length else f"{set_cell_size(text, length - 1)}…"


ROWS_MAX = 12
"""Of those who are at work; the latest."""


@attrs.frozen
class _Part:
    """One who is at work.

    Attributes:
        text: what it waits for, or what came of it.
        since_s: since when.
    """

    text: str
    since_s: float
    over: bool = False


@attrs.define(eq=False)
class LiveProgress:
    """Takes steps, and says in rows how it stands.

    Attributes:
        clock: gives the time in seconds.
    """

    clock: Callable[[], float]
    _parts: dict[str, _Part] = attrs.field(factory=dict[str, _Part], init=False)

    def begin(self, who: str) -> None:
        """Somebody begins."""
        self._note(who, "working")

    def end(self, who: str) -> None:
        """Somebody has ended, and is watched no more."""
        self._parts.pop(who, None)

    def take(self, step: ProgressEvent, who: str = "") -> None:
        """Takes a step; of whom, if it does not say so itself and there are several."""
        who = who or self._named(step)
        match step:
            case EngineDoneProgress():
                self._note(step.who, step.text, over=True)
            case AnswerProgress():
                began_s = self._parts[who].since_s if who in self._parts else self.clock()
                self._parts[who] = _Part(f"{len(step.text)} characters so far", began_s)
            case WaitProgress(text, waiting):
                self._note(who, text.removeprefix(f"{waiting}: "))
            case _:
                self._note(who, str(step))

    def rows(self) -> Sequence[str]:
        """A line for each: who, since when, what."""
        now_s = self.clock()
        cells = [
            (
                strip_invisible(who),
                "" if one.over else span(now_s - one.since_s),
                strip_invisible(one.text),
            )
            for who, one in self._parts.copy().items()
        ]
        return table(("", "> ", ""), cells[-ROWS_MAX:])[1:]

    def _named(self, step: ProgressEvent) -> str:
        """Who is meant: whom the step names, else the only one there is."""
        if isinstance(step, WaitProgress | EngineDoneProgress) and step.who:
            return step.who
        return next(iter(self._parts)) if len(self._parts) == 1 else ""

    def _note(self, who: str, text: str, *, over: bool = False) -> None:
        before = self._parts.get(who)
        if before is None or (before.text, before.over) != (text, over):
            self._parts[who] = _Part(text, self.clock(), over)


@contextmanager
def watching(*parts: str) -> Generator[OnProgress]:
    """Shows on standard error what the steps of the block say, in lines where it is no terminal.

    Args:
        parts: those who begin at once.
    """
    console = stderr_console()
    if not draws(console):
        yield StepLines()
        return
    watch = LiveProgress(
        time.monotonic
    )  # rich draws in a thread of its own, where trio has no clock
    for part in parts:
        watch.begin(part)
    with live(console, watch):
        yield watch.take


@contextmanager
def live(
    console: Console, watch: LiveProgress, above: RenderableType | None = None
) -> Generator[None]:
    """Shows the rows while the block runs, and nothing of them afterwards."""

    def drawn() -> Group:
        """The rows as they stand now; rich calls it in its own thread."""
        lines = (Text(row, no_wrap=True, overflow="ellipsis") for row in watch.rows())
        return Group(*([above] if above else []), *lines)

    with Live(
        get_renderable=drawn, console=console, transient=True, redirect_stdout=sys.stdout.isatty()
    ):
        yield


def stderr_console() -> Console:
    """Standard error as rich draws on it; what it is given is text, and no markup."""
    return Console(file=sys.stderr, highlight=False, markup=False, emoji=False)


def draws(console: Console) -> bool:
    """Whether lines that are there can be drawn anew on it."""
    return console.is_terminal and not console.is_dumb_terminal


# Results as text or JSON, errors, and exit codes.

_log = logging.getLogger("tabwright.shell")


"""How many there are; a larger one is cut by the system."""


class ExitCode(IntEnum):
    """How a command ended; a signal ends it with 128 and its number."""

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
        sys.stderr.write(verbatim(told(error)) + "\n")
        return page_exit_code(error.code) if coded and error.code else exit_code(error)
    sys.stdout.write(verbatim(text) + "\n")
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
