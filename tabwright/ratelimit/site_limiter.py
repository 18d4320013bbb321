"""The rate limiter of one site: it decides which request is sent next, and when.

A site has a minimum interval between requests, not a token bucket: no burst follows a pause. It is
also the circuit breaker of the site: a site that refused a request is paused. The queue is that of
this process; the state of the site decides, and other processes can share it.
"""

import math
from bisect import insort
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Protocol, TypeAlias
from uuid import uuid4

import attrs
import trio

from tabwright.concurrency.nursery import wait_for_either
from tabwright.config.engines import RatePolicy
from tabwright.protocol.errors import RateLimited
from tabwright.protocol.rate_limit import AcquirePermit, Reason, SiteRate, SiteWait
from tabwright.protocol.untrusted_text import Quoted
from tabwright.ratelimit.store import (
    RESERVED_S,
    LimiterState,
    LimiterStore,
    Now,
    Rule,
    until_midnight_s,
)
from tabwright.text.languages import time_text


@attrs.frozen
class Delay:
    """Why a site could not be reserved.

    Attributes:
        left_s: seconds left; None if unknown.
        poll_s: seconds after which to try again, if nothing changes before; None for the usual.
    """

    reason: Reason
    left_s: float | None = None
    poll_s: float | None = None


class SiteState(Protocol):
    """The state of one site.

    A permit has a name, which is unique among all processes. It is reserved, then it begins, then
    it is released; one that is released before it has begun does not count.
    """

    @property
    def pace(self) -> RatePolicy:
        """Return the rate that this process must keep now."""
        ...

    @property
    def renew_s(self) -> float:
        """Return how often `renew` must be called while a permit is reserved or in work."""
        ...

    def now_s(self) -> float:
        """Return the time that `state` refers to."""
        ...

    def state(self) -> LimiterState:
        """Return the last known state."""
        ...

    def left_s(self) -> float:
        """Return how long no request can begin, because of the interval or a pause."""
        ...

    def is_settled(self) -> bool:
        """Return whether this process knows nothing that it would not know after a restart."""
        ...

    async def reserve(self, name: str, permit: AcquirePermit) -> Delay | None:
        """Reserve the site for the permit `name`; None if that succeeded.

        A permit that begins at once may have begun then, so that `begin` records nothing more.
        Cancellation does not interrupt it, so that its outcome is known.
        """
        ...

    async def begin(self, permit: str) -> None:
        """Record that a permit begins. Cancellation does not interrupt it."""
        ...

    async def renew(self, permit: str) -> None:
        """Keep what a permit has reserved."""
        ...

    async def release(self, permit: str) -> None:
        """Release a permit. Cancellation does not interrupt it."""
        ...

    async def refuse(self, retry_after_s: float | None) -> None:
        """Record that the site refused a request. Cancellation does not interrupt it."""
        ...

    async def answer(self) -> None:
        """Record that the site answered a request. Cancellation does not interrupt it."""
        ...


