"""What the processes of a fleet share through Redis, for one of them."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from random import Random

import attrs

from tabwright.plugins.fleet.redis import FleetRedis, open_redis
from tabwright.plugins.fleet.redis_directory import GONE_S, LEASE_S, RedisSessionDirectory
from tabwright.plugins.fleet.redis_jobs import RedisJobQueue
from tabwright.plugins.fleet.redis_rates import RedisSharedRates
from tabwright.plugins.fleet.settings import FleetSettings
from tabwright.protocol.jobs import JobQueue
from tabwright.ratelimit.fleet_state import FleetRates
from tabwright.sessions.leases import SessionLeases


@attrs.frozen
class RedisFleet:
    """The rates, sessions and jobs of a fleet; see `tabwright.environment.Fleet`."""

    _redis: FleetRedis

    @property
    def jobs(self) -> JobQueue:
        """The queue of the jobs that workers do."""
        return RedisJobQueue(self._redis)

    def rates(self, now: Callable[[], float], /) -> FleetRates:
        """Return the rates of sites, for this process."""
        return FleetRates(RedisSharedRates(self._redis), self._redis.worker, now)

    def leases(self, principal: str, idle_s: float, /) -> SessionLeases:
        """Return the leases of the sessions of a user."""
        directory = RedisSessionDirectory(self._redis, principal, idle_s)
        return SessionLeases(directory, self._redis.worker, LEASE_S, GONE_S)


@asynccontextmanager
async def open_fleet(settings: FleetSettings, chance: Random) -> AsyncGenerator[RedisFleet]:
    """Join the fleet for the block.

    Raises:
        SettingsError: the URL is not set, or the extra ``fleet`` is not installed.
    """
    async with open_redis(settings, chance) as redis, redis.connection.kept_open():
        yield RedisFleet(redis)
