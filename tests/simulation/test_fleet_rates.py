"""Processes that share the rates of a site, with slow or lost connections and deaths."""

from bisect import bisect_right
from collections.abc import Awaitable, Callable
from functools import partial
from random import Random

import attrs
import pytest
import trio

from tabwright.config.engines import RatePolicy
from tabwright.plugins.fleet.redis_rates import ANSWER_S
from tabwright.protocol.errors import FleetUnavailable, RateLimited
from tabwright.protocol.rate_limit import AcquirePermit
from tabwright.ratelimit.fleet_state import FleetRates, FleetSiteState
from tabwright.ratelimit.shared_rates import LEASE_S, RETURN_S, SharedRates
from tabwright.ratelimit.site_limiter import SiteLimiter
from tabwright.testing.determinism import run_seeded, wall_clock
from tests.support.fleet.link import FleetLink
from tests.support.fleet.rates import MemorySharedRates

LIFE_S = 20_000.0
"""Virtual time in which every request must have had its turn."""


@attrs.define
class History:
    """The requests to a site, with the true times at which each began and ended."""

    starts: list[float] = attrs.field(factory=list[float])
    spans: list[tuple[float, float]] = attrs.field(factory=list[tuple[float, float]])
    refused: int = 0

    def most_at_once(self) -> int:
        """Return the maximum number of concurrent requests."""
        ends = sorted(end for _, end in self.spans)
        begins = sorted(start for start, _ in self.spans)
        return max(
            (number - bisect_right(ends, start) for number, start in enumerate(begins, 1)),
            default=0,
        )

    def most_beyond(self, interval_s: float) -> float:
        """Return the largest excess of starts in a window over its intervals."""
        starts = sorted(self.starts)
        return max(
            (
                last - first + 1 - (starts[last] - starts[first]) / interval_s
                for first in range(len(starts))
                for last in range(first, len(starts))
            ),
            default=0,
        )


@attrs.define(eq=False)
class Process:
    """A process that makes requests to one site."""

    name: str
    link: FleetLink
    limiter: SiteLimiter
    fleet: FleetRates
    chance: Random
    history: History

    async def live(self, requests: int, *, slow: bool) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.fleet.watch)
            async with trio.open_nursery() as asking:
                for _ in range(requests):
                    asking.start_soon(self.request, nursery, slow)
            nursery.cancel_scope.cancel()

    async def request(self, holding: trio.Nursery, slow: bool) -> None:
        await trio.sleep(self.chance.uniform(0, 60))
        begun, over = trio.Event(), trio.Event()
        permit = AcquirePermit(over, "site", begun)
        with trio.CancelScope() as waiting:
            if self.chance.random() < 0.1:
                waiting.deadline = trio.current_time() + self.chance.uniform(0, 20)
            try:
                name = await self.limiter.enter(permit)
            except RateLimited:
                self.history.refused += 1
                return
            holding.start_soon(self.limiter.hold, permit, name)
            try:
                if slow:
                    await trio.sleep(self.chance.choice((0, 0, 0.1, 3)))
                if slow and self.chance.random() < 0.2:
                    return  # given back
                begun.set()
                await self.work()
            finally:
                over.set()

    async def work(self) -> None:
        start_s = trio.current_time()
        self.history.starts.append(start_s)
        try:
            await trio.sleep(self.chance.choice((0.01, 0.5, 4, 2 * LEASE_S)))
        finally:
            self.history.spans.append((start_s, trio.current_time()))


def opened(
    name: str, store: SharedRates, pace: RatePolicy, chance: Random, history: History
) -> Process:
    link = FleetLink(chance, within_s=ANSWER_S)
    skew_s = chance.uniform(-1000, 1000)
    fleet = FleetRates(link.to(store), name, lambda: wall_clock() + skew_s)
    limiter = SiteLimiter("site", FleetSiteState("site", pace, fleet))
    return Process(name, link, limiter, fleet, Random(chance.random()), history)


async def fleet_life(chance: Random, pace: RatePolicy, *, faults: str, slow: bool) -> History:
    store, history = MemorySharedRates(wall_clock), History()
    names = [f"p{number}" for number in range(chance.randint(2, 5))]
    processes = [opened(name, store, pace, chance, history) for name in names]
    with trio.fail_after(LIFE_S):
        async with trio.open_nursery() as nursery:
            for one in processes:
                scope = trio.CancelScope()
                life = partial(one.live, chance.randint(3, 12), slow=slow)
                nursery.start_soon(within, scope, life)
                if faults == "deaths" and chance.random() < 0.5:
                    nursery.start_soon(die, one, scope, chance.uniform(0, 60))
            if faults == "outage":
                nursery.start_soon(outage, processes, store, chance)
            for one in processes if faults == "partitions" else ():
                nursery.start_soon(outage, [one], None, chance)
    return history


async def within(scope: trio.CancelScope, work: Callable[[], Awaitable[None]]) -> None:
    with scope:
        await work()


async def die(process: Process, scope: trio.CancelScope, after_s: float) -> None:
    await trio.sleep(after_s)
    process.link.is_dead = True
    scope.cancel()


async def outage(processes: list[Process], store: MemorySharedRates | None, chance: Random) -> None:
    """Disconnect the shared store for a while, sometimes losing all of its data."""
    await trio.sleep(chance.uniform(2, 60))
    for one in processes:
        one.link.is_lost = True
    await trio.sleep(chance.choice((1, 10, 100)))
    if store is not None and chance.random() < 0.5:
        store.lose_all()
    for one in processes:
        one.link.is_lost = False


