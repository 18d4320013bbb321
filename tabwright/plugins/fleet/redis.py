"""The connection of a process to the Redis of its fleet.

Everything that the processes of a fleet change together is changed by Lua scripts, which Redis runs
one at a time (redis.io, "Scripting with Lua"). So there is one operation: `FleetRedis.run`. Beside
it, a connection can be kept open by which Redis knows that this process lives: `LiveConnection`.

The client is coredis, an optional package. It reconnects by itself; its own time limits do not hold
for a server that accepts connections and does not answer, so each call here has its own.
"""

import re
import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from hashlib import sha1
from importlib.resources import files
from random import Random
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import attrs
import msgspec
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.plugins.fleet.settings import FleetSettings, public_place
from tabwright.protocol.errors import FleetUnavailable, SettingsError
from tabwright.protocol.untrusted_text import Quoted

if TYPE_CHECKING:
    from coredis import Redis

OPERATION_S = 10.0
"""The time limit of a call, connecting included."""

ANSWER_S = 1.0
"""The usual time limit of a call that others wait for; then the process goes on by itself."""

OUTAGE_S = 1.0
"""The pause before Redis is asked again after it could not be reached."""

GIVE_BACK_S = 5.0
"""The time limit for giving back or removing jobs when a worker or a command stops."""

CONNECT_S = 5.0
"""The time limit of opening a connection."""

CONNECTIONS_MAX = 8
"""The maximum number of connections of a process; calls share them."""

RETRY_S = 0.2
"""How soon the connection by which Redis knows of this process is opened again."""

RETRY_MAX_S = 5.0
"""The same after several attempts, for example because the user of Redis may not subscribe."""

RANDOM_BITS = 32
"""The random part of the name of a worker."""

Argument: TypeAlias = str | bytes | int | float
ReplyT = TypeVar("ReplyT")


@attrs.frozen
class Script:
    """A Lua script.

    Attributes:
        sha: the digest that Redis knows a loaded script by.
    """

    name: str
    source: str = attrs.field(repr=False)
    sha: str = attrs.field(repr=False)


@cache
def script(name: str) -> Script:
    """Return the script of the file ``lua/NAME.lua``."""
    source = files(__package__ or "").joinpath("lua", f"{name}.lua").read_text(encoding="utf-8")
    return Script(name, source, sha1(source.encode(), usedforsecurity=False).hexdigest())


@attrs.define(eq=False)
class LiveConnection:
    """A subscription to a channel that only this process has.

    The system closes it when the process ends, however that is. So Redis knows at once that a
    process is dead, and reports it by ``PUBSUB NUMSUB`` (redis.io). It does not know that a process
    is paused or cut off.

    Attributes:
        channel: the name of the channel.
    """

    _url: str = attrs.field(repr=False)
    channel: str
    _ended: trio.Event = attrs.field(factory=trio.Event, init=False)

    async def ended(self) -> None:
        """Return when the connection has ended that is open now, or opened next."""
        await self._ended.wait()

    @asynccontextmanager
    async def kept_open(self) -> AsyncGenerator[None]:
        """Keep the connection open for the block, also while that is cancelled.

        No error of Redis ends the block: a connection that was lost is opened again.
        """
        scope = trio.CancelScope(shield=True)
        async with background_nursery() as nursery:
            nursery.start_soon(self._keep_open, scope)
            try:
                yield
            finally:
                scope.cancel()

    async def _keep_open(self, scope: trio.CancelScope) -> None:
        from coredis.exceptions import RedisError

        pause_s = RETRY_S
        with scope:
            while True:
                ended = self._ended
                try:
                    await self._stay_subscribed()
                except* (RedisError, OSError):
                    pass
                pause_s = RETRY_S if ended.is_set() else min(2 * pause_s, RETRY_MAX_S)
                await trio.sleep(pause_s)

    async def _stay_subscribed(self) -> None:
        """Be subscribed until the connection is lost, which is raised, or the task is cancelled.

        Each connection has a client of its own: one that is lost takes its place in the pool along.
        """
        from coredis.retry import NoRetryPolicy

        async with (
            _open_client(self._url, connections_max=1) as client,
            client.pubsub(channels=[self.channel], retry_policy=NoRetryPolicy()) as subscription,
        ):
            try:
                async for _ in subscription:  # nothing is published there
                    pass
            finally:
                self._ended.set()
                self._ended = trio.Event()


