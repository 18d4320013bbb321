"""The rate at which the governor grants access to sites."""

from functools import partial
from random import Random

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from tabwright.actors.rate_governor import rate_governor_actor
from tabwright.concurrency.grants import hold_grant
from tabwright.config.engines import RatePolicy
from tabwright.config.yaml_tables import WEB
from tabwright.protocol.errors import Unanswered
from tabwright.protocol.rate_limit import AcquirePermit, Governor, Reason, SiteRate, SiteWait
from tabwright.ratelimit.store import MemoryLimiterStore
from tabwright.testing.determinism import run_seeded


async def test_first_permit_for_a_site_is_granted_at_once(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(engine=RatePolicy(10, 1)) as governor:
        assert await turn_to(governor, "engine") == 0


async def test_next_permit_waits_for_the_interval(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(engine=RatePolicy(10, 1)) as governor:
        await turn_to(governor, "engine", 2)
        assert await turn_to(governor, "engine") == 10
        await trio.sleep_until(25)
        assert await turn_to(governor, "engine") == 25
        assert await turn_to(governor, "engine") == 35


async def test_concurrent_waiters_are_spaced_by_the_interval(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    starts_s: list[float] = []
    async with governed(engine=RatePolicy(10, 3)) as governor, trio.open_nursery() as nursery:

        async def note() -> None:
            starts_s.append(await turn_to(governor, "engine"))

        for _ in range(3):
            nursery.start_soon(note)

    assert starts_s == [0, 10, 20]


@pytest.mark.parametrize("seed", range(10))
def test_waiters_are_granted_in_order_when_slots_free_simultaneously(
    seed: int, governed, turn_to
) -> None:
    order: list[str] = []

    async def live(_random: Random) -> None:
        async with governed(engine=RatePolicy(4, 2)) as governor, trio.open_nursery() as nursery:

            async def come(name: str, arrival_s: float, hold_s: float) -> None:
                await trio.sleep_until(arrival_s)
                await turn_to(governor, "engine", hold_s)
                order.append(name)

            for visit in (("a", 0, 20), ("b", 1, 16), ("c", 2, 0), ("d", 3, 0)):
                nursery.start_soon(come, *visit)

    run_seeded(live, seed)

    assert order[-2:] == ["c", "d"]


async def test_waiter_with_the_lowest_rank_is_granted_first(
    autojump_clock: MockClock, governed
) -> None:
    order: list[str] = []
    async with governed(engine=RatePolicy(10, 1)) as governor, trio.open_nursery() as nursery:

        async def come(name: str, rank: int) -> None:
            async with hold_grant(
                governor, Governor.permit, partial(AcquirePermit, site="engine", rank=rank)
            ):
                order.append(name)

        for name, rank in (("first", 2), ("page 3", 2), ("page 2", 1), ("search", 0)):
            nursery.start_soon(come, name, rank)
            await wait_all_tasks_blocked()

    assert order == ["first", "search", "page 2", "page 3"]


async def test_waiters_for_one_site_do_not_delay_another(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    pace = RatePolicy(10, 1)
    async with governed(one=pace, two=pace) as governor, trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(turn_to, governor, "one")
        await wait_all_tasks_blocked()

        assert await turn_to(governor, "two") == 0


async def test_concurrent_permits_of_a_site_are_limited(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(engine=RatePolicy(1, 2)) as governor, trio.open_nursery() as nursery:
        nursery.start_soon(turn_to, governor, "engine", 100)
        nursery.start_soon(turn_to, governor, "engine", 100)
        await wait_all_tasks_blocked()

        assert await turn_to(governor, "engine") == 100


async def test_interval_counts_from_when_the_permit_begins(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(engine=RatePolicy(10, 2)) as governor:
        begun = trio.Event()
        async with hold_grant(
            governor, Governor.permit, partial(AcquirePermit, site="engine", begun=begun)
        ):
            await trio.sleep(3)
            begun.set()
            assert await turn_to(governor, "engine") == 13


async def test_granted_permit_blocks_others_until_it_begins(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(engine=RatePolicy(1, 2)) as governor, trio.open_nursery() as nursery:
        begun = trio.Event()
        async with hold_grant(
            governor, Governor.permit, partial(AcquirePermit, site="engine", begun=begun)
        ):

            async def begin() -> None:
                await trio.sleep(300)
                begun.set()

            nursery.start_soon(begin)
            assert await turn_to(governor, "engine") == 301


async def test_site_without_limits_does_not_wait_for_unbegun_permits(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(engine=RatePolicy(0, 2)) as governor:
        permit = partial(AcquirePermit, site="engine", begun=trio.Event())
        async with hold_grant(governor, Governor.permit, permit):
            assert await turn_to(governor, "engine") == 0


async def test_permit_released_before_it_began_is_not_counted(
    autojump_clock: MockClock, governed, turn_to, rate_of
) -> None:
    async with governed(engine=RatePolicy(10, 1)) as governor:
        async with hold_grant(
            governor, Governor.permit, partial(AcquirePermit, site="engine", begun=trio.Event())
        ):
            await trio.sleep(3)

        assert await turn_to(governor, "engine") == 3
        assert (await rate_of(governor)).today == 1


@pytest.mark.parametrize("seed", range(20))
def test_permit_begun_and_released_immediately_counts_as_begun(
    seed: int, governed, turn_to
) -> None:
    async def live(_random: Random) -> None:
        async with governed(engine=RatePolicy(10, 1)) as governor:
            begun = trio.Event()
            async with hold_grant(
                governor, Governor.permit, partial(AcquirePermit, site="engine", begun=begun)
            ):
                begun.set()
            assert await turn_to(governor, "engine") == 10

    run_seeded(live, seed)


async def test_site_without_its_own_policy_uses_the_web_policy(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(**{WEB: RatePolicy(3, 1)}) as governor:
        assert await turn_to(governor, "a.example") == 0
        assert await turn_to(governor, "b.example") == 0
        assert await turn_to(governor, "a.example") == 3


async def test_hosts_are_forgotten_when_their_interval_is_over(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    store = MemoryLimiterStore()
    paces = {WEB: RatePolicy(3, 1), "engine": RatePolicy(3, 1)}
    async with rate_governor_actor(paces, store, lambda: 0.0) as governor:
        await governor.permit(AcquirePermit(trio.Event(), "used.example"))
        for number in range(100):
            over = trio.Event()
            await governor.permit(AcquirePermit(over, f"{number}.example"))
            over.set()
            await trio.sleep(1)
            assert len(governor._hosts) <= 4

        rates = await governor.rates()
        assert [rate.site for rate in rates] == [
            *("98.example", "99.example", "engine", "used.example")
        ]
        assert store == MemoryLimiterStore()


async def test_stopping_the_governor_ends_every_wait(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with trio.open_nursery() as nursery:
        async with governed(engine=RatePolicy(10, 1)) as governor:

            async def wait() -> None:
                with pytest.raises(Unanswered):
                    await turn_to(governor, "engine")

            await turn_to(governor, "engine")
            nursery.start_soon(wait)
            await wait_all_tasks_blocked()

        assert trio.current_time() == 0


async def test_governor_stop_returns_permits_that_have_not_begun(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    store = MemoryLimiterStore()
    async with governed(store, engine=RatePolicy(10, 1, daily_limit=1)) as governor:
        await governor.ask(
            Governor.permit, AcquirePermit(trio.Event(), "engine", begun=trio.Event())
        )
    async with governed(store, engine=RatePolicy(10, 1, daily_limit=1)) as governor:
        assert await turn_to(governor, "engine") == 0


async def test_wait_and_its_reason_are_reported(autojump_clock: MockClock, governed) -> None:
    reported: list[tuple[float, SiteWait]] = []
    async with governed(engine=RatePolicy(10, 1)) as governor:

        def on_progress(wait: SiteWait) -> None:
            reported.append((trio.current_time(), wait))

        async def come(hold_s: float) -> None:
            async with hold_grant(
                governor,
                Governor.permit,
                partial(AcquirePermit, site="engine", waiting=on_progress),
            ):
                await trio.sleep(hold_s)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(come, 4)
            await trio.sleep(1)
            assert not reported
            nursery.start_soon(come, 0)
        await trio.sleep(6)
        await come(0)

    assert reported == [
        (1, SiteWait("engine", Reason.TURN)),
        (4, SiteWait("engine", Reason.INTERVAL, 6)),
        (16, SiteWait("engine", Reason.INTERVAL, 4)),
    ]
    assert str(reported[1][1]) == "engine: next request in 6.0 s"
    assert str(reported[0][1]) == "engine: waiting for its turn"


async def test_rates_report_the_state_of_every_site(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    async with governed(engine=RatePolicy(10, 1, daily_limit=9), idle=RatePolicy(1, 1)) as governor:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(turn_to, governor, "host.example", 5)
            for _ in range(3):
                nursery.start_soon(turn_to, governor, "engine", 5)
            await trio.sleep(3)

            assert await governor.ask(Governor.rates) == (
                SiteRate("engine", 1, 2, 1, 9, 7, 0),
                SiteRate("host.example", 1, 0, 1, None, 0, 0),
                SiteRate("idle", 0, 0, 0, None, 0, 0),
            )
