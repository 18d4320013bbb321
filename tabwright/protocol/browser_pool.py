"""Exclusive use of a tab, held until its asker ends it."""

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol, TypeAlias

import attrs

from tabwright.protocol.actor import Address, Expiry
from tabwright.protocol.progress import ignore_progress
from tabwright.protocol.tab import Tab


class BrowserPool(Protocol):
    """Keeps the browsers and their tabs."""

    async def lease_tab(self, request: "LeaseTab", /) -> "Lease":
        """See `LeaseTab`."""
        ...

    async def start_browser(self) -> None:
        """Have a browser run, as a tab will be wanted soon; it goes again if none is.

        Refused with `BrowserUnavailable` or `BrowserDied` where there is none to be had.
        """
        ...

    async def change_use(self, request: "ChangeUse", /) -> None:
        """See `ChangeUse`."""
        ...

    async def back_off(self) -> None:
        """Lower the number of tabs that search at the same time, after a site has refused us.

        It never falls below one, and does not recover by itself: sites do not say when they
        would refuse again.
        """
        ...

    async def reset_back_off(self) -> None:
        """Allow as many searching tabs as the settings say again."""
        ...

    async def pool(self) -> "PoolState":
        """Return the state of the browsers and their tabs."""
        ...

    async def look_at_proxy(self) -> str:
        """Check the proxy of the browsers, after a page could not be reached.

        Answers what the user can do about it; empty if no proxy is involved. If a browser would
        use another proxy by now, the next lease is in a new browser. Refused with
        `BrowserUnavailable` if the settings name a proxy that cannot be used.
        """
        ...

    async def find_screen(self, request: "FindDisplay", /) -> None:
        """See `FindDisplay`."""
        ...


class TabUse(StrEnum):
    """What a leased tab is used for, and so which limit it counts against.

    ``SEARCHING`` counts against ``pool.max_tabs``, which falls when sites refuse us; ``READING``
    against ``pool.max_reading_tabs``; ``HELD``, for a person, against ``pool.max_held_tabs``.
    The others count against nothing: ``RESTING`` is the tab of a search that waits for its turn at
    the engine, ``KEPT`` that of an open conversation, for which no browser has to stay.
    """

    SEARCHING = "searching"
    READING = "reading"
    HELD = "held"
    RESTING = "resting"
    KEPT = "kept"


@attrs.frozen
class TabState:
    """A leased tab.

    Attributes:
        number: that of its lease.
        purpose: what its asker does with it, in a few words.
        since_s: when it came to its use, on the clock of trio.
    """

    number: int
    purpose: str
    use: TabUse
    worker: int
    since_s: float


@attrs.frozen
class TabWait:
    """A lease waits for its turn.

    Attributes:
        purpose: of the one that waits.
        limit: how many tabs there may be for that use.
        holders: those that have them.
        now_s: on the clock of trio.
    """

    purpose: str
    use: TabUse
    limit: int
    holders: tuple[TabState, ...]
    now_s: float

    def __str__(self) -> str:
        held = (f"{tab.purpose} for {self.now_s - tab.since_s:.1f} s" for tab in self.holders)
        taken = f"{len(self.holders)} of {self.limit} {self.use} tabs are in use"
        return f"{self.purpose} is waiting for a tab: {taken} ({', '.join(held)})"


Queued: TypeAlias = Callable[[TabWait], None]
"""Is called when a lease has to wait; must not block."""


@attrs.frozen
class Lease:
    """A tab that was granted.

    Attributes:
        number: its name towards the supervisor.
        worker: the browser that it is in.
        visible: whether a person could see it.
        notice: what the browser's start had to do without, as its profile; empty as a rule.
    """

    number: int
    worker: int
    tab: Address[Tab]
    visible: bool = False
    notice: str = ""


@attrs.frozen
class LeaseTab:
    """A new blank tab for the asker alone.

    Granted in order of asking, where the browser has the fewest of its kind. The tab is closed
    when the lease is over, and when nothing was asked of it for the idle time of the settings
    (not while it is held). Refused with `BrowserUnavailable`; with `TabsBusy` where none came
    free in the asker's time, and at once where no more may be held.

    Attributes:
        over: the asker ends the lease by it, on every way out.
        purpose: what it is for, in a few words, for those who have to wait for it.
        private: cookies and storage of its own, gone with the tab; otherwise those of the profile.
        context: the same, shared by all tabs of that name in one worker, and gone with the last.
        pop_up: a page that another tab has opened, to be taken over; empty for a new one.
        light: whether the tab does without pictures, fonts, media and advertisements.
        visible: whether a person must be able to see it. A browser without a window is exchanged
            for one with a window, on the same profile; refused with `BrowserUnavailable` where
            there is no screen.
        worker: the browser that it must be in; None for any.
        queued: is told if it has to wait.
    """

    over: Expiry
    use: TabUse
    purpose: str
    private: bool = False
    context: str = ""
    pop_up: str = ""
    light: bool = False
    visible: bool = False
    worker: int | None = None
    queued: Queued = ignore_progress

    async def visit(self, supervisor: BrowserPool, /) -> "Lease":
        """Has `supervisor` answer."""
        return await supervisor.lease_tab(self)


@attrs.frozen
class ChangeUse:
    """A tab comes to another use: its place for the old one is free at once.

    Waits for the new one, in order of asking, and rests meanwhile. Refused with `TabsBusy` as
    `LeaseTab`. A lease that is over meanwhile is no error: its tab will say so.

    Attributes:
        number: that of the lease.
    """

    number: int
    use: TabUse
    queued: Queued = ignore_progress

    async def visit(self, supervisor: BrowserPool, /) -> None:
        """Has `supervisor` answer."""
        await supervisor.change_use(self)


@attrs.frozen
class WorkerState:
    """A browser, or the place for one.

    Attributes:
        product: its name and version; empty where it does not run.
        visible: whether it has windows.
        tabs: how many of the leased tabs are in it.
        memory_bytes: what its processes take; 0 where nobody knows.
    """

    number: int
    product: str
    visible: bool
    tabs: int
    memory_bytes: int = 0


@attrs.frozen
class PoolState:
    """How it stands with browsers and tabs.

    Attributes:
        max_tabs: how many may search in each browser, by the settings.
        effective_max_tabs: how many may, since sites have refused us.
        waiting: leases that wait for their turn.
    """

    max_tabs: int
    effective_max_tabs: int
    waiting: int
    workers: tuple[WorkerState, ...]
    tabs: tuple[TabState, ...]


@attrs.frozen
class FindDisplay:
    """Make sure that a person could be shown a tab; refused with `BrowserUnavailable` if not."""

    worker: int

    async def visit(self, supervisor: BrowserPool, /) -> None:
        """Has `supervisor` answer."""
        await supervisor.find_screen(self)
