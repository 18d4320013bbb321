"""ADR-0014, in points where its source project does not do what it says."""

import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from random import Random

import attrs
import pytest
import trio
import yaml
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.concurrency.grants import hold_grant
from tabwright.config.engines import RatePolicy, configured_engines
from tabwright.config.loader import override, settings_from
from tabwright.protocol.browser_pool import BrowserPool, LeaseTab, TabUse
from tabwright.protocol.errors import SearchBlocked
from tabwright.protocol.rate_limit import AcquirePermit, Governor
from tabwright.protocol.web_search import WebSearch
from tabwright.testing.determinism import MIDNIGHT_S, simulated_environment
from tabwright.testing.fake import FakePage, FakeSite, fake_launcher
from tests.support.small_web import ENGINE_URLS, result_page, wall

HOUR_S = 3600.0
SHIPPED = yaml.safe_load(files("tabwright.config").joinpath("engines.yaml").read_text())
SEARCHING = partial(LeaseTab, use=TabUse.SEARCHING, purpose="a search")
Life = Callable[[Tabwright], Awaitable[None]]


@asynccontextmanager
async def client_on(
    site: FakeSite,
    now: Callable[[], float] = lambda: MIDNIGHT_S + trio.current_time(),
    **settings: object,
) -> AsyncGenerator[Tabwright]:
    """Open a client on fake browsers; fail if its block lasts longer than an hour."""
    launcher = fake_launcher(site, Random(1), headed=True)
    environment = attrs.evolve(simulated_environment(launcher, Random(1)), now=now)
    with trio.fail_after(HOUR_S):
        async with open_tabwright(settings_from(override(**settings)), environment) as tabwright:
            yield tabwright


def run(site: FakeSite, life: Life, **settings: object) -> None:
    """Run a scenario with a client, in virtual time."""

    async def live() -> None:
        async with client_on(site, **settings) as tabwright:
            await life(tabwright)

    trio.run(live, clock=MockClock(autojump_threshold=0))


def mojeek(pages: int) -> FakeSite:
    """Return a site for an engine with this many pages of results."""
    url = ENGINE_URLS["mojeek"]
    shown = {
        f"{url}&s={10 * number}" if number else url: FakePage(
            result_page("mojeek", *([f"site-{number}"] if number < pages else []))
        )
        for number in range(pages + 1)
    }
    return FakeSite(pages=shown)


async def search_times(tabwright: Tabwright, most: int) -> int:
    """Return how many of `most` + 2 tasks get a tab for searching at the same time."""
    async with trio.open_nursery() as nursery:

        async def stay() -> None:
            async with hold_grant(tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING):
                await trio.sleep_forever()

        for _ in range(most + 2):
            nursery.start_soon(stay)
        await trio.sleep(30)
        tabs = (await tabwright.pool()).tabs
        nursery.cancel_scope.cancel()
    await trio.sleep(5)
    return sum(tab.use is TabUse.SEARCHING for tab in tabs)


# Feature: browser-serp-resource-control, CAPTCHA Tab Holding: the slot is free on hold
@given(
    max_tabs=st.integers(1, 3),
    held=st.integers(1, 4),
    back_offs=st.integers(0, 3),
)
def test_a_held_tab_does_not_starve_the_pool(max_tabs, held, back_offs):
    async def live(tabwright: Tabwright) -> None:
        for _ in range(held):
            lease = await tabwright.parts.supervisor.ask(
                BrowserPool.lease_tab, SEARCHING(trio.Event())
            )
            await tabwright.parts.supervisor.ask(BrowserPool.change_use, lease.number, TabUse.HELD)
        for _ in range(back_offs):
            await tabwright.parts.supervisor.ask(BrowserPool.back_off, "a search")
        with trio.fail_after(5):
            async with hold_grant(tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING):
                pass
        await trio.sleep(5)
        may = max(1, max_tabs - back_offs)
        assert await search_times(tabwright, max_tabs) == may

    run(FakeSite(), live, pool__max_tabs=max_tabs)


