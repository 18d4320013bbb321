"""The limiter store: it outlives a run, is shared by processes, and never blocks work."""

import logging
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from tabwright.concurrency.grants import hold_grant
from tabwright.config.engines import RatePolicy
from tabwright.protocol.errors import RateLimited
from tabwright.protocol.rate_limit import AcquirePermit, Governor, Reason, SiteWait
from tabwright.ratelimit.store import (
    BUSY_S,
    LimiterState,
    MemoryLimiterStore,
    Rule,
    SqliteLimiterStore,
    _File,
)

NOW_S = 20_000 * 86_400.0

FINITE = st.floats(allow_nan=False)
ACCOUNTS = st.builds(
    LimiterState,
    day=st.integers(0, 2**31),
    requests=st.integers(0, 2**31),
    last_start_s=FINITE,
    holder=st.text(),
    reserved_until_s=FINITE,
    refusals=st.integers(0, 2**31),
    paused_until_s=FINITE,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "rates.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteLimiterStore]:
    with closing(SqliteLimiterStore(path)) as store:
        yield store


def begin(account: LimiterState) -> LimiterState:
    return account.begin("me", NOW_S)


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), min_size=1), ACCOUNTS, max_size=4))
def test_stored_state_survives_a_restart(accounts: dict[str, LimiterState]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "rates.sqlite")
        with closing(SqliteLimiterStore(path)) as store:
            for site, account in accounts.items():
                assert store.change(site, lambda _before, account=account: account) == account
        with closing(SqliteLimiterStore(path)) as store:
            assert {site: store.state(site) for site in accounts} == accounts
            assert store.state("") == LimiterState()


def test_store_file_and_folder_are_private_to_the_user(
    path: Path, store: SqliteLimiterStore
) -> None:
    assert not path.parent.exists()
    store.change("engine", begin)

    assert path.parent.stat().st_mode & 0o777 == 0o700
    files = list(path.parent.iterdir())
    assert {file.name for file in files} >= {"rates.sqlite", "rates.sqlite-wal"}
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_closed_store_reopens_on_next_use(store: SqliteLimiterStore) -> None:
    store.change("engine", begin)
    store.close()
    store.close()
    assert store.state("engine").requests == 1


def test_store_does_not_write_change_without_effect(path: Path, store: SqliteLimiterStore) -> None:
    store.change("engine", lambda account: account)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM accounts").fetchone() == (0,)


def test_error_in_change_leaves_the_stored_state_unchanged(
    store: SqliteLimiterStore, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_account: LimiterState) -> LimiterState:
        raise ValueError("boom")

    store.change("engine", begin)
    with pytest.raises(ValueError, match="boom"):
        store.change("engine", fail)
    assert store.change("engine", begin).requests == 2
    assert not caplog.records


