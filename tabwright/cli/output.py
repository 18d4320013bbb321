"""Output of commands at a terminal: steps and progress, tables, JSON, errors and exit codes."""

import logging
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager

import attrs
import msgspec
from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from tabwright.cli.exit_codes import ExitCode, exit_code, page_exit_code
from tabwright.protocol.errors import TabwrightError, error_record
from tabwright.protocol.progress import (
    AnswerProgress,
    EngineDoneProgress,
    OnProgress,
    ProgressEvent,
    WaitProgress,
)
from tabwright.text.lines import strip_invisible, verbatim
from tabwright.text.records import record_as_it_stands

# The step that a command waits for, on standard error.


def _print_step(step: ProgressEvent) -> None:
    sys.stderr.write(f"{step}\n")


@attrs.define
class StepLines:
    """Prints the steps of a request, by default; the same wait is printed once."""

    _report: OnProgress = _print_step
    _wait: WaitProgress | None = attrs.field(default=None, init=False)

    def __call__(self, step: ProgressEvent) -> None:
        """Report a step at once. Results are printed when all are complete."""
        if isinstance(step, AnswerProgress | EngineDoneProgress) or step == self._wait:
            return
        self._wait = step if isinstance(step, WaitProgress) else None
        self._report(step)


# Tables and durations.

GAP = "  "

MINUTE_S, HOUR_S = 60, 3600


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return lines with aligned columns; none without rows.

    Args:
        heads: a head that begins with ``>`` aligns its column to the right.
        rows: the cells.
    """
    if not rows:
        return []
    lines = [[head.removeprefix("> ") for head in heads], *rows]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    columns = [(width, head.startswith(">")) for width, head in zip(widths, heads, strict=True)]
    return [GAP.join(map(_filled, line, columns)).rstrip() for line in lines]


def _filled(cell: str, column: tuple[int, bool]) -> str:
    """Return a cell padded to the width of its column."""
    width, to_the_right = column
    space = " " * (width - cell_len(cell))
    return space + cell if to_the_right else cell + space


def span(time_s: float) -> str:
    """Return a duration with rounded precision."""
    if time_s < 1.5 * MINUTE_S:
        return f"{time_s:.1f} s"
    if time_s < 1.5 * HOUR_S:
        return f"{time_s / MINUTE_S:.0f} min"
    return f"{time_s / HOUR_S:.1f} h"


def cut(text: str, length: int) -> str:
    """Return the text, cut to `length` terminal cells."""
    return text if cell_len(text) <= length else f"{set_cell_size(text, length - 1)}…"


ROWS_MAX = 12
"""The maximum number of rows; the latest are shown."""


@attrs.frozen
class _Part:
    """A part in progress.

    Attributes:
        text: its current wait or its result.
        since_s: when it began.
    """

    text: str
    since_s: float
    over: bool = False


@attrs.define(eq=False)
class LiveProgress:
    """Collects steps, and shows the status of each part as a row.

    Attributes:
        clock: returns the time in seconds.
    """

    clock: Callable[[], float]
    _parts: dict[str, _Part] = attrs.field(factory=dict[str, _Part], init=False)

    def begin(self, who: str) -> None:
        """Begin a part."""
        self._note(who, "working")

    def end(self, who: str) -> None:
        """Remove a part that has ended."""
        self._parts.pop(who, None)

    def take(self, step: ProgressEvent, who: str = "") -> None:
        """Add a step; `who` names its part if the step does not and there are several."""
        who = who or self._named(step)
        match step:
            case EngineDoneProgress():
                self._note(step.who, step.text, over=True)
            case AnswerProgress():
                began_s = self._parts[who].since_s if who in self._parts else self.clock()
                self._parts[who] = _Part(f"{len(step.text)} characters so far", began_s)
            case WaitProgress(text, waiting, _):
                self._note(who, text.removeprefix(f"{waiting}: "))
            case _:
                self._note(who, str(step))

    def rows(self) -> Sequence[str]:
        """Return a line for each part: name, duration, status."""
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
        """Return the part that the step names, or the only one."""
        if isinstance(step, WaitProgress | EngineDoneProgress) and step.who:
            return step.who
        return next(iter(self._parts)) if len(self._parts) == 1 else ""

    def _note(self, who: str, text: str, *, over: bool = False) -> None:
        before = self._parts.get(who)
        if before is None or (before.text, before.over) != (text, over):
            self._parts[who] = _Part(text, self.clock(), over)


@contextmanager
def watching(*parts: str) -> Generator[OnProgress]:
    """Show the steps of the block on standard error, as lines if it is not a terminal.

    Args:
        parts: the parts that begin at once.
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
    """Show the rows while the block runs, and remove them afterwards."""

    def drawn() -> Group:
        """Return the current rows; rich calls it in its own thread."""
        lines = (Text(row, no_wrap=True, overflow="ellipsis") for row in watch.rows())
        return Group(*([above] if above else []), *lines)

    with Live(
        get_renderable=drawn, console=console, transient=True, redirect_stdout=sys.stdout.isatty()
    ):
        yield


