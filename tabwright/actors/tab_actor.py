"""The TabActor: one page. It lives exactly as long as the page."""

import math
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
from tabwright.protocol.actions import Action, Outcome
from tabwright.protocol.actor import Address, AnswerT
from tabwright.protocol.context_options import ContextOptions
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.inspection import Inspection
from tabwright.protocol.snapshot import AccessibleNode, BlockKind, LoadedPage, PageSource, ScrollEnd
from tabwright.protocol.tab import OriginStorage, ReadSource, Traffic

TAB_RESTART_POLICY = RestartPolicy(mailbox_max=4, crashes_max=0)
"""Few requests wait, because one task uses a tab; a lost page is not restarted."""


@attrs.frozen(eq=False)
class TabActor:
    """The implementation of `tabwright.protocol.tab.Tab`."""

    _page: BrowserPage

    async def act(self, action: Action) -> Outcome:
        return await self._page.act(action)

    async def inspect(self, inspection: Inspection[AnswerT]) -> AnswerT:
        return await self._page.inspect(inspection)

    async def close_popups(self, targets: tuple[str, ...]) -> None:
        await self._page.close_popups(targets)

    async def navigate(
        self, url: str, languages: str = "", *, whole: bool = False, leaves: bool = True
    ) -> LoadedPage:
        return await self._page.navigate(url, languages, whole=whole, leaves=leaves)

    async def submit(
        self, function: str, values: tuple[str, ...] = (), stays_s: float = math.inf
    ) -> LoadedPage | None:
        return await self._page.submit(function, values, stays_s)

    async def document(self) -> None:
        await self._page.document()

    async def show(self) -> None:
        await self._page.show()

    async def run_script(
        self, function: str, *, pierce: bool = False, values: tuple[str, ...] = ()
    ) -> str:
        return await self._page.run_script(function, pierce=pierce, values=values)

    async def type_text(self, text: str, /) -> None:
        await self._page.type_text(text)

    async def find_redirects(self, links: tuple[str, ...], /) -> Mapping[str, str]:
        return await self._page.find_redirects(links)

    async def read_source(self, request: ReadSource, /) -> PageSource:
        return await self._page.read_source(request)

    async def list_end(self) -> ScrollEnd:
        return await self._page.list_end()

    async def read_tree(self) -> tuple[AccessibleNode, ...]:
        return await self._page.read_tree()

    async def do_without(self, kinds: tuple[BlockKind, ...], /) -> None:
        await self._page.do_without(kinds)

    async def cookies(self) -> tuple[Cookie, ...]:
        return await self._page.storage.cookies()

    async def set_cookies(
        self, cookies: tuple[Cookie, ...], removed: tuple[Cookie, ...] = ()
    ) -> None:
        await self._page.storage.set_cookies(cookies, removed)

    async def storage(self) -> OriginStorage | None:
        return await self._page.storage.storage()

    async def set_storage(
        self,
        origins: tuple[OriginStorage, ...],
        cleared: tuple[str, ...] = (),
        session: OriginStorage | None = None,
    ) -> None:
        await self._page.storage.set_storage(origins, cleared, session)

    async def set_options(self, options: ContextOptions) -> None:
        await self._page.set_options(options)

    async def traffic(self) -> Traffic:
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
    running = await browser.ask(BrowserRole.running)
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
