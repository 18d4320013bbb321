"""What waits for a person: CAPTCHAs that sites show, which we never solve ourselves."""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Literal, Protocol, TypeAlias

import attrs

from tabwright.protocol.actor import Address, Expiry
from tabwright.protocol.browser_pool import Lease
from tabwright.protocol.tab import Tab


class Interventions(Protocol):
    """Keeps the queue of what waits for a person, and the tabs that are held for it."""

    async def call_person(self, request: "CallPerson", /) -> "Intervention":
        """See `CallPerson`."""
        ...

    async def solution(self, request: "AwaitSolution", /) -> "Solution":
        """See `AwaitSolution`."""
        ...

    async def answer(self, request: "AnswerIntervention", /) -> "Intervention":
        """See `AnswerIntervention`."""
        ...

    async def list_all(self) -> tuple["Intervention", ...]:
        """All that wait for a person, oldest first, and the last ones that did."""
        ...


class InterventionState(StrEnum):
    """How far an intervention is.

    ``PENDING`` until a window shows it, then ``IN_PROGRESS``. It ends as ``SOLVED``; ``SKIPPED``
    by the person, who said so or closed the window; ``EXPIRED`` where nobody came; ``CANCELLED``
    where the search that waited for it was, before a window showed it, or tabwright stopped.
    """

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    SOLVED = "solved"
    SKIPPED = "skipped"
    EXPIRED = "expired"
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        """Whether a person could still help."""
        return self in {InterventionState.PENDING, InterventionState.IN_PROGRESS}


@attrs.frozen
class Intervention:
    """Something that waits for a person, or did.

    Attributes:
        id: a short word, to answer it by.
        site: the engine that asks.
        url: the page that asks.
        worker: in whose profile.
        held: whether a tab is held for it.
        waiting: how many searches wait for it.
        age_s: since it was asked.
        left_s: until it expires; 0 where it has ended.
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


Check: TypeAlias = Callable[[Address[Tab]], Awaitable[bool]]
"""Whether what a tab shows is no CAPTCHA any more."""


Way: TypeAlias = Callable[[Address[Tab]], Awaitable[object]]
"""Leads a blank tab to a page."""


@attrs.frozen
class HeldTab:
    """A tab that shows a CAPTCHA to a person, handed over to be held.

    Attributes:
        end: gives the tab back.
    """

    lease: Lease
    end: Callable[[], object]


@attrs.frozen(kw_only=True)
class CallPerson:
    """A site needs a person: put it into the queue, or join what waits there for the same site.

    The tab that shows it, if a person can see it, is held until the intervention has ended; its
    place is free at once. One that is not taken is given back.

    Attributes:
        site: the engine that asks.
        url: the page that asks.
        worker: in whose profile it asks.
        way: leads another tab to that page, in a window.
        solved: tells when the person is done.
        held: the tab; None where no person could see it.
        asker: stands for the search that needs it.
    """

    site: str
    url: str
    worker: int
    way: Way
    solved: Check
    held: HeldTab | None = None
    asker: object = None

    async def visit(self, interventions: Interventions, /) -> Intervention:
        """Has `interventions` answer."""
        return await interventions.call_person(self)


@attrs.frozen
class Solution:
    """How an intervention ended.

    Attributes:
        lease: the tab that it was solved in, for the search that called for the person; who has
            joined it asks the engine anew.
    """

    state: InterventionState
    lease: Lease | None = None


@attrs.frozen
class AwaitSolution:
    """Show it to the person, and wait until it has ended.

    Refused with `BadInput` where there is none of that id, with `BrowserUnavailable` where no
    window can be opened, with `TabsBusy` where no more tabs may be held.

    Attributes:
        over: the asker gives the tab of the solution back by it.
        asker: as that of the call for a person.
        calls: is called before it is shown, unless somebody waits for it already; must not block.
    """

    over: Expiry
    id: str
    asker: object
    calls: Callable[[], object]

    async def visit(self, interventions: Interventions, /) -> Solution:
        """Has `interventions` answer."""
        return await interventions.solution(self)


PersonsAnswer: TypeAlias = Literal["open", "solved", "skip"]


@attrs.frozen
class AnswerIntervention:
    """What a person says to it.

    ``open``: bring its window before me; ``solved``: look at once whether it is gone, and not in
    a few seconds; ``skip``: I will not. Refused as `AwaitSolution`; with `BadInput` also where it
    has ended.
    """

    id: str
    answer: PersonsAnswer

    async def visit(self, interventions: Interventions, /) -> Intervention:
        """Has `interventions` answer."""
        return await interventions.answer(self)
