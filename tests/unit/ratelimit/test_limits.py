"""Sites without access for a while: the daily limit is used, or the site refused."""

from functools import partial

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from tabwright.concurrency.grants import hold_grant
from tabwright.config.engines import RatePolicy
from tabwright.config.yaml_tables import WEB
from tabwright.protocol.errors import RateLimited
from tabwright.protocol.rate_limit import AcquirePermit, Governor
from tabwright.ratelimit.store import MemoryLimiterStore

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S


async def test_daily_limit_refuses_requests_until_midnight(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(google=RatePolicy(1, 1, daily_limit=10)) as governor:
        await trio.sleep(6 * HOUR_S)
        for _ in range(10):
            await turn_to(governor, "google")
        with pytest.raises(RateLimited) as refused:
            await turn_to(governor, "google")

        assert trio.current_time() == 6 * HOUR_S + 9
        assert refused.value.message == (
            "10 of 10 daily requests to google are used; the limit resets at 00:00 UTC."
        )
        assert refused.value.retry_after_s == 18 * HOUR_S - 9
        await trio.sleep(refused.value.retry_after_s)
        assert await turn_to(governor, "google") == DAY_S


async def test_queued_requests_are_refused_when_daily_limit_is_used_up(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(engine=RatePolicy(10, 1, daily_limit=2)) as governor:
        await turn_to(governor, "engine")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(turn_to, governor, "engine", 100)
            await wait_all_tasks_blocked()
            with pytest.raises(RateLimited):
                await turn_to(governor, "engine")
            assert trio.current_time() == 10


async def test_a_request_counts_on_the_day_on_which_it_begins(
    autojump_clock: MockClock, governed, turn_to, rate_of
) -> None:
    async with governed(engine=RatePolicy(0, 1, daily_limit=2)) as governor:
        await trio.sleep(DAY_S - 1)
        begun = trio.Event()
        async with hold_grant(
            governor, Governor.permit, partial(AcquirePermit, site="engine", begun=begun)
        ):
            await trio.sleep(2)
            begun.set()
            await trio.testing.wait_all_tasks_blocked()
            rate = await rate_of(governor)

        assert rate.today == 1
        await turn_to(governor, "engine")
        assert (await rate_of(governor)).next_start_in_s == DAY_S - 1


async def test_each_host_has_its_own_daily_limit(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(**{WEB: RatePolicy(0, 1, daily_limit=1)}) as governor:
        await turn_to(governor, "a.example")
        await trio.sleep(1)
        await turn_to(governor, "b.example")
        with pytest.raises(RateLimited):
            await turn_to(governor, "a.example")
        await trio.sleep(DAY_S - 1)
        await turn_to(governor, "a.example")


@attrs.frozen
class Come:
    """A request after a delay, possibly after a restart of the governor."""

    after_s: int
    begins: bool
    is_restarted: bool


COMINGS = st.lists(
    st.builds(
        Come, st.integers(0, 15).map(lambda hours: hours * 3600), st.booleans(), st.booleans()
    )
)


@given(COMINGS, st.integers(1, 3))
def test_daily_limit_is_never_exceeded_and_no_request_is_lost(
    governed, comings: list[Come], limit: int
) -> None:
    begun: list[int] = []

    async def live() -> None:
        store = MemoryLimiterStore()
        waiting = list(comings)
        while waiting:
            async with governed(store, engine=RatePolicy(5, 1, daily_limit=limit)) as governor:
                for come in take_until_restart(waiting):
                    await trio.sleep(come.after_s)
                    await turn_up(governor, come)

    async def turn_up(governor, come: Come) -> None:
        moment = trio.Event()
        day = trio.current_time() // DAY_S
        try:
            async with hold_grant(
                governor, Governor.permit, partial(AcquirePermit, site="engine", begun=moment)
            ):
                if come.begins:
                    moment.set()
                    begun.append(day)
                await wait_all_tasks_blocked()
        except RateLimited:
            assert begun.count(day) == limit

    trio.run(live, clock=MockClock(autojump_threshold=0))

    assert all(begun.count(day) <= limit for day in begun)


def take_until_restart(waiting: list[Come]):
    while waiting:
        yield (come := waiting.pop(0))
        if come.is_restarted:
            return


async def test_pause_doubles_with_each_refusal_up_to_the_maximum(
    autojump_clock: MockClock, governed, turn_to, rate_of
) -> None:
    async with governed(engine=RatePolicy(1, 1, cool_down_s=60)) as governor:
        for pause_s in (60, 120, 240, 480, 960, 1920, 3840, 7200, 7200):
            refused_s = await turn_to(governor, "engine")
            await governor.ask(Governor.note_refusal, "engine")
            with pytest.raises(RateLimited) as refused:
                await turn_to(governor, "engine")
            assert refused.value.retry_after_s == pause_s
            assert (await rate_of(governor)).paused_for_s == pause_s
            await trio.sleep(pause_s)
            assert trio.current_time() == refused_s + pause_s


async def test_rate_limit_error_states_duration_and_advice(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(engine=RatePolicy(1, 1, cool_down_s=60)) as governor:
        reported: list[str] = []
        for _ in range(2):
            await governor.ask(Governor.note_refusal, "engine")
            with pytest.raises(RateLimited) as refused:
                await turn_to(governor, "engine")
            reported.append(str(refused.value))

    assert reported == [
        (
            "engine has refused the last request and is paused for 60 s more."
            " Use another engine until then."
        ),
        (
            "engine has refused 2 requests in a row and is paused for 2 min more."
            " Use another engine until then."
        ),
    ]


@pytest.mark.parametrize(
    ("asked_s", "pauses_s"),
    [
        (0, (60, 120, 240)),
        (30, (60, 120, 240)),
        (90, (90, 120, 240)),
        (600, (600, 600, 600)),
        (DAY_S, (2 * HOUR_S, 2 * HOUR_S, 2 * HOUR_S)),
    ],
)
async def test_retry_after_lengthens_pause_but_never_shortens_it(
    asked_s: float, pauses_s: tuple[float, ...], autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(engine=RatePolicy(1, 1, cool_down_s=60)) as governor:
        for pause_s in pauses_s:
            await governor.ask(Governor.note_refusal, "engine", asked_s)
            with pytest.raises(RateLimited) as refused:
                await turn_to(governor, "engine")
            assert refused.value.retry_after_s == pause_s
            await trio.sleep(pause_s)


async def test_a_later_refusal_never_shortens_a_pause(
    autojump_clock: MockClock, governed, rate_of
) -> None:
    async with governed(engine=RatePolicy(1, 1)) as governor:
        await governor.ask(Governor.note_refusal, "engine", 100)
        await governor.ask(Governor.note_refusal, "engine", 10)
        assert (await rate_of(governor)).paused_for_s == 100


async def test_refusal_without_a_cool_down_causes_no_pause(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(engine=RatePolicy(1, 1)) as governor:
        for _ in range(3):
            await governor.ask(Governor.note_refusal, "engine")
        assert await turn_to(governor, "engine") == 0


async def test_queued_requests_are_refused_when_site_refuses(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(engine=RatePolicy(10, 1, cool_down_s=60)) as governor:
        refused = list[RateLimited]()

        async def come() -> None:
            with pytest.raises(RateLimited) as caught:
                await turn_to(governor, "engine")
            refused.append(caught.value)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(turn_to, governor, "engine", 4)
            await wait_all_tasks_blocked()
            for _ in range(3):
                nursery.start_soon(come)
            await trio.sleep(3)
            await governor.ask(Governor.note_refusal, "engine")
            await wait_all_tasks_blocked()
            assert [error.retry_after_s for error in refused] == [60, 60, 60]


async def test_a_short_pause_is_waited_for(autojump_clock: MockClock, governed, turn_to) -> None:
    async with governed(engine=RatePolicy(0, 1)) as governor:
        await governor.ask(Governor.note_refusal, "engine", 4)
        assert await turn_to(governor, "engine") == 4


async def test_successful_answer_ends_pause_and_resets_refusals(
    autojump_clock: MockClock, governed, turn_to, rate_of
) -> None:
    async with governed(engine=RatePolicy(0, 1, cool_down_s=60)) as governor:
        for _ in range(3):
            await governor.ask(Governor.note_refusal, "engine")
        await governor.ask(Governor.note_answer, "engine")
        assert await turn_to(governor, "engine") == 0
        await governor.ask(Governor.note_refusal, "engine")
        assert (await rate_of(governor)).paused_for_s == 60


async def test_pause_and_refusal_count_survive_restart(
    autojump_clock: MockClock, governed, rate_of
) -> None:
    store = MemoryLimiterStore()
    pace = RatePolicy(0, 1, cool_down_s=60)
    async with governed(store, engine=pace) as governor:
        await governor.ask(Governor.note_refusal, "engine")
    await trio.sleep(20)
    async with governed(store, engine=pace) as governor:
        assert (await rate_of(governor)).paused_for_s == 40
        await governor.ask(Governor.note_refusal, "engine")
        assert (await rate_of(governor)).paused_for_s == 120


async def test_the_interval_survives_a_restart(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    store = MemoryLimiterStore()
    async with governed(store, engine=RatePolicy(10, 1)) as governor:
        await turn_to(governor, "engine", 3)
    async with governed(store, engine=RatePolicy(10, 1)) as governor:
        assert await turn_to(governor, "engine") == 10


async def test_refusing_host_is_remembered_during_its_pause(
    autojump_clock: MockClock, governed, turn_to, rate_of
) -> None:
    async with governed(**{WEB: RatePolicy(0, 1, cool_down_s=60)}) as governor:
        await governor.ask(Governor.note_refusal, "a.example")
        await turn_to(governor, "b.example")
        with pytest.raises(RateLimited):
            await turn_to(governor, "a.example")
        assert (await rate_of(governor, "a.example")).paused_for_s == 60


async def test_host_without_cool_down_is_forgotten_once_its_pause_ends(
    autojump_clock: MockClock, governed
) -> None:
    async with governed() as governor:
        await governor.ask(Governor.note_refusal, "a.example")
        await governor.ask(Governor.note_refusal, "b.example", 30)
        assert [rate.site for rate in await governor.ask(Governor.rates)] == ["b.example"]
        await trio.sleep(30)
        assert await governor.ask(Governor.rates) == ()
