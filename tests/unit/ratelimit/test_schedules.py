"""Properties of the governor under any schedule of visits."""

from collections.abc import Sequence
from functools import partial
from itertools import accumulate, pairwise
from math import inf

import attrs
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from tabwright.actors.rate_governor import RateGovernor
from tabwright.concurrency.grants import hold_grant
from tabwright.config.engines import RatePolicy
from tabwright.protocol.actor import Address
from tabwright.protocol.rate_limit import AcquirePermit, Governor


@attrs.frozen
class Visit:
    """A generated request for a site; no other arrives at the same time.

    Attributes:
        prepares_s: between permit and begin; None if it begins with the permit.
        begins: whether it begins at all.
    """

    site: str
    arrival_s: float
    hold_s: int
    patience_s: float
    rank: int = 0
    prepares_s: int | None = None
    begins: bool = True

    @property
    def place(self) -> tuple[int, float]:
        return self.rank, self.arrival_s

    def waits_at(self, time_s: float) -> bool:
        return self.arrival_s < time_s < self.arrival_s + self.patience_s


@attrs.define
class History:
    """When each visit was granted and began, and how many were at a site at a time."""

    permits_s: dict[Visit, float] = attrs.field(factory=dict)
    starts_s: dict[Visit, float] = attrs.field(factory=dict)
    present: dict[str, int] = attrs.field(factory=lambda: {"one": 0, "two": 0})
    most: dict[str, int] = attrs.field(factory=lambda: {"one": 0, "two": 0})


PACES = st.builds(RatePolicy, st.integers(0, 6), st.integers(1, 3))
PATIENCE = st.one_of(st.just(inf), st.integers(0, 20).map(lambda whole: whole + 0.5))
"""Ends at halves after an arrival: nothing else falls on its end."""

PREPARATIONS = st.one_of(st.none(), st.integers(0, 4))


@st.composite
def schedules(draw: st.DrawFn) -> list[Visit]:
    gaps = draw(st.lists(st.integers(1, 4), max_size=12))
    return [
        Visit(
            site=draw(st.sampled_from(["one", "two"])),
            arrival_s=arrival_s + number / 32,  # what follows from others falls on none
            hold_s=draw(st.integers(0, 8)),
            patience_s=draw(PATIENCE),
            rank=draw(st.integers(0, 2)),
            prepares_s=(prepares_s := draw(PREPARATIONS)),
            begins=prepares_s is None or draw(st.booleans()),
        )
        for number, arrival_s in enumerate(accumulate(gaps))
    ]


def history_of(governed, schedule: Sequence[Visit], one: RatePolicy, two: RatePolicy) -> History:
    return trio.run(live, governed, schedule, one, two, clock=MockClock(autojump_threshold=0))


async def live(governed, schedule: Sequence[Visit], one: RatePolicy, two: RatePolicy) -> History:
    history = History()
    async with governed(one=one, two=two) as governor, trio.open_nursery() as nursery:
        for visit in schedule:
            nursery.start_soon(make, visit, governor, history)
    return history


async def make(visit: Visit, governor: Address[RateGovernor], history: History) -> None:
    """Wait for a permit as long as the visit's patience, then hold it for its time."""
    await trio.sleep_until(visit.arrival_s)
    site, begun = visit.site, None if visit.prepares_s is None else trio.Event()
    with trio.CancelScope(deadline=trio.current_time() + visit.patience_s) as patience:
        permit = partial(AcquirePermit, site=site, begun=begun, rank=visit.rank)
        async with hold_grant(governor, Governor.permit, permit):
            patience.deadline = inf
            history.permits_s[visit] = trio.current_time()
            history.present[site] += 1
            history.most[site] = max(history.most[site], history.present[site])
            await trio.sleep(visit.prepares_s or 0)
            if visit.begins:
                history.starts_s[visit] = trio.current_time()
                if begun is not None:
                    begun.set()
                await trio.sleep(visit.hold_s)
            history.present[site] -= 1


@given(schedules(), PACES, PACES)
def test_starts_respect_interval_and_concurrency_limit(
    governed, schedule: list[Visit], one: RatePolicy, two: RatePolicy
) -> None:
    history = history_of(governed, schedule, one, two)

    for site, pace in (("one", one), ("two", two)):
        starts_s = [start_s for v, start_s in history.starts_s.items() if v.site == site]
        for before_s, after_s in pairwise(starts_s):
            assert after_s >= before_s + pace.min_interval_s
        assert history.most[site] <= pace.concurrency


@given(schedules(), PACES, PACES)
def test_permit_is_granted_only_after_the_previous_one_began_or_ended(
    governed, schedule: list[Visit], one: RatePolicy, two: RatePolicy
) -> None:
    permits_s = history_of(governed, schedule, one, two).permits_s

    for site, pace in (("one", one), ("two", two)):
        visits = [visit for visit in permits_s if visit.site == site and pace.counts_starts]
        for before, after in pairwise(visits):
            assert permits_s[after] >= permits_s[before] + (before.prepares_s or 0)


@given(schedules(), PACES, PACES)
def test_patient_waiters_are_granted_by_rank_and_arrival(
    governed, schedule: list[Visit], one: RatePolicy, two: RatePolicy
) -> None:
    permits_s = history_of(governed, schedule, one, two).permits_s

    assert {v for v in schedule if v.patience_s == inf} <= permits_s.keys()
    for visit, permit_s in permits_s.items():
        waiting = (
            other
            for other in schedule
            if other.site == visit.site
            and permits_s.get(other, inf) > permit_s
            and other.waits_at(permit_s)
        )
        assert all(visit.place < other.place for other in waiting)


@given(schedules(), PACES, PACES)
def test_granted_waiters_are_never_delayed_without_a_reason(
    governed, schedule: list[Visit], one: RatePolicy, two: RatePolicy
) -> None:
    history = history_of(governed, schedule, one, two)

    for visit, permit_s in history.permits_s.items():
        pace = one if visit.site == "one" else two
        others = [v for v in history.permits_s if v.site == visit.site and v != visit]
        reasons_s = {
            float(visit.arrival_s),
            *(history.starts_s[v] + pace.min_interval_s for v in others if v in history.starts_s),
            *(history.starts_s[v] + v.hold_s for v in others if v in history.starts_s),
            *(history.permits_s[v] + (v.prepares_s or 0) for v in others),
        }
        assert permit_s in reasons_s


@given(schedules(), PACES, PACES)
def test_waiting_for_one_site_never_delays_another(
    governed, schedule: list[Visit], one: RatePolicy, two: RatePolicy
) -> None:
    alone = [visit for visit in schedule if visit.site == "one"]
    together = history_of(governed, schedule, one, two).permits_s

    assert history_of(governed, alone, one, two).permits_s == {
        visit: permit_s for visit, permit_s in together.items() if visit.site == "one"
    }


@given(schedules(), PACES, PACES)
def test_cancelled_waiters_do_not_affect_the_schedule(
    governed, schedule: list[Visit], one: RatePolicy, two: RatePolicy
) -> None:
    permits_s = history_of(governed, schedule, one, two).permits_s
    came_through = [visit for visit in schedule if visit in permits_s]

    assert history_of(governed, came_through, one, two).permits_s == permits_s
