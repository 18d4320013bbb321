"""The status line below the page."""

import asyncio
import io
from collections.abc import Callable, Iterator
from http import HTTPStatus

import attrs
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from tabwright.plugins.tui.page import BrowsedPage, PendingIntervention
from tabwright.plugins.tui.replies import TerminalError
from tabwright.plugins.tui.server import ServerProcess
from tabwright.plugins.tui.web import open_window, what_waits
from tabwright.text.lines import strip_invisible

GAP = "  "

ALL = "… (m shows all)"
"""Ends a message that is longer than its lines."""

URL_MIN = 12
"""The minimum width of the loading URL, in cells."""

ALARM = "bold reverse"
"""The style of open interventions, which must not be overlooked."""


@attrs.frozen(kw_only=True)
class Status:
    """The content of the status line.

    Attributes:
        page: the current page.
        place: the scroll position, in percent.
        message: the latest message.
        link: the URL of the focused link.
        loading: the page or request in progress; empty for none.
        step: its current step.
        since_s: how long it has been loading, in seconds.
        waiting: the open interventions.
    """

    page: BrowsedPage | None = None
    place: int = 0
    message: str = ""
    link: str = ""
    loading: str = ""
    step: str = ""
    since_s: float = 0.0
    waiting: tuple[PendingIntervention, ...] = ()


def status_text(status: Status, width: int, lines_max: int) -> Text:
    """Return the status line, below the message if that needs lines of its own.

    Args:
        status: what it reports.
        width: of the terminal.
        lines_max: the most lines that a message fills. A longer one ends with a hint. With 0 the
            message is cut into the status line.
    """
    message = "" if status.loading else one_line(status.message)
    fits = cell_len(message) + len(GAP) <= width - cell_len(_alarm(status))
    if fits or not lines_max:
        return status_line(status, width)
    # Between words if possible.
    rows = [row.plain.rstrip() for row in Text(message).wrap(_RULER, max(width, 2))]
    if len(rows) > lines_max:
        rows = rows[:lines_max]
        kept = set_cell_size(rows[-1], max(width - cell_len(ALL), 0)).rstrip()
        rows[-1] = f"{kept}{ALL}"
    last = status_line(attrs.evolve(status, message=""), width)
    return Text("\n").join([*(Text(set_cell_size(row, width)) for row in rows), last])


LINES_MIN = 12
"""The minimum height of a window, in lines, for separate message lines."""


def message_lines_max(lines: int) -> int:
    """Return how many lines a message may have in a window of so many lines."""
    return lines // 3 if lines >= LINES_MIN else 0


def one_line(text: str) -> str:
    """Return a text without line breaks and invisible characters."""
    return strip_invisible(" ".join(text.split()))


_RULER = Console(file=io.StringIO(), width=1)
"""Required by Rich to wrap text; only the size of tabs is read from it."""


def _alarm(status: Status) -> str:
    if not status.waiting:
        return ""
    first, *others = status.waiting
    more = f" and {len(others)} more" if others else ""
    return f" {strip_invisible(first.site)}{more} needs you: ! "


def status_line(status: Status, width: int) -> Text:
    """Return the line in exactly `width` cells; the least important parts are dropped first."""
    alarm = _alarm(status)
    room = max(width - cell_len(alarm), 0)
    facts = list(_facts(status))
    if status.loading:
        step = f": {status.step}" if status.step else ""
        rest = one_line(f"{status.since_s:.0f} s (Esc stops){step}")
        # The URL is shortened to make room for the time and the step.
        url_max = room - cell_len(f"Loading  {rest}{GAP}")
        left = f"Loading {_cut(one_line(status.loading), max(url_max, URL_MIN))} {rest}"
    elif status.message or status.link:
        left = status.message or status.link
    else:
        page = status.page
        left = page.title or page.url if page else "o opens a page, ? helps"
    left = one_line(left)
    if not (status.loading or status.message or status.link):  # facts take precedence
        left = _cut(left, max(room - cell_len(GAP.join(facts)) - len(GAP), room // 2))
    while facts and cell_len(left) + cell_len(GAP.join(facts)) + len(GAP) > room:
        facts.pop(0)
    right = GAP.join(facts)
    fill = max(room - cell_len(right) - len(GAP), 0)
    text = Text(set_cell_size(alarm, min(cell_len(alarm), width)), ALARM)
    rest = set_cell_size(_cut(left, fill), fill) + GAP + right
    return text.append(set_cell_size(rest, room), "default")


def _facts(status: Status) -> Iterator[str]:
    """Yield the facts from the least to the most important."""
    page = status.page
    if page is None:
        return
    if page.tokens:
        yield f"{page.tokens:,} tokens"
    if page.took_s:
        yield f"{page.took_s:.1f} s"
    if page.tier:
        yield f"tier {page.tier}"
    if page.reader:
        yield "reader"
    if page.status not in {0, HTTPStatus.OK}:
        yield f"HTTP {page.status}"
    yield f"{status.place}%"


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else f"{set_cell_size(text, max(width - 1, 0))}…"


# Interventions that wait in the server, for as long as the program runs.

POLL_S = 3.0


class People:
    """The open interventions.

    Args:
        say: called with messages.
        draw: called when the open interventions change.
    """

    def __init__(
        self, server: ServerProcess, say: Callable[[str], None], draw: Callable[[], None]
    ) -> None:
        self._server = server
        self._say = say
        self._draw = draw
        self.waiting: tuple[PendingIntervention, ...] = ()

    async def poll(self, is_in_use: Callable[[], bool]) -> None:
        """Poll for interventions until cancelled, once the server is in use."""
        while True:
            await asyncio.sleep(POLL_S)
            if not is_in_use():
                continue
            try:
                waiting = await what_waits(self._server)
            except TerminalError as error:
                self._say(str(error))
            else:
                self.waiting = tuple(one for one in waiting if one.left_s)
                self._draw()

    async def open_first(self) -> None:
        """Open the window of the oldest intervention."""
        if not self.waiting:
            self._say("No CAPTCHA is open.")
            return
        first = self.waiting[0]
        self._say(f"Opening the window of {first.site}…")
        try:
            await open_window(self._server, first)
        except TerminalError as error:
            self._say(str(error))
        else:
            self._say("Its window is open. Waiting searches continue when it is solved.")
