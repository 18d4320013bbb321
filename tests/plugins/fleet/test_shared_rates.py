"""Shared rates of a fleet: the Redis script and the in-memory version behave the same."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from random import Random
from uuid import uuid4

import attrs
import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tabwright.config.engines import RatePolicy
from tabwright.plugins.fleet.redis import open_redis
from tabwright.plugins.fleet.redis_rates import RedisSharedRates
from tabwright.plugins.fleet.settings import FleetSettings
from tabwright.ratelimit.shared_rates import Bid, LocalStarts, SharedRates, SharedState
from tabwright.ratelimit.store import DAY_S, LimiterState
from tests.support.fleet.rates import MemorySharedRates

LEASE_S, SEEN_S = 0.05, 0.03
LONG_S = 600.0
"""Longer than any test takes on a busy machine."""
PROCESSES, PERMITS = ("a", "b", "c"), ("1", "2", "3", "4")
PACES = (
    RatePolicy(0.0, 1, cool_down_s=0.02),
    RatePolicy(0.02, 2),
    RatePolicy(0.001, 3, daily_limit=3, cool_down_s=0.01),
)


@attrs.frozen
class Step:
    """One change of a generated sequence, after a pause."""

    pause_ms: int
    operation: str
    process: str
    permit: str
    flag: bool
    begins: bool


STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from((0, 0, 0, 1, 10, 40, 70)),
        st.sampled_from(
            ("reserve",) * 5 + ("begin", "release", "renew", "refuse", "answer", "merge")
        ),
        st.sampled_from(PROCESSES),
        st.sampled_from(PERMITS),
        st.booleans(),
        st.booleans(),
    ),
    min_size=1,
    max_size=25,
)


def changed(
    rates: SharedRates, site: str, pace: RatePolicy, step: Step, now_s: float
) -> Awaitable[SharedState]:
    """Do a step and return the new state."""
    known = LimiterState(int(now_s // DAY_S), 2, 1.0, "", 0.0, 1, now_s + 0.02)
    bid = Bid(step.process, step.permit, pace, step.flag, step.begins)
    changes: dict[str, Callable[[], Awaitable[SharedState]]] = {
        "reserve": lambda: rates.reserve(site, bid),
        "begin": lambda: rates.begin(site, step.permit),
        "release": lambda: rates.release(site, step.permit),
        "renew": lambda: rates.renew(site, step.permit),
        "refuse": lambda: rates.refuse(site, pace, 0.03 if step.flag else None),
        "answer": lambda: rates.answer(site),
        "merge": lambda: rates.merge(site, LocalStarts(known, 1, now_s - 0.01)),
    }
    return changes[step.operation]()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, pace=st.sampled_from(PACES))
def test_redis_script_and_memory_twin_agree_on_any_sequence(
    fleet_settings: FleetSettings, steps: list[Step], pace: RatePolicy
) -> None:
    async def compare() -> None:
        now_s = 0.0
        twin = MemorySharedRates(lambda: now_s, LEASE_S, SEEN_S)
        async with open_redis(fleet_settings, Random(1)) as redis:
            rates, site = RedisSharedRates(redis, LEASE_S, SEEN_S, LONG_S), uuid4().hex
            for step in steps:
                await trio.sleep(step.pause_ms / 1000)
                asked_s = (await rates.meet("a")).now_s
                expected = await changed(rates, site, pace, step, asked_s)
                now_s = expected.now_s
                found = await changed(twin, site, pace, step, asked_s)
                assert in_short(found) == pytest.approx(in_short(expected), abs=1e-4)

    trio.run(compare)


def in_short(shared: SharedState) -> dict[str, float]:
    """Return the numeric values of a state, for comparison."""
    one = attrs.asdict(shared.state, filter=lambda field, _: field.name != "holder")
    rest = attrs.asdict(shared, filter=lambda field, _: field.name != "state")
    holder = float(shared.state.holder or 0)
    return {**one, **rest, "holder": holder}


@pytest.fixture(params=["redis", "memory"])
async def rates(
    request: pytest.FixtureRequest, fleet_settings: FleetSettings
) -> AsyncGenerator[SharedRates]:
    """Shared rates in Redis or in memory, with leases long enough for any machine."""
    if request.param == "memory":
        yield MemorySharedRates(trio.current_time, LONG_S, LONG_S)
        return
    async with open_redis(fleet_settings, Random(1)) as redis:
        yield RedisSharedRates(redis, LONG_S, LONG_S, LONG_S)


async def test_processes_take_turns(rates: SharedRates) -> None:
    one = RatePolicy(0, 1)
    assert (await rates.reserve("s", Bid("a", "a1", one))).is_reserved
    assert (await rates.reserve("s", Bid("b", "b1", one))).place == 1
    assert (await rates.reserve("s", Bid("a", "a2", one))).place == 2
    await rates.begin("s", "a1")
    await rates.release("s", "a1")
    assert (await rates.reserve("s", Bid("a", "a2", one))).place == 2
    assert (await rates.reserve("s", Bid("b", "b1", one))).is_reserved


async def test_released_permit_that_has_not_begun_is_not_counted(rates: SharedRates) -> None:
    pace = RatePolicy(60, 1, daily_limit=1)
    assert (await rates.reserve("s", Bid("a", "a1", pace))).is_reserved
    assert not (await rates.reserve("s", Bid("b", "b1", pace))).is_reserved
    assert (await rates.release("s", "a1")).state.requests == 0
    assert (await rates.reserve("s", Bid("b", "b1", pace))).is_reserved


async def test_refusal_pauses_the_site_for_all_but_a_person(rates: SharedRates) -> None:
    pace = RatePolicy(0, 9, cool_down_s=60)
    refused = await rates.refuse("s", pace, None)
    assert refused.state.pause_s(refused.now_s) == pytest.approx(60, abs=9)
    again = await rates.refuse("s", pace, None)
    assert again.state.pause_s(again.now_s) == pytest.approx(120, abs=9)
    assert not (await rates.reserve("s", Bid("b", "b1", pace))).is_reserved
    assert (await rates.reserve("s", Bid("b", "b1", pace, for_person=True))).is_reserved
    assert (await rates.answer("s")).state.refusals == 0


async def test_starts_made_while_store_was_away_are_merged(rates: SharedRates) -> None:
    pace = RatePolicy(60, 9, daily_limit=5)
    before = await rates.reserve("s", Bid("a", "a1", pace))
    await rates.begin("s", "a1")
    known = attrs.evolve(before.state, day=int(before.now_s // DAY_S), requests=1)
    await rates.merge("s", LocalStarts(known, 2, before.now_s + 2))
    merged = await rates.merge("s", LocalStarts(known, 2, before.now_s))
    assert merged.state.requests == 5
    assert not (await rates.reserve("s", Bid("b", "b1", pace))).is_reserved


async def test_store_that_lost_its_data_is_restored_from_local_state(rates: SharedRates) -> None:
    now_s = (await rates.meet("a")).now_s
    known = LimiterState(int(now_s // DAY_S), 7, now_s - 1, "", 0, 2, now_s + 50)
    await rates.merge("s", LocalStarts(known, 1, now_s))
    merged = await rates.merge("s", LocalStarts(known, 2, now_s))
    assert (merged.state.requests, merged.state.refusals) == (10, 2)


async def test_meet_lists_the_other_processes(rates: SharedRates) -> None:
    await rates.meet("b")
    assert set((await rates.meet("a")).processes) == {"a", "b"}