@attrs.define(eq=False)
class LocalSiteState:
    """A state in a `LimiterStore`, which the processes of this machine can share.

    Each call is made between two checkpoints. Intervals within a run are measured by the event
    loop's clock; against other processes, and across runs, by `now`.

    Attributes:
        site: the name of an engine, or a host.
        pace: its rate.
    """

    site: str
    pace: RatePolicy
    _store: LimiterStore
    _now: Now
    _holder: str
    _reserved: str = attrs.field(default="", init=False)
    _next_start_s: float = attrs.field(default=-math.inf, init=False)

    @property
    def renew_s(self) -> float:
        return RESERVED_S / 2

    def now_s(self) -> float:
        return self._now()

    def state(self) -> LimiterState:
        return self._store.state(self.site)

    def left_s(self) -> float:
        return self._left_s(self.state(), self._now())

    def is_settled(self) -> bool:
        is_over = self._next_start_s <= trio.current_time()
        return is_over and self.state().is_settled(self.pace, self._now())

    async def reserve(self, name: str, permit: AcquirePermit) -> Delay | None:
        known, now_s, for_person = self.state(), self._now(), permit.for_person
        if known.is_reserved_against(self._holder, now_s):
            return Delay(Reason.TURN)
        if left_s := self._left_s(known.without_pause() if for_person else known, now_s):
            return Delay(Reason.INTERVAL, left_s)

        def reserve(known: LimiterState) -> LimiterState:
            """Reserve with the time after locking: an earlier one could be too early."""
            return known.reserve(self._holder, self.pace, self._now(), for_person=for_person)

        known = self._change(reserve)
        if known.holder != self._holder or known.reserved_until_s <= now_s:
            return Delay(Reason.TURN)  # another process was faster
        self._reserved = name
        return None

    async def begin(self, permit: str) -> None:
        if self._reserved == permit:
            self._reserved = ""
        self._next_start_s = trio.current_time() + self.pace.min_interval_s
        self._change(partial(LimiterState.begin, holder=self._holder, now_s=self._now()))

    async def renew(self, permit: str) -> None:
        if self._reserved == permit:
            self._change(partial(LimiterState.renew, holder=self._holder, now_s=self._now()))

    async def release(self, permit: str) -> None:
        if self._reserved == permit:
            self._reserved = ""
            self._change(partial(LimiterState.give_back, holder=self._holder))

    async def refuse(self, retry_after_s: float | None) -> None:
        rule = partial(LimiterState.refuse, pace=self.pace, retry_after_s=retry_after_s)
        self._change(partial(rule, now_s=self._now()))

    async def answer(self) -> None:
        self._change(LimiterState.answer)

    def _left_s(self, known: LimiterState, now_s: float) -> float:
        return max(
            self._next_start_s - trio.current_time(),
            known.interval_s(self._holder, self.pace, now_s),
            known.pause_s(now_s),
            0.0,
        )

    def _change(self, rule: Rule) -> LimiterState:
        return self._store.change(self.site, rule)


# The queue of the requests of this process.

PATIENCE_S = 5.0
"""A longer wait is refused; a shorter one is waited for."""

POLL_S = 1.0
"""How often waiting requests check for changes by other processes."""

Place: TypeAlias = tuple[int, int]
"""A position in the queue: rank, lowest first, then order of arrival."""


