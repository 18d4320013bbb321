"""The tab pool: the limit of tabs for each use, and the leases."""

from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from math import inf

import attrs
import trio

from tabwright.concurrency.timers import IdleTimer
from tabwright.config.settings import PoolSettings
from tabwright.protocol.browser_pool import (
    BrowserUse,
    LeaseTab,
    Queued,
    TabState,
    TabUse,
    TabWait,
)
from tabwright.protocol.errors import TabsBusy
from tabwright.protocol.progress import ignore_progress

# The limit of concurrent searching tabs of an engine, lowered when it refuses requests.


@attrs.define(eq=False)
class ConcurrencyBackoff:
    """The limit of searching tabs of each engine, for each worker.

    It outlives the supervisor, because a crash must not lead to more requests to engines.

    Attributes:
        settings: the maximum, and the step down.
        lowered: the current limits of the engines that have refused requests, by name.
    """

    settings: PoolSettings
    lowered: dict[str, int] = attrs.field(factory=dict[str, int], init=False)

    def limit(self, engine: str) -> int:
        """Return the current limit of an engine."""
        return self.lowered.get(engine, self.settings.max_tabs)

    def back_off(self, engine: str) -> None:
        """Lower the limit of an engine by a step, at least to one."""
        self.lowered[engine] = max(1, self.limit(engine) - self.settings.decrease_step)

    def reset(self) -> None:
        """Reset all limits to that of the settings."""
        self.lowered.clear()


RESERVE_S = 0.25
"""Seconds before a caller's deadline in which a free tab would come too late."""

POLL_S = 1.0
"""Seconds between two checks whether the machine is still short of memory."""

VACATE_S = 3.0
"""Seconds for the sessions in a browser to keep the state of their pages before its replacement."""

ASK_AGAIN = "Try again with more time."

DECIDE = "Solve or skip an open intervention, or raise pool.max_held_tabs."


@attrs.define(eq=False)
class PoolSlot:
    """The share of a lease in the pool.

    Attributes:
        tab: the owner, use, worker and start of the lease.
        give_up: asks the owner to end the lease; None if it is not a tab of a session.
        is_page: whether its page is there already, so that it needs no room.
        asked: whether the owner was asked since the last use of the tab.
        ended: set once the lease has ended.
    """

    tab: TabState
    give_up: Callable[[], None] | None = None
    is_page: bool = False
    asked: bool = attrs.field(default=False, init=False)
    ended: trio.Event = attrs.field(factory=trio.Event, init=False)
    _work: IdleTimer | None = None
    _at_work: ExitStack = attrs.field(factory=ExitStack)

    def come_to(self, use: TabUse, worker: int) -> None:
        """Change the use of the tab."""
        now_s = trio.current_time()
        self.tab = attrs.evolve(self.tab, use=use, worker=worker, since_s=now_s)
        self.asked = False
        self._note_work()

    def ask_back(self) -> None:
        """Ask the owner to end the lease."""
        self.asked = True
        if self.give_up is not None:
            self.give_up()

    @contextmanager
    def work_in(self, work: IdleTimer) -> Generator[None]:
        """Count the tab as working during the block, unless it is only kept."""
        self._work = work
        self._note_work()
        try:
            yield
        finally:
            self._work = None
            self._note_work()

    def _note_work(self) -> None:
        before, self._at_work = self._at_work, ExitStack()
        if self._work is not None and self.tab.use is not TabUse.KEPT:
            self._at_work.enter_context(self._work.interrupted())
        before.close()  # last, so that the tab is never idle between two pieces of work


@attrs.frozen(eq=False)
class LeaseRequest:
    """A request to change the use of a place.

    Attributes:
        workers: the workers where it can be granted.
        over: set when it is granted, or its lease has ended.
        waiting: the task that waits for that.
    """

    place: PoolSlot
    use: TabUse
    workers: Sequence[int]
    over: trio.Event = attrs.field(factory=trio.Event)
    waiting: trio.lowlevel.ParkingLot = attrs.field(factory=trio.lowlevel.ParkingLot)


