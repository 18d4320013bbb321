"""Limits on where pages may lead, and tabs that pages open, in a real Chromium."""

import pytest
import trio

from tabwright.protocol.actions import Click, WaitFor
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.inspection import Evaluate, LocateOnPage, TakeOutline
from tabwright.protocol.sessions import Sessions

pytestmark = pytest.mark.chromium

HERE = {"network__allow_urls": ["127.0.0.1"]}


def put_secret(agent) -> str:
    agent.stand.put("/secret", "<h1>DENIED</h1><button>Inner</button>")
    return agent.stand.url("/secret", host="localhost")


@pytest.mark.parametrize("when_ms", [0, 1000])
async def test_page_navigation_to_disallowed_url_is_blocked(open_agent, when_ms):
    async with open_agent(**HERE) as agent:
        url = put_secret(agent)
        going = f"setTimeout(() => location = '{url}', {when_ms})"
        await agent.show(f'<button onclick="{going}">Go</button>')
        ref = await agent.ref("Go")
        asked = (Click(ref), WaitFor(seconds=2)) if when_ms else (Click(ref),)
        for one in asked:
            try:
                await agent.ask(one)
            except BadInput as error:
                assert "allow_urls" in str(error)
        assert "Go" in await agent.see()
        assert agent.stand.asked("/secret") == 0


async def test_frames_and_popups_outside_allowed_urls_are_not_shown(open_agent):
    async with open_agent(**HERE) as agent:
        url = put_secret(agent)
        outline = await agent.show(f'<iframe src="{url}"></iframe><a target=_blank href="{url}">Up')
        assert "DENIED" not in outline
        outcome = await agent.click("Up")
        assert outcome.tabs == ()
        assert [tab.number for tab in await agent.tabs()] == [1]


async def test_page_with_a_dialog_during_load_is_reached(agent):
    agent.stand.put("/asks", "<script>document.title = confirm('Now?')</script><h1>Asked</h1>")
    assert "# Asked" in await agent.go("/asks")
    assert (await agent.ask(LocateOnPage())).title == "false"


async def test_page_opened_by_evaluated_script_becomes_tab(agent):
    agent.stand.put("/next", "<h1>Next</h1>")
    await agent.show("")
    evaluated = await agent.ask(Evaluate("window.open('/next') && 1"))
    assert [tab.number for tab in evaluated.outcome.tabs] == [2]
    assert "# Next" in await agent.see()


@pytest.mark.whole_browser
async def test_new_tab_opens_blank_and_is_removed_if_its_url_fails(agent):
    await agent.show("<h1>First</h1>")
    await agent.tabwright.parts.sessions.ask(Sessions.enter, "s", "", new_tab=True)
    assert [tab.url for tab in await agent.tabs()][1:] == [""]
    with pytest.raises(TabwrightError):
        await agent.go("/nothing", new_tab=True)
    assert [tab.current for tab in await agent.tabs()] == [False, True]
    closed = await agent.tabwright.parts.sessions.ask(Sessions.change_tabs, "s", "close")
    assert [tab.current for tab in closed] == [True]
    assert "# First" in await agent.see()


async def test_pop_ups_opened_concurrently_by_two_tabs_are_each_adopted_once(agent):
    agent.stand.put("/next", "<h1>Next</h1>")
    await agent.show("<a target=_blank href=/next>Up</a>")
    await agent.go("/", new_tab=True)
    refs = [await agent.ask(TakeOutline(), tab) for tab in (1, 2)]
    clicks = [Click(outline.controls[0].ref) for outline in refs]
    async with trio.open_nursery() as nursery:
        for tab, click in zip((1, 2), clicks, strict=True):
            nursery.start_soon(agent.ask, click, tab)
    tabs = await agent.tabs()
    assert [tab.number for tab in tabs] == [1, 2, 3, 4]
    assert all(tab.url.endswith("/next") for tab in tabs[2:])
    await agent.tabwright.parts.sessions.ask(Sessions.change_tabs, "s", "close", 4)
    with trio.fail_after(10):  # a closed tab is in the pool until its page is gone
        while len((await agent.tabwright.pool()).tabs) > 3:
            await trio.sleep(0.02)
    assert len((await agent.tabwright.pool()).tabs) == 3
