"""The twin of ``fleet/lua/session_owner.lua``: a directory of sessions in memory."""

from collections.abc import Mapping

import attrs
import trio

from tabwright.plugins.fleet.redis_directory import GONE_S, LEASE_S, REQUESTED_S
from tabwright.ratelimit.store import Now
from tabwright.sessions.directory import Claim, ReleaseMode, Renewal


@attrs.define(eq=False)
class _Entry:
    owner: str = ""
    epoch: int = 0
    until_s: float = 0.0
    requested_until_s: float = 0.0
    last: str = ""
    live: str = ""
    live_until_s: float = 0.0
    kept: str = ""
    run: int = 0
    """The run of the directory that had a connection of the owner; 0 for none."""

    def is_owned_by(self, process: str, epoch: int) -> bool:
        return (self.owner, self.epoch) == (process, epoch)


@attrs.define(eq=False)
class MemorySessionDirectory:
    """The sessions of one user, by the clock `now`; see `SessionDirectory`.

    Attributes:
        idle_s: how long the state of a session without an owner lasts.
        lease_s: how long a lease lasts.
        requested_s: how long a process that asks is remembered.
        gone_s: how long a lease still lasts once the connection of its owner has ended.
        connected: the processes that have a connection.
        run: how often the directory was started.
        grants: each ownership: its session, process, epoch and time, for a simulation to check.
    """

    now: Now
    idle_s: float = 1800.0
    lease_s: float = LEASE_S
    requested_s: float = REQUESTED_S
    gone_s: float = GONE_S
    connected: set[str] = attrs.field(factory=set[str], init=False)
    run: int = attrs.field(default=1, init=False)
    grants: list[tuple[str, str, int, float]] = attrs.field(
        factory=list[tuple[str, str, int, float]], init=False
    )
    _entries: dict[str, _Entry] = attrs.field(factory=dict[str, _Entry], init=False)

    async def disconnected(self) -> None:
        """See `SessionDirectory.disconnected`; to use it in one process is to be connected."""
        await trio.sleep_forever()

    async def acquire(self, session: str, process: str, /, *, only_open: bool) -> Claim | None:
        """See `SessionDirectory.acquire`."""
        one, now_s = self._entry(session), self.now()
        if one.owner not in ("", process) and one.until_s > now_s:
            one.requested_until_s = now_s + self.requested_s
            if one.run == self.run and one.owner not in self.connected:
                one.until_s, one.run = min(one.until_s, now_s + self.gone_s), 0
            return Claim(is_granted=False, epoch=one.epoch, owner=one.owner)
        live = one.live if one.live_until_s > now_s else ""
        if only_open and not live:
            return None
        before = one.owner or one.last
        one.owner, one.epoch = process, one.epoch + 1
        one.until_s, one.requested_until_s = now_s + self.lease_s, 0.0
        one.run = self.run if process in self.connected else 0
        self.grants.append((session, process, one.epoch, now_s))
        return Claim(True, one.epoch, before, live, one.kept)

    async def renew(self, process: str, epochs: Mapping[str, int], /) -> tuple[Renewal, ...]:
        """See `SessionDirectory.renew`."""
        return tuple(self._renewal(name, process, epoch) for name, epoch in epochs.items())

    def _renewal(self, session: str, process: str, epoch: int) -> Renewal:
        one, now_s = self._entry(session), self.now()
        if not one.is_owned_by(process, epoch):
            return Renewal(is_owner=False)
        one.until_s, one.live_until_s = now_s + self.lease_s, now_s + self.idle_s
        one.run = self.run if process in self.connected else 0
        return Renewal(is_owner=True, is_requested=one.requested_until_s > now_s)

    async def save(
        self, session: str, process: str, epoch: int, state: str, /, *, keep: bool
    ) -> bool:
        """See `SessionDirectory.save`."""
        one = self._entry(session)
        if not one.is_owned_by(process, epoch):
            return False
        one.live, one.live_until_s = state, self.now() + self.idle_s
        one.kept = state if keep else one.kept
        return True

    async def release(self, session: str, process: str, epoch: int, mode: ReleaseMode, /) -> bool:
        """See `SessionDirectory.release`."""
        one = self._entry(session)
        if not one.is_owned_by(process, epoch):
            return False
        one.owner, one.until_s, one.requested_until_s, one.last = "", 0.0, 0.0, process
        if mode != "moves":
            one.live, one.live_until_s = "", 0.0
        if mode == "forgets":
            one.kept = ""
        return True

    def _entry(self, session: str) -> _Entry:
        return self._entries.setdefault(session, _Entry())
