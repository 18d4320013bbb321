"""Acting in sessions on fake browsers: despite faults, calls end and the next works."""

import re
from collections import Counter
from contextlib import suppress
from functools import partial
from random import Random

import attrs
import pytest
import trio

from tabwright import Tabwright
from tabwright.actors.kit.tracing import (
    ActorCrashed,
    RequestAnswered,
    RequestCancelled,
    RequestFailed,
    RequestLost,
    RequestRecord,
    RequestRefused,
    RequestSent,
    TraceRecord,
)
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.actions import Action, AnswerDialog, Click, Press, Type, WaitFor
from tabwright.protocol.browser_pool import TabUse
from tabwright.protocol.errors import (
    BadInput,
    BrowserDied,
    PageFailed,
    SessionMissing,
    TabClosed,
    TabwrightError,
)
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import LocateOnPage, OutlineView, TakeOutline
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.sessions import Sessions
from tabwright.sessions.session_tab import TABS_MAX
from tabwright.testing.determinism import run_seeded, simulated_environment
from tabwright.testing.fake import (
    FakeBrowser,
    FakeControl,
    FakeDialog,
    FakePage,
    FakeSite,
    Fault,
    FaultKind,
    fake_launcher,
)
from tabwright.testing.fake.link import HARMS

SEEDS = range(40)
SHOP, PAID, SLOW = "https://shop.example/", "https://paid.example/", "https://slow.example/"
BUY, ASK, OPEN, LEAVE, NAME = range(1, 6)
CONTROLS = (
    FakeControl("Buy", shows="Sold"),
    FakeControl("Ask", asks=FakeDialog("confirm", "Sure?"), shows="Yes"),
    FakeControl("Open", opens=PAID),
    FakeControl("Leave", "link", leads_to=PAID),
    FakeControl("Name", "textbox"),
)
SITE = FakeSite(
    pages={
        SHOP: FakePage("<title>Shop</title>", says=("Welcome",), controls=CONTROLS),
        PAID: FakePage("<title>Paid</title>", says=("Thanks",), load_s=0.5),
        SLOW: FakePage("<title>Slow</title>", says=("Late",), load_s=2.0),
    }
)
NO_FILES = {"acting__downloads": None}
ONE_AT_A_TIME = {"pool__max_reading_tabs": 1, **NO_FILES}
SOME_TIME_S = 2.0
"""For a browser to close what it was told to."""

CLICK_BEGINS_S = 0.001
"""For a click to be under way, which takes longer to come to its end."""
HARMED_METHODS = (
    "Input.dispatchMouseEvent",
    "Input.insertText",
    "Page.createIsolatedWorld",
    "Page.handleJavaScriptDialog",
    "Page.navigate",
    "Runtime.callFunctionOn",
    "Runtime.enable",
    "Target.attachToTarget",
)
WORKERS, ACTS = 3, 6
CALL_S = 400.0
"""Longer than anything here may take: a call that reaches it was lost."""

ENDINGS = (RequestAnswered, RequestRefused, RequestCancelled, RequestFailed, RequestLost)


@attrs.frozen
class Client:
    """A client that acts in one session."""

    tabwright: Tabwright
    session: str = "s"

    async def enter(self, url: str = SHOP):
        return await self.tabwright.parts.sessions.ask(Sessions.enter, self.session, url)

    async def do(self, request, tab=None):
        method = Sessions.act if isinstance(request, Action) else Sessions.inspect
        return await self.tabwright.parts.sessions.ask(method, self.session, request, tab=tab)

    async def tabs(self, action="list", tab=None):
        return await self.tabwright.parts.sessions.ask(
            Sessions.change_tabs, self.session, action, tab
        )

    async def outline(self, tab=None) -> str:
        return (await self.do(TakeOutline(OutlineView(max_tokens=0)), tab)).text

    async def ref(self, number: int, tab=None) -> str:
        """Return the ref of a control of `SHOP`, or an unknown ref on other pages."""
        refs = re.findall(r"\[\*?(\d+\.\d+)\]", await self.outline(tab))
        return refs[number - 1] if refs else "0.1"

    async def click(self, number: int, tab=None):
        return await self.do(Click(await self.ref(number, tab)), tab)


