"""The rate limiter of one site: it decides which request is sent next, and when."""

import math
from bisect import insort
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import TypeAlias
from uuid import uuid4

import attrs
import trio

from tabwright.config.engines import RatePolicy
from tabwright.protocol.actor import Expiry
from tabwright.protocol.errors import RateLimited
from tabwright.protocol.rate_limit import AcquirePermit, Reason, SiteRate, SiteWait
from tabwright.protocol.untrusted_text import Quoted
from tabwright.ratelimit.store import RESERVED_S, LimiterState, LimiterStore, Rule, until_midnight_s

Now: TypeAlias = Callable[[], float]
"""The time in seconds since 1970 UTC."""

PATIENCE_S = 5.0
"""A longer wait is refused; a shorter one is waited for."""

LOOK_S = 1.0
"""How often waiting requests check for changes by other processes."""

TOLD_IN_SECONDS_S = 90

Place: TypeAlias = tuple[int, int]
"""A position in the queue: rank, lowest first, then order of arrival."""


@attrs.define(eq=False)
class SiteLimiter:
    """The rate limiter of one site. Every change is made between two checkpoints.

    Intervals within a run are measured by the event loop's clock; against other processes, and
    across runs, by `now`.

    Attributes:
        site: the name of an engine, or a host.
    """

    site: str
    _pace: RatePolicy
    _ledger: LimiterStore
    _now: Now
    _holder: str = attrs.field(factory=lambda: uuid4().hex, init=False)
    _arrivals: Iterator[int] = attrs.field(factory=count, init=False)
    _line: list[Place] = attrs.field(factory=list[Place], init=False)
    _held: int = attrs.field(default=0, init=False)
    _is_starting: bool = attrs.field(default=False, init=False)
    _next_start_s: float = attrs.field(default=-math.inf, init=False)
    _changed: trio.Event = attrs.field(factory=trio.Event, init=False)

    async def enter(self, permit: AcquirePermit) -> None:
        """Wait for the turn of `permit`. `hold` must follow. Cancellation leaves no trace.

        Raises:
            RateLimited: the wait would be too long.
        """
        told: Reason | None = None
        with self._place_in_line(permit.rank) as place:
            while wait := await self._try_to_enter(place, permit):
                if wait.reason is not told:
                    permit.waiting(wait)
                told = wait.reason
                with trio.move_on_after(min(wait.left_s or LOOK_S, LOOK_S)):
                    await self._changed.wait()

    async def hold(self, permit: AcquirePermit) -> None:
        """Begin the request of `permit`, and occupy its slot until it is over."""
        try:
            await self._begin(permit)
            await permit.over.wait()
        finally:
            self._held -= 1
            self._wake()

    def refuse(self, retry_after_s: float | None) -> None:
        """Record that the site refused a request."""
        rule = partial(LimiterState.refuse, pace=self._pace, retry_after_s=retry_after_s)
        self._change(partial(rule, now_s=self._now()))
        self._wake()

    def answer(self) -> None:
        """Record that the site answered a request."""
        self._change(LimiterState.answer)
        self._wake()

    def is_idle(self) -> bool:
        """Return whether the limiter has no state that a new one would lack."""
        return (
            not self._line
            and not self._held
            and self._next_start_s <= trio.current_time()
            and self._state().is_settled(self._pace, self._now())
        )

    def rate(self) -> SiteRate:
        """Return the site's current rate and pause."""
        account, now_s = self._state(), self._now()
        is_used_up = account.is_used_up(self._pace, now_s)
        left_s = self._left_s(account, now_s)
        return SiteRate(
            site=self.site,
            in_work=self._held,
            waiting=len(self._line),
            today=account.today(now_s),
            daily_limit=self._pace.daily_limit,
            next_start_in_s=max(left_s, until_midnight_s(now_s)) if is_used_up else left_s,
            paused_for_s=account.pause_s(now_s),
        )

    @contextmanager
    def _place_in_line(self, rank: int) -> Generator[Place]:
        place = (rank, next(self._arrivals))
        insort(self._line, place)
        try:
            yield place
        finally:
            self._line.remove(place)
            self._wake()

    async def _try_to_enter(self, place: Place, permit: AcquirePermit) -> SiteWait | None:
        """Admit the request at `place`, or return the reason to wait."""
        await trio.lowlevel.checkpoint_if_cancelled()
        account, now_s = self._state(), self._now()
        if permit.for_person:
            account = account.without_pause()
        # Refuse if the wait would be long.
        if account.is_used_up(self._pace, now_s):
            raise _used_up(self.site, account.today(now_s), self._pace.daily_limit, now_s)
        if (pause_s := account.pause_s(now_s)) > PATIENCE_S:
            raise _paused(self.site, account.refusals, pause_s)
        if self._must_stand_back(place) or account.is_reserved_against(self._holder, now_s):
            return SiteWait(self.site, Reason.TURN)
        if left_s := self._left_s(account, now_s):
            return SiteWait(self.site, Reason.INTERVAL, left_s)
        if not self._reserve(now_s, for_person=permit.for_person):
            return SiteWait(self.site, Reason.TURN)
        self._held += 1
        self._is_starting = True
        return None

    def _must_stand_back(self, place: Place) -> bool:
        is_full = self._held >= self._pace.concurrency
        return is_full or self._is_starting or place != self._line[0]

    def _left_s(self, account: LimiterState, now_s: float) -> float:
        """Return how long no request can begin, because of the interval or a pause."""
        return max(
            self._next_start_s - trio.current_time(),
            account.interval_s(self._holder, self._pace, now_s),
            account.pause_s(now_s),
            0.0,
        )

    def _reserve(self, now_s: float, *, for_person: bool) -> bool:
        """Reserve the site; return whether that succeeded, as another process can be faster."""

        def reserve(account: LimiterState) -> LimiterState:
            """Reserve with the time after locking: an earlier one could be too early."""
            return account.reserve(self._holder, self._pace, self._now(), for_person=for_person)

        account = self._change(reserve)
        return account.holder == self._holder and account.reserved_until_s > now_s

    async def _begin(self, permit: AcquirePermit) -> None:
        """Wait until `permit` has begun or is over; a request counts only if it has begun."""
        begun = permit.begun
        try:
            if begun is not None:
                await self._until_either(begun, permit.over)
        finally:
            if begun is None or begun.is_set():
                self._note_begin()
            else:
                self._change(partial(LimiterState.give_back, holder=self._holder))
            self._is_starting = False
            self._wake()

    async def _until_either(self, begun: Expiry, over: Expiry) -> None:
        """Wait for either event, and keep the site reserved meanwhile."""
        async with trio.open_nursery() as nursery:

            async def watch(ending: Expiry) -> None:
                """End the nursery once `ending` is over."""
                await ending.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(self._stay_reserved)
            nursery.start_soon(watch, begun)
            nursery.start_soon(watch, over)

    async def _stay_reserved(self) -> None:
        while True:
            await trio.sleep(RESERVED_S / 2)
            self._change(partial(LimiterState.renew, holder=self._holder, now_s=self._now()))

    def _note_begin(self) -> None:
        self._next_start_s = trio.current_time() + self._pace.min_interval_s
        self._change(partial(LimiterState.begin, holder=self._holder, now_s=self._now()))

    def _wake(self) -> None:
        """Wake every waiting request, so that it tries again."""
        self._changed.set()
        self._changed = trio.Event()

    def _state(self) -> LimiterState:
        return self._ledger.state(self.site)

    def _change(self, rule: Rule) -> LimiterState:
        return self._ledger.change(self.site, rule)


def _used_up(site: str, used: int, limit: int | None, now_s: float) -> RateLimited:
    return RateLimited(
        (
            Quoted(site),
            f": {used} of {limit} daily requests are used; the limit resets at 00:00 UTC.",
        ),
        retry_after_s=until_midnight_s(now_s),
        advice="Use another engine until then.",
    )


def _paused(site: str, refusals: int, pause_s: float) -> RateLimited:
    what = "the last request" if refusals == 1 else f"{refusals} requests in a row"
    return RateLimited(
        (Quoted(site), f" has refused {what} and is paused for {_duration(pause_s)} more."),
        retry_after_s=pause_s,
        advice="Use another engine until then.",
    )


def _duration(time_s: float) -> str:
    """Format a duration for people."""
    if time_s <= TOLD_IN_SECONDS_S:
        return f"{math.ceil(time_s)} s"
    return f"{math.ceil(time_s / 60)} min"
