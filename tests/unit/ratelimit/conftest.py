"""A rate governor in virtual time, with a wall clock that follows it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio

from tabwright.actors.kit.supervision import supervise
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.actors.rate_governor import RESTART_POLICY, RateGovernor, rate_governor_actor
from tabwright.concurrency.grants import hold_grant
from tabwright.config.engines import RatePolicy
from tabwright.config.yaml_tables import WEB
from tabwright.protocol.actor import Address
from tabwright.protocol.rate_limit import AcquirePermit, Governor, SiteRate
from tabwright.ratelimit.store import LimiterStore, MemoryLimiterStore
from tests.support.failures import no_request_fails

MIDNIGHT_S = 20_000 * 86_400.0
"""Where virtual time begins."""

WEEK_S = 7 * 86_400.0


@asynccontextmanager
async def opened(
    store: LimiterStore | None = None, **paces: RatePolicy
) -> AsyncGenerator[Address[RateGovernor]]:
    """Run a governor with these rate policies; fail if the body takes over a week."""
    governing = partial(
        rate_governor_actor, {WEB: RatePolicy(0, 4), **paces}, store or MemoryLimiterStore(), now
    )
    with no_request_fails():
        async with supervise(ActorSystem(), "governor", governing, RESTART_POLICY) as governor:
            with trio.fail_after(WEEK_S):
                yield governor


def now() -> float:
    return MIDNIGHT_S + trio.current_time()


async def visit(governor: Address[RateGovernor], site: str, hold_s: float = 0) -> float:
    """Hold a permit for a site for `hold_s`; return the time at which it was granted."""
    async with hold_grant(governor, Governor.permit, partial(AcquirePermit, site=site)):
        start_s = trio.current_time()
        await trio.sleep(hold_s)
        return start_s


async def rate(governor: Address[RateGovernor], site: str = "engine") -> SiteRate:
    return next(rate for rate in await governor.ask(Governor.rates) if rate.site == site)


@pytest.fixture(scope="session")
def governed():
    return opened


@pytest.fixture(scope="session")
def turn_to():
    return visit


@pytest.fixture(scope="session")
def rate_of():
    return rate
