"""The rates of sites that a fleet shares, kept by Redis; see ``fleet/lua/site_rate.lua``."""

from typing import NamedTuple

import attrs

from tabwright.config.engines import RatePolicy
from tabwright.plugins.fleet.redis import ANSWER_S, Argument, FleetRedis, script
from tabwright.ratelimit.shared_rates import (
    LEASE_S,
    SEEN_S,
    Bid,
    LocalStarts,
    Meeting,
    SharedState,
)
from tabwright.ratelimit.store import LimiterState


class _Reply(NamedTuple):
    """The reply of the script."""

    holder: str
    day: float
    requests: float
    last_start_s: float
    reserved_until_s: float
    refusals: float
    paused_until_s: float
    now_s: float
    is_reserved: float
    interval_s: float
    place: float


@attrs.frozen
class RedisSharedRates:
    """Keeps the rates of sites in Redis, by its clock; see `SharedRates`.

    Attributes:
        lease_s: how long a permit lasts without renewal.
        seen_s: how long a process keeps its place in the line without asking again.
        within_s: the time limit of a call.
    """

    _redis: FleetRedis
    lease_s: float = LEASE_S
    seen_s: float = SEEN_S
    within_s: float = ANSWER_S

    async def meet(self, process: str, /) -> Meeting:
        now_s, processes = await self._redis.run(
            script("rate_members"),
            [self._redis.key("rates", "processes")],
            [process, LEASE_S],
            reply=tuple[float, tuple[str, ...]],
            within_s=self.within_s,
        )
        return Meeting(now_s, processes)

    async def reserve(self, site: str, bid: Bid, /) -> SharedState:
        pace = bid.pace
        limit = -1 if pace.daily_limit is None else pace.daily_limit
        flags = int(bid.for_person), int(bid.begins)
        return await self._run(
            site,
            "reserve",
            bid.process,
            bid.permit,
            pace.min_interval_s,
            pace.concurrency,
            limit,
            *flags,
        )

    async def begin(self, site: str, permit: str, /) -> SharedState:
        return await self._run(site, "begin", permit)

    async def renew(self, site: str, permit: str, /) -> SharedState:
        return await self._run(site, "renew", permit)

    async def release(self, site: str, permit: str, /) -> SharedState:
        return await self._run(site, "release", permit)

    async def refuse(
        self, site: str, pace: RatePolicy, retry_after_s: float | None, /
    ) -> SharedState:
        return await self._run(site, "refuse", pace.cool_down_s, retry_after_s or 0.0)

    async def answer(self, site: str, /) -> SharedState:
        return await self._run(site, "answer")

    async def merge(self, site: str, starts: LocalStarts, /) -> SharedState:
        known = starts.known
        return await self._run(
            site,
            "merge",
            known.day,
            known.requests,
            known.last_start_s,
            known.refusals,
            known.paused_until_s,
            starts.requests,
            starts.last_start_s,
        )

    async def _run(self, site: str, operation: str, *arguments: Argument) -> SharedState:
        key = self._redis.key("rate", site)
        keys = [key, f"{key}:permits", f"{key}:line", f"{key}:seen"]
        reply = await self._redis.run(
            script("site_rate"),
            keys,
            [operation, self.lease_s, self.seen_s, *arguments],
            reply=_Reply,
            within_s=self.within_s,
        )
        state = LimiterState(
            day=int(reply.day),
            requests=int(reply.requests),
            last_start_s=reply.last_start_s,
            holder=reply.holder,
            reserved_until_s=reply.reserved_until_s,
            refusals=int(reply.refusals),
            paused_until_s=reply.paused_until_s,
        )
        is_reserved = bool(reply.is_reserved)
        return SharedState(state, reply.now_s, is_reserved, reply.interval_s, int(reply.place))
