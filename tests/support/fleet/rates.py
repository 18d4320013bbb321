"""The twin of ``fleet/lua/site_rate.lua``: the rates of sites that a fleet shares, in memory."""

import attrs

from tabwright.config.engines import RatePolicy
from tabwright.ratelimit.shared_rates import (
    LEASE_S,
    RETURN_S,
    SEEN_S,
    Bid,
    LocalStarts,
    Meeting,
    SharedState,
)
from tabwright.ratelimit.store import DAY_S, LimiterState, Now, left_s


@attrs.define(eq=False)
class _Site:
    lease_s: float
    seen_s: float
    state: LimiterState = attrs.field(factory=lambda: LimiterState(last_start_s=0.0))
    leases: dict[str, float] = attrs.field(factory=dict[str, float])
    line: dict[str, float] = attrs.field(factory=dict[str, float])
    """When each process asked last, in the order of their tickets."""

    def expire(self, now_s: float) -> None:
        """End what has expired; a reservation of a dead process may have begun."""
        if self.state.holder and self.state.reserved_until_s <= now_s:
            self.count_starts(1, self.state.reserved_until_s, now_s)
            self.give_back(self.state.holder)
        self.leases = {one: until_s for one, until_s in self.leases.items() if until_s > now_s}

    def count_starts(self, requests: int, at_s: float, now_s: float) -> None:
        self.state = attrs.evolve(
            self.state,
            requests=self.state.today(now_s) + requests,
            day=int(now_s // DAY_S),
            last_start_s=max(self.state.last_start_s, at_s),
        )

    def give_back(self, permit: str) -> None:
        if self.state.holder == permit:
            self.state = attrs.evolve(self.state, holder="", reserved_until_s=0.0)

    def place_of(self, process: str, now_s: float) -> int:
        """Return the place of a process in the line, from 1."""
        self.line[process] = now_s
        while self.line[first := next(iter(self.line))] + self.seen_s <= now_s:
            del self.line[first]
        return list(self.line).index(process) + 1

    def reserve(self, bid: Bid, now_s: float) -> tuple[bool, float, int]:
        """Reserve the site; return whether it is, the interval that is left, and the place."""
        pause_s = self.state.pause_s(now_s)
        if self.state.is_used_up(bid.pace, now_s) or (pause_s and not bid.for_person):
            self.line.pop(bid.process, None)
            return False, pause_s, 0
        place = self.place_of(bid.process, now_s)
        if place > 1 or self.state.holder or len(self.leases) >= bid.pace.concurrency:
            return False, 0.0, place
        min_interval_s = bid.pace.min_interval_s
        until_s, most_s = self.state.last_start_s + min_interval_s, min_interval_s + RETURN_S
        interval_s = left_s(until_s, now_s, most_s)
        if interval_s:
            return False, interval_s, 0
        del self.line[bid.process]
        self.leases[bid.permit] = now_s + self.lease_s
        if bid.begins:
            self.count_starts(1, now_s, now_s)
        else:
            until_s = now_s + self.lease_s
            self.state = attrs.evolve(self.state, holder=bid.permit, reserved_until_s=until_s)
        return True, 0.0, 0


@attrs.define(eq=False)
class MemorySharedRates:
    """Keeps the rates of sites by the clock `now`; see `SharedRates`."""

    now: Now
    lease_s: float = LEASE_S
    seen_s: float = SEEN_S
    _sites: dict[str, _Site] = attrs.field(factory=dict[str, _Site], init=False)
    _seen: dict[str, float] = attrs.field(factory=dict[str, float], init=False)

    def lose_all(self) -> None:
        """Forget everything, as a Redis without persistence does when it restarts."""
        self._sites.clear()
        self._seen.clear()

    async def meet(self, process: str, /) -> Meeting:
        """See `SharedRates.meet`."""
        now_s = self._seen[process] = self.now()
        self._seen = {one: at_s for one, at_s in self._seen.items() if at_s >= now_s - LEASE_S}
        return Meeting(now_s, tuple(self._seen))

    async def reserve(self, site: str, bid: Bid, /) -> SharedState:
        """See `SharedRates.reserve`."""
        one = self._current(site)
        is_reserved, interval_s, place = one.reserve(bid, now_s := self.now())
        return SharedState(one.state, now_s, is_reserved, interval_s, place)

    async def begin(self, site: str, permit: str, /) -> SharedState:
        """See `SharedRates.begin`."""
        one = self._current(site)
        one.give_back(permit)
        one.leases[permit] = self.now() + self.lease_s
        one.count_starts(1, self.now(), self.now())
        return self._shared(one)

    async def renew(self, site: str, permit: str, /) -> SharedState:
        """See `SharedRates.renew`."""
        one = self._current(site)
        until_s = one.leases[permit] = self.now() + self.lease_s
        if one.state.holder == permit:
            one.state = attrs.evolve(one.state, reserved_until_s=until_s)
        return self._shared(one)

    async def release(self, site: str, permit: str, /) -> SharedState:
        """See `SharedRates.release`."""
        one = self._current(site)
        one.give_back(permit)
        one.leases.pop(permit, None)
        return self._shared(one)

    async def refuse(
        self, site: str, pace: RatePolicy, retry_after_s: float | None, /
    ) -> SharedState:
        """See `SharedRates.refuse`."""
        one = self._current(site)
        one.state = one.state.refuse(pace, retry_after_s, self.now())
        return self._shared(one)

    async def answer(self, site: str, /) -> SharedState:
        """See `SharedRates.answer`."""
        one = self._current(site)
        one.state = one.state.answer()
        return self._shared(one)

    async def merge(self, site: str, starts: LocalStarts, /) -> SharedState:
        """See `SharedRates.merge`."""
        one, known, now_s = self._current(site), starts.known, self.now()
        if known.day == now_s // DAY_S:
            requests = max(one.state.today(now_s), known.requests)
            one.state = attrs.evolve(one.state, requests=requests, day=known.day)
            one.count_starts(starts.requests, 0.0, now_s)
        one.state = attrs.evolve(
            one.state,
            last_start_s=max(one.state.last_start_s, known.last_start_s, starts.last_start_s),
            refusals=max(one.state.refusals, known.refusals),
            paused_until_s=max(one.state.paused_until_s, known.paused_until_s),
        )
        return self._shared(one)

    def _current(self, site: str) -> _Site:
        one = self._sites.setdefault(site, _Site(self.lease_s, self.seen_s))
        one.expire(self.now())
        return one

    def _shared(self, one: _Site) -> SharedState:
        return SharedState(one.state, self.now())
