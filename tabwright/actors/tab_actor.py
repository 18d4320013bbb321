"""The TabActor: one page. It lives exactly as long as the page."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import attrs
import trio

from tabwright.actors.kit.supervision import RestartPolicy
from tabwright.browser.identity import privacy_commands
from tabwright.browser.running import BrowserRole
from tabwright.cdp.domains import emulation
from tabwright.cdp.errors import Gone
from tabwright.concurrency.nursery import background_nursery
from tabwright.concurrency.timers import IdleTimer
from tabwright.config.shipped_lists import block_rules
from tabwright.page.errors import translate_cdp_errors
from tabwright.page.live_tabs import LiveTabs
from tabwright.page.open_page import OPEN_S, PageOptions, TabDependencies, open_page
from tabwright.page.page import BrowserPage
from tabwright.protocol.actions import Outcome
from tabwright.protocol.actor import Address, AnswerT, Invoke
from tabwright.protocol.context_options import SetContextOptions
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.snapshot import (
    AccessibleNode,
    BlockKind,
    LoadedPage,
    PageSource,
    ScrollEnd,
)
from tabwright.protocol.tab import (
    Act,
    ClosePopups,
    Inspect,
    Navigate,
    OriginStorage,
    ReadSource,
    RunScript,
    SetTabCookies,
    SetTabStorage,
    Submit,
    Traffic,
)

TAB_RESTART_POLICY = RestartPolicy(mailbox_max=4, crashes_max=0)
"""Few requests wait, because one task uses a tab; a lost page is not restarted."""


@attrs.frozen(eq=False)
class TabActor:
    """The implementation of `tabwright.protocol.tab.Tab`."""

    _page: BrowserPage

    async def act(self, request: Act, /) -> Outcome:
        """See `Act`."""
        return await self._page.act(request)

    async def inspect(self, request: Inspect[AnswerT], /) -> AnswerT:
        """See `Inspect`."""
        return await self._page.inspect(request)

    async def close_popups(self, request: ClosePopups, /) -> None:
        """See `ClosePopups`."""
        await self._page.close_popups(request)

    async def navigate(self, request: Navigate, /) -> LoadedPage:
        """See `Navigate`."""
        return await self._page.navigate(request)

    async def submit(self, request: Submit, /) -> LoadedPage | None:
        """See `Submit`."""
        return await self._page.submit(request)

    async def document(self) -> None:
        """See `Tab.document`."""
        await self._page.document()

    async def show(self) -> None:
        """See `Tab.show`."""
        await self._page.show()

    async def run_script(self, request: RunScript, /) -> str:
        """See `RunScript`."""
        return await self._page.run_script(request)

    async def type_text(self, text: str, /) -> None:
        """See `Tab.type_text`."""
        await self._page.type_text(text)

    async def find_redirects(self, links: tuple[str, ...], /) -> Mapping[str, str]:
        """See `Tab.find_redirects`."""
        return await self._page.find_redirects(links)

    async def read_source(self, request: ReadSource, /) -> PageSource:
        """See `ReadSource`."""
        return await self._page.read_source(request)

    async def list_end(self) -> ScrollEnd:
        """See `Tab.list_end`."""
        return await self._page.list_end()

    async def read_tree(self) -> tuple[AccessibleNode, ...]:
        """See `Tab.read_tree`."""
        return await self._page.read_tree()

    async def do_without(self, kinds: tuple[BlockKind, ...], /) -> None:
        """See `Tab.do_without`."""
        await self._page.do_without(kinds)

    async def cookies(self) -> tuple[Cookie, ...]:
        """See `Tab.cookies`."""
        return await self._page.storage.cookies()

    async def set_cookies(self, request: SetTabCookies, /) -> None:
        """See `SetTabCookies`."""
        await self._page.storage.set_cookies(request)

    async def storage(self) -> OriginStorage | None:
        """See `Tab.storage`."""
        return await self._page.storage.storage()

    async def set_storage(self, request: SetTabStorage, /) -> None:
        """See `SetTabStorage`."""
        await self._page.storage.set_storage(request)

    async def set_options(self, request: SetContextOptions, /) -> None:
        """See `SetContextOptions`."""
        await self._page.set_options(request)

    async def traffic(self) -> Traffic:
        """See `Tab.traffic`."""
        return await self._page.traffic()


@asynccontextmanager
async def tab_actor(
    browser: Address[BrowserRole],
    dependencies: TabDependencies,
    live: LiveTabs,
    idleness: IdleTimer,
    plan: PageOptions,
) -> AsyncGenerator[TabActor]:
    """Run a tab, from a blank page to its closing; a lost page is a crash.

    Raises:
        BrowserDied, PageFailed: no page could be opened.
    """
    running = await browser.ask(Invoke(BrowserRole.running))
    async with open_page(running, plan) as attached, background_nursery() as nursery:
        settings = dependencies.settings
        keeps_size = plan.own or running.visible
        is_ordinary = plan.own or settings.browser.identity == "ordinary"
        opened = attrs.evolve(
            attached,
            size=None if keeps_size else settings.browser.page_size,
            is_private=settings.network.do_not_track and not is_ordinary,
        )
        page = BrowserPage(opened, dependencies, idleness, plan.state)
        rules = block_rules(settings.search.block if plan.light else settings.network.block)
        with translate_cdp_errors(), trio.fail_after(OPEN_S):
            nursery.start_soon(page.attend)
            await nursery.start(page.watch, rules)
            try:
                if not running.identity.is_own:
                    await page.identify()
                if opened.is_private:
                    await opened.session.execute_all(privacy_commands())
                if opened.size:
                    await opened.session.execute(emulation.set_size(opened.size))
            except Gone:
                await trio.sleep_forever()  # until the page's watch reports how it has ended
        try:
            with live.listed(page.live):
                yield TabActor(page)
        finally:
            await page.restore()