@pytest.mark.parametrize(
    ("max_tabs", "held", "back_offs"),
    [(1, 1, 0), (2, 2, 0), (2, 1, 1)],
    ids=["one of one", "two of two", "backed off"],
)
def test_tabs_held_at_captchas_do_not_starve_the_pool(max_tabs, held, back_offs):
    walls = {ENGINE_URLS["mojeek"]: wall(None), ENGINE_URLS["ecosia"]: wall(None)}

    async def live(tabwright: Tabwright) -> None:
        for engine in ("mojeek", "ecosia")[:held]:
            with trio.move_on_after(60):
                await tabwright.web_search(WebSearch("q", (engine,)))
        assert sum(one.held for one in await tabwright.interventions()) == held
        for _ in range(back_offs):
            await tabwright.parts.supervisor.ask(BrowserPool.back_off, "a search")
        with trio.fail_after(5):
            async with hold_grant(tabwright.parts.supervisor, BrowserPool.lease_tab, SEARCHING):
                pass

    run(FakeSite(pages=walls), live, pool__max_tabs=max_tabs)


# Feature: browser-serp-resource-control, Per-engine rate control: from engines.yaml
@pytest.mark.parametrize("engine", SHIPPED["engines"])
def test_min_interval_and_concurrency_are_read_from_engines_yaml(engine):
    stated = SHIPPED["engines"][engine]
    pace = configured_engines(settings_from().engines).paces[engine]
    assert stated.items() <= attrs.asdict(pace).items()
    assert {"min_interval_s", "concurrency"} <= stated.keys()


# Feature: browser-serp-resource-control, Per-engine rate control: min_interval and concurrency
@given(interval_s=st.integers(1, 30), concurrency=st.integers(1, 4), asked=st.integers(2, 8))
def test_min_interval_and_concurrency_are_respected(interval_s, concurrency, asked):
    starts_s, now, most = [], 0, 0
    stays_s = concurrency * interval_s - 0.5  # as long as all of them can be there at once

    async def ask(tabwright: Tabwright) -> None:
        nonlocal now, most
        async with hold_grant(
            tabwright.parts.governor, Governor.permit, partial(AcquirePermit, site="mojeek")
        ):
            starts_s.append(trio.current_time())
            now += 1
            most = max(most, now)
            await trio.sleep(stays_s)
            now -= 1

    async def live(tabwright: Tabwright) -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(asked):
                nursery.start_soon(ask, tabwright)

    pace = {"min_interval_s": interval_s, "concurrency": concurrency}
    with tempfile.TemporaryDirectory() as folder:
        policy = Path(folder) / "engines.yaml"
        policy.write_text(yaml.safe_dump({"engines": {"mojeek": pace}}))
        run(FakeSite(), live, engines__policy=str(policy))
    gaps_s = [after - before for before, after in pairwise(starts_s)]
    assert gaps_s == pytest.approx([interval_s] * (asked - 1))
    assert most == min(concurrency, asked)


# Feature: browser-serp-resource-control, Auto-backoff on CAPTCHA/403: 403 is reported
@pytest.mark.parametrize("decrease_step", [1, 2, 5])
def test_403_fails_the_search_and_backs_off_pool_and_engine(decrease_step):
    async def live(tabwright: Tabwright) -> None:
        with pytest.raises(SearchBlocked, match="403"):
            await tabwright.web_search(WebSearch("q", ("mojeek",)))
        lowered = (await tabwright.pool()).lowered_max_tabs
        assert lowered == {"mojeek": max(1, 4 - decrease_step)}
        (rate,) = (rate for rate in await tabwright.rates() if rate.site == "mojeek")
        assert rate.paused_for_s > 0

    site = FakeSite(pages={ENGINE_URLS["mojeek"]: FakePage(status=403)})
    run(site, live, pool__max_tabs=4, pool__decrease_step=decrease_step)


# Feature: browser-serp-resource-control, Auto-backoff on CAPTCHA/403: no auto-recovery, a reset
@given(max_tabs=st.integers(1, 4), back_offs=st.integers(0, 5))
def test_reset_restores_full_tab_limit_after_back_off(max_tabs, back_offs):
    async def live(tabwright: Tabwright) -> None:
        for _ in range(back_offs):
            await tabwright.parts.supervisor.ask(BrowserPool.back_off, "a search")
        lowered = (await tabwright.pool()).lowered_max_tabs
        assert lowered == ({"a search": max(1, max_tabs - back_offs)} if back_offs else {})
        await tabwright.reset_back_off()
        assert (await tabwright.pool()).lowered_max_tabs == {}
        assert await search_times(tabwright, max_tabs) == max_tabs

    run(FakeSite(), live, pool__max_tabs=max_tabs)


