"""Several browsers at once, each with its own profile, in virtual time."""

from functools import partial

import pytest
import trio

from tabwright.browser.worker import DRAIN_S
from tabwright.concurrency.grants import hold_grant
from tabwright.protocol.browser_pool import BrowserPool, BrowserUse, LeaseTab, TabUse
from tabwright.protocol.errors import BrowserUnavailable, TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.interventions import Intervention
from tabwright.protocol.progress import HumanNeededProgress, ProgressEvent
from tabwright.protocol.tab import ReadSource, Tab
from tabwright.protocol.web_search import WebSearch
from tabwright.testing.fake import FakeAnswer, FakePage, FakeSite, Fault, FaultKind
from tests.support.small_web import ENGINE_URLS, result_page, wall

IN_TAB = ReadOptions(min_tier=2)
URL = "https://news.example/"
SLOW_URL = "https://slow.example/"
PAGES = {
    URL: FakePage("<title>News</title><main><p>Text.</p></main>"),
    SLOW_URL: FakePage("<title>Slow</title><main><p>Text.</p></main>", load_s=20.0),
}
SITE = FakeSite(pages=PAGES, answer=FakeAnswer(paragraphs=("One.",)))


def lease(*, use: TabUse = TabUse.READING, worker: int | None = None):
    return partial(LeaseTab, use=use, purpose="somebody", worker=worker)


def started(world) -> list[int]:
    return sorted(browser.worker for browser in world.browsers)


async def test_browser_is_started_only_when_needed(open_client, autojump_clock):
    async with open_client(SITE, pool__workers=3) as world:
        assert not any(worker.product for worker in (await world.tabwright.pool()).workers)
        await world.tabwright.read(URL, IN_TAB)
        assert started(world) == [0]
        workers = (await world.tabwright.pool()).workers
        running = [(worker.number, worker.use) for worker in workers if worker.product]
        assert running == [(0, BrowserUse.PAGES)]


async def visit(world) -> None:
    async with hold_grant(world.tabwright.parts.supervisor, BrowserPool.lease_tab, lease()) as own:
        await own.tab.ask(Tab.navigate, URL)


@pytest.mark.parametrize("workers", [1, 2, 3])
async def test_each_worker_starts_once_under_twenty_concurrent_callers(
    workers, open_client, autojump_clock
):
    settings = {"pool__workers": workers, "pool__max_reading_tabs": 20}
    async with open_client(SITE, **settings) as world, trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(visit, world)
    assert started(world) == list(range(workers))


async def test_failed_browser_start_fails_all_its_waiting_callers_once(open_client, autojump_clock):
    """The other worker is not affected, and a later caller gets a new start."""
    endings = []

    async def come(world) -> None:
        try:
            await visit(world)
        except BrowserUnavailable:
            endings.append("unavailable")
        else:
            endings.append("ok")

    fault = Fault(FaultKind.ERROR, "Browser.getVersion")
    settings = {"pool__workers": 2, "pool__max_reading_tabs": 10}
    async with open_client(SITE, fault, **settings) as world:
        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(come, world)
        assert sorted(endings) == ["ok"] * 10 + ["unavailable"] * 10
        assert len(world.browsers) == 2
        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(visit, world)
        assert len(world.browsers) == 3


async def test_tabs_are_spread_over_workers(open_client, autojump_clock):
    async with open_client(SITE, pool__workers=3) as world, trio.open_nursery() as nursery:

        async def stay() -> None:
            async with hold_grant(world.tabwright.parts.supervisor, BrowserPool.lease_tab, lease()):
                await trio.sleep_forever()

        for _ in range(9):
            nursery.start_soon(stay)
        await trio.sleep(5)
        workers = (await world.tabwright.pool()).workers
        tabs = [worker.tabs for worker in workers if worker.use is BrowserUse.SEARCH]
        assert tabs == [3, 3, 3]
        assert [len(browser.targets) for browser in world.browsers] == [3, 3, 3]
        nursery.cancel_scope.cancel()


async def test_worker_never_exceeds_its_limit_of_searching_tabs(open_client, autojump_clock):
    """Resting conversations resume in their own browser, whatever else has begun."""
    most = 0

    async def watch(world) -> None:
        nonlocal most
        while True:
            tabs = (await world.tabwright.pool()).tabs
            for worker in range(2):
                searching = [tab for tab in tabs if tab.use is TabUse.SEARCHING]
                most = max(most, sum(tab.worker == worker for tab in searching))
            await trio.sleep(0.05)

    async def converse(world) -> None:
        for number in range(4):
            await world.tabwright.search("A?", language="en-US", follow_up=number > 0)
            await trio.sleep(0.3)

    pages = {
        ENGINE_URLS["mojeek"]: FakePage(result_page("mojeek", "a", "b")),
        f"{ENGINE_URLS['mojeek']}&s=10": FakePage(result_page("mojeek", "c")),
        f"{ENGINE_URLS['mojeek']}&s=20": FakePage(result_page("mojeek")),
        ENGINE_URLS["ecosia"]: FakePage(result_page("ecosia", "c")),
    }
    site = FakeSite(pages=pages, answer=FakeAnswer(paragraphs=("One.", "Two.")))
    async with open_client(site, pool__workers=2) as world, trio.open_nursery() as watching:
        watching.start_soon(watch, world)
        async with trio.open_nursery() as nursery:
            for _ in range(2):
                nursery.start_soon(converse, world)
                nursery.start_soon(
                    world.tabwright.web_search, WebSearch("q", ("mojeek", "ecosia"), limit=20)
                )
                await trio.sleep(0.7)
        watching.cancel_scope.cancel()
    assert most == 1


