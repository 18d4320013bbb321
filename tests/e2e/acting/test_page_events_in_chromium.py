"""Background events of a page are reported once, with the next action, in Chromium."""

import pytest
import trio

from tabwright.protocol.actions import BackgroundEvents, Click, Dialog
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.inspection import Evaluate, ListDownloads, ReadConsole, TakeOutline
from tabwright.testing.replica.server import ServerResponse

pytestmark = pytest.mark.chromium

LATE = (
    "<button onclick=\"setTimeout(() => { alert('Late'); location = '/file';"
    " console.error('late fault') }, 700)\">Later</button><button onclick=note('on')>On</button>"
)


def put_file(agent) -> None:
    headers = (("Content-Disposition", "attachment; filename=a.csv"),)
    agent.stand.pages["/file"] = ServerResponse(b"1,2", content_type="text/csv", headers=headers)


async def until_late(agent, tab: int = 1) -> None:
    """Wait until `LATE` is done, without acting on the page."""
    with trio.fail_after(60):
        while not await agent.ask(ReadConsole("error"), tab):
            await trio.sleep(0.05)
        while not [one for one in await agent.ask(ListDownloads(), tab) if one.path]:
            await trio.sleep(0.05)


async def test_late_events_are_reported_separately_with_next_action(agent):
    put_file(agent)
    await agent.show(LATE)
    at_once = await agent.click('"Later"')
    await until_late(agent)
    on = await agent.click('"On"')
    again = await agent.click('"On"')
    meanwhile = on.meanwhile
    assert at_once.meanwhile == again.meanwhile == BackgroundEvents()
    assert (at_once.dialogs, at_once.errors, at_once.downloads) == ((), (), ())
    assert (on.dialogs, on.errors, on.downloads) == ((), (), ())
    assert meanwhile.dialogs == (Dialog("alert", "Late"),)
    assert [one.text for one in meanwhile.errors] == ["late fault"]
    assert [(one.name, one.state) for one in meanwhile.downloads] == [("a.csv", "complete")]


async def test_snapshot_reports_background_events_on_request(agent):
    put_file(agent)
    await agent.show(LATE)
    await agent.click('"Later"')
    await until_late(agent)
    plain = await agent.ask(TakeOutline())
    reported = await agent.ask(TakeOutline(events=True))
    again = await agent.ask(TakeOutline(events=True))
    on = await agent.click('"On"')
    assert plain.meanwhile == again.meanwhile == on.meanwhile == BackgroundEvents()
    assert reported.meanwhile.dialogs == (Dialog("alert", "Late"),)
    assert [one.text for one in reported.meanwhile.errors] == ["late fault"]
    assert [one.name for one in reported.meanwhile.downloads] == ["a.csv"]


async def test_page_opened_after_an_action_is_a_tab_by_the_next_one(agent):
    agent.stand.put("/next", "<h1>Next</h1>")
    await agent.show(
        "<button onclick=\"setTimeout(() => window.open('/next'), 700)\">Later</button>"
        "<button onclick=note('on')>On</button>"
        "<script>addEventListener('blur', () => console.error('behind'))</script>"
    )
    later = await agent.click('"Later"')
    with trio.fail_after(60):
        while not agent.stand.asked("/next"):
            await trio.sleep(0.05)
    snapshot = await agent.ask(TakeOutline(events=True))
    on = await agent.ask(Click(await agent.ref('"On"')))
    assert later.tabs == snapshot.meanwhile.tabs == on.tabs == ()
    assert [tab.number for tab in on.meanwhile.tabs] == [2]
    assert "# Next" in await agent.see()


async def test_events_of_failed_action_are_reported_with_next_action(agent):
    await agent.show("<button onclick=note('on')>On</button>")
    failed = await agent.refused(Evaluate("alert('Oh'); console.error('fault'); throw 'up'"))
    on = await agent.click('"On"')
    assert isinstance(failed, PageFailed)
    assert on.meanwhile.dialogs == (Dialog("alert", "Oh"),)
    assert [one.text for one in on.meanwhile.errors] == ["fault"]


async def test_console_errors_during_load_are_not_attributed_to_action(agent):
    await agent.show("<button onclick=note('on')>On</button><script>console.error('old')</script>")
    on = await agent.click('"On"')
    output = await agent.ask(ReadConsole("error"))
    assert (on.errors, on.meanwhile.errors) == ((), ())
    assert "old" in [one.text for one in output]


async def test_dialog_of_script_that_changes_nothing_is_reported(agent):
    await agent.show("<p>Still</p>")
    output = await agent.ask(Evaluate("alert('Hi'); 1"))
    assert output.outcome.dialogs == (Dialog("alert", "Hi"),)


async def test_popup_dialogs_before_attachment_are_dismissed_and_reported(agent):
    await agent.show(
        "<button onclick=\"const other = window.open(''); note(other.confirm('Now?'));"
        " note(other.prompt('Who?', 'Ann'))\">Ask</button>"
    )
    outcome = await agent.click('"Ask"')
    assert outcome.dialogs == (Dialog("confirm", "Now?"), Dialog("prompt", "Who?", "Ann"))
    assert [tab.number for tab in outcome.tabs] == [2]
    assert (await agent.tabs())[0].title == "Hard to act on false null"


async def test_download_in_a_new_tab_leaves_the_agent_on_its_page(agent):
    put_file(agent)
    await agent.show("<a href=/file target=_blank>Get</a>")
    outcome = await agent.click('"Get"')
    assert [one.name for one in outcome.downloads] == ["a.csv"]
    assert outcome.tabs == ()
    assert [(tab.number, tab.current) for tab in await agent.tabs()] == [(1, True)]
    assert [one.name for one in await agent.ask(ListDownloads())] == ["a.csv"]