@attrs.frozen
class History:
    """The outcome of several clients' calls.

    Attributes:
        endings: of their calls: the kind of an error, or ``ok``; ``lost`` if a call never ended.
        after: the page as a later client finds it.
        left: how many pages and tabs remained once all sessions were closed.
    """

    endings: list[str]
    trace: list[TraceRecord]
    after: str
    left: int


async def live(random: Random) -> History:
    """Run clients that act at random, with random faults; return their history."""
    browsers, trace, endings = list[FakeBrowser](), list[TraceRecord](), list[str]()
    launcher = fake_launcher(SITE, random, *faults(random), on_start=browsers.append)
    environment = simulated_environment(launcher, random, trace.append)
    settings = settings_from(override(pool__max_tabs=random.choice((2, 6)), **NO_FILES))
    async with open_tabwright(settings, environment) as tabwright:
        async with trio.open_nursery() as nursery:
            for number in range(WORKERS):
                client = Client(tabwright, f"client-{number}")
                nursery.start_soon(act, client, random, browsers, endings)
        for number in range(WORKERS):
            with suppress(SessionMissing):
                await tabwright.parts.sessions.ask(Sessions.close, f"client-{number}")
        await trio.sleep(5)
        left = len((await tabwright.pool()).tabs) + pages_of(browsers[-1:])
        launcher.faults.planned = ()
        after = Client(tabwright, "after")
        await after.enter()
        await after.click(BUY)
        return History(endings, trace, await after.outline(), left)


def pages_of(browsers):
    return sum(len(browser.targets) for browser in browsers if browser.is_alive)


def faults(random: Random) -> list[Fault]:
    return [
        Fault(random.choice(HARMS), random.choice(HARMED_METHODS), random.randint(1, 12))
        for _ in range(random.randint(0, 4))
    ]


async def act(
    client: Client, random: Random, browsers: list[FakeBrowser], endings: list[str]
) -> None:
    for _ in range(ACTS):
        within_s = random.choice((CALL_S, CALL_S, CALL_S, random.uniform(0, 0.2)))
        endings.append(await ending(client, random, within_s))
        if random.random() < 0.05:
            for browser in browsers[-1:]:
                browser.die()
        await trio.sleep(random.uniform(0, 1))


async def ending(client: Client, random: Random, within_s: float) -> str:
    with trio.move_on_after(within_s):
        try:
            await one_of_many(client, random)
        except TabwrightError as error:
            return error.kind
        return "ok"
    return "lost" if within_s == CALL_S else "cancelled"


async def one_of_many(client: Client, random: Random) -> None:
    match random.randrange(9):
        case 0:
            await client.enter(random.choice((SHOP, PAID, "https://gone.example/")))
        case 1:
            await client.do(Type(await client.ref(NAME), "Ann"))
        case 2:
            await client.do(AnswerDialog(random.choice((True, False))))
        case 3:
            await client.do(WaitFor(text="Thanks", seconds=2))
        case 4:
            await client.tabs(random.choice(("list", "close")))
        case 5:
            await client.do(Press("Enter"))
        case _:
            await client.enter(SHOP)
            await client.click(random.choice((BUY, ASK, OPEN, LEAVE)))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_faults_end_every_request_and_leave_nothing_behind(seed):
    history = run_seeded(live, seed)
    assert "lost" not in history.endings
    assert history.left == 0
    assert "Sold" in history.after
    requests = [record for record in history.trace if isinstance(record, RequestRecord)]
    sent = {record.number for record in requests if isinstance(record, RequestSent)}
    ended = Counter(record.number for record in requests if isinstance(record, ENDINGS))
    assert set(ended) <= sent
    assert set(ended.values()) <= {1}


def test_same_seed_gives_same_trace():
    assert run_seeded(live, 7).trace == run_seeded(live, 7).trace


