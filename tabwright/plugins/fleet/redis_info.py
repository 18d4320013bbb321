"""The configuration that the Redis server of a fleet reports, and its risks for a fleet."""

from random import Random
from typing import NamedTuple

import trio

from tabwright.cli.doctor import Finding
from tabwright.config.settings import Settings
from tabwright.plugins.fleet.redis import FleetRedis, open_redis, script
from tabwright.plugins.fleet.settings import FLEET_SETTINGS
from tabwright.protocol.errors import TabwrightError

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
        script("server_info"), [], reply=tuple[str, str, str, str]
    )
    return RedisInfo(
        version or UNKNOWN,
        is_kept == "1" if is_kept else None,
        int(bytes_max) if bytes_max.isdecimal() else None,
        eviction,
    )


async def check(settings: Settings) -> Finding | None:
    """Check the Redis of the fleet, if there is one."""
    own = FLEET_SETTINGS.of(settings)
    if own.redis is None:
        return None
    try:
        async with open_redis(own, Random()) as redis:  # noqa: S311
            began_s = trio.current_time()
            info = await redis_info(redis)
            took_ms = (trio.current_time() - began_s) * 1000
    except TabwrightError as error:
        return Finding("fleet", ok=False, text=str(error))
    text = f"Redis {info.version} at {redis.place} answers in {took_ms:.0f} ms"
    kept = "with an append-only file" if info.is_kept else ""
    if info.is_kept is None:
        kept = "unknown whether a restart loses anything, as it does not tell this user (INFO)"
    return Finding(
        "fleet",
        ok=True,
        text="; ".join(filter(None, (text, kept, *info.risks))),
        off=bool(info.risks),
    )
