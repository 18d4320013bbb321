"""The store of the rate limits of sites: in memory, or in an SQLite file that processes share."""

import logging
import math
import sqlite3
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Protocol, TypeAlias

import attrs
import msgspec

from tabwright.concurrency.timers import DOUBLINGS_MAX
from tabwright.config.engines import RatePolicy
from tabwright.config.loader import private_folder
from tabwright.text.file_errors import file_problem

# The state of a site, and the rules by which it changes.
#
# Times are seconds since 1970 UTC, from a clock that is shared by processes and can be set by a
# person. Values that such a clock makes impossible are ignored.

DAY_S = 86_400

RESERVED_S = 60.0
"""How long a reservation lasts without renewal, for example after its process was killed."""

PAUSE_MAX_S = 7_200.0
"""Maximum pause of a site."""

ROUNDING_S = 0.001
"""Tolerance for rounding errors of times."""


@attrs.frozen
class LimiterState:
    """The stored state of one site. Its methods return the changed state.

    Attributes:
        day: the UTC day that `requests` counts, in days since 1970.
        requests: how many requests began on that day.
        last_start_s: when the last one began.
        holder: the process that last reserved the site.
        reserved_until_s: end of the reservation; 0 once the holder has begun or given up.
        refusals: number of consecutive refusals.
        paused_until_s: end of the pause.
    """

    day: int = 0
    requests: int = 0
    last_start_s: float = -math.inf
    holder: str = ""
    reserved_until_s: float = 0.0
    refusals: int = 0
    paused_until_s: float = 0.0

    def today(self, now_s: float) -> int:
        """Return how many requests have begun since midnight UTC."""
        return self.requests if self.day == _day(now_s) else 0

    def is_used_up(self, pace: RatePolicy, now_s: float) -> bool:
        """Return whether the daily limit is reached."""
        return pace.daily_limit is not None and self.today(now_s) >= pace.daily_limit

    def pause_s(self, now_s: float) -> float:
        """Return how long the pause still lasts."""
        return left_s(self.paused_until_s, now_s, PAUSE_MAX_S)

    def interval_s(self, holder: str, pace: RatePolicy, now_s: float) -> float:
        """Return how long `holder` must wait after requests of other processes.

        After its own requests, a process uses its monotonic clock.
        """
        if holder == self.holder:
            return 0.0
        return left_s(self.last_start_s + pace.min_interval_s, now_s, pace.min_interval_s)

    def is_reserved_against(self, holder: str, now_s: float) -> bool:
        """Return whether another process has reserved the site."""
        return holder != self.holder and left_s(self.reserved_until_s, now_s, RESERVED_S) > 0

    def is_settled(self, pace: RatePolicy, now_s: float) -> bool:
        """Return whether the state has no effect any more."""
        is_counted = pace.daily_limit is not None and self.today(now_s) > 0
        matters_s = PAUSE_MAX_S if pace.cool_down_s else 0.0  # without a cool-down, nothing doubles
        is_refused = self.refusals > 0 and now_s < self.paused_until_s + matters_s
        return not is_counted and not is_refused

    def without_pause(self) -> "LimiterState":
        """Return the state without its pause, for requests that a pause does not stop."""
        return attrs.evolve(self, paused_until_s=0.0)

    def reserve(
        self, holder: str, pace: RatePolicy, now_s: float, *, for_person: bool = False
    ) -> "LimiterState":
        """Reserve the site for `holder`; unchanged if that is not allowed.

        A pause does not stop a request that is `for_person`.
        """
        if (
            self.is_used_up(pace, now_s)
            or (self.pause_s(now_s) and not for_person)
            or self.interval_s(holder, pace, now_s)
        ):
            return self
        return self.renew(holder, now_s)

    def renew(self, holder: str, now_s: float) -> "LimiterState":
        """Extend the reservation of `holder`, unless the site is reserved for another process."""
        if self.is_reserved_against(holder, now_s):
            return self
        return attrs.evolve(self, holder=holder, reserved_until_s=now_s + RESERVED_S)

    def begin(self, holder: str, now_s: float) -> "LimiterState":
        """Record that a request of `holder` begins."""
        return attrs.evolve(
            self.give_back(holder),
            day=_day(now_s),
            requests=self.today(now_s) + 1,
            last_start_s=now_s,
        )

    def give_back(self, holder: str) -> "LimiterState":
        """Release the reservation of `holder`."""
        return attrs.evolve(self, reserved_until_s=0.0) if holder == self.holder else self

    def refuse(self, pace: RatePolicy, retry_after_s: float | None, now_s: float) -> "LimiterState":
        """Record a refusal, with the pause that the site requested, if any.

        The site can lengthen its cool-down, but not shorten it.
        """
        cool_down_s = pace.cool_down_s * 2.0 ** min(self.refusals, DOUBLINGS_MAX)
        pause_s = min(max(cool_down_s, retry_after_s or 0.0), PAUSE_MAX_S)
        return attrs.evolve(
            self,
            refusals=self.refusals + 1,
            paused_until_s=max(now_s + pause_s, now_s + self.pause_s(now_s)),
        )

    def answer(self) -> "LimiterState":
        """Record an answer: earlier refusals are forgotten."""
        return attrs.evolve(self, refusals=0, paused_until_s=0.0)


