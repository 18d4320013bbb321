"""Pages on their way into tabs, one for each tab, beside whatever else goes on."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import Protocol

from textual.app import App
from textual.worker import WorkType

from tabwright.tui.errors import ServerLost, ServerMissing, TerminalError
from tabwright.tui.own_pages import error_page
from tabwright.tui.pages import Page
from tabwright.tui.tabs import Getting, Tab


class Screen(Protocol):
    """What has to hear of a page that comes."""

    @property
    def draws_pictures(self) -> bool:
        """Whether pictures are wanted."""
        ...

    def leave(self, tab: Tab) -> None:
        """The tab is about to show another page."""
        ...

    def show(self, tab: Tab) -> None:
        """The tab has another page, or the same with pictures."""
        ...

    def draw(self) -> None:
        """Something about a tab has changed that is told above or below the page."""
        ...


class Loading:
    """Loads pages into tabs, in workers of the app.

    A bug in one ends the program. What a tab was loading before is given up.
    """

    def __init__(self, app: App[int], screen: Screen) -> None:
        self._app = app
        self._screen = screen

    def begin(self, tab: Tab, what: str, getting: Getting, *, again: bool = False) -> None:
        """Loads what `getting` gets; `again` in the place of the page that is there."""
        tab.loading, tab.step, tab.message, tab.getting = what, "", "", getting
        tab.began_s = asyncio.get_running_loop().time()
        work: WorkType[None] = partial(self._get, tab, getting, again=again)
        self._app.run_worker(work, group=tab.web.session, exclusive=True)
        self._screen.draw()

    def stop(self, tab: Tab) -> None:
        """Gives up what a tab loads."""
        for worker in self._app.workers:
            if worker.group == tab.web.session:
                worker.cancel()

    async def get_pictures(self, tab: Tab, page: Page) -> None:
        """Gets the pictures of the page that the tab shows; without, it is shown as it is."""
        visit = tab.history.visit
        if "![" not in page.text or visit is None or not tab.web.is_at(page):
            return
        with self._by_the_way(tab):
            visit.pictures = await tab.web.pictures()
            if visit.pictures and visit is tab.history.visit:
                self._screen.show(tab)

    async def close(self, closed: Tab, shown: Tab) -> None:
        """Ends the session of a tab that is gone; the one that is shown tells if that fails."""
        with self._by_the_way(shown):  # one that never began is none
            await closed.web.close()

    async def _get(self, tab: Tab, getting: Getting, *, again: bool) -> None:
        try:
            page = await getting()
        except ServerMissing as error:
            page = error_page(error)
        except TerminalError as error:
            tab.message = str(error)
            return
        finally:
            self._end(tab, getting)
        self._screen.leave(tab)
        (tab.history.replace if again else tab.history.go)(page)
        tab.message = page.notice
        self._screen.show(tab)
        if self._screen.draws_pictures:
            await self.get_pictures(tab, page)

    def _end(self, tab: Tab, getting: Getting) -> None:
        if tab.getting is getting:  # else it loads something else by now
            tab.loading = ""
            self._screen.draw()

    @contextmanager
    def _by_the_way(self, tab: Tab) -> Generator[None]:
        """Nobody waits for it, so nobody is told that it failed; but that the server is lost."""
        try:
            yield
        except ServerLost as lost:
            tab.message = str(lost)
            self._screen.draw()
        except TerminalError:
            pass