async def test_tab_that_is_closed_in_a_click_stays_closed(open_client, autojump_clock):
    fault = Fault(FaultKind.DETACH, "Input.dispatchMouseEvent")
    async with open_client(SITE, fault, **NO_FILES) as world:
        client = Client(world.tabwright)
        await client.enter()
        with pytest.raises(TabClosed):
            await client.click(BUY)
        with pytest.raises(SessionMissing):
            await client.outline()
        await client.enter()
        assert (await client.click(BUY)).changes == "+ Sold"


async def test_tabs_that_are_closed_stay_closed(open_client, autojump_clock):
    async with open_client(SITE, **NO_FILES) as world:
        client = Client(world.tabwright)
        await client.enter()
        await world.tabwright.parts.sessions.ask(Sessions.enter, "s", SHOP, new_tab=True)
        for _ in range(2):
            tabs = await client.tabs("close")
        (state,) = await world.tabwright.parts.sessions.ask(Sessions.list)
        assert [(tab.url, tab.title, tab.current) for tab in tabs] == [("", "", True)]
        assert (state.url, state.title) == ("", "")
        with pytest.raises(SessionMissing):
            await client.outline()
        with pytest.raises(SessionMissing):
            await world.tabwright.parts.sessions.ask(Sessions.view, "s", RenderOptions())


@pytest.mark.parametrize("url", ["", "about:blank"])
async def test_tab_opened_without_url_is_blank_and_has_no_outline(url, open_client, autojump_clock):
    async with open_client(SITE, **NO_FILES) as world:
        client = Client(world.tabwright)
        await client.enter()
        outcome = await world.tabwright.parts.sessions.ask(Sessions.enter, "s", url, new_tab=True)
        tabs = await client.tabs()
        with pytest.raises(SessionMissing):
            await client.outline()
        assert "Welcome" in await client.outline(tab=1)
        await client.enter()
        assert "Welcome" in await client.outline()
    assert outcome.url == "about:blank"
    assert [(tab.number, tab.url, tab.current) for tab in tabs] == [(1, SHOP, False), (2, "", True)]


async def test_session_list_and_tab_list_agree_after_every_navigation(open_client, autojump_clock):
    async with open_client(SITE, **NO_FILES) as world:
        client, sessions = Client(world.tabwright), world.tabwright.parts.sessions

        async def agree(url: str) -> None:
            (state,) = await sessions.ask(Sessions.list)
            (current,) = [tab for tab in await client.tabs() if tab.current]
            assert (state.url, state.title) == (current.url, current.title)
            assert state.url == url

        await sessions.ask(Sessions.navigate, "s", SHOP, ReadOptions())
        await agree(SHOP)
        await sessions.ask(Sessions.navigate, "s", PAID, ReadOptions())
        await client.enter(SHOP)
        await agree(SHOP)
        await client.click(LEAVE)
        await agree(PAID)
        await client.enter("back")
        await agree(SHOP)
        await sessions.ask(Sessions.enter, "s", "", new_tab=True)
        await agree("")
        await client.tabs("switch", 1)
        await agree(SHOP)


async def test_page_read_while_another_tab_opens_is_noted_in_its_own_tab(
    open_client, autojump_clock
):
    async with open_client(SITE, **NO_FILES) as world:
        client = Client(world.tabwright)
        await client.enter()
        opening = Click(await client.ref(OPEN))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client.do, opening)
            await trio.sleep(CLICK_BEGINS_S)
            await world.tabwright.parts.sessions.ask(Sessions.navigate, "s", SLOW, ReadOptions())
        await client.tabs("switch", 1)
        outcome = await client.enter("back")
    assert outcome.url == SHOP


@pytest.mark.parametrize("harm", [FaultKind.CRASH, FaultKind.CUT])
async def test_tab_lost_during_click_is_reported_and_its_page_reopened(
    harm, open_client, autojump_clock
):
    async with open_client(SITE, Fault(harm, "Input.dispatchMouseEvent"), **NO_FILES) as world:
        client = Client(world.tabwright)
        await client.enter()
        with pytest.raises((PageFailed, BrowserDied)):
            await client.click(BUY)
        with suppress(PageFailed):  # a tab that was lost says so once
            await client.outline()
        assert "Welcome" in await client.outline()
        assert (await client.click(BUY)).changes == "+ Sold"


