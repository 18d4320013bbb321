"""The directory of sessions in Redis; see ``fleet/lua/session_owner.lua``."""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote

import attrs

from tabwright.plugins.fleet.redis import ANSWER_S, FleetRedis, script
from tabwright.sessions.directory import Claim, ReleaseMode, Renewal

LEASE_S = 5.0
"""How long a session has an owner that does not renew its lease."""

GONE_S = 1.25
"""How long it still has one whose connection to Redis has ended; see `LiveConnection`."""

REQUESTED_S = 3.0
"""How long a process that asks for a session is remembered without asking again."""

NOT_OPEN = 2


class _Reply(NamedTuple):
    """The reply of `acquire`."""

    outcome: int
    epoch: int
    owner: str
    live: str
    kept: str


@attrs.frozen
class RedisSessionDirectory:
    """The sessions of one user in Redis, by its clock; see `SessionDirectory`.

    Attributes:
        idle_s: how long the state of a session without an owner lasts.
        lease_s: how long a lease lasts.
        gone_s: how long it still lasts once the connection of its owner has ended.
        requested_s: how long a process that asks is remembered.
        within_s: the time limit of a call.
    """

    _redis: FleetRedis
    _principal: str
    idle_s: float
    lease_s: float = LEASE_S
    gone_s: float = GONE_S
    requested_s: float = REQUESTED_S
    within_s: float = ANSWER_S

    async def acquire(self, session: str, process: str, /, *, only_open: bool) -> Claim | None:
        reply = await self._redis.run(
            script("session_owner"),
            [self._key(session)],
            [
                "acquire",
                process,
                self.lease_s,
                self.requested_s,
                self.gone_s,
                self._redis.connection.channel,
                int(only_open),
            ],
            reply=_Reply,
            within_s=self.within_s,
        )
        if reply.outcome == NOT_OPEN:
            return None
        return Claim(bool(reply.outcome), reply.epoch, reply.owner, reply.live, reply.kept)

    async def renew(self, process: str, epochs: Mapping[str, int], /) -> tuple[Renewal, ...]:
        replies = await self._redis.run(
            script("session_owner"),
            [self._key(session) for session in epochs],
            [
                "renew",
                process,
                self.lease_s,
                self.idle_s,
                self._redis.connection.channel,
                *epochs.values(),
            ],
            reply=tuple[int, ...],
            within_s=self.within_s,
        )
        return tuple(Renewal(reply > 0, reply > 1) for reply in replies)

    async def save(
        self, session: str, process: str, epoch: int, state: str, /, *, keep: bool
    ) -> bool:
        return await self._redis.run(
            script("session_owner"),
            [self._key(session)],
            ["save", process, epoch, state, self.idle_s, int(keep)],
            reply=bool,
            within_s=self.within_s,
        )

    async def release(self, session: str, process: str, epoch: int, mode: ReleaseMode, /) -> bool:
        return await self._redis.run(
            script("session_owner"),
            [self._key(session)],
            ["release", process, epoch, mode],
            reply=bool,
            within_s=self.within_s,
        )

    async def disconnected(self) -> None:
        await self._redis.connection.ended()

    def _key(self, session: str) -> str:
        return self._redis.key("session", quote(self._principal, safe=""), session)
