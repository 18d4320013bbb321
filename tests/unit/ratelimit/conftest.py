"""A governor in virtual time, whose wall clock goes with it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio

from tabwright.actors.kit.supervision import keep
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.actors.rate_governor import CARE, RateGovernor, rate_governor
from tabwright.concurrency.grants import granted
from tabwright.config.engines import WEB, Pace
from tabwright.protocol.actor import Address
from tabwright.protocol.rate_limit import GetRates, Permit, SiteRate
from tabwright.ratelimit.store import Ledger, MemoryLedger

MIDNIGHT_S = 20_000 * 86_400.0
"""Where virtual time begins."""

WEEK_S = 7 * 86_400.0


@asynccontextmanager
async def opened(
    ledger: Ledger | None = None, **paces: Pace
) -> AsyncGenerator[Address[RateGovernor]]:
    """A governor of these paces; one who still waits for it after a week has failed."""
    governing = partial(rate_governor, {WEB: Pace(0, 4), **paces}, ledger or MemoryLedger(), now)
    async with keep(ActorSystem(), "governor", governing, CARE) as governor:
        with trio.fail_after(WEEK_S):
            yield governor


def now() -> float:
    return MIDNIGHT_S + trio.current_time()


async def visit(governor: Address[RateGovernor], site: str, hold_s: float = 0) -> float:
    """Turns to a site for a while; says when it was allowed to."""
    async with granted(governor, partial(Permit, site=site)):
        start_s = trio.current_time()
        await trio.sleep(hold_s)
        return start_s


async def rate(governor: Address[RateGovernor], site: str = "engine") -> SiteRate:
    return next(rate for rate in await governor.ask(GetRates()) if rate.site == site)


@pytest.fixture(scope="session")
def governed():
    return opened


@pytest.fixture(scope="session")
def turn_to():
    return visit


@pytest.fixture(scope="session")
def rate_of():
    return rate
