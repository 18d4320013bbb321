"""Properties of the pool for any schedule of leases that come, change use and go."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import accumulate
from math import inf

import attrs
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from tabwright.browser.tab_pool import RESERVE_S, TabPool
from tabwright.protocol.browser_pool import LeaseTab, TabUse
from tabwright.protocol.errors import TabsBusy

LIMITED = (TabUse.SEARCHING, TabUse.READING)
SEARCHER = "mojeek"
"""The purpose of all leases."""


@attrs.frozen
class Visit:
    """One lease; everything happens at whole seconds, except the end of patience.

    Attributes:
        uses: one after the other, with the duration of each.
        patience_s: for each wait.
        worker: the required worker; None for any.
    """

    arrival_s: int
    uses: tuple[tuple[TabUse, int], ...]
    patience_s: float
    worker: int | None


@attrs.define(eq=False)
class Wait:
    """A wait of one visit, in progress or over.

    Attributes:
        until_s: when it was granted, refused or given up; None until then.
    """

    order: int
    use: TabUse
    worker: int | None
    since_s: float
    until_s: float | None = None
    granted: bool = False

    def lasts_at(self, time_s: float) -> bool:
        return self.since_s < time_s and (self.until_s is None or self.until_s > time_s)


@attrs.define
class World:
    """A pool, and a record of its leases as known by the visits themselves."""

    pool: TabPool
    limits: dict[TabUse, int]
    present: dict[int, tuple[TabUse, int]] = attrs.field(factory=dict)
    waits: list[Wait] = attrs.field(factory=list)
    most: Counter = attrs.field(factory=Counter)
    refused_without_need: int = 0

    async def live(self, visits: Sequence[Visit], refusals: Sequence[tuple[int, bool]]) -> None:
        async with trio.open_nursery() as watching:
            watching.start_soon(self.watch)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.refuse, refusals)
                for number, visit in enumerate(visits, start=1):
                    nursery.start_soon(self.make, number, visit)
            watching.cancel_scope.cancel()

    async def refuse(self, refusals: Sequence[tuple[int, bool]]) -> None:
        for number, (time_s, resets) in enumerate(refusals, start=1):
            await trio.sleep_until(time_s + number / 100)  # when nobody is just coming in
            self.check_limits()
            if resets:
                self.pool.reset_back_off()
            else:
                self.pool.back_off(SEARCHER)

    async def make(self, number: int, visit: Visit) -> None:
        await trio.sleep_until(visit.arrival_s)
        (first, stay_s), *more = visit.uses
        request = LeaseTab(trio.Event(), first, SEARCHER, worker=visit.worker)
        with trio.CancelScope() as scope, suppress(TabsBusy):
            wait = self.begin(first, visit.worker)
            try:
                scope.deadline = trio.current_time() + visit.patience_s
                async with self.pool.place(number, request) as place:
                    scope.deadline = inf
                    self.enter(number, wait, place.tab.worker)
                    await trio.sleep(stay_s)
                    for use, stay_s in more:
                        await self.change(number, use, place.tab.worker, visit.patience_s)
                        await trio.sleep(stay_s)
                    self.present.pop(number)
            finally:
                self.present.pop(number, None)
                self.end(wait)

    async def change(self, number: int, use: TabUse, worker: int, patience_s: float) -> None:
        before = self.present[number]
        if use is before[0]:
            return
        wait = self.begin(use, worker)
        if use is not TabUse.HELD:
            self.present[number] = (TabUse.RESTING, worker)
        with trio.move_on_after(patience_s), suppress(TabsBusy):
            await self.pool.change(number, use)
            self.enter(number, wait, worker)
        self.end(wait)

    def begin(self, use: TabUse, worker: int | None) -> Wait:
        wait = Wait(len(self.waits), use, worker, trio.current_time())
        self.waits.append(wait)
        return wait

    def enter(self, number: int, wait: Wait, worker: int) -> None:
        wait.until_s, wait.granted = trio.current_time(), True
        wait.worker = worker if wait.worker is None else wait.worker
        assert wait.worker == worker
        self.present[number] = (wait.use, worker)

    def end(self, wait: Wait) -> None:
        if wait.until_s is None:
            wait.until_s = trio.current_time()
            full = self.count(TabUse.HELD) >= self.limits[TabUse.HELD]
            self.refused_without_need += wait.use is TabUse.HELD and not full

    async def watch(self) -> None:
        """Check limits and waits between the moments at which something happens."""
        while True:
            await trio.sleep(0.25)
            self.check_limits()
            if trio.current_time() % 0.5:
                self.check_waits()

    def check_limits(self) -> None:
        assert self.count(TabUse.HELD) <= self.limits[TabUse.HELD]
        for use in LIMITED:
            for worker in range(self.workers):
                now = self.count(use, worker)
                assert now <= max(self.limit(use), self.most[use, worker])
                self.most[use, worker] = now

    def check_waits(self) -> None:
        """Check that there is no wait while there is room."""
        for wait in self.waits:
            if wait.until_s is None:
                workers = range(self.workers) if wait.worker is None else (wait.worker,)
                assert wait.use in LIMITED
                assert all(
                    self.count(wait.use, worker) >= self.limit(wait.use) for worker in workers
                )

    @property
    def workers(self) -> int:
        return self.limits[TabUse.RESTING]

    def limit(self, use: TabUse) -> int:
        most = self.limits[use]
        return self.pool.lowered_max_tabs.get(SEARCHER, most) if use is TabUse.SEARCHING else most

    def count(self, use: TabUse, worker: int | None = None) -> int:
        return sum(who[0] is use and worker in {None, who[1]} for who in self.present.values())


USES = st.tuples(st.sampled_from(TabUse), st.integers(1, 6))
PATIENCE = st.one_of(st.just(inf), st.integers(0, 12).map(lambda whole: whole + 0.5 + RESERVE_S))
"""Ends at halves, where nothing else happens."""

REFUSALS = st.lists(st.tuples(st.integers(0, 40), st.booleans()), max_size=5).map(sorted)
LIMITS = st.fixed_dictionaries(
    {
        "workers": st.integers(1, 3),
        "max_tabs": st.integers(1, 3),
        "max_reading_tabs": st.integers(1, 2),
        "max_held_tabs": st.integers(1, 2),
    }
)


@st.composite
def visits_to(draw: st.DrawFn, workers: int) -> list[Visit]:
    gaps = draw(st.lists(st.integers(0, 3), max_size=10))
    return [
        Visit(
            arrival_s,
            tuple(draw(st.lists(USES, min_size=1, max_size=4))),
            draw(PATIENCE),
            draw(st.one_of(st.none(), st.integers(0, workers - 1))),
        )
        for arrival_s in accumulate(gaps)
    ]


@st.composite
def schedules(draw: st.DrawFn) -> tuple[dict[str, int], list[Visit], list[tuple[int, bool]]]:
    limits = draw(LIMITS)
    return limits, draw(visits_to(limits["workers"])), draw(REFUSALS)


def lived(pool_of, schedule) -> World:
    limits, visits, refusals = schedule
    by_use = {
        TabUse.SEARCHING: limits["max_tabs"],
        TabUse.READING: limits["max_reading_tabs"],
        TabUse.HELD: limits["max_held_tabs"],
        TabUse.RESTING: limits["workers"],
    }
    world = World(pool_of(**limits), by_use)
    trio.run(world.live, visits, refusals, clock=MockClock(autojump_threshold=0))
    return world


@given(schedules())
def test_limits_hold_and_no_lease_waits_while_there_is_room(pool_of, schedule) -> None:
    world = lived(pool_of, schedule)  # looks every quarter of a second

    assert world.refused_without_need == 0
    assert all(wait.until_s is not None for wait in world.waits)


@given(schedules())
def test_finished_schedule_leaves_no_tabs_or_waiters(pool_of, schedule) -> None:
    world = lived(pool_of, schedule)

    assert world.pool.tabs == ()
    assert world.pool.waiting == 0


@given(schedules())
def test_tabs_are_granted_in_request_order(pool_of, schedule) -> None:
    waits = lived(pool_of, schedule).waits

    for wait in waits:
        overtaken = [
            other
            for other in waits[: wait.order]
            if wait.granted
            and other.use is wait.use
            and other.worker in {None, wait.worker}
            and other.since_s < wait.since_s
            and other.lasts_at(wait.until_s)
        ]
        assert overtaken == []


@given(schedules())
def test_lease_with_unlimited_patience_gets_a_place(pool_of, schedule) -> None:
    limits, visits, refusals = schedule
    patient = [attrs.evolve(visit, patience_s=inf) for visit in visits]
    world = lived(pool_of, (limits, patient, refusals))

    assert all(wait.granted for wait in world.waits if wait.use is not TabUse.HELD)