@attrs.define(eq=False)
class SiteLimiter:
    """The rate limiter of one site: it orders the requests of this process.

    When the first of them can be sent is decided by the state of the site, which other processes
    can share.

    Attributes:
        site: the name of an engine, or a host.
    """

    site: str
    _state: SiteState
    _process: str = attrs.field(factory=lambda: uuid4().hex)
    _arrivals: Iterator[int] = attrs.field(factory=count, init=False)
    _line: list[Place] = attrs.field(factory=list[Place], init=False)
    _held: int = attrs.field(default=0, init=False)
    _is_starting: bool = attrs.field(default=False, init=False)
    _changed: trio.Event = attrs.field(factory=trio.Event, init=False)

    async def enter(self, permit: AcquirePermit) -> str:
        """Wait for the turn of `permit`, and return the name of its reservation.

        `hold` must follow. Cancellation leaves no trace.

        Raises:
            RateLimited: the wait would be too long.
        """
        reported: Reason | None = None
        with self._place_in_line(permit.rank) as place:
            name = f"{self._process}:{place[1]}"
            while delay := await self._try_to_enter(place, name, permit):
                if delay.reason is not reported:
                    permit.waiting(SiteWait(self.site, delay.reason, delay.left_s))
                reported = delay.reason
                with trio.move_on_after(min(delay.left_s or delay.poll_s or POLL_S, POLL_S)):
                    await self._changed.wait()
        return name

    async def hold(self, permit: AcquirePermit, name: str) -> None:
        """Begin the request of `permit`, and occupy its slot until it is over.

        Args:
            permit: the permit.
            name: of its reservation, as `enter` returned it.
        """
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._renew, name)
                await self._begin(permit, name)
                await permit.over.wait()
                nursery.cancel_scope.cancel()
        finally:
            self._held -= 1
            await self._state.release(name)
            self._wake()

    async def refuse(self, retry_after_s: float | None) -> None:
        """Record that the site refused a request: pause it, as a circuit breaker does."""
        await self._state.refuse(retry_after_s)
        self._wake()

    async def answer(self) -> None:
        """Record that the site answered a request."""
        await self._state.answer()
        self._wake()

    def is_idle(self) -> bool:
        """Return whether the limiter has no state that a new one would lack."""
        return not self._line and not self._held and self._state.is_settled()

    def rate(self) -> SiteRate:
        """Return the site's current rate and pause."""
        known, now_s, pace = self._state.state(), self._state.now_s(), self._state.pace
        left_s = self._state.left_s()
        is_used_up = known.is_used_up(pace, now_s)
        return SiteRate(
            site=self.site,
            in_work=self._held,
            waiting=len(self._line),
            today=known.today(now_s),
            daily_limit=pace.daily_limit,
            next_start_in_s=max(left_s, until_midnight_s(now_s)) if is_used_up else left_s,
            paused_for_s=known.pause_s(now_s),
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

    async def _try_to_enter(self, place: Place, name: str, permit: AcquirePermit) -> Delay | None:
        """Admit the request at `place`, or return the reason to wait."""
        await trio.lowlevel.checkpoint_if_cancelled()
        self._refuse_long_wait(permit)
        if self._must_stand_back(place):
            return Delay(Reason.TURN)
        self._is_starting = True  # no other asks meanwhile
        delay = await self._state.reserve(name, permit)
        if delay is not None:
            self._is_starting = False
            self._refuse_long_wait(permit)
            return delay
        self._held += 1
        return None

    def _refuse_long_wait(self, permit: AcquirePermit) -> None:
        """Refuse a request that would have to wait for long.

        Raises:
            RateLimited: it would.
        """
        known, now_s, pace = self._state.state(), self._state.now_s(), self._state.pace
        if permit.for_person:
            known = known.without_pause()
        if known.is_used_up(pace, now_s):
            used, limit = known.today(now_s), pace.daily_limit
            raise RateLimited(
                (
                    f"{used} of {limit} daily requests to ",
                    Quoted(self.site),
                    " are used; the limit resets at 00:00 UTC.",
                ),
                retry_after_s=until_midnight_s(now_s),
                advice="Use another engine until then.",
            )
        if (pause_s := known.pause_s(now_s)) > PATIENCE_S:
            many = f"{known.refusals} requests in a row"
            what = "the last request" if known.refusals == 1 else many
            raise RateLimited(
                (
                    Quoted(self.site),
                    f" has refused {what} and is paused for {time_text(pause_s)} more.",
                ),
                retry_after_s=pause_s,
                advice="Use another engine until then.",
            )

    def _must_stand_back(self, place: Place) -> bool:
        is_full = self._held >= self._state.pace.concurrency
        return is_full or self._is_starting or place != self._line[0]

    async def _begin(self, permit: AcquirePermit, name: str) -> None:
        """Wait until `permit` has begun or is over; a request counts only if it has begun."""
        begun = permit.begun if self._state.pace.counts_starts else None
        try:
            if begun is not None:
                await wait_for_either(begun, permit.over)
        finally:
            if begun is None or begun.is_set():
                await self._state.begin(name)
            else:
                await self._state.release(name)
            self._is_starting = False
            self._wake()

    async def _renew(self, name: str) -> None:
        while True:
            await trio.sleep(self._state.renew_s)
            await self._state.renew(name)

    def _wake(self) -> None:
        """Wake every waiting request, so that it tries again."""
        self._changed.set()
        self._changed = trio.Event()
