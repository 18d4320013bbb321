"""A tab of the browser: where it has been, what it loads, and the line of names above the page."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import attrs
from rich.cells import cell_len, set_cell_size
from rich.text import Text

from tabwright.text.lines import visible
from tabwright.tui.pages import Page
from tabwright.tui.server_process import Server
from tabwright.tui.tab_history import TabHistory
from tabwright.tui.web import Web

Getting: TypeAlias = Callable[[], Awaitable[Page]]
"""Gets a page."""

NAME_MAX = 24
"""Cells of a tab's name."""


@attrs.define(eq=False)
class Tab:
    """A tab.

    Attributes:
        loading: what is being loaded; empty for nothing.
        getting: what gets that.
        began_s: since when, on the clock of the loop.
        step: what that waits for.
        message: what has happened last.
        reader: whether pages are opened in reader mode.
    """

    web: Web
    history: TabHistory = attrs.field(factory=TabHistory)
    loading: str = ""
    getting: Getting | None = None
    began_s: float = 0.0
    step: str = ""
    message: str = ""
    reader: bool = False

    @property
    def name(self) -> str:
        """What stands for it."""
        if self.loading:
            return f"… {self.loading}"
        return self.history.visit.page.name if self.history.visit else "New tab"


@attrs.define(eq=False)
class Tabs:
    """The open tabs; there is always one once the first is there.

    Attributes:
        all: in their order.
    """

    server: Server
    session: str
    all: list[Tab] = attrs.field(factory=list[Tab], init=False)
    _place: int = attrs.field(default=0, init=False)
    _opened: int = attrs.field(default=0, init=False)

    @property
    def current(self) -> Tab:
        """The one that is shown."""
        return self.all[self._place]

    def add(self, told: Callable[[Tab, str], None]) -> Tab:
        """One more, with a session of its own: the first has the name that was given."""
        self._opened += 1
        name = self.session if self._opened == 1 else f"{self.session}-{self._opened}"
        tab = Tab(Web(self.server, name, told=lambda step: told(tab, step)))
        self.all.append(tab)
        return tab

    def turn_to(self, place: int) -> None:
        """Shows another, counted from 0, and from the last to the first."""
        self._place = place % len(self.all)

    def step(self, step: int) -> None:
        """Shows the next one, or the one before."""
        self.turn_to(self._place + step)

    def close(self) -> Tab:
        """Takes the one that is shown away."""
        closed = self.all.pop(self._place)
        self._place = min(self._place, len(self.all) - 1)
        return closed


def tabs_line(tabs: Tabs, width: int) -> Text:
    """The names of the tabs, in at most `width` cells; the current one is among them."""
    room = max(min(NAME_MAX, width // len(tabs.all) - 4), 1)
    names = [_name(number, tab, room) for number, tab in enumerate(tabs.all, 1)]
    place = tabs.all.index(tabs.current)
    first = 0
    while first < place and sum(map(cell_len, names[first : place + 1])) > width:
        first += 1
    text = Text(no_wrap=True, overflow="crop")
    for number, name in enumerate(names[first:], first):
        text.append(name, "reverse" if number == place else "dim")
    return text


def _name(number: int, tab: Tab, room: int) -> str:
    name = visible(tab.name)
    name = name if cell_len(name) <= room else f"{set_cell_size(name, room - 1)}…"
    return f" {number} {name} "
