"""The whole client on fake browsers, in virtual time."""

from contextlib import suppress

import pytest
import trio

from tabwright.actors.kit.tracing import ActorCrashed
from tabwright.browser.watchdogs import ANSWER_S, HEARTBEAT_INTERVAL_S, MISSES_MAX
from tabwright.protocol.errors import (
    BrowserDied,
    BrowserUnavailable,
    NavigationFailed,
    PageFailed,
    Refusal,
    TabsBusy,
    TabwrightError,
    TimeOut,
)
from tabwright.protocol.extraction import ReadOptions
from tabwright.testing.fake import FakeAnswer, FakePage, FakeSite, Fault, FaultKind

IN_TAB = ReadOptions(min_tier=2)
BROWSER = "page-browser-0"
URL = "https://news.example/"
SITE = FakeSite(
    pages={
        URL: FakePage("<title>News</title><main><h1>News</h1><p>Text.</p></main>"),
        "https://slow.example/": FakePage(load_s=1000),
        "https://large.example/": FakePage(sizes=(10_000_000, 10_000_000)),
    },
    answer=FakeAnswer(paragraphs=("One.", "Two."), sources=(("News", URL),)),
)


async def test_no_browser_before_the_first_call(open_client, autojump_clock):
    async with open_client(SITE) as world:
        await trio.sleep(1000)
        assert world.browsers == []


async def test_search_and_follow_up_in_one_tab(open_client, autojump_clock):
    async with open_client(SITE) as world:
        first = await world.tabwright.search("A?", language="en-US")
        second = await world.tabwright.search("B?", language="en-US", follow_up=True)
        assert (first.ai_answer, first.query) == ("One.\n\nTwo.", "A?")
        assert second.query == "B?"
        assert [source.url for source in second.sources] == [URL]
        assert world.pages == 1


async def test_concurrent_callers_share_one_browser_start(open_client, autojump_clock):
    async with open_client(SITE) as world, trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(world.tabwright.read, URL, IN_TAB)
    assert len(world.browsers) == 1


async def test_tabs_never_exceed_maximum_and_every_caller_is_served(open_client, autojump_clock):
    most = 0
    async with open_client(SITE, pool__max_reading_tabs=3) as world:
        async with trio.open_nursery() as nursery:

            async def watch() -> None:
                nonlocal most
                while True:
                    most = max(most, world.pages)
                    await trio.sleep(0.001)

            nursery.start_soon(watch)
            async with trio.open_nursery() as work:
                for _ in range(12):
                    work.start_soon(world.tabwright.read, URL, IN_TAB)
            nursery.cancel_scope.cancel()
    assert most == 3


async def test_idle_conversation_ends_and_then_the_idle_browser(open_client, autojump_clock):
    async with open_client(SITE) as world:
        await world.tabwright.search("A?", language="en-US")
        await trio.sleep(299)
        assert world.pages == 1
        await trio.sleep(3)
        assert world.pages == 0
        await trio.sleep(301)
        follow_up = await world.tabwright.search("B?", language="en-US", follow_up=True)
        assert follow_up.success
        assert len(world.browsers) == 2


async def test_activity_resets_the_idle_timeout(open_client, autojump_clock):
    async with open_client(SITE) as world:
        await world.tabwright.search("A?", language="en-US")
        for _ in range(5):
            await trio.sleep(200)
            await world.tabwright.search("B?", language="en-US", follow_up=True)
        assert len(world.browsers) == 1


@pytest.mark.parametrize("session", ["", "s"])
@pytest.mark.parametrize(
    "harm", [FaultKind.CRASH, FaultKind.DETACH, FaultKind.ERROR, FaultKind.GARBLE, FaultKind.MUTE]
)
@pytest.mark.parametrize(
    "method",
    ["Target.createTarget", "Target.attachToTarget", "Page.navigate", "Runtime.callFunctionOn"],
)
async def test_single_fault_fails_at_most_one_call_and_next_succeeds(
    session, harm, method, open_client, autojump_clock
):
    if method.startswith("Target.") and harm in {FaultKind.CRASH, FaultKind.DETACH}:
        method = "Page.enable"  # there is no page yet that could crash
    async with open_client(SITE, Fault(harm, method)) as world:
        try:
            await world.tabwright.read(URL, IN_TAB, session=session)
        except TabwrightError as error:
            assert isinstance(error, Refusal), error
            assert error.advice or harm is FaultKind.ERROR
        page = await world.tabwright.read(URL, IN_TAB, session=session)
        assert page.title == "News"
        await trio.sleep(5)
        assert world.pages == bool(session)


@pytest.mark.parametrize("session", ["", "s"])
@pytest.mark.parametrize("end", ["the page crashes", "the browser dies"])
async def test_crash_at_any_moment_of_reading_is_reported_and_next_succeeds(
    end, session, open_client, autojump_clock
):
    async def strike(after_ms):
        await trio.sleep(after_ms / 1000)
        for browser in world.browsers:
            if end == "the browser dies":
                browser.die()
            for target in list(browser.targets.values()):
                browser.crash(target)

    for after_ms in range(5, 300, 20):
        async with open_client(SITE) as world:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(strike, after_ms)
                with suppress(Refusal):
                    for _ in range(2):
                        await world.tabwright.read(URL, IN_TAB, session=session)
            assert await world.tabwright.read(URL, IN_TAB, session=session)


