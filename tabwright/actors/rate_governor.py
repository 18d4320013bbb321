"""The RateGovernor: when a site may be turned to again."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import trio

from tabwright.actors.kit.supervision import Care
from tabwright.concurrency.nursery import open_background
from tabwright.config.engines import WEB, Pace
from tabwright.protocol.rate_limit import GetRates, NoteAnswer, NoteRefusal, Permit, SiteRate
from tabwright.ratelimit.site_limiter import Gate, Now
from tabwright.ratelimit.store import Ledger, MemoryLedger

CARE = Care(mailbox_max=256, at_once=256)
"""Waiting costs nothing, and one site's wait must not hold up another's."""


class RateGovernor:
    """Keeps a gate for each engine, and for each host for as long as it matters."""

    def __init__(
        self, nursery: trio.Nursery, paces: Mapping[str, Pace], ledger: Ledger, now: Now
    ) -> None:
        self._nursery = nursery
        self._web = paces[WEB]
        self._now = now
        self._engines = {
            name: Gate(name, pace, ledger, now) for name, pace in paces.items() if name != WEB
        }
        self._hosts: dict[str, Gate] = {}

    async def permit(self, request: Permit, /) -> None:
        """See `Permit`."""
        gate = self._gate(request.site)
        await gate.enter(request)
        self._nursery.start_soon(gate.hold, request)

    async def note_refusal(self, request: NoteRefusal, /) -> None:
        """See `NoteRefusal`."""
        self._gate(request.site).refuse(request.retry_after_s)

    async def note_answer(self, request: NoteAnswer, /) -> None:
        """See `NoteAnswer`."""
        self._gate(request.site).answer()

    async def rates(self, _request: GetRates, /) -> tuple[SiteRate, ...]:
        """See `GetRates`."""
        self._forget_idle_hosts()
        gates = {**self._hosts, **self._engines}
        return tuple(gates[site].rate() for site in sorted(gates))

    def _gate(self, site: str) -> Gate:
        if gate := self._engines.get(site) or self._hosts.get(site):
            return gate
        self._forget_idle_hosts()
        gate = self._hosts[site] = Gate(site, self._web, MemoryLedger(), self._now)
        return gate

    def _forget_idle_hosts(self) -> None:
        self._hosts = {site: gate for site, gate in self._hosts.items() if not gate.is_idle()}


@asynccontextmanager
async def rate_governor(
    paces: Mapping[str, Pace], ledger: Ledger, now: Now
) -> AsyncGenerator[RateGovernor]:
    """The life of a governor; stopping it ends every permit, and closes the ledger.

    Args:
        paces: by the name of the engine, and `WEB` for every host.
        ledger: where the accounts of engines are kept.
        now: the time in seconds since 1970 UTC.
    """
    try:
        async with open_background() as nursery:
            yield RateGovernor(nursery, paces, ledger, now)
    finally:
        ledger.close()