def until_midnight_s(now_s: float) -> float:
    """Return how long the current UTC day still lasts."""
    return DAY_S - now_s % DAY_S


def left_s(until_s: float, now_s: float, most_s: float) -> float:
    """Return the time left; 0 if it is over, or so long that the clock must have changed."""
    left = until_s - now_s
    return left if 0 < left <= most_s + ROUNDING_S else 0.0


def _day(now_s: float) -> int:
    return int(now_s // DAY_S)


_log = logging.getLogger("tabwright.actors")

Now: TypeAlias = Callable[[], float]
"""The time in seconds since 1970 UTC."""

Rule: TypeAlias = Callable[[LimiterState], LimiterState]
"""Maps the current state to the next; it can be called more than once."""

BUSY_S = 0.05
"""Timeout for another process to end its transaction, which takes about ten microseconds."""

RARE_BUSY_S = 1.0
"""The same for rare operations: creating the file, and the last write."""


class LimiterStore(Protocol):
    """Stores a state for each site. Its methods are fast enough for the event loop."""

    def state(self, site: str, /) -> LimiterState:
        """Return the state of a site."""
        ...

    def change(self, site: str, rule: Rule, /) -> LimiterState:
        """Apply `rule` atomically and return the new state."""
        ...

    def close(self) -> None:
        """Release all resources; the next use acquires them again."""
        ...


@attrs.frozen
class MemoryLimiterStore:
    """A store in memory."""

    _accounts: dict[str, LimiterState] = attrs.field(factory=dict[str, LimiterState])

    def state(self, site: str, /) -> LimiterState:
        return self._accounts.get(site, LimiterState())

    def change(self, site: str, rule: Rule, /) -> LimiterState:
        account = self._accounts[site] = rule(self.state(site))
        return account

    def close(self) -> None:
        pass


class SqliteLimiterStore:
    """A store in a file, which is opened on first use.

    A change takes about ten microseconds and does not flush, so it runs in the event loop; a
    power cut can lose the last changes. While another process locks the file, changes are kept
    in memory, and each further use tries to write them. If the file cannot be used any more, a
    warning is logged once, and the store continues in memory.

    Args:
        path: the file; its folder is created if missing, both for this user only.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: _File | None = None
        self._is_usable = True
        self._patience_s = BUSY_S
        self._known = MemoryLimiterStore()
        self._unwritten = deque[tuple[str, Rule]]()

    def state(self, site: str, /) -> LimiterState:
        self._try(partial(self._read, site))
        return self._known.state(site)

    def change(self, site: str, rule: Rule, /) -> LimiterState:
        account = self._known.change(site, rule)
        if not self._is_usable:
            return account
        self._unwritten.append((site, rule))
        self._try(self._write)
        return self._known.state(site)

    def close(self) -> None:
        if self._unwritten:
            self._patience_s = RARE_BUSY_S
            self._try(self._write)
        self._let_go()

    def _try(self, use: Callable[["_File"], None]) -> None:
        """Run `use` on the file, if it is usable."""
        if not self._is_usable:
            return
        try:
            if self._file is None:
                self._file = _File.open(self._path, RARE_BUSY_S if self._patience_s else 0.0)
            self._file.wait_for_others(self._patience_s)
            use(self._file)
            self._patience_s = BUSY_S
        except (OSError, sqlite3.Error, msgspec.ValidationError) as error:
            self._patience_s = 0.0  # wait for a long lock once, not at each use
            is_lock = isinstance(error, sqlite3.OperationalError) and (
                error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
            )
            if not is_lock:
                self._is_usable = False
                self._unwritten.clear()
                self._let_go()
                _log.warning(
                    "Daily limits and pauses of engines apply to this run only. %s If the file is"
                    " broken, delete it.",
                    file_problem(error, self._path, writing=True),
                )

    def _read(self, site: str, file: "_File") -> None:
        self._write(file)
        self._note(site, file.state(site))

    def _write(self, file: "_File") -> None:
        """Write the pending changes to the file; memory is updated once all are written."""
        written = dict[str, LimiterState]()
        while self._unwritten:
            site, rule = self._unwritten[0]
            written[site] = file.change(site, rule)
            self._unwritten.popleft()
        for site, account in written.items():
            self._note(site, account)

    def _note(self, site: str, account: LimiterState) -> None:
        self._known.change(site, lambda _known: account)

    def _let_go(self) -> None:
        if self._file is not None:
            with suppress(sqlite3.Error):  # the failed write was already reported
                self._file.close()
        self._file = None


COLUMNS = tuple(field.name for field in attrs.fields(LimiterState))

CREATE = f"CREATE TABLE IF NOT EXISTS accounts (site TEXT PRIMARY KEY, {', '.join(COLUMNS)})"
READ = f"SELECT {', '.join(COLUMNS)} FROM accounts WHERE site = ?"  # noqa: S608  (our own names)
WRITE = f"REPLACE INTO accounts VALUES (?{', ?' * len(COLUMNS)})"  # noqa: S608


@attrs.frozen
class _File:
    """The file of an `SqliteLimiterStore`."""

    _connection: sqlite3.Connection

    @classmethod
    def open(cls, path: Path, patience_s: float) -> "_File":
        """Open the file at `path`, and create it if missing."""
        private_folder(path.parent)
        with suppress(FileExistsError):
            path.touch(mode=0o600, exist_ok=False)  # so that SQLite's extra files are private too
        file = cls(sqlite3.connect(path, timeout=patience_s, isolation_level=None))
        try:
            file.prepare()
        except sqlite3.Error:
            file.close()
            raise
        return file

    def prepare(self) -> None:
        """Create the table, and disable flushing."""
        with suppress(sqlite3.OperationalError):  # another process is doing the same
            self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute(CREATE)  # takes no lock if the table exists

    def wait_for_others(self, patience_s: float) -> None:
        """Set how long each use waits for locks of other processes."""
        self._connection.execute(f"PRAGMA busy_timeout = {patience_s * 1000:.0f}")

    def close(self) -> None:
        """Close the file.

        Raises:
            sqlite3.Error: pending changes could not be written.
        """
        self._connection.close()

    def state(self, site: str) -> LimiterState:
        """Return the state of `site`; a new one if there is none.

        Raises:
            sqlite3.Error, msgspec.ValidationError: the file is locked or damaged.
        """
        row: tuple[object, ...] | None = self._connection.execute(READ, (site,)).fetchone()
        return (
            msgspec.convert(dict(zip(COLUMNS, row, strict=True)), LimiterState)
            if row
            else LimiterState()
        )

    def change(self, site: str, rule: Rule) -> LimiterState:
        """Change a state in one transaction and return the new state.

        Raises:
            sqlite3.Error, msgspec.ValidationError: nothing was changed.
        """
        with self._transaction():
            account = rule(before := self.state(site))
            if account != before:
                self._connection.execute(WRITE, (site, *attrs.astuple(account)))
        return account

    @contextmanager
    def _transaction(self) -> Generator[None]:
        """Lock the file against other processes; the block is applied completely or not at all."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # after some errors there is nothing left to roll back
                self._connection.execute("ROLLBACK")
            raise
