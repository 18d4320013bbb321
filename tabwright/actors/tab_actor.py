"""The TabActor: one page. It lives exactly as long as the page."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import attrs
import trio

from tabwright.actors.kit.supervision import RestartPolicy
from tabwright.browser.identity import privacy_commands
from tabwright.browser.running import BrowserRole
from tabwright.cdp.domains import emulation
from tabwright.cdp.errors import Gone
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.concurrency.nursery import background_nursery
from tabwright.concurrency.timers import IdleTimer
from tabwright.config.shipped_lists import block_rules
from tabwright.page.errors import translate_cdp_errors
from tabwright.page.live_tabs import LiveTabs
from tabwright.page.open_page import (
    OPEN_S,
    AttachedPage,
    PageOptions,
    TabDependencies,
    ask_hints,
    open_page,
)
from tabwright.page.page import BrowserPage
from tabwright.protocol.actor import Address
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.tab import OriginStorage

TAB_RESTART_POLICY = RestartPolicy(mailbox_max=4, crashes_max=0)
"""Few requests wait, because one task uses a tab; a lost page is not restarted."""


class TabActor(BrowserPage):
    """A page that plays the role `tabwright.protocol.tab.Tab`."""

    async def cookies(self) -> tuple[Cookie, ...]:
        return await self._storage.cookies()

    async def set_cookies(
        self, cookies: tuple[Cookie, ...], removed: tuple[Cookie, ...] = ()
    ) -> None:
        await self._storage.set_cookies(cookies, removed)

    async def storage(self) -> OriginStorage | None:
        return await self._storage.storage()

    async def set_storage(
        self,
        origins: tuple[OriginStorage, ...],
        cleared: tuple[str, ...] = (),
        session: OriginStorage | None = None,
    ) -> None:
        await self._storage.set_storage(origins, cleared, session)


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
        tab = TabActor(opened, dependencies, idleness, plan.state)
        rules = block_rules(settings.search.block if plan.light else settings.network.block)
        with translate_cdp_errors(), trio.fail_after(OPEN_S):
            nursery.start_soon(tab.attend)
            await nursery.start(tab.watch, rules)
            try:
                await opened.session.execute_all(await _set_up_commands(opened))
            except Gone:
                await trio.sleep_forever()  # until the page's watch reports how it has ended
        try:
            with live.listed(tab.live):
                yield tab
        finally:
            await tab.restore()


async def _set_up_commands(opened: AttachedPage) -> Sequence[CDPCommand[Nothing]]:
    """Return the commands that set what sites learn of a new page, and its size."""
    running, commands = opened.running, list[CDPCommand[Nothing]]()
    if not running.identity.is_own:
        commands.append(await running.identity.command(partial(ask_hints, running)))
    if opened.is_private:
        commands += privacy_commands()
    if opened.size:
        commands.append(emulation.set_size(opened.size))
    return commands
