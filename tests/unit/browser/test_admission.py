"""New tabs when memory or CPU is short, and session tabs that make room for them."""

import attrs
import pytest
import trio

from tabwright.browser.machine import AVAILABLE_BYTES_MIN, ThisMachine, fitted, shortage
from tabwright.browser.tab_pool import ConcurrencyBackoff, TabPool
from tabwright.config.loader import override, settings_from
from tabwright.protocol.browser_pool import LeaseTab, TabUse
from tabwright.protocol.errors import TabsBusy

from .conftest import settings, taken


@attrs.define
class Readings:
    """A fake machine with given readings."""

    available: int = 1 << 40
    total: int = 1 << 40

    def total_bytes(self) -> int:
        return self.total

    def available_bytes(self) -> int:
        return self.available


def pool_on(machine, **changes):
    limits = settings(max_tabs=3, **changes)
    return TabPool(limits, ConcurrencyBackoff(limits), lambda: shortage(machine))


def test_machine_with_little_available_memory_is_short_of_it():
    assert not shortage(Readings(available=AVAILABLE_BYTES_MIN))
    assert shortage(Readings(available=AVAILABLE_BYTES_MIN - 1))


def test_readings_of_this_machine_are_positive():
    assert ThisMachine().total_bytes() >= ThisMachine().available_bytes() > 0


def test_container_memory_is_read_from_its_control_group(tmp_path):
    machine = ThisMachine(tmp_path)
    (tmp_path / "memory.max").write_text("max\n")
    assert machine.total_bytes() == ThisMachine(tmp_path / "none").total_bytes()
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("900000\n")
    assert (machine.total_bytes(), machine.available_bytes()) == (1_000_000, 100_000)
    (tmp_path / "memory.stat").write_text("anon 700000\ninactive_file 200000\n")
    assert machine.available_bytes() == 300_000


def test_automatic_limits_scale_with_memory_and_explicit_ones_stay():
    small, large = Readings(total=1 << 30), Readings(total=32_000_000_000)
    auto = settings_from()
    found = [fitted(auto, machine) for machine in (small, large)]
    assert [one.pool.max_session_tabs for one in found] == [16, 400]
    assert [one.browser.memory_bytes_max for one in found] == [4_000_000_000, 16_000_000_000]
    chosen = settings_from(override(pool__max_session_tabs=5, browser__memory_bytes_max=10**9))
    assert fitted(chosen, large) == chosen


async def test_tab_waits_until_the_machine_has_memory(autojump_clock):
    machine = Readings()
    pool = pool_on(machine)
    async with taken(pool), trio.open_nursery() as nursery:
        machine.available = 10

        async def recover():
            await trio.sleep(30)
            machine.available = 1 << 40

        nursery.start_soon(recover)
        async with taken(pool):
            assert 30 <= trio.current_time() <= 32


async def test_tab_request_is_refused_with_reason_when_memory_stays_short(autojump_clock):
    pool = pool_on(machine := Readings())
    async with taken(pool):
        machine.available = 10
        with pytest.raises(TabsBusy, match="short of memory"), trio.fail_after(5):
            async with taken(pool):
                pass


async def test_first_tab_never_waits_for_memory(autojump_clock):
    async with taken(pool_on(Readings(available=0))):
        assert trio.current_time() == 0


async def test_least_recently_used_session_is_asked_once_for_its_tab(autojump_clock):
    pool, asked, over = pool_on(Readings(), max_session_tabs=2), [], {}

    async def keep(number, task_status):
        over[number] = trio.Event()
        request = LeaseTab(
            over[number], TabUse.READING, f"s{number}", give_up=lambda: asked.append(number)
        )
        async with pool.place(number, request):
            await pool.change(number, TabUse.KEPT)
            task_status.started()
            await over[number].wait()

    async with trio.open_nursery() as nursery:
        for number in (1, 2):
            await nursery.start(keep, number)
            await trio.sleep(1)
        await pool.change(1, TabUse.READING)
        await pool.change(1, TabUse.KEPT)
        nursery.start_soon(nursery.start, keep, 3)
        await trio.sleep(5)
        assert asked == [2]
        await pool.change(2, TabUse.KEPT)  # it is needed
        await trio.sleep(0.1)
        assert asked == [2, 1]
        over[1].set()
        await trio.sleep(0.1)
        assert {tab.number for tab in pool.tabs} == {2, 3}
        over[2].set()
        over[3].set()


async def test_two_waiting_tabs_are_admitted_together_when_memory_is_free(autojump_clock):
    pool = pool_on(machine := Readings())
    async with taken(pool), trio.open_nursery() as nursery:
        machine.available = 10

        async def wait():
            async with taken(pool):
                assert 10 <= trio.current_time() <= 12

        for _ in range(2):
            nursery.start_soon(wait)
        await trio.sleep(10)
        machine.available = 1 << 40


async def test_machine_readings_are_taken_only_for_new_tabs():
    readings, limits = list[int](), settings()
    pool = TabPool(limits, ConcurrencyBackoff(limits), lambda: readings.append(1) or "")
    async with taken(pool) as place:
        assert readings == [1]
        await pool.change(place.tab.number, TabUse.READING)
        assert place.tab.use is TabUse.READING
        assert readings == [1]
