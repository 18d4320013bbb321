"""The pace at which sites are turned to."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import accumulate, pairwise
from math import inf
from random import Random

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from tabwright.actors.address import Address
from tabwright.actors.governor import CARE, RateGovernor, rate_governor
from tabwright.actors.grant import granted
from tabwright.actors.keeping import keep
from tabwright.actors.tracing import ActorSystem
from tabwright.config.engines import WEB, Pace
from tabwright.protocol.errors import Unanswered
from tabwright.protocol.leases import Permit
from tabwright.testing.determinism import run_seeded


@asynccontextmanager
async def governed(system: ActorSystem, **paces: Pace) -> AsyncGenerator[Address[RateGovernor]]:
    async with keep(system, "governor", partial(rate_governor, paces), CARE) as governor:
        yield governor


async def turn_to(governor: Address[RateGovernor], site: str, hold_s: float = 0) -> float:
    """Turns to a site for a while; says when it was allowed to."""
    async with granted(governor, partial(Permit, site=site)):
        start_s = trio.current_time()
        await trio.sleep(hold_s)
        return start_s


async def test_the_first_may_turn_to_a_site_at_once(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with governed(system, engine=Pace(10, 1)) as governor:
        assert await turn_to(governor, "engine") == 0


async def test_the_next_waits_for_the_interval(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with governed(system, engine=Pace(10, 1)) as governor:
        await turn_to(governor, "engine", 2)
        assert await turn_to(governor, "engine") == 10
        await trio.sleep_until(25)
        assert await turn_to(governor, "engine") == 25
        assert await turn_to(governor, "engine") == 35


async def test_those_who_wait_together_take_turns(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    starts_s: list[float] = []
    async with (
        governed(system, engine=Pace(10, 3)) as governor,
        trio.open_nursery() as nursery,
    ):

        async def note() -> None:
            starts_s.append(await turn_to(governor, "engine"))

        for _ in range(3):
            nursery.start_soon(note)

    assert starts_s == [0, 10, 20]


@pytest.mark.parametrize("seed", range(10))
def test_who_asks_first_goes_first_when_slots_come_free_together(seed: int) -> None:
    order: list[str] = []

    async def live(_random: Random) -> None:
        async with (
            governed(ActorSystem(), engine=Pace(4, 2)) as governor,
            trio.open_nursery() as nursery,
        ):

            async def come(name: str, arrival_s: float, hold_s: float) -> None:
                await trio.sleep_until(arrival_s)
                await turn_to(governor, "engine", hold_s)
                order.append(name)

            for visit in (("a", 0, 20), ("b", 1, 16), ("c", 2, 0), ("d", 3, 0)):
                nursery.start_soon(come, *visit)

    run_seeded(live, seed)

    assert order[-2:] == ["c", "d"]


async def test_those_who_wait_for_one_site_hold_up_nobody_else(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    pace = Pace(10, 1)
    async with governed(system, one=pace, two=pace) as governor, trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(turn_to, governor, "one")
        await wait_all_tasks_blocked()

        assert await turn_to(governor, "two") == 0


async def test_only_so_many_at_a_time(autojump_clock: MockClock, system: ActorSystem) -> None:
    async with (
        governed(system, engine=Pace(1, 2)) as governor,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(turn_to, governor, "engine", 100)
        nursery.start_soon(turn_to, governor, "engine", 100)
        await wait_all_tasks_blocked()

        assert await turn_to(governor, "engine") == 100


async def test_a_site_without_a_pace_of_its_own_has_that_of_the_web(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with governed(system, **{WEB: Pace(3, 1)}) as governor:
        assert await turn_to(governor, "a.example") == 0
        assert await turn_to(governor, "b.example") == 0
        assert await turn_to(governor, "a.example") == 3


async def test_cancelled_waiters_leave_no_trace(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with governed(system, engine=Pace(10, 1)) as governor:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(turn_to, governor, "engine", 15)
            await wait_all_tasks_blocked()
            for patience_s in (5, 12):  # waits for the slot; for the turn
                nursery.start_soon(give_up_after, patience_s, governor)
                await wait_all_tasks_blocked()
        assert await turn_to(governor, "engine") == 15
        await give_up_after(5, governor)
        assert await turn_to(governor, "engine") == 25


async def give_up_after(patience_s: float, governor: Address[RateGovernor]) -> None:
    with trio.move_on_after(patience_s) as patience:
        await turn_to(governor, "engine")
    assert patience.cancelled_caught


async def test_the_stop_ends_every_wait(autojump_clock: MockClock, system: ActorSystem) -> None:
    async with trio.open_nursery() as nursery:
        async with governed(system, engine=Pace(10, 1)) as governor:

            async def wait() -> None:
                with pytest.raises(Unanswered):
                    await turn_to(governor, "engine")

            await turn_to(governor, "engine")
            nursery.start_soon(wait)
            await wait_all_tasks_blocked()

        assert trio.current_time() == 0


@attrs.frozen
class Visit:
    """One who wants to turn to a site; nobody else comes at the same time."""

    site: str
    arrival_s: int
    hold_s: int
    patience_s: float


@attrs.define
class History:
    """When each visit was allowed, and how many were at the same site at a time."""

    starts_s: dict[Visit, float] = attrs.field(factory=dict)
    present: dict[str, int] = attrs.field(factory=lambda: {"one": 0, "two": 0})
    most: dict[str, int] = attrs.field(factory=lambda: {"one": 0, "two": 0})


PACES = st.builds(Pace, st.integers(0, 6), st.integers(1, 3))


@st.composite
def schedules(draw: st.DrawFn) -> list[Visit]:
    """Visits at whole seconds; patience ends at halves, so that nothing falls on its end."""
    gaps = draw(st.lists(st.integers(1, 4), max_size=12))
    patience = st.one_of(st.just(inf), st.integers(0, 20).map(lambda whole: whole + 0.5))
    return [
        Visit(
            site=draw(st.sampled_from(["one", "two"])),
            arrival_s=arrival_s,
            hold_s=draw(st.integers(0, 8)),
            patience_s=draw(patience),
        )
        for arrival_s in accumulate(gaps)
    ]


def history_of(schedule: Sequence[Visit], one: Pace, two: Pace) -> History:
    return trio.run(live, schedule, one, two, clock=MockClock(autojump_threshold=0))


async def live(schedule: Sequence[Visit], one: Pace, two: Pace) -> History:
    history = History()
    async with (
        governed(ActorSystem(), one=one, two=two) as governor,
        trio.open_nursery() as nursery,
    ):
        for visit in schedule:
            nursery.start_soon(make, visit, governor, history)
    return history


async def make(visit: Visit, governor: Address[RateGovernor], history: History) -> None:
    """Waits no longer than `visit` has patience for, and then stays as long as it wants."""
    await trio.sleep_until(visit.arrival_s)
    site = visit.site
    with trio.CancelScope(deadline=trio.current_time() + visit.patience_s) as patience:
        async with granted(governor, partial(Permit, site=site)):
            patience.deadline = inf
            history.starts_s[visit] = trio.current_time()
            history.present[site] += 1
            history.most[site] = max(history.most[site], history.present[site])
            await trio.sleep(visit.hold_s)
            history.present[site] -= 1


@given(schedules(), PACES, PACES)
def test_starts_are_their_interval_apart_and_slots_are_kept(
    schedule: list[Visit], one: Pace, two: Pace
) -> None:
    history = history_of(schedule, one, two)

    for site, pace in (("one", one), ("two", two)):
        starts_s = [start_s for v, start_s in history.starts_s.items() if v.site == site]
        for before_s, after_s in pairwise(starts_s):
            assert after_s >= before_s + pace.min_interval_s
        assert history.most[site] <= pace.concurrency


@given(schedules(), PACES, PACES)
def test_who_has_patience_gets_a_turn_in_order_of_asking(
    schedule: list[Visit], one: Pace, two: Pace
) -> None:
    starts_s = history_of(schedule, one, two).starts_s

    assert {v for v in schedule if v.patience_s == inf} <= starts_s.keys()
    for site in ("one", "two"):
        visits = [visit for visit in starts_s if visit.site == site]
        assert visits == sorted(visits, key=lambda visit: visit.arrival_s)


@given(schedules(), PACES, PACES)
def test_one_sites_wait_never_delays_another(schedule: list[Visit], one: Pace, two: Pace) -> None:
    alone = [visit for visit in schedule if visit.site == "one"]
    together = history_of(schedule, one, two).starts_s

    assert history_of(alone, one, two).starts_s == {
        visit: start_s for visit, start_s in together.items() if visit.site == "one"
    }


@given(schedules(), PACES, PACES)
def test_schedules_go_as_if_cancelled_waiters_had_never_come(
    schedule: list[Visit], one: Pace, two: Pace
) -> None:
    starts_s = history_of(schedule, one, two).starts_s
    came_through = [visit for visit in schedule if visit in starts_s]

    assert history_of(came_through, one, two).starts_s == starts_s
