"""The tabs of the terminal browser: their history, their loading, and the line of their names."""

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

from tabwright.text.lines import strip_invisible
from tabwright.tui.commands import error_page
from tabwright.tui.page import FieldName, FieldValue, Page
from tabwright.tui.server_calls import ServerLost, ServerMissing, TerminalError
from tabwright.tui.server_process import ServerProcess
from tabwright.tui.web import Web

# The history of a tab: pages, and the line at which each was left.


@attrs.define(eq=False)
class HistoryEntry:
    """A page that one was at.

    Attributes:
        line: the first that was seen.
        filled: what was filled in its forms.
        pictures: the files of its small pictures, by their URLs.
    """

    page: Page
    line: int = 0
    pictures: Mapping[str, bytes] = attrs.field(factory=dict[str, bytes])
    filled: dict[FieldName, FieldValue] = attrs.field(factory=dict[FieldName, FieldValue])


@attrs.define(eq=False)
class TabHistory:
    """The visits of a tab, and which of them is shown; going on forgets those ahead."""

    _visits: list[HistoryEntry] = attrs.field(factory=list[HistoryEntry], init=False)
    _place: int = attrs.field(default=-1, init=False)

    @property
    def visit(self) -> HistoryEntry | None:
        """The one that is shown; None before the first."""
        return self._visits[self._place] if self._visits else None

    def go(self, page: Page) -> None:
        """Goes on to a page."""
        del self._visits[self._place + 1 :]
        self._visits.append(HistoryEntry(page))
        self._place += 1

    def replace(self, page: Page) -> None:
        """The same page, loaded again or with more of it: the line stays."""
        if self.visit is None:
            self.go(page)
        else:
            self.visit.page = page

    def has_live(self, page: Page) -> bool:
        """Whether a page with its controls is the one that is shown, after something was done."""
        shown = self.visit.page if self.visit else None
        return shown is not None and shown.is_live and page.is_live and shown.url == page.url

    def step(self, step: int) -> bool:
        """Goes back (-1) or forward (1); tells whether there is anything."""
        place = self._place + step
        if not 0 <= place < len(self._visits):
            return False
        self._place = place
        return True


Getting: TypeAlias = Callable[[], Awaitable[Page]]
"""Gets a page."""

NAME_MAX = 24
"""Cells of a tab's name."""


@attrs.define(eq=False)
class BrowserTab:
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

    server: ServerProcess
    session: str
    all: list[BrowserTab] = attrs.field(factory=list[BrowserTab], init=False)
    _place: int = attrs.field(default=0, init=False)
    _opened: int = attrs.field(default=0, init=False)

    @property
    def current(self) -> BrowserTab:
        """The one that is shown."""
        return self.all[self._place]

    def add(self, told: Callable[[BrowserTab, str], None]) -> BrowserTab:
        """One more, with a session of its own: the first has the name that was given."""
        self._opened += 1
        name = self.session if self._opened == 1 else f"{self.session}-{self._opened}"
        tab = BrowserTab(Web(self.server, name, told=lambda step: told(tab, step)))
        self.all.append(tab)
        return tab

    def turn_to(self, place: int) -> None:
        """Shows another, counted from 0, and from the last to the first."""
        self._place = place % len(self.all)

    def step(self, step: int) -> None:
        """Shows the next one, or the one before."""
        self.turn_to(self._place + step)

    def close(self) -> BrowserTab:
        """Takes the one that is shown away."""
        closed = self.all.pop(self._place)
        self._place = min(self._place, len(self.all) - 1)
        return closed


def tabs_line(tabs: Tabs, width: int) -> Text:
    """The names of the tabs, in at most `width` cells; the current one is among them."""
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
    """What has to hear of a page that comes."""

    @property
    def draws_pictures(self) -> bool:
        """Whether pictures are wanted."""
        ...

    def leave(self, tab: BrowserTab) -> None:
        """The tab is about to show another page."""
        ...

    def show(self, tab: BrowserTab) -> None:
        """The tab has another page, or the same with pictures."""
        ...

    def draw(self) -> None:
        """Something about a tab has changed that is told above or below the page."""
        ...


class PageLoader:
    """Loads pages into tabs, in workers of the app.

    A bug in one ends the program. What a tab was loading before is given up.
    """

    def __init__(self, app: App[int], screen: LoadTarget) -> None:
        self._app = app
        self._screen = screen

    def begin(self, tab: BrowserTab, what: str, getting: Getting, *, again: bool = False) -> None:
        """Loads what `getting` gets; `again` in the place of the page that is there."""
        tab.loading, tab.step, tab.message, tab.getting = what, "", "", getting
        tab.began_s = asyncio.get_running_loop().time()
        work: WorkType[None] = partial(self._get, tab, getting, again=again)
        self._app.run_worker(work, group=tab.web.session, exclusive=True)
        self._draw_change_in(tab)

    def stop(self, tab: BrowserTab) -> None:
        """Gives up what a tab loads."""
        for worker in self._app.workers:
            if worker.group == tab.web.session:
                worker.cancel()

    async def get_pictures(self, tab: BrowserTab, page: Page) -> None:
        """Gets the pictures of the page that the tab shows; without, it is shown as it is."""
        visit = tab.history.visit
        if "![" not in page.text or visit is None or not tab.web.is_at(page):
            return
        with self._by_the_way(tab):
            visit.pictures = await tab.web.pictures()
            if visit.pictures and visit is tab.history.visit:
                self._screen.show(tab)

    async def close(self, closed: BrowserTab, shown: BrowserTab) -> None:
        """Ends the session of a tab that is gone; the one that is shown tells if that fails."""
        with self._by_the_way(shown):  # one that never began is none
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
        """Draws what a tab loads; without a page the first screen names it too."""
        if tab.history.visit is None:
            self._screen.show(tab)
        self._screen.draw()

    @contextmanager
    def _by_the_way(self, tab: BrowserTab) -> Generator[None]:
        """Nobody waits for it, so nobody is told that it failed; but that the server is lost."""
        try:
            yield
        except ServerLost as lost:
            tab.message = str(lost)
            self._screen.draw()
        except TerminalError:
            pass