def broken(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database at all" * 100)


def a_folder(path: Path) -> None:
    path.mkdir(parents=True)


def under_a_file(path: Path) -> None:
    path.parent.write_text("a file where a folder should be")


def of_another_shape(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE accounts (site, something_else)")


@pytest.mark.parametrize("spoil", [broken, a_folder, under_a_file, of_another_shape])
def test_unusable_store_file_is_reported_once_and_memory_is_used(
    spoil, path: Path, store: SqliteLimiterStore, caplog: pytest.LogCaptureFixture
) -> None:
    spoil(path)

    for count in (1, 2, 3):
        assert store.change("engine", begin).requests == count
        assert store.state("engine").requests == count

    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert str(path.parent) in record.getMessage()


def test_a_full_disk_loses_nothing_of_this_run(
    store: SqliteLimiterStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.change("engine", begin)
    store._file._connection.execute("PRAGMA max_page_count = 1")
    sites = [f"engine-{number}" for number in range(500)]
    for site in sites:
        store.change(site, begin)

    assert all(store.change(site, begin).requests == 2 for site in ["engine", *sites])
    [record] = caplog.records
    assert "full" in record.getMessage()


@contextmanager
def locked(path: Path) -> Iterator[sqlite3.Connection]:
    """Hold a write lock on the file in the block, as another process would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other
        if other.in_transaction:
            other.execute("ROLLBACK")


def requests_in(path: Path, site: str = "engine") -> int:
    """Return the number of requests that another process reads."""
    with closing(SqliteLimiterStore(path)) as other:
        return other.state(site).requests


def test_change_made_while_the_file_is_locked_is_written_later(
    path: Path, store: SqliteLimiterStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.change("engine", begin)
    with locked(path):
        assert [store.change("engine", begin).requests for _ in range(3)] == [2, 3, 4]
        assert store.change("other", begin).requests == 1
        assert store.state("engine").requests == 4
        assert requests_in(path) == 1
    assert store.change("engine", begin).requests == 5
    assert (requests_in(path), requests_in(path, "other")) == (5, 1)
    assert not caplog.records


def test_pending_change_is_merged_with_changes_of_other_processes(
    path: Path, store: SqliteLimiterStore
) -> None:
    store.change("engine", begin)
    with locked(path) as other:
        store.change("engine", begin)
        other.execute("UPDATE accounts SET requests = 7")
        other.execute("COMMIT")
    assert store.state("engine").requests == 8
    assert requests_in(path) == 8


@pytest.mark.parametrize("is_there", [True, False])
def test_closing_store_writes_pending_changes(
    is_there: bool, path: Path, store: SqliteLimiterStore
) -> None:
    if is_there:
        store.change("engine", begin)
    else:
        path.parent.mkdir()
    with locked(path):
        store.change("engine", begin)
    store.close()
    assert requests_in(path) == 1 + is_there


def test_store_file_locked_at_first_use_is_used_later(
    path: Path, store: SqliteLimiterStore, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    with locked(path):
        assert store.state("engine") == LimiterState()
        assert store.change("engine", begin).requests == 1
    assert store.state("engine").requests == 1
    assert requests_in(path) == 1
    assert not caplog.records


def test_interrupted_write_of_pending_changes_loses_nothing(
    path: Path, store: SqliteLimiterStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.change("engine", begin)
    with locked(path):
        store.change("engine", begin)
        store.change("engine", begin)
    change, done = _File.change, list[str]()

    def change_once(file: _File, site: str, rule: Rule) -> LimiterState:
        """Lock the file as another process would, from the second change on."""
        done.append(site)
        if len(done) == 1:
            return change(file, site, rule)
        with locked(path):
            return change(file, site, rule)

    with monkeypatch.context() as contested:
        contested.setattr(_File, "change", change_once)
        assert store.state("engine").requests == 3
    assert requests_in(path) == 2
    assert store.state("engine").requests == 3
    assert requests_in(path) == 3


def test_long_file_lock_is_waited_for_once_and_briefly(
    path: Path, store: SqliteLimiterStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits_s = list[float]()
    use = _File.wait_for_others

    def noted(file: _File, patience_s: float) -> None:
        waits_s.append(patience_s)
        use(file, patience_s)

    store.change("engine", begin)
    monkeypatch.setattr(_File, "wait_for_others", noted)
    with locked(path):
        for _ in range(4):
            store.change("engine", begin)
    store.change("engine", begin)
    store.change("engine", begin)
    assert waits_s == [BUSY_S, 0, 0, 0, 0, BUSY_S]
    assert BUSY_S <= 0.05


def test_corrupt_row_is_logged_and_the_store_continues_in_memory(
    path: Path, store: SqliteLimiterStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.change("engine", begin)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE accounts SET requests = 'many'")

    assert store.change("engine", begin).requests == 2
    assert len(caplog.records) == 1


@pytest.mark.parametrize("error_s", [-1e6, 1e6])
def test_clock_jump_does_not_block_a_site(error_s: float) -> None:
    pace = RatePolicy(10, 1, daily_limit=1, cool_down_s=60)
    account = LimiterState().reserve("other", pace, NOW_S).begin("other", NOW_S)
    account = account.refuse(pace, None, NOW_S).renew("other", NOW_S)

    kept = account.reserve("me", pace, NOW_S + error_s)
    assert kept.holder == "me"


@pytest.mark.parametrize("now_s", [0.1, 1.1, NOW_S + 0.1, NOW_S + 1 / 3])
def test_limiter_state_times_are_exact_for_fractional_seconds(now_s: float) -> None:
    pace = RatePolicy(0.3, 1)
    account = LimiterState().reserve("other", pace, now_s)
    assert account.is_reserved_against("me", now_s)
    assert account.begin("other", now_s).interval_s("me", pace, now_s) == pytest.approx(0.3)
    assert account.refuse(pace, 1e9, now_s).pause_s(now_s) == pytest.approx(7200)


def test_site_is_reserved_only_while_it_is_free() -> None:
    pace = RatePolicy(10, 1, daily_limit=2)
    free = LimiterState()
    reserved = free.reserve("other", pace, NOW_S)
    begun = reserved.begin("other", NOW_S)
    used_up = begun.begin("other", NOW_S)
    refused = free.refuse(pace, 30, NOW_S)

    for account in (reserved, begun, refused):
        assert account.reserve("me", pace, NOW_S + 1) == account
    assert used_up.reserve("me", pace, NOW_S + 20) == used_up
    for account in (free, reserved.give_back("other"), begun.give_back("other"), refused.answer()):
        assert account.reserve("me", pace, NOW_S + 10).is_reserved_against("other", NOW_S + 10)


def test_late_begin_does_not_take_a_reservation_from_its_new_holder() -> None:
    pace = RatePolicy(10, 1)
    account = LimiterState().reserve("late", pace, NOW_S).reserve("me", pace, NOW_S + 61)
    account = account.begin("late", NOW_S + 62).give_back("late")
    assert account.is_reserved_against("other", NOW_S + 62)
    assert account.today(NOW_S) == 1


async def test_governor_closes_store_file_when_it_stops(
    autojump_clock: MockClock, path: Path, store: SqliteLimiterStore, governed, turn_to
) -> None:
    beside = path.with_name("rates.sqlite-wal")
    async with governed(store, engine=RatePolicy(10, 1)) as governor:
        await turn_to(governor, "engine")
        assert beside.exists()
    assert not beside.exists()


async def test_permit_in_long_preparation_keeps_its_site_reserved(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    store = MemoryLimiterStore()
    async with (
        governed(store, engine=RatePolicy(1, 1)) as one,
        governed(store, engine=RatePolicy(1, 1)) as two,
    ):
        async with hold_grant(
            one, Governor.permit, partial(AcquirePermit, site="engine", begun=trio.Event())
        ):
            with trio.move_on_after(1000) as patience:
                await turn_to(two, "engine")
            assert patience.cancelled_caught
        assert await turn_to(two, "engine") <= 1001


async def test_reservation_of_killed_process_expires_after_a_minute(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    store = MemoryLimiterStore()
    pace = RatePolicy(0, 1)
    store.change("engine", lambda account: account.reserve("killed", pace, NOW_S))
    async with governed(store, engine=pace) as governor:
        assert await turn_to(governor, "engine") == 60


async def test_waiter_respects_an_interval_begun_by_another_process(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    store, reported = MemoryLimiterStore(), list[SiteWait]()
    pace = RatePolicy(10, 1)
    async with governed(store, engine=pace) as one, governed(store, engine=pace) as two:
        await turn_to(one, "engine")
        await trio.sleep(2)
        async with hold_grant(
            two, Governor.permit, partial(AcquirePermit, site="engine", waiting=reported.append)
        ):
            assert trio.current_time() == 10
    assert reported == [SiteWait("engine", Reason.INTERVAL, 8)]


@attrs.define
class Contested:
    """A fake store in which another process makes one change first.

    Attributes:
        clock: it advances by `lock_s` while the other process has the file.
    """

    pace: RatePolicy
    clock: MockClock
    lock_s: float
    store: MemoryLimiterStore = attrs.field(factory=MemoryLimiterStore)
    is_lost: bool = False

    def state(self, site: str) -> LimiterState:
        return self.store.state(site)

    def change(self, site: str, rule) -> LimiterState:
        if not self.is_lost:
            self.is_lost = True
            self.clock.jump(self.lock_s)
            now_s = NOW_S + self.lock_s
            self.store.change(
                site,
                lambda account: account.reserve("other", self.pace, now_s).begin("other", now_s),
            )
        return self.store.change(site, rule)

    def close(self) -> None:
        pass


@pytest.mark.parametrize("lock_s", [0, 2])
async def test_waiter_that_loses_a_race_waits_for_the_other_process(
    lock_s: float, autojump_clock: MockClock, governed, turn_to, rate_of
) -> None:
    pace = RatePolicy(10, 1)
    async with governed(Contested(pace, autojump_clock, lock_s), engine=pace) as governor:
        assert await turn_to(governor, "engine") == lock_s + 10
        assert (await rate_of(governor)).today == 2


async def test_queued_waiter_fails_when_another_process_is_refused(
    autojump_clock: MockClock, governed, turn_to
) -> None:
    store, pace = MemoryLimiterStore(), RatePolicy(100, 1, cool_down_s=600)
    async with governed(store, engine=pace) as one, governed(store, engine=pace) as two:
        await turn_to(one, "engine")
        async with trio.open_nursery() as nursery:

            async def be_refused() -> None:
                await trio.sleep(5)
                await two.ask(Governor.note_refusal, "engine")

            nursery.start_soon(be_refused)
            with pytest.raises(RateLimited):
                await turn_to(one, "engine")
            assert trio.current_time() <= 6


@attrs.frozen
class Come:
    """A request for the site by one of two processes."""

    arrival_s: int
    process: int
    prepares_s: int
    begins: bool


COMINGS = st.lists(
    st.builds(Come, st.integers(0, 30), st.integers(0, 1), st.integers(0, 3), st.booleans()),
    max_size=10,
)


@given(COMINGS, st.integers(0, 6), st.integers(1, 8))
def test_two_processes_share_interval_and_daily_limit(
    governed, comings: list[Come], interval_s: int, limit: int
) -> None:
    starts_s: list[float] = []
    refused: list[Come] = []
    pace = RatePolicy(interval_s, 2, daily_limit=limit)

    async def live(path: Path) -> None:
        async with (
            governed(SqliteLimiterStore(path), engine=pace) as one,
            governed(SqliteLimiterStore(path), engine=pace) as two,
            trio.open_nursery() as nursery,
        ):
            for come in comings:
                nursery.start_soon(turn_up, (one, two)[come.process], come)

    async def turn_up(governor, come: Come) -> None:
        await trio.sleep_until(come.arrival_s)
        begun = trio.Event()
        try:
            async with hold_grant(
                governor, Governor.permit, partial(AcquirePermit, site="engine", begun=begun)
            ):
                await trio.sleep(come.prepares_s)
                if come.begins:
                    begun.set()
                    starts_s.append(trio.current_time())
        except RateLimited:
            assert len(starts_s) == limit
            refused.append(come)

    with TemporaryDirectory() as folder:
        trio.run(live, Path(folder, "rates.sqlite"), clock=MockClock(autojump_threshold=0))

    wanted = [come for come in comings if come.begins and come not in refused]
    assert len(starts_s) <= limit
    assert len(starts_s) == limit or len(starts_s) == len(wanted)
    assert all(after_s >= before_s + interval_s for before_s, after_s in pairwise(starts_s))


STARTED_TOGETHER = """
import sys, time, trio
from pathlib import Path
from tabwright.actors.rate_governor import rate_governor_actor
from tabwright.ratelimit.store import SqliteLimiterStore
from tabwright.config.engines import RatePolicy
from tabwright.config.yaml_tables import WEB
from tabwright.protocol.errors import RateLimited
from tabwright.protocol.rate_limit import AcquirePermit

PATH, SINCE_S = Path(sys.argv[1]), float(sys.argv[2])

def now():
    return 20_000 * 86_400.0 + time.time() - SINCE_S  # midnight is far

print("ready", flush=True)
sys.stdin.readline()
"""

COUNTING = """
for number in range(40):
    store = SqliteLimiterStore(PATH.with_name(f"{number}.sqlite"))
    for _ in range(20):
        store.change("engine", lambda account: account.begin("somebody", now()))
    store.close()
"""

USING_UP_THE_DAY = """
PACES = {WEB: RatePolicy(0, 1), "engine": RatePolicy(0.05, 1, daily_limit=12)}

async def use_up_the_day():
    async with rate_governor_actor(PACES, SqliteLimiterStore(PATH), now) as governor:
        while True:
            over, begun = trio.Event(), trio.Event()
            await governor.permit(AcquirePermit(over, "engine", begun))
            print(now())
            begun.set()
            over.set()

try:
    trio.run(use_up_the_day)
except RateLimited as refused:
    print(refused.message)
"""


def reports_of_processes(path: Path, work: str) -> list[list[str]]:
    """Start three processes that work at the same time; return the lines of each."""
    command = [sys.executable, "-c", STARTED_TOGETHER + work, str(path), str(time.time())]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with ExitStack() as stack:
        processes = [
            stack.enter_context(subprocess.Popen(command, text=True, **pipes)) for _ in range(3)
        ]
        assert [process.stdout.readline() for process in processes] == ["ready\n"] * 3
        for process in processes:
            process.stdin.write("\n")
            process.stdin.flush()
        return [process.communicate()[0].splitlines() for process in processes]


def test_concurrent_processes_lose_no_change_even_in_new_file(path: Path) -> None:
    assert reports_of_processes(path, COUNTING) == [[], [], []]

    for number in range(40):
        with closing(SqliteLimiterStore(path.with_name(f"{number}.sqlite"))) as store:
            assert store.state("engine").requests == 60


def test_processes_share_daily_limit_and_start_an_interval_apart(path: Path) -> None:
    reported = reports_of_processes(path, USING_UP_THE_DAY)

    starts_s = sorted(float(line) for *lines, _last in reported for line in lines)
    assert len(starts_s) == 12
    assert all(after_s - before_s > 0.049 for before_s, after_s in pairwise(starts_s))
    assert {lines[-1] for lines in reported} == {
        "12 of 12 daily requests to engine are used; the limit resets at 00:00 UTC."
    }
