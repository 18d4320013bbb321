"""Permits for requests to sites; each lasts until its holder ends it."""

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol, TypeAlias

import attrs

from tabwright.protocol.actor import Expiry


class Governor(Protocol):
    """Limits the rate of requests to sites."""

    async def permit(self, request: "AcquirePermit", /) -> None:
        """Acquire a permit for one request to a site, as soon as its rate limit allows.

        Among waiting requests for a site, the lowest rank goes first, then the earliest. Refused
        with `RateLimited` if the wait would be longer than seconds: the site's daily limit is
        reached, or it is paused because it refused requests.
        """
        ...

    async def note_refusal(self, site: str, retry_after_s: float | None = None) -> float:
        """Report that a site refused a request (403, 429, a CAPTCHA); return its pause in seconds.

        The pause is the site's cool-down, doubled with each refusal in a row.

        Args:
            site: the name of an engine or of a host.
            retry_after_s: the pause requested by the site, if any (RFC 9110, section 10.2.3).
        """
        ...

    async def note_answer(self, site: str, /) -> None:
        """Record that a site answered normally, or that its CAPTCHA was solved.

        This resets its pauses.
        """
        ...

    async def rates(self) -> tuple["SiteRate", ...]:
        """Return the state of each engine and of each requested host, by name."""
        ...

    async def share(self) -> "RateShare | None":
        """Return which part of each rate this process keeps to; None without a fleet."""
        ...


class Reason(StrEnum):
    """Why a request to a site has to wait.

    ``INTERVAL``: the last request began, or was refused, too recently. ``TURN``: others are ahead.
    """

    INTERVAL = "interval"
    TURN = "turn"


@attrs.frozen
class SiteWait:
    """A request to a site that has to wait.

    Attributes:
        left_s: seconds left; None if unknown.
    """

    site: str
    reason: Reason
    left_s: float | None = None

    def __str__(self) -> str:
        if self.left_s is None:
            return f"{self.site}: waiting for its turn"
        return f"{self.site}: next request in {self.left_s:.1f} s"


Waiting: TypeAlias = Callable[[SiteWait], None]
"""Called when a wait begins, and when its reason changes; must not block."""


class Beginning(Expiry, Protocol):
    """A condition that begins, for example an event of the event loop."""

    def is_set(self) -> bool:
        """Return whether it has begun."""
        ...


def ignore_wait(_wait: SiteWait) -> None:
    """Ignore a wait, for callers that do not report waits."""


@attrs.frozen
class AcquirePermit:
    """What a permit is asked for.

    Attributes:
        over: the holder sets it when the request is done, on every exit path.
        site: the name of an engine or of a host.
        begun: the holder sets it when the request is sent. No other permit for the site is granted
            before that, and the interval is counted from there. A permit that ends before that is
            not counted. None: it begins with the permit, as it always does at a site with neither
            an interval nor a daily limit.
        rank: usually 0; lower for work that has begun and continues.
        waiting: called with the reason for the wait.
        for_person: whether a person will see the page; the request then ignores pauses.
    """

    over: Expiry
    site: str
    begun: Beginning | None = None
    rank: int = 0
    waiting: Waiting = ignore_wait
    for_person: bool = False


@attrs.frozen
class SiteRate:
    """The state of a site.

    Attributes:
        in_work: the number of permits in use.
        waiting: the number of waiting requests.
        today: requests since midnight UTC, if they are counted.
        daily_limit: the maximum number per day; None for no limit.
        next_start_in_s: estimated seconds until the next request may begin; 0 for now.
        paused_for_s: seconds until its pause ends; 0 if it is not paused.
    """

    site: str
    in_work: int
    waiting: int
    today: int
    daily_limit: int | None
    next_start_in_s: float
    paused_for_s: float


@attrs.frozen
class RateShare:
    """The part of the rates of a fleet that a process keeps to.

    Attributes:
        is_whole: whether the processes of the fleet share the rates through Redis; otherwise it
            does not respond, and each keeps to an equal part.
        processes: the number of processes, as far as this one knows.
    """

    is_whole: bool
    processes: int

    @property
    def part(self) -> float:
        """Return the part, from 0 to 1."""
        return 1.0 if self.is_whole else 1 / self.processes
