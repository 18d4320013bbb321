"""The TabActor: one page. It lives exactly as long as the page does."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import trio

from tabwright.actors.kit.supervision import Care
from tabwright.browser.running import Browser, GetBrowser
from tabwright.concurrency.nursery import open_background
from tabwright.concurrency.timers import Idleness
from tabwright.config.shipped_lists import block_rules
from tabwright.page.errors import refusing
from tabwright.page.open_page import OPEN_S, PagePlan, TabOutfit, open_page
from tabwright.page.page import TabActor
from tabwright.protocol.actor import Address

TAB_CARE = Care(mailbox_max=4, crashes_max=0)
"""One piece of work uses a tab, so few requests wait; a page that is gone does not come back."""


@asynccontextmanager
async def tab_actor(
    browser: Address[Browser], outfit: TabOutfit, idleness: Idleness, plan: PagePlan
) -> AsyncGenerator[TabActor]:
    """The life of a tab, from a blank page to its closing; a page that is gone is a crash.

    Raises:
        BrowserDied, PageFailed: no page could be opened.
    """
    running = await browser.ask(GetBrowser())
    async with open_page(running, plan) as opened, open_background() as nursery:
        tab = TabActor(opened, outfit, idleness)
        nursery.start_soon(tab.attend)
        rules = block_rules(outfit.settings.search.block if plan.light else ())
        with refusing(), trio.fail_after(OPEN_S):
            await nursery.start(tab.watch, rules)
            if not running.identity.is_own:
                await tab.identify()
        yield tab
