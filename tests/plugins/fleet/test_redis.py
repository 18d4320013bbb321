"""The connection to a fleet's Redis server."""

import os
import signal
import sys
from hashlib import sha1
from random import Random

import attrs
import pytest
import trio

from tabwright.plugins.fleet.redis import Script, open_redis, public_place
from tabwright.plugins.fleet.settings import FleetSettings
from tabwright.protocol.errors import Effect, FleetUnavailable, SettingsError
from tests.support.redis_server import RedisServer

ECHO = Script("echo", "return {KEYS[1], ARGV[1], 2, false}", "0" * 40)
COUNT_TEXT = "return redis.call('incr', KEYS[1])"
COUNT = Script("count", COUNT_TEXT, sha1(COUNT_TEXT.encode(), usedforsecurity=False).hexdigest())
WRONG = Script("wrong", "return redis.error_reply('NO not today')", "2" * 40)

ALONE = {
    "worker": None,
    "lease_s": 30.0,
    "outage_max_s": 60.0,
    "drain_s": 20.0,
    "reads_pages": False,
}


async def test_script_runs_with_its_keys_and_arguments(fleet_settings: FleetSettings) -> None:
    async with open_redis(fleet_settings, Random(1)) as redis:
        reply = await redis.run(
            ECHO, [redis.key("a", "b")], ["ä"], reply=tuple[str, str, int, int | None]
        )
    assert reply == (f"{{{fleet_settings.name}}}:a:b", "ä", 2, None)


async def test_script_that_redis_does_not_know_is_sent_whole(fleet_settings: FleetSettings) -> None:
    async with open_redis(fleet_settings, Random(1)) as redis:
        for count in (1, 2, 3):
            assert await redis.run(COUNT, [redis.key("n")], reply=int) == count


async def test_unnamed_worker_gets_a_unique_name(fleet_settings: FleetSettings) -> None:
    chance = Random(1)
    async with open_redis(fleet_settings, chance) as one, open_redis(fleet_settings, chance) as two:
        assert one.worker != two.worker
    named = attrs.evolve(fleet_settings, worker="w1")
    async with open_redis(named, chance) as three:
        assert three.worker == "w1"


async def test_unreachable_redis_is_reported_without_the_password() -> None:
    settings = FleetSettings(
        redis="redis://me:hush@127.0.0.1:9/3",
        name="x",
        worker=None,
        lease_s=30,
        outage_max_s=60,
        drain_s=20,
        reads_pages=False,
    )
    async with open_redis(settings, Random(1)) as redis:
        with pytest.raises(FleetUnavailable) as caught:
            await redis.run(COUNT, ["n"], reply=int)
    assert "redis://127.0.0.1:9/3" in caught.value.message
    assert "hush" not in str(caught.value)
    assert caught.value.retryable
    assert caught.value.effect is Effect.UNKNOWN


async def test_refused_script_is_reported_with_the_reason(fleet_settings: FleetSettings) -> None:
    async with open_redis(fleet_settings, Random(1)) as redis:
        with pytest.raises(FleetUnavailable, match="not today"):
            await redis.run(WRONG, ["n"], reply=int)


async def test_hanging_redis_times_out_and_is_usable_once_it_resumes(
    own_redis_server: RedisServer,
) -> None:
    settings = FleetSettings(redis=own_redis_server.url, name="x", **ALONE)
    async with open_redis(settings, Random(1)) as redis:
        os.kill(own_redis_server.pid, signal.SIGSTOP)
        try:
            for _ in range(10):  # more than there are connections
                with pytest.raises(FleetUnavailable):
                    await redis.run(COUNT, ["n"], reply=int, within_s=0.05)
        finally:
            os.kill(own_redis_server.pid, signal.SIGCONT)
        assert await redis.run(COUNT, ["n"], reply=int, within_s=60)


async def test_cancelled_call_leaves_the_connection_usable(own_redis_server: RedisServer) -> None:
    settings = FleetSettings(redis=own_redis_server.url, name="x", **ALONE)
    async with open_redis(settings, Random(1)) as redis:
        os.kill(own_redis_server.pid, signal.SIGSTOP)
        with trio.move_on_after(0.05) as scope:
            await redis.run(COUNT, ["n"], reply=int, within_s=60)
        os.kill(own_redis_server.pid, signal.SIGCONT)
        assert scope.cancelled_caught
        assert await redis.run(COUNT, ["n"], reply=int, within_s=60)


async def test_restarted_redis_is_used_again_with_its_data(
    own_redis_server: RedisServer,
) -> None:
    settings = FleetSettings(redis=own_redis_server.url, name="x", **ALONE)
    async with open_redis(settings, Random(1)) as redis:
        assert await redis.run(COUNT, ["n"], reply=int, within_s=60) == 1
        own_redis_server.kill()
        with pytest.raises(FleetUnavailable):
            await redis.run(COUNT, ["n"], reply=int, within_s=60)
        own_redis_server.start()
        assert await redis.run(COUNT, ["n"], reply=int, within_s=60) == 2


async def test_error_raised_inside_open_redis_propagates_unchanged(
    fleet_settings: FleetSettings,
) -> None:
    with pytest.raises(KeyError):
        async with open_redis(fleet_settings, Random(1)) as redis:
            await redis.run(COUNT, [redis.key("n")], reply=int)
            raise KeyError


async def test_redis_is_usable_in_cleanup_after_cancellation(fleet_settings: FleetSettings) -> None:
    counts: list[int] = []
    with trio.CancelScope() as scope:
        async with open_redis(fleet_settings, Random(1)) as redis:
            scope.cancel()
            try:
                await trio.sleep_forever()
            finally:
                with trio.CancelScope(shield=True):
                    counts.append(await redis.run(COUNT, [redis.key("n")], reply=int, within_s=60))
    assert scope.cancelled_caught
    assert counts == [1]


async def test_redis_is_not_opened_when_cancelled_before(fleet_settings: FleetSettings) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        async with open_redis(fleet_settings, Random(1)):
            pytest.fail("it was cancelled before")
    assert scope.cancelled_caught


async def test_missing_package_is_reported_with_its_extra(
    fleet_settings: FleetSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "coredis", None)
    with pytest.raises(SettingsError, match=r"tabwright\[fleet\]"):
        async with open_redis(fleet_settings, Random(1)):
            pass


async def test_fleet_without_a_url_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"fleet\.redis"):
        async with open_redis(FleetSettings(redis=None, name="x", **ALONE), Random(1)):
            pass


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://a:b@h:1/2?ssl_keyfile=x", "redis://h:1/2"),
        ("rediss://h", "rediss://h"),
        ("unix:///run/redis.sock?password=hush", "unix:///run/redis.sock"),
    ],
)
def test_public_redis_url_has_no_secrets(url: str, shown: str) -> None:
    assert public_place(url) == shown


@pytest.mark.parametrize(
    "url",
    [
        "http://h",
        "redis:h",
        "redis:///0",
        "redis://u:p@h:x",
        "redis://me:pa#ss@h:6379",
        "rediss://me:pa?ss@h",
    ],
)
def test_invalid_redis_url_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        FleetSettings(redis=url, name="x", **ALONE)
    assert url not in str(caught.value)
