"""The state of a site in a fleet: shared with other processes, or this process's share of it.

While Redis does not respond, each process keeps to its share: the interval times
the number of processes, in time slots that no other process uses, and the concurrency and the rest
of the daily limit divided by it. What it did is added to the shared state when the store is back.
"""

import logging
import zlib
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import attrs
import trio

from tabwright.config.engines import RatePolicy
from tabwright.protocol.errors import FleetUnavailable
from tabwright.protocol.rate_limit import AcquirePermit, Reason
from tabwright.ratelimit.shared_rates import (
    LEASE_S,
    POLL_NEXT_S,
    RETURN_S,
    Bid,
    LocalStarts,
    SharedRates,
    SharedState,
)
from tabwright.ratelimit.site_limiter import Delay, LocalSiteState
from tabwright.ratelimit.store import DAY_S, LimiterState, MemoryLimiterStore, Now

UNKNOWN_PROCESSES = 10
"""The number of processes that a process assumes which has never reached the store."""

SLOT_MARGIN_S = 0.25
"""How much longer a time slot is than the interval, for errors of clocks."""

SLOT_START_S = 0.1
"""How late in its slot a request may begin."""

RETRY_S = 1.0
"""How often the store is tried while it is away."""

POLL_S = 5.0
"""How often it is tried while it responds; and at once when a change has failed."""

Change: TypeAlias = Callable[[SharedRates], Awaitable[SharedState]]

_log = logging.getLogger("tabwright.actors")


@attrs.define(eq=False)
class FleetRates:
    """The connection of a process to the store of the shared rates.

    Attributes:
        process: the name of this process, unique in the fleet.
        is_lost: whether Redis does not respond.
        lost_at_s: since when, by its clock.
    """

    _rates: SharedRates
    process: str
    _wall: Now
    is_lost: bool = attrs.field(default=False, init=False)
    lost_at_s: float = attrs.field(default=0.0, init=False)
    _processes: tuple[str, ...] = attrs.field(default=(), init=False)
    _ahead_s: float | None = attrs.field(default=None, init=False)
    _loss: trio.Event = attrs.field(factory=trio.Event, init=False)

    @property
    def share(self) -> tuple[int, int]:
        """Return the number of this process among those that it knew at the last contact.

        The first number is its place, from 0, the second is how many there are.
        """
        if not self._processes:
            return zlib.crc32(self.process.encode()) % UNKNOWN_PROCESSES, UNKNOWN_PROCESSES
        known = sorted({*self._processes, self.process})
        return known.index(self.process), len(known)

    def now_s(self) -> float:
        """Return the time by the clock of the store, or the wall clock before the first contact.

        Between contacts, it is measured by the event loop's clock.
        """
        return self._wall() if self._ahead_s is None else trio.current_time() + self._ahead_s

    async def change(self, change: Change) -> SharedState | None:
        """Let the store make a change; None while it is away, without waiting for it."""
        if self.is_lost:
            return None
        asked_s = trio.current_time()
        try:
            shared = await change(self._rates)
        except FleetUnavailable:
            self._lose()
            return None
        self._set_clock(shared.now_s, asked_s)
        return shared

    async def watch(self) -> None:
        """Note when the store goes away, and when it is back, until cancelled."""
        while True:
            asked_s = trio.current_time()
            try:
                met = await self._rates.meet(self.process)
            except FleetUnavailable:
                self._lose()
            else:
                self._processes = met.processes
                self._set_clock(met.now_s, asked_s)
                if self.is_lost:
                    self.is_lost, self._loss = False, trio.Event()
                    _log.warning("Redis responds again: the fleet shares the rates of sites.")
            if self.is_lost:
                await trio.sleep(RETRY_S)
            else:
                with trio.move_on_after(POLL_S):
                    await self._loss.wait()

    def _lose(self) -> None:
        if self.is_lost:
            return
        self.is_lost, self.lost_at_s = True, self.now_s()
        self._loss.set()
        _log.warning(
            "Redis does not respond: this process keeps to its share of the rates of sites, 1/%d.",
            self.share[1],
        )

    def _set_clock(self, store_s: float, asked_s: float) -> None:
        self._ahead_s = store_s - (asked_s + trio.current_time()) / 2