@pytest.mark.parametrize("session", ["", "s"])
async def test_browser_that_dies_with_each_command_in_turn_is_replaced(
    session, open_client, autojump_clock
):
    methods = [
        "Browser.getVersion",
        "Browser.setDownloadBehavior",
        "Target.createBrowserContext",
        "Target.createTarget",
        "Target.attachToTarget",
        "Page.enable",
        "Network.enable",
        "Page.navigate",
        "Page.createIsolatedWorld",
        "Runtime.callFunctionOn",
        "Target.closeTarget",
        "Target.disposeBrowserContext",
    ]
    for method in methods:
        async with open_client(SITE, Fault(FaultKind.CUT, method)) as world:
            for _ in range(3):
                try:
                    page = await world.tabwright.read(URL, IN_TAB, session=session)
                except TabwrightError as error:
                    assert error.retryable, (method, error)
                    assert isinstance(error, Refusal), (method, error)
                else:
                    break
            assert page.title == "News", method


async def test_launch_that_always_fails_is_reported_to_every_caller(open_client, autojump_clock):
    faults = [Fault(FaultKind.CUT, "Browser.getVersion", nth) for nth in range(1, 100)]
    async with open_client(SITE, *faults) as world:
        for _ in range(5):
            with pytest.raises(BrowserUnavailable):
                await world.tabwright.read(URL, IN_TAB)
        assert len(world.browsers) == 5


async def test_repeatedly_crashing_browser_is_given_up_and_restarted(open_client, autojump_clock):
    faults = [Fault(FaultKind.CUT, "Page.navigate", nth) for nth in range(1, 8)]
    async with open_client(SITE, *faults) as world:
        endings = []
        for _ in range(9):
            try:
                await world.tabwright.read(URL, IN_TAB)
            except TabwrightError as error:
                endings.append(error.kind)
            else:
                endings.append("ok")
        assert endings[-1] == "ok"
        crashes = [r for r in world.trace if isinstance(r, ActorCrashed) and r.actor == BROWSER]
        assert len(crashes) == 7


async def test_unresponsive_browser_is_replaced_during_work(open_client, autojump_clock):
    silent = [Fault(FaultKind.MUTE, "Browser.getVersion", nth) for nth in (2, 3)]
    silent += [Fault(FaultKind.MUTE, "Storage.getCookies", nth) for nth in (1, 2)]
    faults = [Fault(FaultKind.MUTE, "Page.navigate"), *silent]
    async with open_client(SITE, *faults) as world:
        began_s = trio.current_time()
        with pytest.raises(BrowserDied, match="does not respond"):
            await world.tabwright.read(URL, IN_TAB)
        assert trio.current_time() - began_s < MISSES_MAX * (HEARTBEAT_INTERVAL_S + ANSWER_S) + 1
        assert (await world.tabwright.read(URL, IN_TAB)).title == "News"
        assert len(world.browsers) == 2


async def test_browser_whose_network_service_is_silent_is_replaced(open_client, autojump_clock):
    silent = [Fault(FaultKind.MUTE, "Storage.getCookies", nth) for nth in (1, 2)]
    async with open_client(SITE, Fault(FaultKind.MUTE, "Page.navigate"), *silent) as world:
        with pytest.raises(BrowserDied, match="network service"):
            await world.tabwright.read(URL, IN_TAB)
        assert (await world.tabwright.read(URL, IN_TAB)).title == "News"
        assert len(world.browsers) == 2


async def test_single_late_network_service_response_does_not_end_browser(
    open_client, autojump_clock
):
    silent = Fault(FaultKind.MUTE, "Storage.getCookies")
    async with open_client(SITE, Fault(FaultKind.MUTE, "Page.navigate"), silent) as world:
        with pytest.raises(TimeOut):
            await world.tabwright.read(URL, IN_TAB)
        assert len(world.browsers) == 1


async def test_page_that_never_comes_is_a_time_out_and_its_tab_is_closed(
    open_client, autojump_clock
):
    async with open_client(SITE) as world:
        with pytest.raises(TimeOut, match="30 s"):
            await world.tabwright.read("https://slow.example/", IN_TAB)
        await trio.sleep(2)
        assert world.pages == 0


async def test_too_large_page_is_refused_with_its_limit(open_client, autojump_clock):
    async with open_client(SITE) as world:
        with pytest.raises(PageFailed, match="larger than 16,777,216 bytes"):
            await world.tabwright.read("https://large.example/", IN_TAB)


async def test_http_error_status_fails_navigation(open_client, autojump_clock):
    async with open_client(SITE) as world:
        with pytest.raises(NavigationFailed, match="404"):
            await world.tabwright.read("https://nowhere.example/", IN_TAB)


async def test_cancellation_at_any_moment_leaves_no_page(open_client, autojump_clock):
    async with open_client(SITE) as world:
        for number in range(60):
            with trio.move_on_after(number * 0.01):
                await world.tabwright.read(URL, IN_TAB)
            with trio.move_on_after(number * 0.04), suppress(TabsBusy):
                await world.tabwright.search("A?", language="en-US")
        await trio.sleep(400)
        assert world.pages == 0
        assert (await world.tabwright.read(URL, IN_TAB)).title == "News"


async def test_ai_searches_stay_within_tab_limit_and_are_all_answered(open_client, autojump_clock):
    async with open_client(SITE, pool__max_tabs=2) as world:
        results = []

        async def search() -> None:
            results.append(await world.tabwright.search("A?", language="en-US"))

        async with trio.open_nursery() as nursery:
            for _ in range(6):
                nursery.start_soon(search)
        assert [result.success for result in results] == [True] * 6
        await trio.sleep(5)
        assert world.pages == len({result.conversation for result in results}) == 6