class TabPool:
    """Places for tabs, granted in order of request, each in the worker with the fewest tabs.

    Of several principals, the one with the fewest tabs for the same use is first.

    Only places are counted: a lease has one place, for one use in one worker. An engine that has
    refused requests has a limit of its own, and the others keep theirs. If a limit falls, a
    searching tab in use keeps its place. A request that waits for one worker does not delay a
    request that another worker can serve.

    Args:
        settings: the limits.
        search_limits: the current limits of searching tabs of each engine, which the purpose of
            their leases names.
        shortage: returns what the machine is short of; empty for nothing.
        is_out: returns whether a worker has no browser now, and gets none soon. It gets a tab only
            if the request can be granted nowhere else.
    """

    def __init__(
        self,
        settings: PoolSettings,
        search_limits: ConcurrencyBackoff,
        shortage: Callable[[], str] = str,
        is_out: Callable[[int, BrowserUse], bool] = lambda _worker, _use: False,
    ) -> None:
        self._settings = settings
        self._session_tabs_max = settings.max_session_tabs or inf  # see `machine.fitted`
        self._search_limits = search_limits
        self._shortage = shortage
        self._is_out = is_out
        self._short_of = ""  # at the latest check
        self._limits = {
            TabUse.SEARCHING: settings.max_tabs,
            TabUse.READING: settings.max_reading_tabs,
            TabUse.HELD: settings.max_held_tabs,
        }
        self._places: dict[int, PoolSlot] = {}
        self._line: list[LeaseRequest] = []

    @property
    def tabs(self) -> tuple[TabState, ...]:
        """Return the owners of places, the earliest first."""
        return tuple(place.tab for place in self._places.values())

    @property
    def lowered_max_tabs(self) -> Mapping[str, int]:
        """Return the limits in each worker of the engines that have refused requests, by name."""
        return dict(self._search_limits.lowered)

    @property
    def waiting(self) -> int:
        """Return how many requests wait for a place."""
        return len(self._line)

    def back_off(self, engine: str) -> None:
        """Lower the limit for searching with an engine by a step, at least to one."""
        self._search_limits.back_off(engine)

    def reset_back_off(self) -> None:
        """Reset the limits for searching to that of the settings."""
        self._search_limits.reset()
        self._grant()

    @asynccontextmanager
    async def place(self, number: int, request: LeaseTab) -> AsyncGenerator[PoolSlot]:
        """Reserve a place for the block, even if its use changes. A cancelled request holds none.

        Raises:
            TabsBusy: no place came free in the caller's time, or too many tabs are held.
        """
        blank = TabState(
            number,
            request.purpose,
            TabUse.RESTING,
            0,
            trio.current_time(),
            request.principal,
            request.browser,
        )
        place = PoolSlot(blank, request.give_up, bool(request.pop_up))
        workers = range(self._settings.workers) if request.worker is None else (request.worker,)
        try:
            await self._obtain(LeaseRequest(place, request.use, workers), request.queued)
            yield place
        finally:
            self._end(place)

    async def change(self, number: int, use: TabUse, queued: Queued = ignore_progress) -> None:
        """Change the use of a place; see `BrowserPool.change_use`.

        Raises:
            TabsBusy: see `place`.
        """
        place = self._places.get(number)
        if place is None:
            return await trio.lowlevel.checkpoint()
        if place.tab.use is use:
            if use is TabUse.KEPT:  # it was not given up: another one is asked
                place.come_to(TabUse.KEPT, place.tab.worker)
                self._make_room()
            return await trio.lowlevel.checkpoint()
        if use is not TabUse.HELD:  # a held tab never waits
            self._rest(place)
        change = LeaseRequest(place, use, (place.tab.worker,))
        return await self._obtain(change, queued)

    async def _obtain(self, request: LeaseRequest, queued: Queued) -> None:
        self._line.append(request)
        try:
            self._grant()
            if not request.over.is_set():
                await self._wait(request, queued)
        except BaseException:
            self._take_back(request)
            raise

    async def _wait(self, request: LeaseRequest, queued: Queued) -> None:
        if request.use is TabUse.HELD:
            raise TabsBusy(
                f"No more tabs can be held for interventions: {self._why(request)}.", advice=DECIDE
            )
        queued(self._why(request))
        with trio.CancelScope(deadline=trio.current_effective_deadline() - RESERVE_S):
            while not request.over.is_set():
                has_missing_worker = len(self._available_workers(request)) < len(request.workers)
                if has_missing_worker or self._is_short(request):
                    with trio.move_on_after(POLL_S):
                        await request.over.wait()
                    self._grant()
                else:
                    await request.waiting.park()
        if not request.over.is_set():
            raise TabsBusy(f"No tab became free in time: {self._why(request)}.", advice=ASK_AGAIN)

    def _grant(self) -> None:
        """Grant free places, each to the principal that has the fewest, in order of request.

        A change frees a place for another request.
        """
        if any(map(self._is_new, self._line)):
            self._short_of = self._shortage()
        while ready := [request for request in self._line if self._free_workers(request)]:
            request = min(ready, key=self._share)  # the earliest of equal ones
            worker = min(self._free_workers(request), key=partial(self._load, request.use))
            request.place.come_to(request.use, worker)
            self._places[request.place.tab.number] = request.place
            self._leave_line(request)
        self._make_room()

    def _make_room(self) -> None:
        """Ask for a tab of a session, the one unused for longest, for each request without room."""
        asked = sum(place.asked for place in self._session_tabs())
        for request in filter(self._is_short, self._line):
            request.waiting.unpark_all()  # it checks again every `POLL_S` seconds
        for request in [one for one in self._line if not self._fits(one)][asked:]:
            free = [one for one in self._unused_tabs(request.workers) if not one.asked]
            if free:
                min(free, key=lambda one: one.tab.since_s).ask_back()

    async def vacate(self, worker: int) -> None:
        """Ask for each unused tab of a session in a worker, and wait until they are given up.

        Tabs that are still open after `VACATE_S` seconds are lost with the browser.
        """
        unused = self._unused_tabs((worker,))
        for place in unused:
            place.ask_back()
        with trio.move_on_after(VACATE_S):
            for place in unused:
                await place.ended.wait()

    def _fits(self, request: LeaseRequest) -> bool:
        return any(self._has_room(request, worker) for worker in request.workers)

    def _has_room(self, request: LeaseRequest, worker: int) -> bool:
        """Return whether a worker can have the tab of a request besides its other tabs."""
        place = request.place
        if place.is_page or place.tab.number in self._places:
            return True
        if self._is_short(request):
            return False
        if place.give_up is None:
            return True
        open_ = sum(one.tab.worker == worker for one in self._session_tabs())
        return open_ < self._session_tabs_max

    def _is_short(self, request: LeaseRequest) -> bool:
        """Return whether a new tab waits for memory or CPU; the first of all tabs never does."""
        return self._is_new(request) and bool(self._places and self._short_of)

    def _is_new(self, request: LeaseRequest) -> bool:
        """Return whether a request is for a tab that is not open yet."""
        return not request.place.is_page and request.place.tab.number not in self._places

    def _session_tabs(self) -> list[PoolSlot]:
        return [one for one in self._places.values() if one.give_up is not None]

    def _unused_tabs(self, workers: Sequence[int]) -> list[PoolSlot]:
        kept = (one for one in self._session_tabs() if one.tab.use is TabUse.KEPT)
        return [one for one in kept if one.tab.worker in workers]

    def _share(self, request: LeaseRequest) -> int:
        """Return how many tabs for the same use the principal of a request has."""
        principal = request.place.tab.principal
        return sum(tab.use is request.use and tab.principal == principal for tab in self.tabs)

    def _take_back(self, request: LeaseRequest) -> None:
        """Withdraw a request, which may just have been granted."""
        if request in self._line:
            self._leave_line(request)
        else:
            self._rest(request.place)

    def _rest(self, place: PoolSlot) -> None:
        place.come_to(TabUse.RESTING, place.tab.worker)
        self._grant()

    def _end(self, place: PoolSlot) -> None:
        for request in [request for request in self._line if request.place is place]:
            self._leave_line(request)
        self._places.pop(place.tab.number, None)
        place.ended.set()
        self._grant()

    def _leave_line(self, request: LeaseRequest) -> None:
        self._line.remove(request)
        request.over.set()
        request.waiting.unpark_all()

    def _free_workers(self, request: LeaseRequest) -> Sequence[int]:
        """Return the workers that can grant the request now."""
        return [
            worker
            for worker in self._available_workers(request)
            if not self._is_full(request, worker) and self._has_room(request, worker)
        ]

    def _available_workers(self, request: LeaseRequest) -> Sequence[int]:
        """Return the workers that have a browser or get one soon; all of them if none does."""
        use = request.place.tab.browser
        available = tuple(one for one in request.workers if not self._is_out(one, use))
        return available or request.workers

    def _is_full(self, request: LeaseRequest, worker: int) -> bool:
        """Return whether the other tabs leave no place; its own may get it by another request."""
        return any(
            sum(tab.number != request.place.tab.number for tab in holders) >= limit
            for limit, holders in self._limits_of(request, (worker,))
        )

    def _limits_of(
        self, request: LeaseRequest, workers: Sequence[int]
    ) -> Iterator[tuple[float, tuple[TabState, ...]]]:
        """Yield the limits of a request in each worker, with the tabs that count towards them."""
        holders = self._holders(request.use, workers)
        purpose = request.place.tab.purpose
        if request.use is TabUse.SEARCHING:
            own = tuple(tab for tab in holders if tab.purpose == purpose)
            yield self._search_limits.limit(purpose), own
        yield self._limits.get(request.use, inf), holders

    def _holders(self, use: TabUse, workers: Sequence[int]) -> tuple[TabState, ...]:
        """Return the tabs that count towards the limit of `use`; held tabs count in any worker."""
        tabs = (tab for tab in self.tabs if tab.use is use)
        return tuple(tab for tab in tabs if use is TabUse.HELD or tab.worker in workers)

    def _load(self, use: TabUse, worker: int) -> tuple[int, int]:
        """Return the number of a worker's tabs for `use`, and of all its tabs."""
        own = [tab for tab in self.tabs if tab.worker == worker]
        return sum(tab.use is use for tab in own), len(own)

    def _why(self, request: LeaseRequest) -> TabWait:
        use, workers = request.use, request.workers
        each, principal = 1 if use is TabUse.HELD else len(workers), request.place.tab.principal
        limits = list(self._limits_of(request, workers))
        most, tabs = next((one for one in limits if len(one[1]) >= one[0] * each), limits[-1])
        limit = int(most) * each
        if not self._fits(request) and not self._short_of:
            use, limit = TabUse.KEPT, int(self._session_tabs_max) * len(workers)
            tabs = tuple(one.tab for one in self._session_tabs() if one.tab.worker in workers)
        holders = tuple(
            tab if tab.principal == principal else attrs.evolve(tab, purpose="another user")
            for tab in tabs
        )
        return TabWait(
            request.place.tab.purpose,
            use,
            limit,
            holders,
            trio.current_time(),
            self._short_of if self._is_short(request) else "",
        )
