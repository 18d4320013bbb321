"""What the Redis server of a fleet says of itself, and what of it a fleet should not have."""

from typing import NamedTuple

from tabwright.fleet.redis import FleetRedis, script

WITHIN_S = 5.0
"""The time limit of the question."""

NO_EVICTION = "noeviction"


class RedisInfo(NamedTuple):
    """A Redis server.

    Attributes:
        version: of the server.
        is_kept: whether it writes an append-only file, so that a restart loses nothing.
        bytes_max: its limit of memory; 0 for none.
        eviction: what it does at this limit (``maxmemory-policy``).
    """

    version: str
    is_kept: bool
    bytes_max: int
    eviction: str

    @property
    def risks(self) -> tuple[str, ...]:
        """What can harm a fleet, each with the next step."""
        return tuple(filter(None, (self._loss, self._eviction)))

    @property
    def _loss(self) -> str:
        if self.is_kept:
            return ""
        return (
            "it has no append-only file, so after a restart pages are read again and a session can"
            " have two owners for 3.5 s: set appendonly yes"
        )

    @property
    def _eviction(self) -> str:
        if not self.bytes_max or self.eviction == NO_EVICTION:
            return ""
        return (
            f"at its maxmemory it deletes jobs and sessions ({self.eviction}):"
            " set maxmemory-policy noeviction"
        )


async def redis_info(redis: FleetRedis) -> RedisInfo:
    """Ask the server.

    Raises:
        FleetUnavailable: it cannot be reached, or refuses the question.
    """
    return await redis.run(script("server_info"), [], reply=RedisInfo, within_s=WITHIN_S)
