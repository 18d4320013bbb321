"""Work that takes its time, as a person at a terminal watches it: who waits for what, how long."""

import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import attrs
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from tabwright.actors.shell.steps import StepLines
from tabwright.actors.shell.tables import span, table
from tabwright.protocol.ai_search import Growth, PartEnded, Progress, Step, Waiting
from tabwright.text.lines import visible

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
class Watch:
    """Takes steps, and says in rows how it stands.

    Attributes:
        clock: gives the time in seconds.
    """

    clock: Callable[[], float]
    _parts: dict[str, _Part] = attrs.field(factory=dict[str, _Part], init=False)

    def begin(self, who: str) -> None:
        """Somebody begins."""
        self._note(who, "at work")

    def end(self, who: str) -> None:
        """Somebody has ended, and is watched no more."""
        self._parts.pop(who, None)

    def take(self, step: Step, who: str = "") -> None:
        """Takes a step; of whom, if it does not say so itself and there are several."""
        who = who or self._named(step)
        match step:
            case PartEnded():
                self._note(step.who, step.text, over=True)
            case Growth():
                began_s = self._parts[who].since_s if who in self._parts else self.clock()
                self._parts[who] = _Part(f"{len(step.text)} characters so far", began_s)
            case Waiting(text, waiting):
                self._note(who, text.removeprefix(f"{waiting}: "))
            case _:
                self._note(who, str(step))

    def rows(self) -> Sequence[str]:
        """A line for each: who, since when, what."""
        now_s = self.clock()
        cells = [
            (visible(who), "" if one.over else span(now_s - one.since_s), visible(one.text))
            for who, one in self._parts.copy().items()
        ]
        return table(("", "> ", ""), cells[-ROWS_MAX:])[1:]

    def _named(self, step: Step) -> str:
        """Who is meant: whom the step names, else the only one there is."""
        if isinstance(step, Waiting | PartEnded) and step.who:
            return step.who
        return next(iter(self._parts)) if len(self._parts) == 1 else ""

    def _note(self, who: str, text: str, *, over: bool = False) -> None:
        before = self._parts.get(who)
        if before is None or (before.text, before.over) != (text, over):
            self._parts[who] = _Part(text, self.clock(), over)


@contextmanager
def watching(*parts: str) -> Generator[Progress]:
    """Shows on standard error what the steps of the block say, in lines where it is no terminal.

    Args:
        parts: those who begin at once.
    """
    console = stderr_console()
    if not draws(console):
        yield StepLines()
        return
    watch = Watch(time.monotonic)  # rich draws in a thread of its own, where trio has no clock
    for part in parts:
        watch.begin(part)
    with live(console, watch):
        yield watch.take


@contextmanager
def live(console: Console, watch: Watch, above: RenderableType | None = None) -> Generator[None]:
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
