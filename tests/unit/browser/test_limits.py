"""The limits on tabs in each use, and what a lowered limit means for existing ones."""

import re
from math import inf

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.browser_pool import TabUse, TabWait
from tabwright.protocol.errors import TabsBusy

YEAR_S = 365 * 86_400.0
LIMITED = [TabUse.SEARCHING, TabUse.READING, TabUse.HELD]


@given(
    max_tabs=st.integers(1, 20),
    step=st.integers(1, 20),
    changes=st.lists(st.booleans(), max_size=30),
)
def test_back_off_lowers_tab_limit_to_one_and_only_reset_restores_it(
    pool_of, max_tabs, step, changes
):
    pool = pool_of(max_tabs=max_tabs, decrease_step=step)
    since_reset = 0
    for resets in changes:
        if resets:
            pool.reset_back_off()
            since_reset = 0
        else:
            pool.back_off("mojeek")
            since_reset += 1
        lowered = max(1, max_tabs - since_reset * step)
        assert pool.lowered_max_tabs == ({"mojeek": lowered} if since_reset else {})


async def test_tab_limit_is_not_restored_by_time(pool_of, come, autojump_clock):
    pool = pool_of(max_tabs=2)
    pool.back_off("somebody")
    await come(pool)
    waiting = await come(pool)
    await trio.sleep(YEAR_S)
    assert pool.lowered_max_tabs == {"somebody": 1}
    assert waiting.place is None
    pool.reset_back_off()
    await trio.testing.wait_all_tasks_blocked()
    assert waiting.place is not None


async def test_existing_leases_survive_lowered_limit(pool_of, come, autojump_clock):
    pool = pool_of(max_tabs=3)
    guests = [await come(pool) for _ in range(3)]
    pool.back_off("somebody")
    pool.back_off("somebody")
    late = await come(pool)
    assert len(pool.tabs) == 3
    for guest in guests:  # one is left of three, and one may be there
        assert late.place is None
        await guest.go()
    assert late.place is not None


async def test_back_off_does_not_limit_other_tab_uses(pool_of, come, autojump_clock):
    pool = pool_of(max_tabs=2, max_reading_tabs=2, max_held_tabs=2)
    pool.back_off("somebody")
    for use in (TabUse.READING, TabUse.HELD):
        for _ in range(2):
            assert (await come(pool, use)).place is not None


async def test_back_off_of_an_engine_leaves_the_places_of_others(pool_of, place_in, autojump_clock):
    pool = pool_of(max_tabs=3)
    for _ in range(5):
        pool.back_off("mojeek")
    async with (
        place_in(pool, purpose="mojeek"),
        place_in(pool, purpose="brave"),
        place_in(pool, purpose="ecosia"),
    ):
        assert trio.current_time() == 0
        for engine, most in (("mojeek", "1 of 1"), ("brave", "3 of 3")):
            with trio.fail_after(1), pytest.raises(TabsBusy, match=most):
                async with place_in(pool, purpose=engine):
                    pytest.fail("there was a place")


async def test_engine_that_waits_for_its_lowered_limit_delays_no_other(
    pool_of, place_in, autojump_clock, nursery
):
    pool = pool_of(max_tabs=2)
    pool.back_off("mojeek")

    async def search() -> None:
        async with place_in(pool, purpose="mojeek"):
            await trio.sleep(10)

    nursery.start_soon(search)
    nursery.start_soon(search)
    await trio.sleep(1)
    async with place_in(pool, purpose="brave"):
        assert trio.current_time() == 1


@pytest.mark.parametrize("use", LIMITED)
async def test_tab_limits_of_different_uses_are_independent(use, pool_of, come, autojump_clock):
    pool = pool_of(max_tabs=1, max_reading_tabs=1, max_held_tabs=1)
    for other in TabUse:
        if other is not use:
            assert (await come(pool, other)).place is not None
    assert (await come(pool, use)).place is not None


@pytest.mark.parametrize("use", [TabUse.RESTING, TabUse.KEPT])
async def test_resting_and_kept_tabs_are_unlimited(use, pool_of, come, autojump_clock):
    pool = pool_of()
    for _ in range(50):
        assert (await come(pool, use)).place is not None


