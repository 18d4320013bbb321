"""The RateGovernor: limits the rate of requests to each site."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from uuid import uuid4

import trio

from tabwright.actors.kit.supervision import RestartPolicy
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.engines import RatePolicy
from tabwright.config.yaml_tables import WEB
from tabwright.protocol.rate_limit import AcquirePermit, RateShare, SiteRate
from tabwright.ratelimit.fleet_state import FleetRates, FleetSiteState
from tabwright.ratelimit.site_limiter import LocalSiteState, SiteLimiter
from tabwright.ratelimit.store import LimiterStore, MemoryLimiterStore, Now

RESTART_POLICY = RestartPolicy(mailbox_max=256, at_once=256)
"""Waiting costs nothing, and one site's wait must not delay another's."""


class RateGovernor:
    """Keeps a limiter for each engine, and for each host as long as it is needed."""

    def __init__(
        self,
        nursery: trio.Nursery,
        paces: Mapping[str, RatePolicy],
        store: LimiterStore,
        now: Now,
        fleet: FleetRates | None,
    ) -> None:
        self._nursery = nursery
        self._web = paces[WEB]
        self._now = now
        self._process = uuid4().hex
        self._fleet = fleet
        self._engines = {
            name: self._opened(name, pace, store) for name, pace in paces.items() if name != WEB
        }
        self._hosts: dict[str, SiteLimiter] = {}

    async def permit(self, request: AcquirePermit, /) -> None:
        limiter = self._limiter(request.site)
        name = await limiter.enter(request)
        self._nursery.start_soon(limiter.hold, request, name)

    async def note_refusal(self, site: str, retry_after_s: float | None = None) -> float:
        limiter = self._limiter(site)
        await limiter.refuse(retry_after_s)
        return limiter.rate().paused_for_s

    async def note_answer(self, site: str, /) -> None:
        await self._limiter(site).answer()

    async def rates(self) -> tuple[SiteRate, ...]:
        self._forget_idle_hosts()
        limiters = {**self._hosts, **self._engines}
        return tuple(limiters[site].rate() for site in sorted(limiters))

    async def share(self) -> RateShare | None:
        fleet = self._fleet
        return RateShare(not fleet.is_lost, fleet.share[1]) if fleet is not None else None

    def _limiter(self, site: str) -> SiteLimiter:
        if limiter := self._engines.get(site) or self._hosts.get(site):
            return limiter
        self._forget_idle_hosts()
        limiter = self._hosts[site] = self._opened(site, self._web, MemoryLimiterStore())
        return limiter

    def _opened(self, site: str, pace: RatePolicy, store: LimiterStore) -> SiteLimiter:
        if self._fleet is not None:
            return SiteLimiter(site, FleetSiteState(site, pace, self._fleet))
        return SiteLimiter(site, LocalSiteState(site, pace, store, self._now, self._process))

    def _forget_idle_hosts(self) -> None:
        self._hosts = {
            site: limiter for site, limiter in self._hosts.items() if not limiter.is_idle()
        }


@asynccontextmanager
async def rate_governor_actor(
    paces: Mapping[str, RatePolicy],
    store: LimiterStore,
    now: Now,
    fleet: FleetRates | None = None,
) -> AsyncGenerator[RateGovernor]:
    """Run a governor; stopping it ends every permit, and closes the store.

    Args:
        paces: by the name of the engine, and `WEB` for every host.
        store: where the request counts of engines are kept.
        now: returns the time in seconds since 1970 UTC.
        fleet: the processes that share the rates; the store is not used then. None for no others.
    """
    try:
        async with background_nursery() as nursery:
            if fleet is not None:
                nursery.start_soon(fleet.watch)
            yield RateGovernor(nursery, paces, store, now, fleet)
    finally:
        store.close()
