"""A cancelled lease leaves the pool as if it had never existed, at any step."""

import itertools
from collections.abc import Iterator
from random import Random

import attrs
import pytest
import trio

from tabwright.browser.tab_pool import TabPool
from tabwright.protocol.browser_pool import LeaseTab, TabUse
from tabwright.testing.determinism import run_seeded

STAYS_S = 2.0


@attrs.define(eq=False)
class CancelAtStep(trio.abc.Instrument):
    """Cancels a scope after a number of steps of any tasks."""

    scope: trio.CancelScope
    steps_left: int

    def after_task_step(self, _task: trio.lowlevel.Task) -> None:
        self.steps_left -= 1
        if not self.steps_left:
            self.scope.cancel()


@attrs.frozen
class Before:
    """The state of the pool that the cancelled lease meets.

    Attributes:
        there: how many leases search already, each for `STAYS_S`.
        refused: whether the limit falls and is lifted again meanwhile.
        line: how many more wait already.
    """

    there: int = 0
    refused: bool = False
    line: int = 0

    @property
    def first_free_s(self) -> float:
        """Return when the next in line would get one of two places."""
        return (self.there + self.line) // 2 * STAYS_S


@attrs.define
class Run:
    """A lease that is cancelled at a step, and how far it got.

    Attributes:
        use: the use of its tab; reached from `RESTING` if it `changes`.
    """

    pool: TabPool
    before: Before
    step: int
    use: TabUse
    changes: bool
    moment: str = "asked"
    cancelled: bool = False

    async def live(self, _random: Random) -> None:
        async with trio.open_nursery() as nursery:
            for number in range(self.before.there + self.before.line):
                nursery.start_soon(self.stay, number)
                await trio.testing.wait_all_tasks_blocked()
            if self.before.refused:
                nursery.start_soon(self.refuse)
            with trio.CancelScope() as scope:
                instrument = CancelAtStep(scope, self.step)
                trio.lowlevel.add_instrument(instrument)
                await self.come()
            trio.lowlevel.remove_instrument(instrument)
            self.cancelled = scope.cancelled_caught
            await self.check()

    async def come(self) -> None:
        first = TabUse.RESTING if self.changes else self.use
        request = LeaseTab(trio.Event(), first, "cancelled", queued=self.on_progress)
        async with self.pool.place(100, request) as place:
            self.moment = "placed"
            if self.changes:
                await trio.lowlevel.checkpoint()
                await self.change(place.tab.number)
            await trio.lowlevel.checkpoint()
            self.moment = "used"

    async def change(self, number: int) -> None:
        """Change the use; if that is cancelled, check that the lease stays at rest."""
        try:
            await self.pool.change(number, self.use, self.on_progress)
        except trio.Cancelled:
            (own,) = (tab for tab in self.pool.tabs if tab.number == number)
            assert own.use is TabUse.RESTING
            raise

    def on_progress(self, _wait: object) -> None:
        self.moment = "waits"

    async def stay(self, number: int) -> None:
        request = LeaseTab(trio.Event(), TabUse.SEARCHING, "there")
        async with self.pool.place(number, request):
            await trio.sleep(STAYS_S)

    async def refuse(self) -> None:
        self.pool.back_off("there")
        await trio.sleep(STAYS_S / 2)
        self.pool.reset_back_off()

    async def check(self) -> None:
        """Check that the next lease is served as if the cancelled one had never come."""
        assert 100 not in [tab.number for tab in self.pool.tabs]
        left_s = trio.current_time()
        async with self.pool.place(101, LeaseTab(trio.Event(), self.use, "next")):
            free_s = self.before.first_free_s if self.use is TabUse.SEARCHING else 0
            assert trio.current_time() == max(left_s, free_s)
            others = [tab for tab in self.pool.tabs if tab.number != 101]
            assert len([tab for tab in others if tab.use is TabUse.SEARCHING]) <= 2
            assert self.pool.waiting == 0


