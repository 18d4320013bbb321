"""The state of a site's rate that the processes of a fleet share, and the protocol of its store."""

from typing import Protocol

import attrs

from tabwright.config.engines import RatePolicy
from tabwright.ratelimit.store import LimiterState

LEASE_S = 15.0
"""How long a permit lasts without renewal, and a silent process counts as one of the fleet."""

SEEN_S = 3.0
"""How long a process keeps its place in the line without asking again."""

POLL_NEXT_S = 0.05
"""How soon the next process in the line asks again; the n-th one after n times as long, if that is
less than `tabwright.ratelimit.site_limiter.POLL_S`.
"""

RETURN_S = 3.0
"""How long it takes at most until all processes have noticed that the store is back."""


@attrs.frozen
class SharedState:
    """The state of a site that a fleet shares, after a change.

    Attributes:
        state: its state; the holder is the permit that has reserved it.
        now_s: the time of the store, in seconds since 1970 UTC.
        is_reserved: whether the change has reserved it for the permit that asked.
        interval_s: how long the interval or a pause still lasts; 0 if the wait is for others.
        place: the place of the process in the line, from 1; 0 if it does not wait for others.
    """

    state: LimiterState
    now_s: float
    is_reserved: bool = False
    interval_s: float = 0.0
    place: int = 0


@attrs.frozen
class Meeting:
    """The processes that share the rates.

    Attributes:
        now_s: the time of the store, in seconds since 1970 UTC.
        processes: those that were heard of during the last `LEASE_S`.
    """

    now_s: float
    processes: tuple[str, ...]


@attrs.frozen
class Bid:
    """A permit that asks for its turn.

    Attributes:
        process: where it is held; the processes of a fleet take turns.
        permit: its name.
        pace: the rate of the site.
        for_person: whether pauses are ignored.
        begins: whether it begins at once.
    """

    process: str
    permit: str
    pace: RatePolicy
    for_person: bool = False
    begins: bool = False


@attrs.frozen
class LocalStarts:
    """The requests of a process while the store was unavailable, and the last state it knew.

    Attributes:
        known: the last state that it knew, in case the store has lost it; with the refusals that
            it met since.
        requests: how many requests began.
        last_start_s: when the last one of any process may have begun, by the clock of the store.
    """

    known: LimiterState
    requests: int
    last_start_s: float


class SharedRates(Protocol):
    """Keeps the state of sites for a fleet, by a clock of its own. Each change is atomic.

    A permit whose process dies is released after `LEASE_S`; if it was reserved and had not begun by
    then, it counts as begun, because it may have.

    Every method raises `FleetUnavailable` if the store does not respond in time. The change may
    have been made then.
    """

    async def meet(self, process: str, /) -> Meeting:
        """Record that a process shares the rates, and return the processes that do."""
        ...

    async def reserve(self, site: str, bid: Bid, /) -> SharedState:
        """Reserve a site for a permit, if it is the turn of its process."""
        ...

    async def begin(self, site: str, permit: str, /) -> SharedState:
        """Record that a permit begins."""
        ...

    async def renew(self, site: str, permit: str, /) -> SharedState:
        """Extend a permit, which is admitted again if it had expired."""
        ...

    async def release(self, site: str, permit: str, /) -> SharedState:
        """Release a permit; one that is reserved does not count."""
        ...

    async def refuse(
        self, site: str, pace: RatePolicy, retry_after_s: float | None, /
    ) -> SharedState:
        """Record that the site refused a request; see `LimiterState.refuse`."""
        ...

    async def answer(self, site: str, /) -> SharedState:
        """Record that the site answered a request."""
        ...

    async def merge(self, site: str, starts: LocalStarts, /) -> SharedState:
        """Add what a process did while the store was away."""
        ...
