"""The pool of browsers: exclusive leases of tabs, and the status of browsers, tabs and sources."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Protocol, TypeAlias

import attrs

from tabwright.protocol.actor import Address, Expiry
from tabwright.protocol.progress import ignore_progress
from tabwright.protocol.tab import Tab


class BrowserPool(Protocol):
    """Manages the browsers and their tabs."""

    async def lease_tab(self, request: "LeaseTab", /) -> "Lease":
        """Lease a new blank tab for exclusive use.

        Leases are granted in the order of requests, in the browser with the fewest tabs of that
        use; on a shared server, first to the principal with the fewest tabs of that use. The tab is
        closed when the lease ends, or when it has received no request for the idle time of the
        settings (not while it is held for a person). Refused with `BrowserUnavailable`; with
        `TabsBusy` if no tab became free before the caller's deadline, and at once if no more tabs
        can be held.
        """
        ...

    async def start_browser(self) -> None:
        """Start a browser for a page that will be needed soon; close it if no tab is requested.

        Refused with `BrowserUnavailable` or `BrowserDied` if no browser can be started.
        """
        ...

    async def open_pages(self) -> tuple["OpenPage", ...]:
        """Return the user's pages: those of the default context of the browser with the profile.

        It is started if needed.

        Refused with `BrowserUnavailable` or `BrowserDied` if no browser can be started.
        """
        ...

    async def end_unused(self) -> None:
        """End the browser with the first profile unless a tab is in it, so that others can."""
        ...

    async def change_use(
        self, number: int, use: "TabUse", queued: "Queued" = ignore_progress
    ) -> None:
        """Change the use of a leased tab; its place under the old use is free at once.

        Waits for a place under the new use, in the order of requests, and is ``RESTING`` meanwhile.
        Refused with `TabsBusy` like `lease_tab`. If the lease ends meanwhile, this is not an error:
        requests to its tab will report it.

        Args:
            number: the number of the lease.
            use: the new one.
            queued: called if it has to wait.
        """
        ...

    async def back_off(self, engine: str, /) -> None:
        """Reduce the number of tabs that search with an engine, after it refused a request.

        It never falls below one and does not recover by itself, because engines do not announce
        when they would refuse again. Other engines keep their tabs.
        """
        ...

    async def reset_back_off(self) -> None:
        """Restore the number of searching tabs of each engine that the settings allow."""
        ...

    async def pool(self) -> "PoolState":
        """Return the state of the browsers and their tabs."""
        ...

    async def check_proxy(self) -> str:
        """Check the proxy of the browsers after a page could not be reached.

        Returns advice for the user; empty if no proxy is involved. If a new browser would use
        another proxy, the next lease is in a new browser. Refused with `BrowserUnavailable` if the
        settings name a proxy that cannot be used.
        """
        ...

    async def find_screen(self, worker: int, /) -> None:
        """Check that a tab of a worker can be shown to a person.

        Refused with `BrowserUnavailable` if not.
        """
        ...


class BrowserUse(StrEnum):
    """The tabs that a browser can have.

    ``SEARCH``: those of searches and of the user's own session, on the kept profile. ``PAGES``:
    those of pages and of other sessions, each with its own cookies. ``ALL``: both, if no search
    would have to replace the browser to show a page to a person.
    """

    SEARCH = "search"
    PAGES = "pages"
    ALL = "all"


class TabUse(StrEnum):
    """The use of a leased tab, which decides the limit that it counts against.

    ``SEARCHING`` counts against ``pool.max_tabs``, and against the lower limit of an engine that
    has refused requests;
    ``READING`` against ``pool.max_reading_tabs``; ``HELD``, for a person, against
    ``pool.max_held_tabs``. The others count against no limit: ``RESTING`` is the tab of a search
    that waits for its turn at the engine; ``KEPT`` is the tab of an open conversation, which does
    not keep its browser running.
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
        number: the number of its lease.
        purpose: what the lease holder does with it, in a few words.
        since_s: when its current use began, on the clock of trio.
        principal: the user of a shared server that it was leased for; empty if there is only one.
        browser: the browser of the worker that it is in, if searches have a separate one.
    """

    number: int
    purpose: str
    use: TabUse
    worker: int
    since_s: float
    principal: str = ""
    browser: BrowserUse = BrowserUse.SEARCH


NO_LEASE = TabState(0, "", TabUse.RESTING, 0, 0.0)
"""The state of a page that no lease was opened for."""


@attrs.frozen
class TabWait:
    """A lease that waits for a tab.

    Attributes:
        purpose: of the waiting lease.
        limit: the maximum number of tabs for that use.
        holders: the tabs in use.
        now_s: the current time on the clock of trio.
        shortage: what the machine is short of, if that is the reason.
    """

    purpose: str
    use: TabUse
    limit: int
    holders: tuple[TabState, ...]
    now_s: float
    shortage: str = ""

    def __str__(self) -> str:
        if self.shortage:
            return f"{self.purpose} is waiting for a tab: {self.shortage}"
        held = (f"{tab.purpose} for {self.now_s - tab.since_s:.1f} s" for tab in self.holders)
        taken = f"{len(self.holders)} of {self.limit} {self.use} tabs are in use"
        return f"{self.purpose} is waiting for a tab: {taken} ({', '.join(held)})"


@attrs.frozen
class OpenPage:
    """A page of the default context of a browser.

    Attributes:
        target: its id, for `LeaseTab.pop_up`.
        url: of its current document.
        title: of that document, as the page has set it.
        leased: whether a lease has it.
    """

    target: str
    url: str
    title: str
    leased: bool


def leave_open() -> bool:
    """Return False: the user's page stays open when its lease ends."""
    return False