def runs(pool_of, before: Before, use: TabUse, *, changes: bool) -> Iterator[Run]:
    """Yield runs that are cancelled one step later each time, up to one that is not."""
    for seed in range(5):
        for step in itertools.count(1):
            run = Run(pool_of(max_tabs=2), before, step, use, changes)
            run_seeded(run.live, seed)
            assert run.pool.tabs == ()
            yield run
            if not run.cancelled:
                break


@pytest.mark.parametrize("changes", [False, True], ids=["lease", "change"])
@pytest.mark.parametrize(
    ("before", "moments"),
    [
        (Before(), {"used"}),
        (Before(there=1), {"used"}),
        (Before(there=2), {"waits", "used"}),
        (Before(there=2, refused=True), {"waits", "used"}),
        (Before(there=2, line=2), {"waits", "used"}),
    ],
    ids=["free", "one", "full", "refused", "line"],
)
def test_cancelled_search_lease_leaves_no_trace_at_any_step(before, moments, changes, pool_of):
    seen = {run.moment for run in runs(pool_of, before, TabUse.SEARCHING, changes=changes)}
    assert moments <= seen


@pytest.mark.parametrize("use", [TabUse.HELD, TabUse.READING, TabUse.RESTING, TabUse.KEPT])
@pytest.mark.parametrize("changes", [False, True], ids=["lease", "change"])
def test_cancelled_lease_with_free_place_leaves_no_trace_at_any_step(use, changes, pool_of):
    seen = {run.moment for run in runs(pool_of, Before(there=2), use, changes=changes)}
    assert "used" in seen
    assert "waits" not in seen


@attrs.define
class GivenUp:
    """A lease that, at a step, gives up waiting for another use, but keeps its tab."""

    pool: TabPool
    step: int
    has_changed: bool = False
    cancelled: bool = False

    async def live(self, _random: Random) -> None:
        async with trio.open_nursery() as nursery:
            for number in range(4):
                nursery.start_soon(self.rest, number)  # whose tasks run at the same moments
            nursery.start_soon(self.search)
            await trio.testing.wait_all_tasks_blocked()
            async with self.pool.place(100, LeaseTab(trio.Event(), TabUse.RESTING, "lease")):
                await self.give_up()
                await trio.sleep(2 * STAYS_S)
                await self.check()

    async def rest(self, number: int) -> None:
        async with self.pool.place(number, LeaseTab(trio.Event(), TabUse.RESTING, "other")):
            await trio.sleep(STAYS_S)

    async def search(self) -> None:
        async with self.pool.place(50, LeaseTab(trio.Event(), TabUse.SEARCHING, "search")):
            await trio.sleep(STAYS_S)

    async def give_up(self) -> None:
        with trio.CancelScope() as scope:
            instrument = CancelAtStep(scope, self.step)
            trio.lowlevel.add_instrument(instrument)
            await self.pool.change(100, TabUse.SEARCHING)
            self.has_changed = True
            await trio.lowlevel.checkpoint()
        trio.lowlevel.remove_instrument(instrument)
        self.cancelled = scope.cancelled_caught

    async def check(self) -> None:
        """Check that the lease has the use it knows of, and holds no other place."""
        (own,) = self.pool.tabs
        assert self.pool.waiting == 0
        assert own.use is (TabUse.SEARCHING if self.has_changed else TabUse.RESTING)
        await self.pool.change(100, TabUse.RESTING)
        with trio.fail_after(1):
            async with self.pool.place(101, LeaseTab(trio.Event(), TabUse.SEARCHING, "next")):
                pass


@pytest.mark.parametrize("seed", range(20))
def test_cancelled_use_change_keeps_its_lease(seed, pool_of):
    for step in itertools.count(1):
        run = GivenUp(pool_of(), step)
        run_seeded(run.live, seed)
        if not run.cancelled:
            break
    assert step > 3
