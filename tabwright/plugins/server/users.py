"""The users of a server: each has actors, MCP sessions and limits of its own while it is active."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from math import inf
from typing import TypeAlias

import attrs
import trio
from mcp.server.streamable_http import EventStore
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import SharedActors
from tabwright.client import Tabwright
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.settings import Settings
from tabwright.mcp.tasks import TaskFiles
from tabwright.plugins.server.event_store import RecentEvents
from tabwright.plugins.server.metrics import ServerMetrics
from tabwright.plugins.server.principals import ONLY, settings_for
from tabwright.plugins.server.settings import SERVER_SETTINGS
from tabwright.sessions.store import sessions_folder

CLIENT_IDLE_S = 1800.0
"""An MCP session without a request for so long ends, in seconds; its browser sessions do not."""

CLIENTS_MAX = 1_000
"""The maximum number of MCP sessions of a user."""

GRACE_S = 0.2
"""How long a call beyond a limit waits for the end of another one, in seconds."""

RETRY_MS = 500
"""When a client that lost its connection should come back, in milliseconds."""


GatewayFactory: TypeAlias = Callable[[Tabwright, trio.Nursery], MCPGateway]
"""Creates the gateway of a user, whose calls run in the nursery."""


class ServerFull(Exception):
    """No more calls, or users, can be served now."""


class _Clients(StreamableHTTPSessionManager):
    """The MCP sessions of a user.

    Each keeps events of its own: the SDK numbers streams within a session.
    """

    @property
    def event_store(self) -> EventStore:
        """Return a new store, for the session that is being opened."""
        return RecentEvents()

    @event_store.setter
    def event_store(self, value: EventStore | None) -> None:
        """Ignore the one store for all sessions."""


@attrs.define(eq=False)
class User:
    """An active user.

    Attributes:
        tabwright: the user's sessions, tasks and conversations.
        clients: the user's MCP sessions.
        calls: how many of the user's calls are running.
        last_used_s: when the last call ended, on the clock of trio.
    """

    tabwright: Tabwright
    clients: StreamableHTTPSessionManager
    calls: int = 0
    last_used_s: float = attrs.field(factory=trio.current_time)


@attrs.define(eq=False)
class Users:
    """The active users by principal; one becomes active by a request, and inactive by idleness.

    Attributes:
        metrics: the figures of the server.
        calls: how many calls are running.
    """

    _nursery: trio.Nursery
    _shared: SharedActors
    _gateway: GatewayFactory
    metrics: ServerMetrics
    _active: dict[str, User] = attrs.field(factory=dict[str, User], init=False)
    _closing: dict[str, trio.Event] = attrs.field(factory=dict[str, trio.Event], init=False)
    _opening: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    calls: int = attrs.field(default=0, init=False)
    _ends: trio.lowlevel.ParkingLot = attrs.field(factory=trio.lowlevel.ParkingLot, init=False)

    def all(self) -> tuple[Tabwright, ...]:
        """Return the active users."""
        return tuple(user.tabwright for user in self._active.values())

    def besides_operator(self) -> Mapping[str, Tabwright]:
        """Return the active users by principal, without the operator of the server."""
        return {name: user.tabwright for name, user in self._active.items() if name != ONLY}

    @property
    def settings(self) -> Settings:
        """Return the settings of the server."""
        return self._shared.settings

    async def find(self, principal: str) -> User:
        """Return a user, who becomes active.

        Raises:
            ServerFull: too many users are active.
            Escalated: an actor of the user cannot be started.
        """
        async with self._opening:
            if closed := self._closing.get(principal):
                await closed.wait()
            user = self._active.get(principal)
            if user is None:
                if len(self._active) >= SERVER_SETTINGS.of(self.settings).users_max:
                    raise ServerFull(f"{len(self._active)} users are active")
                user = await self._nursery.start(self._live, principal)
            return user

    @asynccontextmanager
    async def call(self, user: User) -> AsyncGenerator[None]:
        """Count a call while the block runs.

        A client can have the response of a call before the call has ended here, so a call beyond
        the limits waits `GRACE_S` for the end of another one.

        Raises:
            ServerFull: too many calls are running, of the user or in all, or the machine is short
                of memory or CPU for more than one call.
        """
        with trio.move_on_after(GRACE_S):
            while self._too_many(user):
                await self._ends.park()
        if excess := self._too_many(user):
            raise ServerFull(excess)
        if self.calls and (shortage := self._shared.shortage()):
            raise ServerFull(shortage)
        user.calls += 1
        self.calls += 1
        try:
            yield
        finally:
            user.calls -= 1
            self.calls -= 1
            user.last_used_s = trio.current_time()
            self._ends.unpark_all()

    def _too_many(self, user: User) -> str:
        """Return which limit of calls is reached, as a clause; empty for none."""
        limits = SERVER_SETTINGS.of(self.settings)
        if user.calls >= limits.user_calls_max:
            return f"{user.calls} of your calls are running"
        return f"{self.calls} calls are running" if self.calls >= limits.calls_max else ""

    async def finish_calls(self) -> None:
        """Wait until no call is running."""
        while self.calls:
            await self._ends.park()

    async def _live(self, principal: str, task_status: trio.TaskStatus[User]) -> None:
        """Keep a user active; a user that is closing cannot become active again until closed."""
        closed = trio.Event()
        try:
            await self._be_active(principal, closed, task_status)
        finally:
            closed.set()
            self._closing.pop(principal, None)

    async def _be_active(
        self, principal: str, closed: trio.Event, task_status: trio.TaskStatus[User]
    ) -> None:
        settings = settings_for(principal, self.settings)
        async with (
            self._shared.open_for(principal, settings) as tabwright,
            background_nursery() as background,
        ):
            gateway = self._gateway(tabwright, background)
            gateway.tasks.files = TaskFiles(sessions_folder(settings.session.dir) / "tasks")
            server = gateway.server
            server.middleware.append(self.metrics.measure)
            clients = _Clients(
                server,
                retry_interval=RETRY_MS,
                session_idle_timeout=CLIENT_IDLE_S,
                max_sessions=CLIENTS_MAX,
            )
            async with clients.run():
                user = self._active[principal] = User(tabwright, clients)
                task_status.started(user)
                try:
                    await self._idle(principal, user)
                finally:
                    self._closing[principal] = closed
                    del self._active[principal]

    async def _idle(self, principal: str, user: User) -> None:
        """Wait until the sessions of a user, all unused, would have been closed anyway."""
        idle_s = inf if principal == ONLY else self.settings.session.close_after_s
        while (left_s := user.last_used_s + idle_s - trio.current_time()) > 0 or user.calls:
            await trio.sleep(max(left_s, 1.0))
