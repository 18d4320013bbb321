"""Interventions: CAPTCHAs of sites that only a person solves, never tabwright."""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Literal, Protocol, TypeAlias

import attrs

from tabwright.protocol.actor import Address, Expiry
from tabwright.protocol.browser_pool import Lease
from tabwright.protocol.tab import Tab


class Interventions(Protocol):
    """Manages the queue of interventions, and the tabs that are held for them."""

    async def call_person(self, request: "CallPerson", /) -> "Intervention":
        """Queue an intervention for a site, or join the open one for the same site.

        The tab that shows the CAPTCHA, if a person can see it, is reserved until the intervention
        ends; its place in the pool is free at once. A tab that is not accepted is released.
        """
        ...

    async def solution(
        self,
        over: Expiry,
        intervention: str,
        asker: object,
        calls: Callable[["PersonCalled"], object],
    ) -> "Solution":
        """Show an intervention to the person, and wait until it has ended.

        Errors: `BadInput` if there is none of this id, `BrowserUnavailable` if no window can be
        opened, `TabsBusy` if no more tabs can be held.

        Args:
            over: the caller releases the tab of the solution with it.
            intervention: its id.
            asker: the `CallPerson.asker`.
            calls: called before it is shown, unless another caller already waits for it; must not
                block.
        """
        ...

    async def answer(self, intervention: str, answer: "PersonsAnswer") -> "Intervention":
        """Open, confirm or skip an intervention.

        ``open`` shows its window; ``solved`` checks at once whether the CAPTCHA is gone, instead of
        in a few seconds; ``skip`` ends it without a solution. Errors: those of `solution`, and
        `BadInput` if it has ended.
        """
        ...

    async def list_all(self) -> tuple["Intervention", ...]:
        """Return the open interventions, oldest first, and the last ones that ended."""
        ...


class InterventionState(StrEnum):
    """The state of an intervention.

    It is ``PENDING`` until a window or the live view shows it, then ``IN_PROGRESS``. It ends as
    ``SOLVED``; as ``SKIPPED`` if the person skips it or closes the window; as ``EXPIRED`` if it is
    not solved in time; or as ``CANCELLED`` if its search is cancelled before it is shown, if the
    reading that waits in its own tab ends, or if tabwright stops.
    """

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    SOLVED = "solved"
    SKIPPED = "skipped"
    EXPIRED = "expired"
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        """Return whether a person can still solve it."""
        return self in {InterventionState.PENDING, InterventionState.IN_PROGRESS}


@attrs.frozen
class Intervention:
    """A CAPTCHA that a person can solve, or could.

    Attributes:
        id: a short word, for `Interventions.answer`.
        state: whether it is open, and how it ended.
        site: the engine or host that shows it.
        url: the page that shows it.
        worker: the number of the browser whose profile sees it.
        held: whether a tab is held for it.
        waiting: the number of searches and readings that wait for it.
        age_s: seconds since it was opened.
        left_s: seconds until it expires; 0 if it has ended.
        link: a one-time link to the live view of its tab; empty if there is none.
    """

    id: str
    state: InterventionState
    site: str
    url: str
    worker: int
    held: bool
    waiting: int
    age_s: float
    left_s: float
    link: str = attrs.field(default="", repr=False)


Check: TypeAlias = Callable[[Address[Tab]], Awaitable[bool]]
"""Returns whether a tab no longer shows the CAPTCHA."""


Way: TypeAlias = Callable[[Address[Tab]], Awaitable[object]]
"""Opens a page in a blank tab."""


@attrs.frozen
class HeldTab:
    """A tab that shows a CAPTCHA and is reserved for a person.

    Attributes:
        end: releases the tab.
    """

    lease: Lease
    end: Callable[[], object]


@attrs.frozen(kw_only=True)
class CallPerson:
    """A CAPTCHA that a person is to solve.

    Attributes:
        site: the engine or host that shows the CAPTCHA.
        url: the page that shows it.
        worker: the browser whose profile sees it.
        way: opens that page in another tab.
        solved: returns whether the CAPTCHA is solved.
        held: the tab; None if no person could see it.
        asker: identifies the search or reading that needs it.
        in_window: whether a window shows it; otherwise only the live view does.
        within_s: seconds that the asker waits in its own tab: the intervention ends with the wait,
            and releasing the tab does not close it. None for a tab that the queue can keep.
    """

    site: str
    url: str
    worker: int
    way: Way
    solved: Check
    held: HeldTab | None = None
    asker: object = None
    in_window: bool = True
    within_s: float | None = None


@attrs.frozen
class Solution:
    """The result of an intervention.

    Attributes:
        state: how it ended.
        lease: the tab in which it was solved, for the asker that opened it; None for askers that
            joined later, which ask the site again.
    """

    state: InterventionState
    lease: Lease | None = None


@attrs.frozen
class PersonCalled:
    """The places where a person can help.

    Attributes:
        link: to the live view of the tab; empty if there is none.
        in_window: whether a window shows it, too.
    """

    link: str = attrs.field(repr=False)
    in_window: bool


PersonsAnswer: TypeAlias = Literal["open", "solved", "skip"]
