"""Information that a fleet's Redis server reports about itself."""

import socket
from random import Random

import pytest

from tabwright.plugins.fleet.redis import open_redis
from tabwright.plugins.fleet.redis_info import UNKNOWN, RedisInfo, redis_info
from tabwright.plugins.fleet.settings import FleetSettings
from tests.support.redis_server import RedisServer


async def test_redis_info_has_version_persistence_and_eviction(
    fleet_settings: FleetSettings,
) -> None:
    async with open_redis(fleet_settings, Random(1)) as redis:
        info = await redis_info(redis)
    assert int(info.version.partition(".")[0]) >= 6
    assert (info.is_kept, info.bytes_max, info.eviction) == (False, 0, "noeviction")


async def test_redis_info_without_permission_has_unknown_settings_and_no_risk(
    own_redis_server: RedisServer,
) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(own_redis_server.url.removeprefix("unix://"))
        connection.sendall(b"ACL SETUSER default -@dangerous\r\n")
        assert connection.recv(64) == b"+OK\r\n"
    settings = FleetSettings(
        redis=own_redis_server.url,
        name="x",
        worker=None,
        lease_s=30.0,
        outage_max_s=60,
        drain_s=20,
        reads_pages=False,
    )
    async with open_redis(settings, Random(1)) as redis:
        info = await redis_info(redis)
    assert info == RedisInfo(UNKNOWN, None, None, "")
    assert info.risks == ()


@pytest.mark.parametrize(
    ("info", "risks"),
    [
        (RedisInfo("7.0.15", True, 0, "allkeys-lru"), []),
        (RedisInfo("7.0.15", True, 1000, "noeviction"), []),
        (RedisInfo("7.0.15", True, 1000, "volatile-ttl"), ["maxmemory-policy noeviction"]),
        (RedisInfo("7.0.15", False, 0, "noeviction"), ["appendonly yes"]),
        (RedisInfo("7.0.15", None, 1000, ""), []),
        (RedisInfo("7.0.15", True, None, "allkeys-lru"), []),
        (RedisInfo("7.0.15", False, 9, "allkeys-lru"), ["appendonly yes", "noeviction"]),
    ],
)
def test_risk_is_named_with_the_setting_that_removes_it(info: RedisInfo, risks: list[str]) -> None:
    assert len(info.risks) == len(risks)
    assert all(risk in text for risk, text in zip(risks, info.risks, strict=True))