# Feature: browser-serp-resource-control, Pagination Ready: every page is a request
@given(pages=st.integers(1, 5), searches=st.integers(1, 3))
def test_pages_of_one_search_are_spaced(pages, searches):
    site = mojeek(pages)

    async def live(tabwright: Tabwright) -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(searches):
                nursery.start_soon(
                    tabwright.web_search, WebSearch("q", ("mojeek",), limit=10 * pages)
                )

    run(site, live)
    starts_s = [at_s for at_s, _url in site.visits]
    assert len(starts_s) == pages * searches
    interval_s = SHIPPED["engines"]["mojeek"]["min_interval_s"]
    assert all(after - before >= interval_s for before, after in pairwise(starts_s))


# Feature: browser-serp-resource-control, Correctness Guarantee: a slot is free on every way out
@given(cancelled_after_s=st.lists(st.floats(0, 15), min_size=1, max_size=6))
def test_a_cancelled_waiter_leaks_no_slot(cancelled_after_s):
    async def ask(tabwright: Tabwright) -> None:
        async with hold_grant(
            tabwright.parts.governor, Governor.permit, partial(AcquirePermit, site="brave")
        ):
            pass

    async def give_up(tabwright: Tabwright, after_s: float) -> None:
        with trio.move_on_after(after_s):
            await ask(tabwright)

    async def live(tabwright: Tabwright) -> None:
        await ask(tabwright)
        async with trio.open_nursery() as nursery:
            for after_s in cancelled_after_s:
                nursery.start_soon(give_up, tabwright, after_s)
        await trio.sleep(1)
        (rate,) = (rate for rate in await tabwright.rates() if rate.site == "brave")
        assert (rate.in_work, rate.waiting) == (0, 0)
        with trio.fail_after(SHIPPED["engines"]["brave"]["min_interval_s"]):
            await ask(tabwright)

    run(FakeSite(), live)


# Feature: browser-serp-resource-control, TabPool centralizes limit management: a reset and a late
# release leave the count as it is
@given(
    max_tabs=st.integers(1, 3),
    out=st.integers(1, 3),
    forgets=st.lists(st.sampled_from(["reset", "back off"]), min_size=1, max_size=4),
)
def test_a_late_release_after_a_reset_leaves_the_count_right(max_tabs, out, forgets):
    async def live(tabwright: Tabwright) -> None:
        overs = [trio.Event() for _ in range(min(out, max_tabs))]
        for over in overs:
            await tabwright.parts.supervisor.ask(BrowserPool.lease_tab, SEARCHING(over))
        for what in forgets:
            if what == "reset":
                await tabwright.reset_back_off()
            else:
                await tabwright.parts.supervisor.ask(BrowserPool.back_off, "a search")
        for over in overs:
            over.set()
            over.set()
        await trio.sleep(5)
        may = (await tabwright.pool()).lowered_max_tabs.get("a search", max_tabs)
        assert await search_times(tabwright, max_tabs) == may
        assert await search_times(tabwright, max_tabs) == may

    run(FakeSite(), live, pool__max_tabs=max_tabs)


# Feature: browser-serp-resource-control, Engine QPS: intervals go by a clock that nobody sets
@given(
    jumps_s=st.lists(st.floats(-86_400, 86_400), min_size=1, max_size=5),
    interval_s=st.integers(2, 60),
)
def test_setting_the_wall_clock_changes_no_interval(jumps_s, interval_s):
    def now() -> float:
        """Return the wall-clock time, which jumps every second."""
        jumps = int(trio.current_time()) % (len(jumps_s) + 1)
        return MIDNIGHT_S + trio.current_time() + sum(jumps_s[:jumps])

    starts_s = []

    async def live() -> None:
        settings = settings_from()
        engines = configured_engines(settings.engines)
        paces = {**engines.paces, "mojeek": RatePolicy(interval_s, 1)}
        environment = attrs.evolve(
            simulated_environment(fake_launcher(FakeSite(), Random(1)), Random(1)),
            now=now,
            engines=attrs.evolve(engines, paces=paces),
        )
        with trio.fail_after(HOUR_S):
            async with open_tabwright(settings, environment) as tabwright:
                for _ in range(4):
                    async with hold_grant(
                        tabwright.parts.governor,
                        Governor.permit,
                        partial(AcquirePermit, site="mojeek"),
                    ):
                        starts_s.append(trio.current_time())

    trio.run(live, clock=MockClock(autojump_threshold=0))
    gaps_s = [after - before for before, after in pairwise(starts_s)]
    assert gaps_s == pytest.approx([interval_s] * 3)
