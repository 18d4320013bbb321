"""Timers that end after a period without activity."""

from collections.abc import Sequence

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from tabwright.concurrency.timers import IdleTimer


async def interrupt(idleness: IdleTimer, begin_s: float, end_s: float) -> None:
    await trio.sleep_until(begin_s)
    with idleness.interrupted():
        await trio.sleep_until(end_s)


async def test_idle_time_is_counted_from_timer_creation(autojump_clock: MockClock) -> None:
    idleness = IdleTimer()
    await trio.sleep(2)
    await idleness.lasts(5)

    assert trio.current_time() == 5


async def test_elapsed_idle_time_returns_immediately(autojump_clock: MockClock) -> None:
    idleness = IdleTimer()
    await trio.sleep(6)
    await idleness.lasts(5)

    assert trio.current_time() == 6


async def test_interruption_restarts_idle_period(autojump_clock: MockClock) -> None:
    idleness = IdleTimer()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(interrupt, idleness, 3, 4)
        await idleness.lasts(5)

    assert trio.current_time() == 9


async def test_idle_period_starts_after_last_overlapping_interruption(
    autojump_clock: MockClock,
) -> None:
    idleness = IdleTimer()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(interrupt, idleness, 1, 20)
        nursery.start_soon(interrupt, idleness, 2, 3)
        await idleness.lasts(5)

    assert trio.current_time() == 25


async def test_failed_interruption_restarts_idle_time(autojump_clock: MockClock) -> None:
    idleness = IdleTimer()
    with pytest.raises(ValueError, match="boom"), idleness.interrupted():
        await trio.sleep(1)
        raise ValueError("boom")
    await idleness.lasts(5)

    assert trio.current_time() == 6


# Beginnings at quarters and ends at three quarters: none falls on the end of a wait.
spans = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 8)).map(
        lambda whole: (whole[0] + 0.25, whole[0] + whole[1] + 0.75)
    )
)


def expected_s(spans: Sequence[tuple[float, float]], idle_s: float) -> float:
    """Return when the first idle gap of `idle_s` ends, by checking all spans."""
    ends = sorted({0, *(end for _, end in spans)})
    return next(
        end + idle_s
        for end in ends
        if not any(begin < end + idle_s and end < other_end for begin, other_end in spans)
    )


@given(spans, st.integers(1, 10))
def test_idle_timer_fires_exactly_when_idle_time_is_reached(
    spans: list[tuple[float, float]], idle_s: int
) -> None:
    async def live() -> float:
        idleness = IdleTimer()
        async with trio.open_nursery() as nursery:
            for span in spans:
                nursery.start_soon(interrupt, idleness, *span)
            await idleness.lasts(idle_s)
            noticed_s = trio.current_time()
            nursery.cancel_scope.cancel()
        return noticed_s

    assert trio.run(live, clock=MockClock(autojump_threshold=0)) == expected_s(spans, idle_s)