async def test_crash_of_one_worker_does_not_affect_the_other(open_client, autojump_clock):
    endings = {}

    async def visit_slowly(world, worker: int) -> None:
        try:
            async with hold_grant(
                world.tabwright.parts.supervisor, BrowserPool.lease_tab, lease(worker=worker)
            ) as own:
                await own.tab.ask(Tab.navigate, SLOW_URL)
                endings[worker] = (await own.tab.ask(Tab.read_source, ReadSource())).page.url
        except TabwrightError as error:
            endings[worker] = error.kind

    async with open_client(SITE, pool__workers=2) as world:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(visit_slowly, world, 0)
            nursery.start_soon(visit_slowly, world, 1)
            await trio.sleep(10)
            (first,) = (browser for browser in world.browsers if browser.worker == 0)
            first.die()
        assert endings == {0: "browser_died", 1: SLOW_URL}
        assert started(world) == [0, 0, 1]  # the first is there again, the second still
        await trio.sleep(1)
        assert (await world.tabwright.pool()).tabs == ()


async def test_worker_that_cannot_start_does_not_disturb_the_other(open_client, autojump_clock):
    faults = [Fault(FaultKind.CUT, "Browser.setDownloadBehavior", nth) for nth in range(2, 20)]
    async with (
        open_client(SITE, *faults, pool__workers=2) as world,
        hold_grant(world.tabwright.parts.supervisor, BrowserPool.lease_tab, lease(worker=1)) as own,
    ):
        await own.tab.ask(Tab.navigate, URL)
        with pytest.raises(BrowserUnavailable):
            await world.tabwright.read(URL, IN_TAB)
        assert (await own.tab.ask(Tab.read_source, ReadSource())).page.url == URL


def blocked_site() -> FakeSite:
    mojeek = wall(15.0, result_page("mojeek", "a"))
    ecosia = FakePage(result_page("ecosia", "b"))
    return FakeSite(pages={**PAGES, ENGINE_URLS["mojeek"]: mojeek, ENGINE_URLS["ecosia"]: ecosia})


async def met_captcha(world) -> Intervention:
    """Return the intervention of a search that another engine has answered."""
    await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
    (waiting,) = await world.tabwright.interventions()
    return waiting


async def test_captcha_window_replaces_only_the_browser_of_its_worker(open_client, autojump_clock):
    steps: list[ProgressEvent] = []
    async with open_client(blocked_site(), pool__workers=2) as world:
        async with hold_grant(
            world.tabwright.parts.supervisor, BrowserPool.lease_tab, lease(worker=1)
        ) as own:
            await own.tab.ask(Tab.navigate, URL)
            search = WebSearch("q", ("mojeek",))
            found = await world.tabwright.web_search(search, progress=steps.append)
            assert [result.title for result in found.results] == ["a"]
            assert (await own.tab.ask(Tab.read_source, ReadSource())).page.url == URL
        shown = [(browser.worker, browser.visible) for browser in world.browsers]
        assert shown == [(1, False), (0, False), (0, True)]
        assert any(isinstance(step, HumanNeededProgress) for step in steps)


async def test_other_worker_continues_during_browser_replacement(open_client, autojump_clock):
    """The exchange still waits for work of the first worker, up to the drain limit."""
    reads = 0

    async def read(world) -> None:
        nonlocal reads
        async with hold_grant(
            world.tabwright.parts.supervisor, BrowserPool.lease_tab, lease(worker=1)
        ) as own:
            while True:
                with trio.fail_after(1):
                    await own.tab.ask(Tab.navigate, URL)
                reads += 1

    async def stay(world) -> None:
        async with hold_grant(
            world.tabwright.parts.supervisor, BrowserPool.lease_tab, lease(worker=0)
        ):
            await trio.sleep_forever()

    async with (
        open_client(blocked_site(), pool__workers=2) as world,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(stay, world)
        nursery.start_soon(read, world)
        await trio.sleep(1)
        waiting = await met_captcha(world)
        assert waiting.worker == 0
        before, began_s = reads, trio.current_time()
        await world.tabwright.answer_intervention(waiting.id, "open")
        assert trio.current_time() - began_s > DRAIN_S
        assert reads > before + DRAIN_S
        nursery.cancel_scope.cancel()


async def test_captcha_is_opened_in_the_worker_that_met_it(open_client, autojump_clock):
    async with open_client(blocked_site(), pool__workers=2) as world:
        async with hold_grant(
            world.tabwright.parts.supervisor,
            BrowserPool.lease_tab,
            lease(use=TabUse.SEARCHING, worker=0),
        ):
            waiting = await met_captcha(world)
        assert waiting.worker == 1
        await world.tabwright.answer_intervention(waiting.id, "open")
        (window,) = (browser for browser in world.browsers if browser.visible)
        assert window.worker == 1


async def test_find_screen_fails_for_each_worker_without_a_screen(open_client, autojump_clock):
    async with open_client(SITE, pool__workers=2, has_screen=False) as world:
        for worker in range(2):
            with pytest.raises(BrowserUnavailable, match="no screen"):
                await world.tabwright.parts.supervisor.ask(BrowserPool.find_screen, worker)
        assert world.browsers == []
