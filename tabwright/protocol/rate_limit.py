"""Leave to turn to a site: each held until its asker ends it."""

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol, TypeAlias

import attrs

from tabwright.protocol.actor import Expiry


class Governor(Protocol):
    """Keeps the pace at which sites are turned to."""

    async def permit(self, request: "AcquirePermit", /) -> None:
        """See `AcquirePermit`."""
        ...

    async def note_refusal(self, request: "NoteRefusal", /) -> None:
        """See `NoteRefusal`."""
        ...

    async def note_answer(self, request: "NoteAnswer", /) -> None:
        """See `NoteAnswer`."""
        ...

    async def rates(self) -> tuple["SiteRate", ...]:
        """How it stands with each engine, and with each host that is turned to, by name."""
        ...


class Reason(StrEnum):
    """Why a request to a site has to wait.

    ``INTERVAL``: the last one began, or was refused, too short a while ago. ``TURN``: others came
    before.
    """

    INTERVAL = "interval"
    TURN = "turn"


@attrs.frozen
class SiteWait:
    """A request to a site waits.

    Attributes:
        left_s: how long; None where nobody can know.
    """

    site: str
    reason: Reason
    left_s: float | None = None

    def __str__(self) -> str:
        if self.left_s is None:
            return f"{self.site}: waiting for its turn"
        return f"{self.site}: next request in {self.left_s:.1f} s"


Waiting: TypeAlias = Callable[[SiteWait], None]
"""Is called when a wait begins, and when its reason changes; must not block."""


class Beginning(Expiry, Protocol):
    """Something that will begin; an event of the event loop is one."""

    def is_set(self) -> bool:
        """Whether it has begun."""
        ...


def ignore_wait(_wait: SiteWait) -> None:
    """The waiting of those who only want it to end."""


@attrs.frozen
class AcquirePermit:
    """Leave for one request to `site`, given when its pace allows.

    Of those who wait for one site the lowest `rank` goes first, then who asked first. Refused
    with `RateLimited` where the wait would be none of seconds: the site's daily limit is reached,
    or it is left alone for a while because it refused us.

    Attributes:
        over: the asker says by it that the request is done, on every way out.
        site: the name of an engine, or of a host.
        begun: the asker says by it that the request goes out now; nobody else gets a permit for
            the site before that, and the interval is counted from there. A permit that is over
            before that counts for nothing. None: it begins with the permit.
        rank: 0 as a rule; below it for what has begun and goes on.
        waiting: is told what the asker waits for.
        for_person: whether a person will look at it; then no pause stands in its way.
    """

    over: Expiry
    site: str
    begun: Beginning | None = None
    rank: int = 0
    waiting: Waiting = ignore_wait
    for_person: bool = False

    async def visit(self, governor: Governor, /) -> None:
        """Pass this request to `governor`."""
        await governor.permit(self)


@attrs.frozen
class NoteRefusal:
    """A site has refused a request of ours (403, 429, a CAPTCHA): it is left alone for a while.

    The while is the site's cool-down, twice as long with each refusal in a row.

    Attributes:
        retry_after_s: what the site itself asks for, where it does (RFC 9110, section 10.2.3).
    """

    site: str
    retry_after_s: float | None = None

    async def visit(self, governor: Governor, /) -> None:
        """Pass this request to `governor`."""
        await governor.note_refusal(self)


@attrs.frozen
class NoteAnswer:
    """A site has answered as it should, or a person has solved its CAPTCHA: all is forgotten."""

    site: str

    async def visit(self, governor: Governor, /) -> None:
        """Pass this request to `governor`."""
        await governor.note_answer(self)


@attrs.frozen
class SiteRate:
    """How it stands with one site.

    Attributes:
        in_work: permits that are held.
        waiting: permits that are waited for.
        today: requests since midnight UTC, where they are counted.
        daily_limit: how many there may be; None for any number.
        next_start_in_s: until the next request may begin, for all that is known; 0 for now.
        paused_for_s: how long it is still left alone; 0 for not at all.
    """

    site: str
    in_work: int
    waiting: int
    today: int
    daily_limit: int | None
    next_start_in_s: float
    paused_for_s: float