@attrs.frozen(eq=False)
class FleetRedis:
    """The Redis of a fleet.

    Attributes:
        place: its URL without user name, password and options.
        name: the name of the fleet, with which all its keys begin.
        worker: the name of this process in the fleet.
        connection: by which Redis knows that this process lives, once somebody keeps it open.
    """

    place: str
    name: str
    worker: str
    connection: LiveConnection
    _client: "Redis[str]" = attrs.field(repr=False)

    def key(self, *parts: str) -> str:
        """Return a key of this fleet; all of them are in one slot of a Redis Cluster."""
        return ":".join((f"{{{self.name}}}", *parts))

    async def run(
        self,
        script: Script,
        keys: Sequence[str],
        arguments: Sequence[Argument] = (),
        *,
        reply: type[ReplyT],
        within_s: float = OPERATION_S,
    ) -> ReplyT:
        """Run a script, and return its reply in the form of `reply`.

        Cancelled, it may have run or not.

        Args:
            script: the script.
            keys: the keys that it uses (``KEYS``).
            arguments: its other arguments (``ARGV``).
            reply: the type of the reply: integers, texts, None and lists of them. Texts are
                converted to numbers where the type has numbers, since Lua truncates the numbers of
                a reply.
            within_s: the time limit.

        Raises:
            FleetUnavailable: Redis cannot be reached, or refuses the script. The script may have
                run.
        """
        from coredis.exceptions import NoScriptError, RedisError

        failure: Exception | None = None
        with trio.move_on_after(within_s):
            try:
                try:
                    raw: object = await self._client.evalsha(script.sha, keys, arguments)
                except NoScriptError:
                    raw = await self._client.eval(script.source, keys, arguments)
                return msgspec.convert(raw, reply, strict=False)
            except (RedisError, OSError) as error:
                failure = error
        # coredis turns a cancellation while it connects into an error.
        await trio.lowlevel.checkpoint_if_cancelled()
        raise self._unavailable(failure, within_s) from failure

    def _unavailable(self, failure: Exception | None, within_s: float) -> FleetUnavailable:
        from coredis.exceptions import AuthenticationError, ResponseError

        match failure:
            case None:
                happened: tuple[str | Quoted, ...] = (f" does not answer within {within_s:g} s.",)
            case AuthenticationError():
                happened = (" refuses the user name or the password.",)
            case ResponseError():
                happened = (" refuses a script: ", Quoted(str(failure)))
            case _:
                happened = (" cannot be reached.",)
        return FleetUnavailable((f"Redis at {self.place}", *happened))


@asynccontextmanager
async def open_redis(settings: FleetSettings, chance: Random) -> AsyncGenerator[FleetRedis]:
    """Open the Redis of a fleet for the block.

    It need not be there: connections are opened by the calls that need one. A cancelled block can
    still use it, in a shielded scope, for what it has to tell the fleet.

    Args:
        settings: its URL must be set.
        chance: makes up the name of this process, if the settings have none.

    Raises:
        SettingsError: the URL is not set, or the extra ``fleet`` is not installed.
    """
    if settings.redis is None:
        raise SettingsError("fleet.redis is not set.", advice="Set the URL of a Redis server.")
    worker = settings.worker or f"{_host()}-{chance.getrandbits(RANDOM_BITS):08x}"
    channel = f"{{{settings.name}}}:process:{worker}/{chance.getrandbits(RANDOM_BITS):08x}"
    connection = LiveConnection(settings.redis, channel)
    async with _open_client(settings.redis, CONNECTIONS_MAX) as client:
        yield FleetRedis(public_place(settings.redis), settings.name, worker, connection, client)


@asynccontextmanager
async def _open_client(url: str, connections_max: int) -> AsyncGenerator["Redis[str]"]:
    """Open a client for the block, which can use it also when it is cancelled.

    Raises:
        SettingsError: coredis is not installed.
    """
    left = trio.Event()
    async with background_nursery() as nursery:
        try:
            yield await nursery.start(_keep_open, url, connections_max, left)
        finally:
            left.set()


async def _keep_open(
    url: str, connections_max: int, left: trio.Event, task_status: "trio.TaskStatus[Redis[str]]"
) -> None:
    """Keep a client open until its block is left, also while that is cancelled.

    It is in a task so that errors of the block are not grouped.

    Raises:
        SettingsError: coredis is not installed.
    """
    try:
        from coredis import Redis
        from coredis.retry import NoRetryPolicy
    except ImportError as error:
        raise SettingsError(
            "fleet.redis: coredis is not installed.", advice='Install "tabwright[fleet]".'
        ) from error
    client = Redis.from_url(
        url,
        decode_components=True,
        decode_responses=True,
        verify_version=False,
        max_connections=connections_max,
        connect_timeout=CONNECT_S,
        retry_policy=NoRetryPolicy(),
    )
    with trio.CancelScope() as scope:
        async with client:
            # If cancelled before this point, `start` raises, and no caller has the client.
            await trio.lowlevel.checkpoint_if_cancelled()
            scope.shield = True
            task_status.started(client)
            await left.wait()


def _host() -> str:
    """Return the name of this machine, as a part of a worker's name."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", socket.gethostname())[:40].strip("-.") or "worker"