async def test_unanswered_click_times_out_and_next_click_works(open_client, autojump_clock):
    fault = Fault(FaultKind.MUTE, "Input.dispatchMouseEvent", nth=2)
    async with open_client(SITE, fault, **NO_FILES) as world:
        client = Client(world.tabwright)
        await client.enter()
        with trio.fail_after(60), pytest.raises(TabwrightError):
            await client.click(BUY)
        assert (await client.click(BUY)).changes == "+ Sold"


async def test_unsettled_page_is_entered_by_load_timeout(open_client, autojump_clock):
    silent = [Fault(FaultKind.MUTE, "Runtime.callFunctionOn", nth) for nth in range(3, 30)]
    async with open_client(SITE, *silent, network__page_timeout_s=3, **NO_FILES) as world:
        began_s = trio.current_time()
        outcome = await Client(world.tabwright).enter()
    assert outcome.url == SHOP
    assert trio.current_time() - began_s < 4


async def test_session_list_shows_current_url_of_session(open_client, autojump_clock):
    async with open_client(SITE, **NO_FILES) as world:
        await Client(world.tabwright).enter()
        (state,) = await world.tabwright.parts.sessions.ask(Sessions.list)
    assert (state.url, state.pages) == (SHOP, 1)


async def test_dialog_blocks_only_its_own_tab(open_client, autojump_clock):
    async with open_client(SITE, **NO_FILES) as world:
        asked, other = Client(world.tabwright, "a"), Client(world.tabwright, "b")
        await asked.enter()
        assert (await asked.click(ASK)).dialog.message == "Sure?"
        with trio.fail_after(5):
            await other.enter()
            await other.click(BUY)
            with pytest.raises(BadInput, match="is blocked by"):
                await asked.outline()
            assert (await asked.do(LocateOnPage())).dialog is not None
        await asked.do(AnswerDialog(accept=True))
        assert "Yes" in await asked.outline()


async def test_a_tab_that_waits_does_not_hold_up_another_of_its_session(
    open_client, autojump_clock
):
    async with open_client(SITE, **NO_FILES) as world, trio.open_nursery() as nursery:
        client = Client(world.tabwright)
        await client.enter()
        await client.click(OPEN)
        await client.tabs("switch", 1)
        nursery.start_soon(partial(client.do, WaitFor(seconds=60), 1))
        await trio.sleep(1)
        with trio.fail_after(5):
            assert "Thanks" in await client.outline(2)


async def test_opened_tab_becomes_current_and_closing_it_returns_to_opener(
    open_client, autojump_clock
):
    async with open_client(SITE, **NO_FILES) as world:
        client = Client(world.tabwright)
        await client.enter()
        (tab,) = (await client.click(OPEN)).tabs
        assert (tab.number, tab.url, tab.current) == (2, PAID, True)
        assert "Thanks" in await client.outline()
        assert [tab.number for tab in await client.tabs("close")] == [1]
        assert "Welcome" in await client.outline()
        assert world.pages == 1


async def test_navigation_by_click_is_in_session_history(open_client, autojump_clock):
    async with open_client(SITE, **NO_FILES) as world:
        client = Client(world.tabwright)
        await client.enter()
        assert (await client.click(LEAVE)).navigated.url == PAID
        assert (await client.enter("back")).url == SHOP


async def test_ref_from_another_session_is_refused(open_client, autojump_clock):
    async with open_client(SITE, **NO_FILES) as world:
        client, other = Client(world.tabwright, "a"), Client(world.tabwright, "b")
        await client.enter()
        await other.enter()
        ref = await client.ref(BUY)
        with pytest.raises(BadInput, match="no element"):
            await other.do(Click(ref))
        assert "Sold" not in await other.outline()