@pytest.mark.parametrize("use", [TabUse.SEARCHING, TabUse.READING])
async def test_acquire_timeout_names_the_holders_of_the_tabs(
    use, pool_of, place_in, autojump_clock
):
    pool = pool_of(max_tabs=2, max_reading_tabs=2)
    reported: list[TabWait] = []
    async with place_in(pool, use, "first"):
        await trio.sleep(10)
        async with place_in(pool, use, "second"):
            await trio.sleep(5)
            began_s = trio.current_time()
            with trio.fail_after(20), pytest.raises(TabsBusy) as caught:
                async with place_in(pool, use, "third", queued=reported.append):
                    pytest.fail("there were three of two")
            waited_s = trio.current_time() - began_s
    assert 19 < waited_s < 20  # in time to be told before the caller gives up
    assert re.search(
        rf"third is waiting for a tab: 2 of 2 {use} tabs are in use", str(caught.value)
    )
    assert "(first for 34.8 s, second for 24.8 s)" in str(caught.value)
    assert [str(wait) for wait in reported] == [
        (
            f"third is waiting for a tab: 2 of 2 {use} tabs are in use "
            "(first for 15.0 s, second for 5.0 s)"
        )
    ]
    assert pool.tabs == ()


async def test_no_wait_is_reported_when_a_place_is_free(pool_of, place_in, autojump_clock):
    reported: list[TabWait] = []
    async with place_in(pool_of(), queued=reported.append):
        assert reported == []


async def test_short_timeout_without_a_free_tab_is_refused_at_once(
    pool_of, place_in, autojump_clock
):
    pool = pool_of()
    async with place_in(pool):
        with trio.fail_after(0.1), pytest.raises(TabsBusy):
            async with place_in(pool):
                pytest.fail("there were two")
        assert trio.current_time() == 0


async def test_free_tab_is_leased_even_with_short_timeout(pool_of, place_in, autojump_clock):
    with trio.fail_after(0.1):
        async with place_in(pool_of()) as place:
            assert place.tab.use is TabUse.SEARCHING


async def test_lease_without_a_deadline_waits_indefinitely(pool_of, come, autojump_clock):
    pool = pool_of()
    first = await come(pool)
    second = await come(pool)
    assert trio.current_effective_deadline() == inf
    await trio.sleep(YEAR_S)
    await first.go()
    assert second.place is not None


async def test_hold_request_is_refused_without_waiting_and_keeps_its_place(
    pool_of, come, autojump_clock
):
    pool = pool_of(max_tabs=2, max_held_tabs=1)
    held, refused = [(await come(pool)).place for _ in range(2)]
    await pool.change(held.tab.number, TabUse.HELD)
    before_s = refused.tab.since_s
    await trio.sleep(7)
    with pytest.raises(TabsBusy, match=r"1 of 1 held tabs are in use \(somebody for 7\.0 s\)"):
        await pool.change(refused.tab.number, TabUse.HELD)
    assert trio.current_time() == 7
    assert refused.tab.use is TabUse.SEARCHING
    assert refused.tab.since_s == before_s
    assert pool.waiting == 0


async def test_lease_beyond_the_held_tab_limit_is_refused_at_once(
    pool_of, come, place_in, autojump_clock
):
    pool = pool_of(max_held_tabs=1)
    await come(pool, TabUse.HELD)
    with pytest.raises(TabsBusy, match="held"):
        async with place_in(pool, TabUse.HELD, worker=0):
            pytest.fail("there were two")
    assert trio.current_time() == 0
    assert len(pool.tabs) == 1


async def test_held_tab_limit_applies_over_all_workers(pool_of, come, place_in, autojump_clock):
    pool = pool_of(workers=2, max_held_tabs=2)
    assert [(await come(pool, TabUse.HELD)).place.tab.worker for _ in range(2)] == [0, 1]
    for worker in range(2):
        with pytest.raises(TabsBusy, match="2 of 2 held tabs"):
            async with place_in(pool, TabUse.HELD, worker=worker):
                pytest.fail("there were three")


async def test_principal_with_fewer_tabs_gets_next_place(pool_of, come, autojump_clock):
    pool = pool_of(max_reading_tabs=2)
    busy = [await come(pool, TabUse.READING, "ann") for _ in range(4)]
    other = await come(pool, TabUse.READING, "bob")
    assert [guest.place is not None for guest in busy] == [True, True, False, False]
    await busy[0].go()
    assert other.place is not None
    assert busy[2].place is None


async def test_tab_purposes_are_hidden_from_other_principals(pool_of, place_in, autojump_clock):
    pool, reported = pool_of(max_tabs=1), list[TabWait]()
    async with place_in(pool, purpose="bank.example", principal="ann"):
        with trio.fail_after(1), pytest.raises(TabsBusy) as refused:
            async with place_in(pool, principal="bob", queued=reported.append):
                pytest.fail("there was a place")
    assert "bank.example" not in f"{reported[0]} {refused.value}"
