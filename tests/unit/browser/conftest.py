"""A tab pool without browsers, in virtual time."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count

import attrs
import pytest
import trio
import trio.testing

from tabwright.browser.tab_pool import ConcurrencyBackoff, PoolSlot, TabPool
from tabwright.config.loader import settings_from
from tabwright.config.settings import PoolSettings
from tabwright.protocol.browser_pool import LeaseTab, TabUse

DEFAULTS = attrs.evolve(settings_from().pool, max_tabs=1)
NUMBERS = count(1)


def settings(**changes: int) -> PoolSettings:
    return attrs.evolve(DEFAULTS, **changes)


@asynccontextmanager
async def taken(
    pool: TabPool, use: TabUse = TabUse.SEARCHING, purpose: str = "somebody", **details: object
) -> AsyncGenerator[PoolSlot]:
    """Take a place in the pool for the duration of the block."""
    request = LeaseTab(trio.Event(), use, purpose, **details)
    async with pool.place(next(NUMBERS), request) as place:
        yield place


@attrs.define
class Guest:
    """A task that wants a place in the pool, and keeps it until it is cancelled."""

    pool: TabPool
    use: TabUse
    principal: str = ""
    place: PoolSlot | None = None
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)

    async def stay(self) -> None:
        with self.scope:
            async with taken(self.pool, self.use, principal=self.principal) as self.place:
                await trio.sleep_forever()

    async def go(self) -> None:
        self.scope.cancel()
        await trio.testing.wait_all_tasks_blocked()


@pytest.fixture(scope="session")
def pool_of():
    def made(**changes: int) -> TabPool:
        chosen = settings(**changes)
        return TabPool(chosen, ConcurrencyBackoff(chosen))

    return made


@pytest.fixture(scope="session")
def place_in():
    return taken


@pytest.fixture
def come(nursery):
    """Return a function that starts a guest and lets it take a place or queue."""

    async def comes(pool: TabPool, use: TabUse = TabUse.SEARCHING, principal: str = "") -> Guest:
        guest = Guest(pool, use, principal)
        nursery.start_soon(guest.stay)
        await trio.testing.wait_all_tasks_blocked()
        return guest

    return comes