def stderr_console() -> Console:
    """Return standard error as a rich console that treats its input as plain text."""
    return Console(file=sys.stderr, highlight=False, markup=False, emoji=False)


def draws(console: Console) -> bool:
    """Return whether the console can redraw lines."""
    return console.is_terminal and not console.is_dumb_terminal


# Results as text or JSON, and errors.

_RULE = "-" * 72

_log = logging.getLogger("tabwright.shell")


@attrs.frozen
class CommandOutput:
    """The output of a command, and its exit code.

    Attributes:
        out: for standard output.
        err: for standard error.
    """

    out: str = ""
    err: str = ""
    code: int = ExitCode.OK


async def outcome(
    work: Callable[[], Awaitable[str | None]],
    error_text: Callable[[TabwrightError], str] = str,
    *,
    as_json: bool,
    coded: bool = False,
) -> CommandOutput:
    """Return the output of `work` or its error.

    Args:
        work: returns the text for standard output; None for nothing.
        error_text: returns the message of an error for standard error.
        as_json: whether to print errors as JSON on standard output, too.
        coded: whether the exit code says why a page could not be read; see `ErrorCode`.
    """
    try:
        text = await work()
    except TabwrightError as error:
        code = page_exit_code(error.code) if coded and error.code else exit_code(error)
        return attrs.evolve(failure(error, error_text, as_json=as_json), code=code)
    return CommandOutput("" if text is None else f"{verbatim(text)}\n")


def failure(
    error: TabwrightError, error_text: Callable[[TabwrightError], str] = str, *, as_json: bool
) -> CommandOutput:
    """Log the error, and return the output of a command that failed; see `outcome`."""
    _log.info("A command failed: %s", error.kind, exc_info=error)
    out = f"{json_text(error_record(error))}\n" if as_json else ""
    return CommandOutput(out, f"{verbatim(error_text(error))}\n", exit_code(error))


async def print_outcome(work: Callable[[], Awaitable[str]], *, as_json: bool) -> int:
    """Print the output of `work` or its error, and return the exit code; see `outcome`."""
    return print_output(await outcome(work, as_json=as_json))


def print_output(output: CommandOutput) -> int:
    """Print what a command prints, and return its exit code."""
    sys.stdout.write(output.out)
    sys.stderr.write(output.err)
    return output.code


def page_with_url(url: str, text: str) -> str:
    """Return the text of a page below its URL, which stands between two rules."""
    return f"{_RULE}\n{url}\n{_RULE}\n{text}\n\n"


def print_json(record: object) -> None:
    """Print a value as JSON."""
    sys.stdout.write(json_text(record) + "\n")


def json_text(record: object) -> str:
    """Return a value as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(record_as_it_stands(record)), indent=2).decode()
