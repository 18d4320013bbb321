"""The RateGovernor: limits the rate of requests to each site."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import trio

from tabwright.actors.kit.supervision import RestartPolicy
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.engines import RatePolicy
from tabwright.config.yaml_tables import WEB
from tabwright.protocol.rate_limit import AcquirePermit, NoteAnswer, NoteRefusal, SiteRate
from tabwright.ratelimit.site_limiter import Now, SiteLimiter
from tabwright.ratelimit.store import LimiterStore, MemoryLimiterStore

CARE = RestartPolicy(mailbox_max=256, at_once=256)
"""Waiting costs nothing, and one site's wait must not delay another's."""


class RateGovernor:
    """Keeps a gate for each engine, and for each host as long as it is needed."""

    def __init__(
        self, nursery: trio.Nursery, paces: Mapping[str, RatePolicy], ledger: LimiterStore, now: Now
    ) -> None:
        self._nursery = nursery
        self._web = paces[WEB]
        self._now = now
        self._engines = {
            name: SiteLimiter(name, pace, ledger, now)
            for name, pace in paces.items()
            if name != WEB
        }
        self._hosts: dict[str, SiteLimiter] = {}

    async def permit(self, request: AcquirePermit, /) -> None:
        """See `AcquirePermit`."""
        gate = self._limiter(request.site)
        await gate.enter(request)
        self._nursery.start_soon(gate.hold, request)

    async def note_refusal(self, request: NoteRefusal, /) -> None:
        """See `NoteRefusal`."""
        self._limiter(request.site).refuse(request.retry_after_s)

    async def note_answer(self, request: NoteAnswer, /) -> None:
        """See `NoteAnswer`."""
        self._limiter(request.site).answer()

    async def rates(self) -> tuple[SiteRate, ...]:
        """See `Governor.rates`."""
        self._forget_idle_hosts()
        gates = {**self._hosts, **self._engines}
        return tuple(gates[site].rate() for site in sorted(gates))

    def _limiter(self, site: str) -> SiteLimiter:
        if gate := self._engines.get(site) or self._hosts.get(site):
            return gate
        self._forget_idle_hosts()
        gate = self._hosts[site] = SiteLimiter(site, self._web, MemoryLimiterStore(), self._now)
        return gate

    def _forget_idle_hosts(self) -> None:
        self._hosts = {site: gate for site, gate in self._hosts.items() if not gate.is_idle()}


@asynccontextmanager
async def rate_governor_actor(
    paces: Mapping[str, RatePolicy], ledger: LimiterStore, now: Now
) -> AsyncGenerator[RateGovernor]:
    """Run a governor; stopping it ends every permit, and closes the ledger.

    Args:
        paces: by the name of the engine, and `WEB` for every host.
        ledger: where the request counts of engines are kept.
        now: returns the time in seconds since 1970 UTC.
    """
    try:
        async with background_nursery() as nursery:
            yield RateGovernor(nursery, paces, ledger, now)
    finally:
        ledger.close()
