"""A lease has one place in the pool, for one use at a time."""

import pytest
import trio
import trio.testing

from tabwright.concurrency.timers import IdleTimer
from tabwright.protocol.browser_pool import TabUse
from tabwright.protocol.errors import TabsBusy


async def change(pool, guest, use: TabUse) -> None:
    await pool.change(guest.place.tab.number, use)
    await trio.testing.wait_all_tasks_blocked()


@pytest.mark.parametrize("use", [TabUse.RESTING, TabUse.KEPT, TabUse.HELD, TabUse.READING])
async def test_change_of_use_frees_the_old_place_at_once(use, pool_of, come, autojump_clock):
    pool = pool_of()
    first = await come(pool)
    second = await come(pool)
    assert second.place is None
    await change(pool, first, use)
    assert first.place.tab.use is use
    assert second.place is not None
    assert trio.current_time() == 0


async def test_lease_rests_while_it_waits_for_its_new_use(pool_of, come, nursery, autojump_clock):
    pool = pool_of(max_reading_tabs=1)
    reader = await come(pool, TabUse.READING)
    first = await come(pool)
    second = await come(pool)
    nursery.start_soon(change, pool, first, TabUse.READING)
    await trio.testing.wait_all_tasks_blocked()
    assert first.place.tab.use is TabUse.RESTING
    assert second.place is not None
    await reader.go()
    assert first.place.tab.use is TabUse.READING


async def test_returning_lease_queues_behind_earlier_waiters(
    pool_of, come, nursery, autojump_clock
):
    pool = pool_of()
    first = await come(pool)
    second = await come(pool)
    await change(pool, first, TabUse.RESTING)
    third = await come(pool)
    nursery.start_soon(change, pool, first, TabUse.SEARCHING)
    await trio.testing.wait_all_tasks_blocked()
    fourth = await come(pool)
    await second.go()
    assert third.place is not None
    await third.go()
    assert first.place.tab.use is TabUse.SEARCHING
    assert fourth.place is None
    await first.go()
    assert fourth.place is not None


async def test_repeated_use_changes_take_only_one_place(pool_of, come, nursery, autojump_clock):
    pool = pool_of(max_tabs=2)
    first, second = await come(pool), await come(pool)
    await change(pool, first, TabUse.RESTING)
    third = await come(pool)
    for _ in range(3):
        nursery.start_soon(change, pool, first, TabUse.SEARCHING)
    await trio.testing.wait_all_tasks_blocked()
    await second.go()
    await third.go()
    assert [tab.use for tab in pool.tabs] == [TabUse.SEARCHING]
    assert (await come(pool)).place is not None  # the second of two
    assert (await come(pool)).place is None


async def test_ended_lease_stops_waiting_for_its_use_change(pool_of, come, autojump_clock):
    pool = pool_of()
    first = await come(pool)
    number = first.place.tab.number
    await change(pool, first, TabUse.RESTING)
    second = await come(pool)
    with trio.fail_after(1):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pool.change, number, TabUse.SEARCHING)
            await trio.testing.wait_all_tasks_blocked()
            await first.go()  # and so it is not waited for here
    assert pool.waiting == 0
    await second.go()
    assert pool.tabs == ()
    assert (await come(pool)).place is not None


async def test_change_of_use_for_unknown_lease_is_ignored(pool_of, come, autojump_clock):
    pool = pool_of()
    await pool.change(99, TabUse.SEARCHING)
    assert pool.tabs == ()
    assert (await come(pool)).place is not None


async def test_change_to_same_use_has_no_effect(pool_of, come, autojump_clock):
    pool = pool_of()
    guest = await come(pool)
    await trio.sleep(3)
    await change(pool, guest, TabUse.SEARCHING)
    assert guest.place.tab.since_s == 0


async def test_lease_stays_resting_when_use_change_times_out(pool_of, come, autojump_clock):
    pool = pool_of()
    first = await come(pool)
    await change(pool, first, TabUse.RESTING)
    await come(pool)
    with trio.fail_after(5), pytest.raises(TabsBusy):
        await change(pool, first, TabUse.SEARCHING)
    assert first.place.tab.use is TabUse.RESTING
    assert pool.waiting == 0


async def test_leases_go_to_the_worker_with_fewest_tabs(pool_of, come, autojump_clock):
    pool = pool_of(workers=3, max_tabs=2)
    guests = [await come(pool) for _ in range(6)]
    assert [guest.place.tab.worker for guest in guests] == [0, 1, 2, 0, 1, 2]
    await guests[1].go()
    await guests[2].go()
    await guests[5].go()
    assert (await come(pool)).place.tab.worker == 2


async def test_worker_never_exceeds_its_tab_limit(pool_of, come, nursery, autojump_clock):
    """A lease that rests goes back to its own worker, even if another has begun there."""
    pool = pool_of(workers=2)
    conversation = await come(pool)
    await change(pool, conversation, TabUse.RESTING)
    elsewhere = await come(pool)
    beside = await come(pool)
    assert [tab.worker for tab in pool.tabs] == [0, 1, 0]
    await change(pool, elsewhere, TabUse.RESTING)
    nursery.start_soon(change, pool, conversation, TabUse.SEARCHING)
    await trio.testing.wait_all_tasks_blocked()
    assert conversation.place.tab.use is TabUse.RESTING
    other = await come(pool)  # is not held up by who waits for the other worker
    assert other.place.tab.worker == 1
    await beside.go()
    assert conversation.place.tab.use is TabUse.SEARCHING


async def test_kept_tab_does_not_count_as_work(pool_of, place_in, autojump_clock):
    pool, work = pool_of(), IdleTimer()
    with trio.fail_after(10):
        await _work_in(pool, place_in, work)


async def _work_in(pool, place_in, work: IdleTimer) -> None:
    async with place_in(pool) as place:
        with place.work_in(work):
            with pytest.raises(trio.TooSlowError), trio.fail_after(1):
                await work.begins()
            await pool.change(place.tab.number, TabUse.KEPT)
            await work.begins()
            await pool.change(place.tab.number, TabUse.SEARCHING)
            with pytest.raises(trio.TooSlowError), trio.fail_after(1):
                await work.begins()
        await work.begins()


async def test_use_changes_cause_no_idle_moment(pool_of, place_in, nursery, autojump_clock):
    pool, work, ended_s = pool_of(), IdleTimer(), []

    async def wait() -> None:
        await work.begins()
        ended_s.append(trio.current_time())

    async with place_in(pool) as place:
        with place.work_in(work):
            nursery.start_soon(wait)
            for use in (TabUse.RESTING, TabUse.SEARCHING, TabUse.READING, TabUse.HELD):
                await trio.sleep(1)
                await pool.change(place.tab.number, use)
            await trio.sleep(1)
    await trio.testing.wait_all_tasks_blocked()
    assert ended_s == [5]


async def test_two_changes_of_one_lease_to_the_same_use_both_succeed(
    pool_of, come, nursery, autojump_clock
):
    pool = pool_of(max_reading_tabs=1)
    kept = await come(pool)
    await change(pool, kept, TabUse.KEPT)
    reader = await come(pool, TabUse.READING)
    done = []

    async def change_use():
        await change(pool, kept, TabUse.READING)
        done.append(trio.current_time())

    nursery.start_soon(change_use)
    nursery.start_soon(change_use)
    await trio.testing.wait_all_tasks_blocked()
    assert done == []
    await reader.go()
    await trio.testing.wait_all_tasks_blocked()
    assert done == [0, 0]