async def test_tabs_opened_beyond_session_limit_are_closed_and_reported(
    open_client, autojump_clock
):
    async with open_client(SITE, **NO_FILES) as world:
        client = Client(world.tabwright)
        await client.enter()
        for _ in range(TABS_MAX - 1):
            assert len((await client.click(OPEN, 1)).tabs) == 1
        beyond = await client.click(OPEN, 1)
        await trio.sleep(SOME_TIME_S)
        assert beyond.tabs == ()
        assert beyond.description.endswith(
            f"A page that it opened was closed: The session has {TABS_MAX} tabs."
        )
        assert world.pages == len(await client.tabs()) == TABS_MAX


async def test_opened_page_is_closed_and_reported_if_no_tab_becomes_free(
    open_client, autojump_clock
):
    async with open_client(SITE, **ONE_AT_A_TIME) as world:
        until = trio.CancelScope(deadline=trio.current_time() + 10)
        outcome = await opened_while_another_works(world, until)
        assert "A page that it opened was closed: No tab became free in time" in outcome.description
        assert outcome.tabs == ()
        await nothing_is_left_of_it(world)


async def test_opened_page_is_closed_if_its_caller_is_cancelled_meanwhile(
    open_client, autojump_clock
):
    async with open_client(SITE, **ONE_AT_A_TIME) as world, trio.open_nursery() as nursery:
        until = trio.CancelScope()

        async def leave() -> None:
            await trio.sleep(5)
            until.cancel()

        nursery.start_soon(leave)
        assert await opened_while_another_works(world, until) is None
        await nothing_is_left_of_it(world)


async def opened_while_another_works(world, until):
    """Return the outcome of a click that opens a page while another session works.

    There is only one tab slot. The outcome is None if the scope `until` is cancelled first.
    """
    client, other = Client(world.tabwright), Client(world.tabwright, "other")
    await other.enter()
    await client.enter()
    ref = await client.ref(OPEN)
    outcome = None
    async with trio.open_nursery() as nursery:

        async def wait_next() -> None:
            await trio.sleep(CLICK_BEGINS_S)
            await other.do(WaitFor(seconds=60))

        nursery.start_soon(wait_next)
        with until:
            outcome = await client.do(Click(ref))
        await trio.sleep(SOME_TIME_S)
        assert (await world.tabwright.pool()).waiting == 0
        nursery.cancel_scope.cancel()
    return outcome


async def nothing_is_left_of_it(world):
    """Assert that the client has its one tab, as before, and can act in it."""
    await trio.sleep(SOME_TIME_S)
    client = Client(world.tabwright)
    assert [(tab.number, tab.current) for tab in await client.tabs()] == [(1, True)]
    assert world.pages == 2
    assert len((await world.tabwright.pool()).tabs) == 2
    assert (await client.click(BUY)).changes == "+ Sold"


async def test_tab_is_busy_until_its_last_concurrent_action_ends(open_client, autojump_clock):
    async with open_client(SITE, **NO_FILES) as world:
        client = Client(world.tabwright)
        await client.enter()
        uses = []
        async with trio.open_nursery() as nursery:
            for seconds in (2, 4):
                nursery.start_soon(client.do, WaitFor(seconds=seconds))
            for _ in range(4):
                await trio.sleep(1.5)
                uses += [tab.use for tab in (await world.tabwright.pool()).tabs]
        await trio.sleep(1)
        (tab,) = (await world.tabwright.pool()).tabs
        assert uses == [TabUse.READING] * 4
        assert tab.use is TabUse.KEPT


async def test_inspection_passed_as_action_is_refused_and_tab_survives(open_client, autojump_clock):
    async with open_client(SITE, **NO_FILES) as world:
        client = Client(world.tabwright)
        await client.enter()
        for method, request in ((Sessions.act, TakeOutline()), (Sessions.inspect, Click("0.1"))):
            with pytest.raises(BadInput):
                await world.tabwright.parts.sessions.ask(method, "s", request)
        assert await client.ref(BUY)
    assert not any(isinstance(record, ActorCrashed) for record in world.trace)
