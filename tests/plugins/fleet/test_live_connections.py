"""Leases of processes that lost Redis; the script and the in-memory version agree."""

import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from random import Random

import attrs
import pytest
import trio
import trio.testing

from tabwright.plugins.fleet.redis import CONNECTIONS_MAX, FleetRedis, Script, open_redis
from tabwright.plugins.fleet.redis_directory import RedisSessionDirectory
from tabwright.plugins.fleet.settings import FleetSettings
from tabwright.sessions.directory import SessionDirectory
from tests.support.fleet.sessions import MemorySessionDirectory
from tests.support.redis_server import RedisServer

LONG_S = 1e6
"""Longer than any test."""

WAIT_S = 30.0
"""A busy machine is slow."""

COUNT = Script("count", "return redis.call('PUBSUB', 'NUMSUB', ARGV[1])[2]", "4" * 40)


@attrs.frozen
class Member:
    """A process of the fleet that can use sessions.

    Attributes:
        disconnect: closes the connection that shows the directory that the process is
            alive, and waits until the directory has noticed.
    """

    name: str
    directory: SessionDirectory
    disconnect: Callable[[], Awaitable[None]]

    async def gets(self) -> bool:
        """Return whether the process gets the session on request."""
        claim = await self.directory.acquire("s", self.name, only_open=False)
        return claim is not None and claim.is_granted


OpenMember = Callable[[str], AbstractAsyncContextManager[Member]]


@asynccontextmanager
async def connected(settings: FleetSettings, name: str) -> AsyncGenerator[Member]:
    """Open a process that is connected to a real Redis."""
    named = attrs.evolve(settings, worker=name)
    async with open_redis(named, Random(name)) as redis, trio.open_nursery() as nursery:
        scope = trio.CancelScope()

        async def stay() -> None:
            with scope:
                async with redis.connection.kept_open():
                    await trio.sleep_forever()

        async def disconnect() -> None:
            scope.cancel()
            await wait_connected(redis, times=0)

        nursery.start_soon(stay)
        await wait_connected(redis)
        directory = RedisSessionDirectory(redis, "u", LONG_S, LONG_S, gone_s=0.0, within_s=LONG_S)
        yield Member(name, directory, disconnect)
        nursery.cancel_scope.cancel()


async def wait_connected(redis: FleetRedis, *, times: int = 1) -> None:
    """Wait until Redis counts `times` connections of a process."""
    with trio.fail_after(WAIT_S):
        while await redis.run(COUNT, [], [redis.connection.channel], reply=int) != times:
            await trio.sleep(0.01)


@pytest.fixture(params=["redis", "memory"])
def open_member(request: pytest.FixtureRequest, fleet_settings: FleetSettings) -> OpenMember:
    """Return a function that opens a process, with a directory in Redis or in memory."""
    twin = MemorySessionDirectory(trio.current_time, LONG_S, LONG_S, gone_s=0.0)

    @asynccontextmanager
    async def opened(name: str) -> AsyncGenerator[Member]:
        async def disconnect() -> None:
            twin.connected.discard(name)

        twin.connected.add(name)
        yield Member(name, twin, disconnect)

    return opened if request.param == "memory" else lambda name: connected(fleet_settings, name)


async def test_session_is_free_once_the_connection_of_its_owner_has_ended(
    open_member: OpenMember,
) -> None:
    async with open_member("a") as owner, open_member("b") as other:
        assert await owner.gets()
        assert not await other.gets()
        assert not await other.gets()
        await owner.disconnect()
        assert not await other.gets()  # the one that asks shortens the lease
        assert await other.gets()


async def test_session_is_freed_if_its_owner_disconnects_after_renewing(
    open_member: OpenMember,
) -> None:
    async with open_member("b") as other:
        async with open_member("a") as owner:
            await owner.disconnect()
            assert await owner.gets()
        async with open_member("a") as owner:
            await owner.directory.renew("a", {"s": 1})
            await owner.disconnect()
            assert not await other.gets()
            assert await other.gets()


async def test_owner_that_renews_without_a_connection_keeps_its_session(
    open_member: OpenMember,
) -> None:
    async with open_member("a") as owner, open_member("b") as other:
        assert await owner.gets()
        await owner.disconnect()
        await owner.directory.renew("a", {"s": 1})
        assert not await other.gets()
        assert not await other.gets()


async def test_renewal_restores_a_lease_that_was_shortened(fleet_settings: FleetSettings) -> None:
    async with connected(fleet_settings, "a") as owner, connected(fleet_settings, "b") as other:
        patient = attrs.evolve(other.directory, gone_s=LONG_S / 2)
        assert await owner.gets()
        await owner.disconnect()
        assert not (await patient.acquire("s", "b", only_open=False)).is_granted
        assert (await owner.directory.renew("a", {"s": 1}))[0].is_owner
        assert not await other.gets()
        assert not await other.gets()


@pytest.fixture
def own_settings(own_redis_server: RedisServer) -> FleetSettings:
    return FleetSettings(
        redis=own_redis_server.url,
        name="x",
        worker=None,
        lease_s=30,
        outage_max_s=60,
        drain_s=20,
        reads_pages=False,
    )


async def test_connections_before_redis_restart_do_not_free_the_session(
    own_redis_server: RedisServer, own_settings: FleetSettings
) -> None:
    async with connected(own_settings, "a") as owner:
        assert await owner.gets()
    own_redis_server.kill()
    own_redis_server.start()
    async with connected(own_settings, "b") as other:
        assert not await other.gets()
        assert not await other.gets()


def order(server: RedisServer, command: bytes) -> None:
    """Send a command that scripts are not allowed to use."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(server.url.removeprefix("unix://"))
        connection.sendall(command + b"\r\n")
        assert connection.recv(100)[:1] in b":+"


async def test_lost_redis_connection_is_noticed_and_reopened(
    own_redis_server: RedisServer, own_settings: FleetSettings
) -> None:
    async with open_redis(own_settings, Random(1)) as redis, redis.connection.kept_open():
        await wait_connected(redis)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(redis.connection.ended)
            await trio.testing.wait_all_tasks_blocked()
            order(own_redis_server, b"CLIENT KILL TYPE pubsub")
        await wait_connected(redis)


async def test_redis_stays_usable_after_repeated_connection_loss(
    own_redis_server: RedisServer, own_settings: FleetSettings
) -> None:
    async with open_redis(own_settings, Random(1)) as redis, redis.connection.kept_open():
        for _ in range(CONNECTIONS_MAX + 1):
            await wait_connected(redis)
            order(own_redis_server, b"CLIENT KILL TYPE pubsub")
            await wait_connected(redis, times=0)
        await wait_connected(redis)


async def test_session_is_kept_for_its_lease_if_redis_forbids_subscribing(
    own_redis_server: RedisServer, own_settings: FleetSettings
) -> None:
    order(own_redis_server, b"ACL SETUSER default -subscribe -pubsub")
    async with open_redis(own_settings, Random(1)) as redis, redis.connection.kept_open():
        directory = RedisSessionDirectory(redis, "u", LONG_S, LONG_S, gone_s=0.0, within_s=LONG_S)
        owner, other = (Member(name, directory, trio.lowlevel.checkpoint) for name in "ab")
        assert await owner.gets()
        await directory.renew("a", {"s": 1})
        assert not await other.gets()
        assert not await other.gets()
