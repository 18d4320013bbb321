"""The store of site accounts: it outlives a run, and several processes share it."""

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

from tabwright.config.engines import RatePolicy
from tabwright.config.loader import private_folder

# The account of a site, and the rules by which it changes.
#
# Times are seconds since 1970 UTC, by a clock that several processes share and that a person may
# set: what such a clock makes impossible is not believed.

DAY_S = 86_400

RESERVED_S = 60.0
"""How long a site stays reserved for one who does not renew it: a process that was killed."""

PAUSE_MAX_S = 7_200.0
"""No site is left alone for longer."""

ROUNDING_S = 0.001
"""What adding and subtracting times may make of them."""

DOUBLINGS_MAX = 20
"""Any cool-down has reached `PAUSE_MAX_S` by then."""


@attrs.frozen
class LimiterState:
    """What is remembered of one site. Its rules give the account as it is afterwards.

    Attributes:
        day: the UTC day that `requests` are of, counted from 1970.
        requests: how many began on that day.
        last_start_s: when the last one began.
        holder: who reserved the site last.
        reserved_until_s: nobody else may before that; 0 once the holder has begun, or given up.
        refusals: in a row.
        paused_until_s: the site is left alone until then.
    """

    day: int = 0
    requests: int = 0
    last_start_s: float = -math.inf
    holder: str = ""
    reserved_until_s: float = 0.0
    refusals: int = 0
    paused_until_s: float = 0.0

    def today(self, now_s: float) -> int:
        """How many requests have begun since midnight UTC."""
        return self.requests if self.day == _day(now_s) else 0

    def is_used_up(self, pace: RatePolicy, now_s: float) -> bool:
        """Whether there were as many requests today as there may be."""
        return pace.daily_limit is not None and self.today(now_s) >= pace.daily_limit

    def pause_s(self, now_s: float) -> float:
        """How long the site is still left alone."""
        return _left_s(self.paused_until_s, now_s, PAUSE_MAX_S)

    def interval_s(self, holder: str, pace: RatePolicy, now_s: float) -> float:
        """How long until `holder` may begin, after what others began.

        After its own requests a process goes by a clock that nobody sets.
        """
        if holder == self.holder:
            return 0.0
        return _left_s(self.last_start_s + pace.min_interval_s, now_s, pace.min_interval_s)

    def is_reserved_against(self, holder: str, now_s: float) -> bool:
        """Whether somebody else is about to begin."""
        return holder != self.holder and _left_s(self.reserved_until_s, now_s, RESERVED_S) > 0

    def is_settled(self, pace: RatePolicy, now_s: float) -> bool:
        """Whether nothing of it matters any more."""
        is_counted = pace.daily_limit is not None and self.today(now_s) > 0
        matters_s = PAUSE_MAX_S if pace.cool_down_s else 0.0  # without it, nothing doubles
        is_refused = self.refusals > 0 and now_s < self.paused_until_s + matters_s
        return not is_counted and not is_refused

    def without_pause(self) -> "LimiterState":
        """As it is for those whom no pause stops."""
        return attrs.evolve(self, paused_until_s=0.0)

    def reserve(
        self, holder: str, pace: RatePolicy, now_s: float, *, for_person: bool = False
    ) -> "LimiterState":
        """Keeps the site for `holder`, who is about to begin; nothing where that may not be.

        A pause does not stop what is `for_person`.
        """
        if (
            self.is_used_up(pace, now_s)
            or (self.pause_s(now_s) and not for_person)
            or self.interval_s(holder, pace, now_s)
        ):
            return self
        return self.renew(holder, now_s)

    def renew(self, holder: str, now_s: float) -> "LimiterState":
        """Keeps the site for `holder` from now on, unless it is kept for somebody else."""
        if self.is_reserved_against(holder, now_s):
            return self
        return attrs.evolve(self, holder=holder, reserved_until_s=now_s + RESERVED_S)

    def begin(self, holder: str, now_s: float) -> "LimiterState":
        """A request of `holder` goes out."""
        return attrs.evolve(
            self.give_back(holder),
            day=_day(now_s),
            requests=self.today(now_s) + 1,
            last_start_s=now_s,
        )

    def give_back(self, holder: str) -> "LimiterState":
        """`holder` is not about to begin any more."""
        return attrs.evolve(self, reserved_until_s=0.0) if holder == self.holder else self

    def refuse(self, pace: RatePolicy, retry_after_s: float | None, now_s: float) -> "LimiterState":
        """The site has refused a request, and may have said when it will not.

        It may ask for a longer pause than its cool-down, not for a shorter one.
        """
        cool_down_s = pace.cool_down_s * 2.0 ** min(self.refusals, DOUBLINGS_MAX)
        pause_s = min(max(cool_down_s, retry_after_s or 0.0), PAUSE_MAX_S)
        return attrs.evolve(
            self,
            refusals=self.refusals + 1,
            paused_until_s=max(now_s + pause_s, now_s + self.pause_s(now_s)),
        )

    def answer(self) -> "LimiterState":
        """The site has answered: what it refused before is forgotten."""
        return attrs.evolve(self, refusals=0, paused_until_s=0.0)


