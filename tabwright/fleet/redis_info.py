"""The configuration that the Redis server of a fleet reports, and its risks for a fleet."""

from typing import NamedTuple

from tabwright.fleet.redis import FleetRedis, script

WITHIN_S = 5.0
"""The time limit of the question."""

NO_EVICTION = "noeviction"
UNKNOWN = "unknown"


class RedisInfo(NamedTuple):
    """A Redis server.

    Attributes:
        version: of the server; `UNKNOWN` if it does not say.
        is_kept: whether it writes an append-only file, so that a restart loses nothing; None if it
            does not say.
        bytes_max: its limit of memory; 0 for none; None if it does not say.
        eviction: what it does at this limit (``maxmemory-policy``); empty if it does not say.
    """

    version: str
    is_kept: bool | None
    bytes_max: int | None
    eviction: str

    @property
    def risks(self) -> tuple[str, ...]:
        """The risks for a fleet, each with the next step."""
        return tuple(filter(None, (self._loss, self._eviction)))

    @property
    def _loss(self) -> str:
        if self.is_kept is not False:
            return ""
        return (
            "it has no append-only file, so after a restart pages are read again and a session can"
            " have two owners for 3.5 s: set appendonly yes"
        )

    @property
    def _eviction(self) -> str:
        if not self.bytes_max or self.eviction in {"", NO_EVICTION}:
            return ""
        return (
            f"at its maxmemory it deletes jobs and sessions ({self.eviction}):"
            " set maxmemory-policy noeviction"
        )


async def redis_info(redis: FleetRedis) -> RedisInfo:
    """Ask the server; it does not answer a user who may not send ``INFO``.

    Raises:
        FleetUnavailable: it cannot be reached, or refuses scripts.
    """
    version, is_kept, bytes_max, eviction = await redis.run(
        script("server_info"), [], reply=tuple[str, str, str, str], within_s=WITHIN_S
    )
    return RedisInfo(
        version or UNKNOWN,
        is_kept == "1" if is_kept else None,
        int(bytes_max) if bytes_max.isdecimal() else None,
        eviction,
    )
