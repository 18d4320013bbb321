"""The TabActor: one page. It lives exactly as long as the page does."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import trio

from tabwright.actors.kit.supervision import RestartPolicy
from tabwright.browser.running import BrowserRole
from tabwright.concurrency.nursery import background_nursery
from tabwright.concurrency.timers import IdleTimer
from tabwright.config.shipped_lists import block_rules
from tabwright.page.errors import translate_cdp_errors
from tabwright.page.open_page import OPEN_S, PageOptions, TabDependencies, open_page
from tabwright.page.page import TabActor
from tabwright.protocol.actor import Address, Invoke

TAB_CARE = RestartPolicy(mailbox_max=4, crashes_max=0)
"""One piece of work uses a tab, so few requests wait; a page that is gone does not come back."""


@asynccontextmanager
async def tab_actor(
    browser: Address[BrowserRole], outfit: TabDependencies, idleness: IdleTimer, plan: PageOptions
) -> AsyncGenerator[TabActor]:
    """The life of a tab, from a blank page to its closing; a page that is gone is a crash.

    Raises:
        BrowserDied, PageFailed: no page could be opened.
    """
    running = await browser.ask(Invoke(BrowserRole.running))
    async with open_page(running, plan) as opened, background_nursery() as nursery:
        tab = TabActor(opened, outfit, idleness)
        nursery.start_soon(tab.attend)
        rules = block_rules(outfit.settings.search.block if plan.light else ())
        with translate_cdp_errors(), trio.fail_after(OPEN_S):
            await nursery.start(tab.watch, rules)
            if not running.identity.is_own:
                await tab.identify()
        yield tab
