"""The tab pool with the whole supervisor, on fake browsers in virtual time."""

import itertools
import re
from functools import partial
from random import Random

import attrs
import pytest
import trio

from tabwright.actors.browser_supervisor import OPEN_TRIES_MAX
from tabwright.concurrency.grants import hold_grant
from tabwright.config.engines import GOOGLE_AI_MODE
from tabwright.page.open_page import OPEN_S
from tabwright.protocol.browser_pool import BrowserPool, LeaseTab, TabUse
from tabwright.protocol.errors import (
    NavigationFailed,
    SearchBlocked,
    TabLost,
    TabsBusy,
    TabwrightError,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.tab import ReadSource, Tab
from tabwright.protocol.web_search import WebSearch
from tabwright.testing.fake import FakeAnswer, FakeBarrier, FakePage, FakeSite, Fault, FaultKind
from tests.support.small_web import ENGINE_URLS, result_page, wall

MONTH_S = 30 * 86_400.0
URLS = [f"https://{number}.example/" for number in range(12)]
ANSWER = FakeAnswer(paragraphs=("One.",))
SITE = FakeSite(pages={url: FakePage() for url in URLS}, answer=ANSWER)
SEARCHING = partial(LeaseTab, use=TabUse.SEARCHING, purpose="somebody")
READING = partial(LeaseTab, use=TabUse.READING, purpose="somebody")


@attrs.define(eq=False)
class CancelAtStep(trio.abc.Instrument):
    """Cancels a scope after a number of steps of any tasks."""

    scope: trio.CancelScope
    steps_left: int

    def after_task_step(self, _task: trio.lowlevel.Task) -> None:
        self.steps_left -= 1
        if not self.steps_left:
            self.scope.cancel()


def engines(**pages: FakePage) -> FakeSite:
    """Return a site with the engines' first pages for the query "q"."""
    return FakeSite(
        pages={
            ENGINE_URLS["mojeek"]: FakePage(result_page("mojeek", "a", "b")),
            ENGINE_URLS["ecosia"]: FakePage(result_page("ecosia", "c")),
            **{ENGINE_URLS[engine]: page for engine, page in pages.items()},
        },
        answer=ANSWER,
    )


async def no_lease_is_left(world) -> bool:
    await trio.sleep(1)  # for the browser to close the pages
    state = await world.tabwright.pool()
    return state.tabs == () and state.waiting == 0


async def nothing_is_left(world) -> bool:
    return await no_lease_is_left(world) and world.pages == 0


@pytest.mark.parametrize("seed", range(10))
async def test_leased_tab_is_exclusive_to_its_holder(seed, open_client, autojump_clock):
    random = Random(seed)
    most = 0

    async def watch(world) -> None:
        nonlocal most
        while True:
            for browser in world.browsers:
                attached = [target.session_id for target in browser.targets.values()]
                named = [session_id for session_id in attached if session_id]
                assert len(set(named)) == len(named) <= 2
                most = max(most, len(named))
            await trio.sleep(0.01)

    async def visit(world, url: str) -> None:
        await trio.sleep(random.uniform(0, 2))
        async with hold_grant(
            world.tabwright.parts.supervisor, BrowserPool.lease_tab, READING
        ) as lease:
            await lease.tab.ask(Tab.navigate, url)
            for _ in range(3):
                await trio.sleep(random.uniform(0, 1))
                assert (await lease.tab.ask(Tab.read_source, ReadSource())).page.url == url

    async with open_client(SITE, pool__workers=2, pool__max_reading_tabs=2) as world:
        async with trio.open_nursery() as watching:
            watching.start_soon(watch, world)
            async with trio.open_nursery() as nursery:
                for url in URLS:
                    nursery.start_soon(visit, world, url)
            watching.cancel_scope.cancel()
        assert most == 2
        assert await nothing_is_left(world)


async def test_lease_ends_when_its_holder_raises(open_client, autojump_clock):
    async with open_client(SITE) as world:
        with pytest.raises(ZeroDivisionError):
            async with hold_grant(
                world.tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING
            ):
                raise ZeroDivisionError
        assert await nothing_is_left(world)


@pytest.mark.parametrize("others", [0, 1], ids=["free", "full"])
async def test_lease_ends_when_its_requester_is_cancelled_at_any_step(
    others, open_client, autojump_clock
):
    async def come(world) -> None:
        async with hold_grant(
            world.tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING
        ) as lease:
            await lease.tab.ask(Tab.navigate, URLS[0])
            await world.tabwright.parts.supervisor.ask(
                BrowserPool.change_use, lease.number, TabUse.RESTING
            )
            await world.tabwright.parts.supervisor.ask(
                BrowserPool.change_use, lease.number, TabUse.SEARCHING
            )

    async def stay(world) -> None:
        async with hold_grant(world.tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING):
            await trio.sleep(0.05)

    async with open_client(SITE) as world:
        for step in itertools.count(1):
            async with trio.open_nursery() as nursery:
                for _ in range(others):
                    nursery.start_soon(stay, world)
                    await trio.sleep(0.045)
                with trio.CancelScope() as scope:
                    instrument = CancelAtStep(scope, step)
                    trio.lowlevel.add_instrument(instrument)
                    await come(world)
                trio.lowlevel.remove_instrument(instrument)
            assert await nothing_is_left(world), step
            if not scope.cancelled_caught:
                break
        assert step > 50


async def test_lease_ends_when_its_page_crashes(open_client, autojump_clock):
    async with (
        open_client(SITE) as world,
        hold_grant(world.tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING) as lease,
    ):
        (browser,) = world.browsers
        (target,) = browser.targets.values()
        browser.crash(target)
        assert await nothing_is_left(world)
        with pytest.raises((Undelivered, Unanswered)):
            await lease.tab.ask(Tab.traffic)
        with trio.fail_after(5):
            async with hold_grant(
                world.tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING
            ) as next_lease:
                await next_lease.tab.ask(Tab.navigate, URLS[0])


async def test_tab_that_crashes_on_attach_is_replaced(open_client, autojump_clock):
    fault = Fault(FaultKind.CRASH, "Target.attachToTarget")
    async with (
        open_client(SITE, fault) as world,
        hold_grant(world.tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING) as one,
    ):
        await one.tab.ask(Tab.navigate, URLS[0])
        assert trio.current_time() < OPEN_S
        assert len(world.browsers[0].targets) == 1


async def test_tabs_that_always_crash_on_attach_raise_tab_lost(open_client, autojump_clock):
    faults = [
        Fault(FaultKind.CRASH, "Target.attachToTarget", 1 + nth) for nth in range(OPEN_TRIES_MAX)
    ]
    async with open_client(SITE, *faults) as world:
        with pytest.raises(TabLost, match="crashed"):
            async with hold_grant(
                world.tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING
            ):
                pass
        assert await nothing_is_left(world)


async def test_leases_end_when_their_browser_dies(open_client, autojump_clock):
    settings = {"pool__max_tabs": 3, "pool__max_reading_tabs": 3}
    async with open_client(SITE, **settings) as world, trio.open_nursery() as nursery:

        async def stay(request) -> None:
            async with hold_grant(world.tabwright.parts.supervisor, BrowserPool.lease_tab, request):
                await trio.sleep_forever()

        for _ in range(3):
            nursery.start_soon(stay, SEARCHING)
            nursery.start_soon(stay, READING)
        await trio.sleep(5)
        assert len((await world.tabwright.pool()).tabs) == 6
        world.browsers[0].die()
        assert await no_lease_is_left(world)
        with trio.fail_after(5):
            async with hold_grant(
                world.tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING
            ) as lease:
                await lease.tab.ask(Tab.navigate, URLS[0])
        nursery.cancel_scope.cancel()


async def test_idle_leased_tab_is_closed(open_client, autojump_clock):
    async with (
        open_client(SITE, session__sleep_after_s=60) as world,
        hold_grant(world.tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING) as lease,
    ):
        for _ in range(10):
            await trio.sleep(50)
            await lease.tab.ask(Tab.navigate, URLS[0])
        await trio.sleep(59)
        assert len((await world.tabwright.pool()).tabs) == 1
        await trio.sleep(2)
        assert (await world.tabwright.pool()).tabs == ()


async def test_a_browser_that_dies_while_a_tab_is_opened_is_replaced(open_client, autojump_clock):
    faults = [Fault(FaultKind.CUT, "Target.createTarget", nth) for nth in (1, 2)]
    async with open_client(SITE, *faults) as world:
        async with hold_grant(
            world.tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING
        ) as lease:
            await lease.tab.ask(Tab.navigate, URLS[0])
        assert len(world.browsers) == 3
        assert await no_lease_is_left(world)


async def test_lease_timeout_names_purpose_of_tab_in_use(open_client, autojump_clock):
    async with (
        open_client(SITE) as world,
        hold_grant(
            world.tabwright.parts.supervisor,
            BrowserPool.lease_tab,
            partial(SEARCHING, purpose="a search"),
        ),
    ):
        await trio.sleep(60)
        began_s = trio.current_time()
        with trio.fail_after(5), pytest.raises(TabsBusy) as caught:
            await world.tabwright.parts.supervisor.ask(
                BrowserPool.lease_tab, SEARCHING(trio.Event())
            )
        assert trio.current_time() - began_s < 5
        assert re.search(r"1 of 1 .* in use \(a search for 6\d\.\d s\)", str(caught.value))
        assert (await world.tabwright.pool()).waiting == 0


@pytest.mark.parametrize("seed", range(10))
async def test_tabs_are_leased_in_request_order(seed, open_client, autojump_clock):
    random, served = Random(seed), []

    async def come(world, number: int) -> None:
        async with hold_grant(world.tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING):
            served.append(number)
            await trio.sleep(random.uniform(0, 3))

    async with open_client(SITE) as world, trio.open_nursery() as nursery:
        for number in range(10):
            nursery.start_soon(come, world, number)
            await trio.sleep(random.uniform(0.01, 0.5))
    assert served == list(range(10))


@pytest.mark.parametrize(
    ("page", "left"),
    [
        (wall(None), 2),
        (FakePage(status=403), 2),
        (FakePage(status=429), 2),
        (FakePage(status=500), 3),
        (FakePage(status=503), 2),
        (FakePage(error="net::ERR_CONNECTION_RESET"), 3),
        (FakePage("<html><body>Another page.</body></html>"), 3),
    ],
    ids=["captcha", "403", "429", "500", "503", "network", "markup"],
)
async def test_tab_limit_drops_only_after_refusals_by_a_site(
    page, left, open_client, autojump_clock
):
    settings = {"pool__max_tabs": 3, "engines__failed_pages": None, "search__person_timeout_s": 0}
    async with open_client(engines(mojeek=page), **settings) as world:
        with pytest.raises(TabwrightError):
            await world.tabwright.web_search(WebSearch("q", ("mojeek",)))
        state = await world.tabwright.pool()
        assert state.lowered_max_tabs == ({"mojeek": left} if left < 3 else {})


async def test_tab_limit_drops_after_ai_mode_captcha(open_client, autojump_clock):
    site = FakeSite(answer=ANSWER, barrier=FakeBarrier("captcha"))
    settings = {"pool__max_tabs": 3, "search__person_timeout_s": 0}
    async with open_client(site, **settings) as world:
        with pytest.raises(SearchBlocked):
            await world.tabwright.search("A?")
        assert (await world.tabwright.pool()).lowered_max_tabs == {GOOGLE_AI_MODE: 2}


async def test_lowered_tab_limit_is_lifted_only_by_reset(open_client, autojump_clock):
    site = engines(mojeek=FakePage(status=403))
    async with open_client(site, pool__max_tabs=2) as world:
        with pytest.raises(SearchBlocked):
            await world.tabwright.web_search(WebSearch("q", ("mojeek",)))
        for _ in range(3):
            await trio.sleep(MONTH_S)
            await world.tabwright.web_search(WebSearch("q", ("ecosia",)))
            await world.tabwright.search("A?")
        assert (await world.tabwright.pool()).lowered_max_tabs == {"mojeek": 1}
        await world.tabwright.close_threads()
        as_mojeek = partial(SEARCHING, purpose="mojeek")

        async with trio.open_nursery() as nursery:

            async def stay() -> None:
                async with hold_grant(
                    world.tabwright.parts.supervisor, BrowserPool.lease_tab, as_mojeek
                ):
                    await trio.sleep(100)

            nursery.start_soon(stay)
            nursery.start_soon(stay)
            await trio.sleep(5)
            state = await world.tabwright.pool()
            assert (len(state.tabs), state.waiting) == (1, 1)
            await world.tabwright.reset_back_off()
            await trio.sleep(5)
            state = await world.tabwright.pool()
            assert (len(state.tabs), state.waiting) == (2, 0)


async def test_open_conversation_is_kept_without_occupying_a_place(open_client, autojump_clock):
    async with open_client(engines()) as world:
        await world.tabwright.search("A?", language="en-US")
        (tab,) = (await world.tabwright.pool()).tabs
        assert tab.use is TabUse.KEPT
        with trio.fail_after(5):
            found = await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
        assert len(found.results) == 3
        result = await world.tabwright.search("B?", language="en-US", follow_up=True)
        assert result.continued
        (tab,) = (await world.tabwright.pool()).tabs
        assert tab.use is TabUse.KEPT


async def test_follow_up_waits_for_a_free_tab_like_other_searches(open_client, autojump_clock):
    async with open_client(engines()) as world:
        await world.tabwright.search("A?", language="en-US")
        async with hold_grant(world.tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING):
            with trio.fail_after(20), pytest.raises(TabsBusy, match="google_ai_mode is waiting"):
                await world.tabwright.search("B?", language="en-US", follow_up=True)
            await trio.sleep(1)
            (tab,) = (await world.tabwright.pool()).tabs
            assert tab.purpose == "somebody"


async def test_unreachable_page_does_not_leak_its_lease(open_client, autojump_clock):
    down = FakePage(error="net::ERR_CONNECTION_REFUSED")
    async with open_client(engines(mojeek=down)) as world:
        for _ in range(5):
            with pytest.raises(NavigationFailed):
                await world.tabwright.web_search(WebSearch("q", ("mojeek",)))
        assert await nothing_is_left(world)
