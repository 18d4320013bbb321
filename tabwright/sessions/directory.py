"""The directory of the sessions of a fleet: who has each session, and its saved state."""

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias

import attrs

ReleaseMode: TypeAlias = Literal["moves", "closes", "forgets"]
"""The part of a session that is kept when its owner releases it: all of it, for the next owner; the
state that was saved on purpose; or nothing."""


@attrs.frozen
class Claim:
    """The answer to a process that asks for a session.

    Attributes:
        is_granted: whether it has the session now; otherwise `owner` has it, and is asked for it.
        epoch: the number of this ownership; higher than all before.
        owner: the process that has it, or had it before; empty for none.
        live: the state of the session, if it is open; empty otherwise.
        kept: the state that was saved on purpose; empty for none.
    """

    is_granted: bool
    epoch: int
    owner: str = ""
    live: str = ""
    kept: str = ""


@attrs.frozen
class Renewal:
    """The answer to an owner that renews a lease.

    Attributes:
        is_owner: whether it still has the session.
        is_requested: whether another process waits for it.
    """

    is_owner: bool
    is_requested: bool = False


class SessionDirectory(Protocol):
    """Keeps one owner for each session, for the time of a lease, by a clock of its own.

    Each ownership has an epoch (a fencing token): what an earlier owner does is refused.
    Every method but `disconnected` raises `FleetUnavailable` if the directory does not respond in
    time; what was asked for may have been done then.
    """

    async def disconnected(self) -> None:
        """Return when the connection by which the directory knows of this process has ended.

        Its leases can be over soon then, unless they are renewed.
        """
        ...

    async def acquire(self, session: str, process: str, /, *, only_open: bool) -> Claim | None:
        """Ask for a session; None if it is not open and `only_open` is set."""
        ...

    async def renew(self, process: str, epochs: Mapping[str, int], /) -> tuple[Renewal, ...]:
        """Renew leases, given by session with the epoch of each."""
        ...

    async def save(
        self, session: str, process: str, epoch: int, state: str, /, *, keep: bool
    ) -> bool:
        """Save the state of a session, with `keep` also for later; False if it is not the owner."""
        ...

    async def release(self, session: str, process: str, epoch: int, mode: ReleaseMode, /) -> bool:
        """Release a session; False if it is not the owner."""
        ...