@attrs.define(eq=False)
class FleetSiteState:
    """The state of a site that a fleet shares; see `SiteState`."""

    site: str
    _policy: RatePolicy
    _fleet: FleetRates
    _known: LimiterState = attrs.field(factory=LimiterState, init=False)
    _share: "LocalShare | None" = attrs.field(default=None, init=False)
    _begun: set[str] = attrs.field(factory=set[str], init=False)
    _merging: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    @property
    def pace(self) -> RatePolicy:
        return self._share.pace if self._share else self._policy

    @property
    def renew_s(self) -> float:
        return LEASE_S / 3

    def now_s(self) -> float:
        return self._fleet.now_s()

    def state(self) -> LimiterState:
        return self._share.in_memory.state() if self._share else self._known

    def left_s(self) -> float:
        if self._share:
            return self._share.left_s()
        interval_s = self._known.interval_s(self._fleet.process, self._policy, self.now_s())
        return max(interval_s, self._known.pause_s(self.now_s()))

    def is_settled(self) -> bool:
        if self._share:
            return self._share.in_memory.is_settled()
        return not self.left_s() and self._known.is_settled(self._policy, self.now_s())

    async def reserve(self, name: str, permit: AcquirePermit) -> Delay | None:
        may_begin = permit.begun is None or not self._policy.counts_starts
        begins = may_begin and not self._policy.min_interval_s
        # An interval counts from the true begin.
        bid = Bid(self._fleet.process, name, self._policy, permit.for_person, begins)
        shared = await self._change(lambda rates: rates.reserve(self.site, bid))
        if shared is None:
            return await self._local().reserve(name, permit)
        if shared.is_reserved:
            if begins:
                self._begun.add(name)
            return None
        if shared.interval_s:
            return Delay(Reason.INTERVAL, shared.interval_s)
        return Delay(Reason.TURN, poll_s=POLL_NEXT_S * max(shared.place, 1))

    async def begin(self, permit: str) -> None:
        if permit in self._begun:
            self._begun.discard(permit)
        elif await self._change(lambda rates: rates.begin(self.site, permit)) is None:
            await self._local().in_memory.begin(permit)

    async def renew(self, permit: str) -> None:
        if await self._change(lambda rates: rates.renew(self.site, permit)) is None:
            await self._local().in_memory.renew(permit)

    async def release(self, permit: str) -> None:
        self._begun.discard(permit)
        if self._share:
            await self._share.in_memory.release(permit)
        await self._change(lambda rates: rates.release(self.site, permit))

    async def refuse(self, retry_after_s: float | None) -> None:
        pace = self._policy
        if await self._change(lambda rates: rates.refuse(self.site, pace, retry_after_s)) is None:
            await self._local().in_memory.refuse(retry_after_s)

    async def answer(self) -> None:
        state = self.state()
        if not (state.refusals or state.paused_until_s):
            return  # there is nothing to forget
        if await self._change(lambda rates: rates.answer(self.site)) is None:
            await self._local().in_memory.answer()

    def _local(self) -> "LocalShare":
        """Return this process's share, which begins when the store goes away."""
        if self._share is None:
            self._share = LocalShare.of(self.site, self._policy, self._fleet, self._known)
        return self._share

    async def _change(self, change: Change) -> SharedState | None:
        """Let the store make a change, after those that it missed; None while it is away."""
        shared = None
        with trio.CancelScope(shield=True):
            if self._share is not None and not self._fleet.is_lost:
                await self._merge()
            shared = await self._fleet.change(change)
        return self._noted(shared)

    async def _merge(self) -> None:
        """Add to the shared state what this process did; once, however many ask for it."""
        async with self._merging:
            if self._share is None:
                return
            starts = self._share.starts()
            if self._noted(await self._fleet.change(lambda one: one.merge(self.site, starts))):
                self._share = None

    def _noted(self, shared: SharedState | None) -> SharedState | None:
        if shared is not None:
            self._known = shared.state
        return shared


@attrs.define(eq=False)
class LocalShare:
    """The share of a process in the rate of a site, while Redis does not respond.

    A request begins only at the beginning of a time slot of this process, if the site has an
    interval. So requests of processes that lost the store together keep the interval, too.

    Attributes:
        in_memory: the state in memory of this process.
    """

    _policy: RatePolicy
    _fleet: FleetRates
    _before: LimiterState
    _place: int
    _count: int
    in_memory: LocalSiteState

    @classmethod
    def of(
        cls, site: str, policy: RatePolicy, fleet: FleetRates, known: LimiterState
    ) -> "LocalShare":
        """Return the share that begins now, with the last known state of the site."""
        store = MemoryLimiterStore()
        before = store.change(site, lambda _new: attrs.evolve(known, holder="", reserved_until_s=0))
        in_memory = LocalSiteState(site, policy, store, fleet.now_s, fleet.process)
        place, count = fleet.share
        return cls(policy, fleet, before, place, count, in_memory)

    @property
    def pace(self) -> RatePolicy:
        """Return the rate that this process keeps."""
        policy = self._policy
        used, limit = self._before.today(self._fleet.now_s()), policy.daily_limit
        return attrs.evolve(
            policy,
            min_interval_s=max(self._period_s - SLOT_START_S, 0.0),
            concurrency=max(policy.concurrency // self._count, 1),
            daily_limit=None if limit is None else used + max(limit - used, 0) // self._count,
        )

    @property
    def _slot_s(self) -> float:
        interval_s = self._policy.min_interval_s
        return interval_s + SLOT_MARGIN_S if interval_s else 0.0

    @property
    def _period_s(self) -> float:
        return self._slot_s * self._count

    def left_s(self) -> float:
        """Return how long no request can begin."""
        self.in_memory.pace = self.pace
        return max(self.in_memory.left_s(), self._until_slot_s())

    async def reserve(self, name: str, permit: AcquirePermit) -> Delay | None:
        self.in_memory.pace = self.pace
        if left_s := self._until_slot_s():
            return Delay(Reason.INTERVAL, left_s)
        return await self.in_memory.reserve(name, permit)

    def starts(self) -> LocalStarts:
        """Return what began since the share did."""
        state, now_s = self.in_memory.state(), self._fleet.now_s()
        used = self._before.today(now_s)
        known = attrs.evolve(
            state,
            day=int(now_s // DAY_S),
            requests=used,
            last_start_s=max(self._before.last_start_s, 0.0),
        )
        returned_s = now_s + RETURN_S if self._slot_s else 0.0  # others may still begin until then
        return LocalStarts(known, state.today(now_s) - used, returned_s)

    def _until_slot_s(self) -> float:
        """Return how long it is until a slot of this process begins; 0 if it has just begun."""
        if not self._slot_s:
            return 0.0
        now_s = self._fleet.now_s()
        late_s = (now_s - self._place * self._slot_s) % self._period_s
        to_slot_s = 0.0 if late_s <= SLOT_START_S else self._period_s - late_s
        quiet_s = self._fleet.lost_at_s + self._slot_s - now_s  # others may just have begun
        return max(to_slot_s, quiet_s, 0.0)
