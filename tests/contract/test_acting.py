"""Acting on a page has the same outcomes on Chromium and on the fake browser."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import attrs
import pytest
import trio

from tabwright.actors.tab_actor import TabActor
from tabwright.browser import popups
from tabwright.browser.running import RunningBrowser
from tabwright.cdp.domains import emulation, page, runtime
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.session import CDPSession
from tabwright.concurrency.nursery import background_nursery
from tabwright.concurrency.timers import IdleTimer
from tabwright.config.loader import override, settings_from
from tabwright.config.shipped_lists import BlockRules
from tabwright.page.isolated_worlds import enter_world
from tabwright.page.open_page import AttachedPage, PageOptions, TabDependencies, open_page
from tabwright.page.scripts import IS_SHOWN
from tabwright.protocol.actions import AnswerDialog, Click, Dialog, Emulate, Outcome, Type, WaitFor
from tabwright.protocol.errors import BadInput, Effect, TimeOut
from tabwright.protocol.inspection import LocateOnPage, TakeOutline
from tabwright.protocol.snapshot import LoadedPage

from .conftest import CHROMIUM, SHELL

pytestmark = pytest.mark.parametrize("way", ["fake", CHROMIUM, SHELL], indirect=True)

SOME_TIME_S = 0.5
"""For what must not happen."""

BUY, DELETE, GREET, OPEN, LEAVE, NAME = range(1, 7)


class Peer(Protocol):
    """The parts of the `peer` fixture that are used here."""

    running: RunningBrowser

    def url(self, path: str) -> str: ...
    def page(self) -> AbstractAsyncContextManager[AttachedPage]: ...


@attrs.frozen
class Acted:
    """A tab on the page with the controls, and its attached page."""

    tab: TabActor
    opened: AttachedPage

    async def outline(self) -> list[str]:
        """Return the lines of the outline after the first."""
        return (await self.tab.inspect(TakeOutline())).text.split("\n")[1:]

    async def ref(self, number: int) -> str:
        """Return the ref of a control by its place on the page."""
        first, *_ = (await self.outline())[1][1:].split(".")
        return f"{first}.{number}"

    async def click(self, number: int) -> Outcome:
        return await self.tab.act(Click(await self.ref(number)))


@pytest.fixture
async def acted(peer: Peer) -> AsyncGenerator[Acted]:
    async with acting(peer) as acted:
        yield acted


@asynccontextmanager
async def acting(
    peer: Peer, page: AbstractAsyncContextManager[AttachedPage] | None = None
) -> AsyncGenerator[Acted]:
    """Open the page with the controls in a tab, and run its background tasks."""
    settings = settings_from(override(network__allow_private=True, acting__downloads=None))
    async with page or peer.page() as opened, background_nursery() as hearing:
        tab = TabActor(opened, TabDependencies(settings), IdleTimer())
        hearing.start_soon(opened.running.pop_ups.attend, opened.running.connection.root)
        await hearing.start(tab.watch, BlockRules())
        hearing.start_soon(tab.attend)
        await tab.navigate(peer.url("/controls"))
        await tab.inspect(LocateOnPage())
        yield Acted(tab, opened)


async def test_a_page_with_controls_has_an_outline(acted):
    number, _ = (await acted.ref(1)).split(".")
    assert await acted.outline() == [
        "Hello",
        f'[{number}.1] button "Buy"',
        f'[{number}.2] button "Delete"',
        f'[{number}.3] button "Greet"',
        f'[{number}.4] button "Open"',
        f'[{number}.5] "Leave" /article',
        f'[{number}.6] textbox "Name"',
    ]


async def test_click_runs_the_page_handler_and_reports_the_change(acted):
    outcome = await acted.click(BUY)
    assert (outcome.description, outcome.changes) == ('Clicked button "Buy".', "+ Sold")
    assert (outcome.navigated, outcome.dialog, outcome.opened) == (None, None, ())
    assert not outcome.busy
    assert (await acted.outline())[-1] == "Sold"


async def test_typed_text_replaces_field_value_unless_appended(acted):
    ref = await acted.ref(NAME)
    await acted.tab.act(Type(ref, "Ann"))
    assert (await acted.outline())[-1] == f'[{ref}] textbox "Name" = "Ann" focused'
    await acted.tab.act(Type(ref, "Lee"))
    await acted.tab.act(Type(ref, "s", append=True))
    assert '= "Lees"' in (await acted.outline())[-1]


async def test_typing_into_element_that_is_not_a_field_is_refused(acted):
    with pytest.raises(BadInput, match="cannot be used"):
        await acted.tab.act(Type(await acted.ref(GREET), "Ann"))


async def test_link_click_navigates_and_makes_previous_refs_stale(acted, peer):
    ref = await acted.ref(BUY)
    outcome = await acted.click(LEAVE)
    assert outcome.navigated == LoadedPage(peer.url("/article"), 200, "text/html")
    with pytest.raises(BadInput, match="is gone with its page"):
        await acted.tab.act(Click(ref))


async def test_refs_are_stable_within_one_document(acted):
    before = await acted.outline()
    await acted.click(BUY)
    before[1] += " focused"
    assert await acted.outline() == [*before, "Sold"]


async def test_unknown_ref_is_refused(acted):
    number, _ = (await acted.ref(1)).split(".")
    with pytest.raises(BadInput):
        await acted.tab.act(Click(f"{number}.99"))


async def test_an_alert_is_answered_at_once_and_reported(acted):
    outcome = await acted.click(GREET)
    assert outcome.dialogs == (Dialog("alert", "Hi"),)
    assert outcome.dialog is None
    assert (await acted.outline())[-1] == "Greeted"


@pytest.mark.parametrize(("accept", "last"), [(True, "Gone"), (False, "textbox")])
async def test_confirm_dialog_blocks_page_until_answered(acted, accept, last):
    outcome = await acted.click(DELETE)
    assert outcome.dialog == Dialog("confirm", "Sure?")
    with pytest.raises(BadInput, match="is blocked by"):
        await acted.tab.inspect(TakeOutline())
    assert (await acted.tab.inspect(LocateOnPage())).dialog == outcome.dialog
    answered = await acted.tab.act(AnswerDialog(accept))
    assert (answered.dialog, answered.busy) == (None, False)
    assert last in (await acted.outline())[-1]


@pytest.mark.parametrize(
    "command",
    [
        lambda opened: runtime.evaluate("1 + 1"),
        lambda opened: page.create_isolated_world(opened.frame_id),
    ],
    ids=["script", "world"],
)
async def test_commands_wait_behind_open_dialog_and_finish_after_its_answer(acted, command):
    await acted.click(DELETE)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(acted.opened.session.execute, command(acted.opened))
        await trio.sleep(SOME_TIME_S)
        assert nursery.child_tasks
        await acted.tab.act(AnswerDialog(accept=True))


async def test_answering_without_an_open_dialog_is_refused(acted):
    with pytest.raises(BadInput, match="No dialog"):
        await acted.tab.act(AnswerDialog(accept=True))
    with pytest.raises(CommandFailed, match="No dialog is showing"):
        await acted.opened.session.execute(page.handle_dialog(accept=True))


async def test_page_opened_by_a_click_is_reported_as_pop_up(acted):
    outcome = await acted.click(OPEN)
    (target,) = outcome.opened
    assert target != acted.opened.frame_id
    assert acted.opened.running.pop_ups.take(target) is not None


def waiting_for(acted: Acted, target: str) -> CDPSession:
    """Return the session of a page that the tab opened and has not taken over."""
    return acted.opened.running.pop_ups._waiting[target].session


async def until_over(session: CDPSession) -> None:
    with trio.fail_after(60):
        while session.failure is None:
            await trio.sleep(0.01)


async def test_unwanted_pop_up_is_closed_and_adopted_one_stays_open(acted):
    kept, unwanted = [(await acted.click(OPEN)).opened[0] for _ in range(2)]
    sessions = [waiting_for(acted, target) for target in (kept, unwanted)]
    assert acted.opened.running.pop_ups.take(kept) is sessions[0]
    await acted.tab.close_popups((kept, unwanted, "never was"))
    await until_over(sessions[1])
    assert sessions[0].failure is None


async def test_unclaimed_popup_is_closed_with_its_opener(peer):
    shared = PageOptions(context="shared")  # that would go with its last page otherwise
    async with open_page(peer.running, shared):
        async with acting(peer, open_page(peer.running, shared)) as acted:
            (target,) = (await acted.click(OPEN)).opened
            session = waiting_for(acted, target)
            assert session.failure is None
        await until_over(session)


async def test_number_of_unclaimed_popups_is_limited(acted, monkeypatch):
    monkeypatch.setattr(popups, "WAITING_MAX", 4)
    opened = [(await acted.click(OPEN)).opened for _ in range(4 + 3)]
    assert [len(one) for one in opened] == [1] * 4 + [0] * 3
    sessions = [waiting_for(acted, target) for (target,) in opened[:4]]
    assert {session.failure for session in sessions} == {None}


async def test_isolated_world_and_handles_on_it_end_with_their_document(acted, peer):
    session, frame_id = acted.opened.session, acted.opened.frame_id
    world = await session.execute(page.create_isolated_world(frame_id))
    again = await session.execute(page.create_isolated_world(frame_id))
    assert world == again
    handle = (await enter_world(session, frame_id)).handle
    await session.execute(runtime.call_function_on(IS_SHOWN, handle))
    await acted.tab.navigate(peer.url("/article"))
    for place in (world.execution_context_id, handle):
        with pytest.raises(CommandFailed, match="Cannot find context"):
            await session.execute(runtime.call_function_on(IS_SHOWN, place))
    assert await session.execute(page.create_isolated_world(frame_id)) != world


async def test_navigation_away_discards_open_dialog(acted, peer):
    assert (await acted.click(DELETE)).dialog is not None
    await acted.tab.navigate(peer.url("/article"))
    assert (await acted.tab.inspect(LocateOnPage())).dialog is None
    assert (await acted.tab.inspect(TakeOutline())).text


async def test_wait_for_accepts_text_absence_and_url_and_times_out(acted):
    ref = await acted.ref(BUY)
    with pytest.raises(TimeOut, match=r"Not fulfilled within .* s: text 'Sold'") as late:
        await acted.tab.act(WaitFor("Sold", seconds=0.3))
    assert late.value.effect is Effect.NONE
    await acted.tab.act(Click(ref))
    await acted.tab.act(WaitFor("sold"))
    await acted.tab.act(WaitFor(gone="Gone", url="/controls"))


async def test_device_emulation_can_be_applied_and_reset(acted):
    phone = Emulate((390, 844), 2.0, mobile=True, locale="de-DE", timezone="Europe/Berlin")
    assert "390x844" in (await acted.tab.act(phone)).description
    back = Emulate((0, 0), locale="", timezone="", offline=False, dark=True)
    assert not (await acted.tab.act(back)).busy
    await acted.opened.session.execute(emulation.set_focused(enabled=True))