ROUNDING = 0.001


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("faults", ["none", "deaths"])
def test_fleet_with_shared_store_never_exceeds_rate_limits(seed: int, faults: str) -> None:
    pace = RatePolicy(Random(seed).choice((0.5, 2, 5)), seed % 3 + 1, daily_limit=20)
    history = run_seeded(partial(fleet_life, pace=pace, faults=faults, slow=True), seed)
    assert history.starts
    assert history.most_beyond(pace.min_interval_s) <= 1 + ROUNDING
    assert history.most_at_once() <= pace.concurrency
    assert len(history.starts) <= 20


@pytest.mark.parametrize("seed", range(8))
def test_fleet_without_its_store_still_keeps_min_interval(seed: int) -> None:
    pace = RatePolicy(Random(seed).choice((0.5, 2, 5)), seed % 3 + 1, daily_limit=20)
    history = run_seeded(partial(fleet_life, pace=pace, faults="outage", slow=False), seed)
    assert history.most_beyond(pace.min_interval_s) <= 1 + ROUNDING
    assert history.most_at_once() <= max(pace.concurrency, 5)
    assert len(history.starts) <= 20


@pytest.mark.parametrize("seed", range(8))
def test_partitioned_process_exceeds_rate_by_at_most_its_share(seed: int) -> None:
    pace = RatePolicy(Random(seed).choice((0.5, 2, 5)), seed % 3 + 1)
    history = run_seeded(partial(fleet_life, pace=pace, faults="partitions", slow=True), seed)
    assert history.most_beyond(pace.min_interval_s / 2) <= 5 + ROUNDING
    assert history.most_at_once() <= max(pace.concurrency, 1) + 5


def test_lease_of_dead_process_is_freed_after_its_lease_time() -> None:
    async def live(chance: Random) -> None:
        store, history, pace = MemorySharedRates(wall_clock), History(), RatePolicy(0, 1)
        dead, other = (opened(name, store, pace, chance, history) for name in "ab")
        async with trio.open_nursery() as nursery:
            permit = AcquirePermit(trio.Event(), "site")
            name = await dead.limiter.enter(permit)
            nursery.start_soon(dead.limiter.hold, permit, name)
            dead.link.is_dead = True
            began_s = trio.current_time()
            await other.limiter.enter(AcquirePermit(trio.Event(), "site"))
            assert LEASE_S - 1 <= trio.current_time() - began_s <= LEASE_S + 1
            nursery.cancel_scope.cancel()

    run_seeded(live, 1)


def test_process_with_many_requests_does_not_starve_others() -> None:
    """A process with many requests does not delay one with a single request."""

    async def live(chance: Random) -> None:
        store, history, pace = MemorySharedRates(wall_clock), History(), RatePolicy(0, 1)
        greedy, modest = (opened(name, store, pace, chance, history) for name in "ab")
        async with trio.open_nursery() as nursery:

            async def visit(process: Process) -> None:
                permit = AcquirePermit(trio.Event(), "site")
                name = await process.limiter.enter(permit)
                nursery.start_soon(process.limiter.hold, permit, name)
                await trio.sleep(1)
                permit.over.set()

            for _ in range(50):
                nursery.start_soon(visit, greedy)
            await trio.sleep(5)
            began_s = trio.current_time()
            await visit(modest)
            assert trio.current_time() - began_s < 5
            nursery.cancel_scope.cancel()

    run_seeded(live, 1)


def test_call_without_the_store_falls_back_within_timeout() -> None:
    async def live(chance: Random) -> None:
        store, pace = MemorySharedRates(wall_clock), RatePolicy(0, 1)
        process = opened("a", store, pace, chance, History())
        process.link.is_lost = True
        began_s = trio.current_time()
        await process.limiter.enter(AcquirePermit(trio.Event(), "site"))
        assert trio.current_time() - began_s <= ANSWER_S + ROUNDING
        raised = await process.fleet.change(lambda rates: rates.answer("site"))
        assert raised is None
        with pytest.raises(FleetUnavailable):
            await process.link.to(store).answer("site")

    run_seeded(live, 1)


@pytest.mark.parametrize("after_s", [0.0, 1.0, 4.0])
def test_process_reconnects_soon_after_store_returns(after_s: float) -> None:
    async def live(chance: Random) -> None:
        store, pace = MemorySharedRates(wall_clock), RatePolicy(0, 1)
        process = opened("a", store, pace, chance, History())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(process.fleet.watch)
            await trio.sleep(after_s + 0.5)
            process.link.is_lost = True
            assert await process.fleet.change(lambda rates: rates.answer("site")) is None
            assert process.fleet.is_lost
            process.link.is_lost = False
            await trio.sleep(RETURN_S)
            assert not process.fleet.is_lost
            nursery.cancel_scope.cancel()

    run_seeded(live, 1)


def test_limiter_forgets_sites_used_during_store_outage() -> None:
    async def live(chance: Random) -> None:
        store, pace = MemorySharedRates(wall_clock), RatePolicy(2, 1)
        process = opened("a", store, pace, chance, History())
        process.link.is_lost = True
        async with trio.open_nursery() as nursery:
            nursery.start_soon(process.fleet.watch)
            permit = AcquirePermit(trio.Event(), "site")
            name = await process.limiter.enter(permit)
            nursery.start_soon(process.limiter.hold, permit, name)
            permit.over.set()
            await trio.sleep(1)
            assert not process.limiter.is_idle()
            await trio.sleep(100)
            assert process.limiter.is_idle()
            nursery.cancel_scope.cancel()

    run_seeded(live, 1)
