"""Restore sessions after the browser is killed or the page crashes, and report it."""

from contextlib import suppress

import psutil
import pytest

from tabwright.protocol.actions import Click
from tabwright.protocol.errors import TabLost
from tabwright.protocol.inspection import Evaluate, LocateOnPage, TakeOutline

pytestmark = pytest.mark.chromium

LOG_IN = "document.cookie = 'who=ann; path=/'; localStorage.setItem('cart', '3')"
KEPT = "document.cookie + ' ' + localStorage.getItem('cart')"


def kill(*, renderers: bool) -> None:
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            line = " ".join(child.cmdline())
            kind = "--type=renderer" in line if renderers else "--type=" not in line
            if "--user-data-dir" in line and kind:
                child.kill()


@pytest.mark.own_browser
@pytest.mark.whole_browser
@pytest.mark.parametrize("renderers", [False, True], ids=["browser", "page"])
async def test_session_restores_page_and_storage_after_crash_and_reports_it(open_agent, renderers):
    async with open_agent(acting__scripts=True) as agent:
        await agent.show(f'<button onclick="{LOG_IN}">Log in</button>')
        await agent.ask(Click(await agent.ref("Log in")))
        for _ in range(5):  # what is noted of the tab stands in line with these
            await agent.ask(LocateOnPage())
        kill(renderers=renderers)
        with pytest.raises(TabLost, match="the page is loaded again"):
            await agent.ask(TakeOutline())
        assert "Log in" in (await agent.ask(TakeOutline())).text
        assert (await agent.ask(Evaluate(KEPT))).json == '"who=ann 3"'


@pytest.mark.whole_browser
async def test_navigation_after_crash_reports_lost_tab(open_agent):
    async with open_agent() as agent:
        await agent.show("<h1>Shop</h1>")
        kill(renderers=True)
        outcome = await agent.tabwright.session(agent.session).enter(agent.stand.url("/"))
        assert "The tab was lost" in outcome.description
        assert "Shop" in await agent.see()
