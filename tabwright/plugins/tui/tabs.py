"""The tabs of the terminal browser: their history, loading, and the tab bar."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Protocol, TypeAlias

import attrs
from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.app import App
from textual.worker import WorkType

from tabwright.plugins.tui.commands import error_page
from tabwright.plugins.tui.page import BrowsedPage, FieldName, FieldValue
from tabwright.plugins.tui.replies import ServerLost, ServerMissing, TerminalError
from tabwright.plugins.tui.server import ServerProcess
from tabwright.plugins.tui.web import Web
from tabwright.text.lines import strip_invisible

# The history of a tab: pages, and the line at which each was left.


@attrs.define(eq=False)
class HistoryEntry:
    """A visited page.

    Attributes:
        line: the first visible line.
        filled: the values in its forms.
        pictures: the files of its small pictures, by URL.
    """

    page: BrowsedPage
    line: int = 0
    pictures: Mapping[str, bytes] = attrs.field(factory=dict[str, bytes])
    filled: dict[FieldName, FieldValue] = attrs.field(factory=dict[FieldName, FieldValue])


@attrs.define(eq=False)
class TabHistory:
    """The history of a tab and its current entry; a new page removes the entries ahead."""

    _entries: list[HistoryEntry] = attrs.field(factory=list[HistoryEntry], init=False)
    _place: int = attrs.field(default=-1, init=False)

    @property
    def entry(self) -> HistoryEntry | None:
        """The current entry; None before the first."""
        return self._entries[self._place] if self._entries else None

    def go(self, page: BrowsedPage) -> None:
        """Add a page."""
        self._place += 1
        self._entries[self._place :] = [HistoryEntry(page)]

    def replace(self, page: BrowsedPage) -> None:
        """Replace the current page by a newer version; the line is kept."""
        if self.entry is None:
            self.go(page)
        else:
            self.entry.page = page

    def has_live(self, page: BrowsedPage) -> bool:
        """Return whether a page with its controls is still the current one, after an action."""
        shown = self.entry.page if self.entry else None
        return shown is not None and shown.is_live and page.is_live and shown.url == page.url

    def step(self, step: int) -> bool:
        """Go back (-1) or forward (1); return whether there was an entry."""
        place = self._place + step
        if not 0 <= place < len(self._entries):
            return False
        self._place = place
        return True


Getting: TypeAlias = Callable[[], Awaitable[BrowsedPage]]
"""Loads a page."""

NAME_MAX = 24
"""The maximum width of a tab's name, in cells."""


