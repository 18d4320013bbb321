"""The state of one site: its state, wherever it is kept, and what this process does with it."""

import math
from functools import partial
from typing import Protocol

import attrs
import trio

from tabwright.config.engines import RatePolicy
from tabwright.protocol.rate_limit import AcquirePermit, Reason
from tabwright.ratelimit.store import RESERVED_S, LimiterState, LimiterStore, Now, Rule


@attrs.frozen
class Delay:
    """Why a site could not be reserved.

    Attributes:
        left_s: seconds left; None if unknown.
        look_s: seconds after which to try again, if nothing changes before; None for the usual.
    """

    reason: Reason
    left_s: float | None = None
    look_s: float | None = None


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
        """See `SiteState.renew_s`."""
        return RESERVED_S / 2

    def now_s(self) -> float:
        """See `SiteState.now_s`."""
        return self._now()

    def state(self) -> LimiterState:
        """See `SiteState.state`."""
        return self._store.state(self.site)

    def left_s(self) -> float:
        """See `SiteState.left_s`."""
        return self._left_s(self.state(), self._now())

    def is_settled(self) -> bool:
        """See `SiteState.is_settled`."""
        is_over = self._next_start_s <= trio.current_time()
        return is_over and self.state().is_settled(self.pace, self._now())

    async def reserve(self, name: str, permit: AcquirePermit) -> Delay | None:
        """See `SiteState.reserve`; the permit always begins by `begin`."""
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
        """See `SiteState.begin`."""
        if self._reserved == permit:
            self._reserved = ""
        self._next_start_s = trio.current_time() + self.pace.min_interval_s
        self._change(partial(LimiterState.begin, holder=self._holder, now_s=self._now()))

    async def renew(self, permit: str) -> None:
        """See `SiteState.renew`; a permit that has begun needs nothing."""
        if self._reserved == permit:
            self._change(partial(LimiterState.renew, holder=self._holder, now_s=self._now()))

    async def release(self, permit: str) -> None:
        """See `SiteState.release`."""
        if self._reserved == permit:
            self._reserved = ""
            self._change(partial(LimiterState.give_back, holder=self._holder))

    async def refuse(self, retry_after_s: float | None) -> None:
        """See `SiteState.refuse`."""
        rule = partial(LimiterState.refuse, pace=self.pace, retry_after_s=retry_after_s)
        self._change(partial(rule, now_s=self._now()))

    async def answer(self) -> None:
        """See `SiteState.answer`."""
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