Queued: TypeAlias = Callable[[TabWait], None]
"""Called when a lease has to wait; must not block."""


@attrs.frozen
class Lease:
    """A granted tab.

    Attributes:
        number: identifies the lease to the supervisor.
        worker: the browser that the tab is in.
        visible: whether a person can see it.
        notice: a limitation of the browser's start, such as a missing profile; usually empty.
    """

    number: int
    worker: int
    tab: Address[Tab]
    visible: bool = False
    notice: str = ""


@attrs.frozen
class LeaseTab:
    """What a tab is leased for.

    Attributes:
        over: the caller ends the lease with it, on every exit path.
        purpose: what the tab is for, in a few words, for other leases that wait for it; of a tab
            that searches, the name of its engine.
        private: whether cookies and storage belong to the tab and are deleted with it; otherwise
            they are those of the profile.
        context: like `private`, but shared by all tabs with this context name in a worker, and
            deleted with the last one.
        pop_up: a page that another tab opened, or that the user has open, to take over; empty for
            a new page.
        own: whether it is a page of the user: it is in the default context of the first browser,
            has no idle time, and stays open at the end if tabwright did not start that browser.
        closes: called at the end of the lease of such a page: whether to close it nevertheless.
        light: whether to block images, fonts, media and advertisements.
        visible: whether a person must be able to see it. A browser without a window is replaced by
            one with a window, on the same profile; refused with `BrowserUnavailable` if there is no
            display.
        worker: the browser that it must be in; None for any.
        queued: called if the lease has to wait.
        principal: the user of a shared server that it is for.
        downloads: the folder for its downloads, such as that of this user; empty for
            ``acting.downloads`` of the settings of the browsers.
        give_up: makes it a tab of a session, of which at most ``pool.max_session_tabs`` are open in
            a worker. Called when it is ``KEPT`` and had no request for the idle time, instead of
            its end, and when another lease needs its place; must not block. The caller then ends
            the lease, or sends `BrowserPool.change_use` with ``KEPT`` if it still needs the tab.
    """

    over: Expiry
    use: TabUse
    purpose: str
    private: bool = False
    context: str = ""
    pop_up: str = ""
    own: bool = False
    closes: Callable[[], bool] = leave_open
    light: bool = False
    visible: bool = False
    worker: int | None = None
    queued: Queued = ignore_progress
    principal: str = ""
    downloads: str = ""
    give_up: Callable[[], None] | None = None

    @property
    def browser(self) -> BrowserUse:
        """Return which browser the tab is in, if searches have a separate one."""
        return BrowserUse.PAGES if self.private or self.context else BrowserUse.SEARCH


@attrs.frozen
class WorkerState:
    """A browser, or the slot for a browser that is not running.

    Attributes:
        product: its name and version; empty if it is not running.
        visible: whether it has windows.
        tabs: the number of leased tabs in it.
        memory_bytes: the memory of its processes; 0 if unknown.
        use: which tabs it can have.
        starts: how often it has started, restarts included.
    """

    number: int
    product: str
    visible: bool
    tabs: int
    memory_bytes: int = 0
    use: BrowserUse = BrowserUse.ALL
    starts: int = 0


LOCAL = "local"
"""The kind of the source of browsers that is this machine."""

CDP = "cdp"
"""The kind of a source that is a browser which runs already."""


@attrs.frozen
class SourceState:
    """A source of browsers.

    Attributes:
        number: its place in the settings, from 1.
        kind: `LOCAL`, `CDP`, or the name of a service.
        host: its host and port; empty for this machine.
        capacity: how many browsers it can run at once.
        in_use: how many of them run.
        resting_s: the seconds until it is tried again after failures; 0 if it is not resting.
        why: its latest failure; empty if there was none since it worked.
    """

    number: int
    kind: str
    host: str
    capacity: int
    in_use: int
    resting_s: float = 0.0
    why: str = ""


@attrs.frozen
class PoolState:
    """The state of browsers and tabs.

    Attributes:
        max_tabs: the maximum number of searching tabs in each browser, from the settings.
        waiting: leases that wait for a tab.
        sources: where the browsers run.
        lowered_max_tabs: the lower maximums of engines that have refused requests, by name.
    """

    max_tabs: int
    waiting: int
    workers: tuple[WorkerState, ...]
    tabs: tuple[TabState, ...]
    sources: tuple[SourceState, ...] = ()
    lowered_max_tabs: Mapping[str, int] = attrs.field(factory=dict[str, int])