def until_midnight_s(now_s: float) -> float:
    """How long this day UTC still lasts."""
    return DAY_S - now_s % DAY_S


def _left_s(until_s: float, now_s: float, most_s: float) -> float:
    """How long until then; 0 where it is over, or so far off that the clock was set since."""
    left_s = until_s - now_s
    return left_s if 0 < left_s <= most_s + ROUNDING_S else 0.0


def _day(now_s: float) -> int:
    return int(now_s // DAY_S)


_log = logging.getLogger("tabwright.actors")

Rule: TypeAlias = Callable[[LimiterState], LimiterState]
"""From an account as it is to what it is to be; may be called more than once."""

BUSY_S = 0.05
"""For another process to end its transaction, which takes some ten microseconds."""

RARE_BUSY_S = 1.0
"""The same, where it happens once: the file is new, or what is not written now never will be."""

LOCKS = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
PRIMARY_CODE = 0xFF
"""The bits of SQLite's error codes that say what it is; further ones say where."""


class LimiterStore(Protocol):
    """Keeps an account for each site. None of its methods takes long enough to be waited for."""

    def state(self, site: str, /) -> LimiterState:
        """The account as it is."""
        ...

    def change(self, site: str, rule: Rule, /) -> LimiterState:
        """Applies `rule` as if nobody else were there; gives the account as it is afterwards."""
        ...

    def close(self) -> None:
        """Lets go of what it holds; the next use takes it again."""
        ...


@attrs.frozen
class MemoryLimiterStore:
    """Keeps accounts for as long as it lives itself."""

    _accounts: dict[str, LimiterState] = attrs.field(factory=dict[str, LimiterState])

    def state(self, site: str, /) -> LimiterState:
        """See `LimiterStore.state`."""
        return self._accounts.get(site, LimiterState())

    def change(self, site: str, rule: Rule, /) -> LimiterState:
        """See `LimiterStore.change`."""
        account = self._accounts[site] = rule(self.state(site))
        return account

    def close(self) -> None:
        """See `LimiterStore.close`."""


class SqliteLimiterStore:
    """Keeps accounts in a file, from its first use on.

    A change takes some ten microseconds and flushes nothing, so it runs in the event loop; a
    power cut may lose the last ones. While another process has the file locked, changes are kept
    in memory, and each further use tries to write them. Where the file cannot be used, or not any
    more, the log has a warning, once, and memory has to do.

    Args:
        path: the file; its folder is made if it is missing, both for this user alone.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: _File | None = None
        self._is_usable = True
        self._patience_s = BUSY_S
        self._known = MemoryLimiterStore()
        self._unwritten = deque[tuple[str, Rule]]()

    def state(self, site: str, /) -> LimiterState:
        """See `LimiterStore.state`."""
        self._try(partial(self._read, site))
        return self._known.state(site)

    def change(self, site: str, rule: Rule, /) -> LimiterState:
        """See `LimiterStore.change`."""
        account = self._known.change(site, rule)
        if not self._is_usable:
            return account
        self._unwritten.append((site, rule))
        self._try(self._write)
        return self._known.state(site)

    def close(self) -> None:
        """See `LimiterStore.close`."""
        if self._unwritten:
            self._patience_s = RARE_BUSY_S
            self._try(self._write)
        self._let_go()

    def _try(self, use: Callable[["_File"], None]) -> None:
        """Uses the file, where it can be used."""
        if not self._is_usable:
            return
        try:
            use(self._opened())
            self._patience_s = BUSY_S
        except (OSError, sqlite3.Error, msgspec.ValidationError) as error:
            self._patience_s = 0.0  # a long lock is waited for once, not at each use
            if not _is_lock(error):
                self._give_up(error)

    def _opened(self) -> "_File":
        if self._file is None:
            self._file = _File.open(self._path, RARE_BUSY_S if self._patience_s else 0.0)
        self._file.wait_for_others(self._patience_s)
        return self._file

    def _read(self, site: str, file: "_File") -> None:
        self._write(file)
        self._note(site, file.state(site))

    def _write(self, file: "_File") -> None:
        """Makes the changes in the file; memory follows once it has all of them."""
        written = dict[str, LimiterState]()
        while self._unwritten:
            site, rule = self._unwritten[0]
            written[site] = file.change(site, rule)
            self._unwritten.popleft()
        for site, account in written.items():
            self._note(site, account)

    def _note(self, site: str, account: LimiterState) -> None:
        self._known.change(site, lambda _known: account)

    def _give_up(self, error: Exception) -> None:
        self._is_usable = False
        self._unwritten.clear()
        self._let_go()
        _log.warning(
            "Daily limits and pauses of engines apply to this run only, because %s cannot be used"
            " (%s: %s). If it is broken, delete it.",
            self._path,
            type(error).__name__,
            error,
        )

    def _let_go(self) -> None:
        if self._file is not None:
            with suppress(sqlite3.Error):  # what it could not write was told before
                self._file.close()
        self._file = None


def _is_lock(error: Exception) -> bool:
    """Whether it says that another process has the file just now."""
    if not isinstance(error, sqlite3.OperationalError):
        return False
    return error.sqlite_errorcode & PRIMARY_CODE in LOCKS


COLUMNS = tuple(field.name for field in attrs.fields(LimiterState))

CREATE = f"CREATE TABLE IF NOT EXISTS accounts (site TEXT PRIMARY KEY, {', '.join(COLUMNS)})"
READ = f"SELECT {', '.join(COLUMNS)} FROM accounts WHERE site = ?"  # noqa: S608  (our own names)
WRITE = f"REPLACE INTO accounts VALUES (?{', ?' * len(COLUMNS)})"  # noqa: S608


@attrs.frozen
class _File:
    """The accounts in a file, as long as it is in order."""

    _connection: sqlite3.Connection

    @classmethod
    def open(cls, path: Path, patience_s: float) -> "_File":
        """The file at `path`, made if there is none."""
        private_folder(path.parent)
        with suppress(FileExistsError):
            path.touch(mode=0o600, exist_ok=False)  # what SQLite puts beside it is as private
        file = cls(sqlite3.connect(path, timeout=patience_s, isolation_level=None))
        try:
            file.prepare()
        except sqlite3.Error:
            file.close()
            raise
        return file

    def prepare(self) -> None:
        """Makes the table, and has changes flush nothing."""
        with suppress(sqlite3.OperationalError):  # another process is just about it
            self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute(CREATE)  # takes no lock where the table is there

    def wait_for_others(self, patience_s: float) -> None:
        """How long each use from now on waits for locks of other processes."""
        self._connection.execute(f"PRAGMA busy_timeout = {patience_s * 1000:.0f}")

    def close(self) -> None:
        """Closes the file.

        Raises:
            sqlite3.Error: what was changed could not be written.
        """
        self._connection.close()

    def state(self, site: str) -> LimiterState:
        """The account of `site`; a new one where there is none.

        Raises:
            sqlite3.Error, msgspec.ValidationError: the file is locked, or out of order.
        """
        row: tuple[object, ...] | None = self._connection.execute(READ, (site,)).fetchone()
        return (
            msgspec.convert(dict(zip(COLUMNS, row, strict=True)), LimiterState)
            if row
            else LimiterState()
        )

    def change(self, site: str, rule: Rule) -> LimiterState:
        """Changes an account in one transaction, and gives what it is now.

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
        """Keeps other processes from changing anything; all of the block happens, or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # after some errors there is nothing left to roll back
                self._connection.execute("ROLLBACK")
            raise