@attrs.define(eq=False)
class BrowserTab:
    """A tab.

    Attributes:
        loading: the URL or command being loaded; empty for none.
        getting: loads it.
        began_s: when it began, on the clock of the loop.
        step: its current step.
        message: the latest message.
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
        """Its name in the tab bar."""
        if self.loading:
            return f"… {self.loading}"
        return self.history.entry.page.name if self.history.entry else "New tab"


@attrs.define(eq=False)
class Tabs:
    """The open tabs; at least one after the first was added.

    Attributes:
        all: in order.
    """

    server: ServerProcess
    session: str
    all: list[BrowserTab] = attrs.field(factory=list[BrowserTab], init=False)
    _place: int = attrs.field(default=0, init=False)
    _opened: int = attrs.field(default=0, init=False)

    @property
    def current(self) -> BrowserTab:
        """The current tab."""
        return self.all[self._place]

    def add(self, on_step: Callable[[BrowserTab, str], None]) -> BrowserTab:
        """Add a tab with a new session: the first has the given name."""
        self._opened += 1
        name = self.session if self._opened == 1 else f"{self.session}-{self._opened}"
        tab = BrowserTab(Web(self.server, name, on_step=lambda step: on_step(tab, step)))
        self.all.append(tab)
        return tab

    def turn_to(self, place: int) -> None:
        """Switch to a tab, counted from 0; the index wraps around."""
        self._place = place % len(self.all)

    def step(self, step: int) -> None:
        """Switch to the next or previous tab."""
        self.turn_to(self._place + step)

    def close(self) -> BrowserTab:
        """Remove the current tab."""
        closed = self.all.pop(self._place)
        self._place = min(self._place, len(self.all) - 1)
        return closed


def tabs_line(tabs: Tabs, width: int) -> Text:
    """Return the tab names in at most `width` cells; the current one is always included."""
    room = max(min(NAME_MAX, width // len(tabs.all) - 4), 1)
    names: list[str] = []
    for number, tab in enumerate(tabs.all, 1):
        name = strip_invisible(tab.name)
        name = name if cell_len(name) <= room else f"{set_cell_size(name, room - 1)}…"
        names.append(f" {number} {name} ")
    place = tabs.all.index(tabs.current)
    first = 0
    while first < place and sum(map(cell_len, names[first : place + 1])) > width:
        first += 1
    text = Text(no_wrap=True, overflow="crop")
    for number, name in enumerate(names[first:], first):
        text.append(name, "reverse" if number == place else "dim")
    return text


# Loading pages, one for each tab.


class LoadTarget(Protocol):
    """The view that is notified of loaded pages."""

    @property
    def draws_pictures(self) -> bool:
        """Whether to load pictures."""
        ...

    def leave(self, tab: BrowserTab) -> None:
        """Handle a tab that is about to show another page."""
        ...

    def show(self, tab: BrowserTab) -> None:
        """Handle a tab with another page, or with pictures of the same page."""
        ...

    def draw(self) -> None:
        """Redraw the lines above and below the page."""
        ...


class PageLoader:
    """Loads pages into tabs, in workers of the app.

    An unexpected error in a worker ends the program. A new load cancels the tab's previous one.
    """

    def __init__(self, app: App[int], screen: LoadTarget) -> None:
        self._app = app
        self._screen = screen

    def begin(self, tab: BrowserTab, what: str, getting: Getting, *, again: bool = False) -> None:
        """Load a page with `getting`; with `again`, replace the current page."""
        tab.loading, tab.step, tab.message, tab.getting = what, "", "", getting
        tab.began_s = asyncio.get_running_loop().time()
        work: WorkType[None] = partial(self._get, tab, getting, again=again)
        self._app.run_worker(work, group=tab.web.session, exclusive=True)
        self._draw_change_in(tab)

    def stop(self, tab: BrowserTab) -> None:
        """Cancel the load of a tab."""
        for worker in self._app.workers:
            if worker.group == tab.web.session:
                worker.cancel()

    async def get_pictures(self, tab: BrowserTab, page: BrowsedPage) -> None:
        """Load the pictures of the tab's page; without any, the page stays unchanged."""
        entry = tab.history.entry
        if "![" not in page.text or entry is None or not tab.web.is_at(page):
            return
        with self._by_the_way(tab):
            entry.pictures = await tab.web.pictures()
            if entry.pictures and entry is tab.history.entry:
                self._screen.show(tab)

    async def close(self, closed: BrowserTab, shown: BrowserTab) -> None:
        """End the session of a closed tab; a failure is shown in the current tab."""
        with self._by_the_way(shown):  # it may never have begun
            await closed.web.close()

    async def _get(self, tab: BrowserTab, getting: Getting, *, again: bool) -> None:
        try:
            page = await getting()
        except ServerMissing as error:
            page = error_page(error)
        except TerminalError as error:
            tab.message = str(error)
            return
        finally:
            if tab.getting is getting:  # else it loads something else by now
                tab.loading = ""
                self._draw_change_in(tab)
        self._screen.leave(tab)
        stays = again or tab.history.has_live(page)
        (tab.history.replace if stays else tab.history.go)(page)
        tab.message = page.notice
        self._screen.show(tab)
        if self._screen.draws_pictures:
            await self.get_pictures(tab, page)

    def _draw_change_in(self, tab: BrowserTab) -> None:
        """Redraw a tab's load status; without a page the first screen shows it, too."""
        if tab.history.entry is None:
            self._screen.show(tab)
        self._screen.draw()

    @contextmanager
    def _by_the_way(self, tab: BrowserTab) -> Generator[None]:
        """Ignore failures of background work, except the loss of the server."""
        try:
            yield
        except ServerLost as lost:
            tab.message = str(lost)
            self._screen.draw()
        except TerminalError:
            pass
