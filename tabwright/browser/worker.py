"""A worker: one browser at a time, started on demand, replaced when a window is needed."""

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, suppress
from copy import copy
from math import inf
from typing import Protocol

import attrs
import trio

from tabwright.browser.running import BrowserRole, Launcher, RunningBrowser
from tabwright.browser.sources import Sources
from tabwright.concurrency.timers import IdleTimer
from tabwright.config.settings import Settings
from tabwright.protocol.actor import Address
from tabwright.protocol.browser_pool import BrowserUse, SourceState, TabState, WorkerState
from tabwright.protocol.errors import (
    BrowserDied,
    Escalated,
    TabwrightError,
    Unanswered,
    Undelivered,
)

DRAIN_S = 10.0
"""Seconds for work in progress to end before its browser is replaced."""

WINDOW_IDLE_S = 1.0
"""Seconds that a window opened for a person stays open when it no longer shows anything."""

MAX_AGE_S = 86_400.0
"""Seconds after which a browser is replaced, so that one that runs for weeks gets updates."""

UNUSED_S = 2.0
"""Seconds for the last tabs of a browser to close, and for the browser to end after that."""


class Start(Protocol):
    """A function that starts the browser of a worker."""

    def __call__(
        self, started: Callable[[RunningBrowser], None], *, visible: bool, for_person: bool
    ) -> AbstractAsyncContextManager[Address[BrowserRole]]:
        """Run the browser during the block, restarts included, and return its address.

        Args:
            started: called with the browser each time it has started.
            visible: whether it has windows.
            for_person: whether it is not restarted when it ends.

        Raises:
            BrowserUnavailable: there is no browser, or none with a window.
            Escalated: it ended more often than the restart limit allows.
        """
        ...


@attrs.define(eq=False)
class LastStart:
    """The properties of a browser at its latest start."""

    browser: RunningBrowser | None = None
    since_s: float = 0.0

    def see(self, browser: RunningBrowser) -> None:
        """Record a start of the browser, the first one or a restart."""
        self.browser = browser
        self.since_s = trio.current_time()


@attrs.define(eq=False)
class BrowserRun:
    """A browser from its start to its end, restarts included.

    Attributes:
        address: the address of its actor.
        latest: its properties at the latest start.
        max_age_s: the time after which it is replaced.
        for_person: whether it was started for a person to see; it then ends when it no longer
            shows anything, and when the person closes it.
        outdated: whether a newly started browser would be more suitable.
        uses: the tabs in it.
        work: the tabs that are working.
        over: cancelled to end it.
    """

    address: Address[BrowserRole]
    latest: LastStart
    max_age_s: float
    for_person: bool
    outdated: bool = False
    uses: IdleTimer = attrs.field(factory=IdleTimer)
    work: IdleTimer = attrs.field(factory=IdleTimer)
    over: trio.CancelScope = attrs.field(factory=trio.CancelScope)

    @property
    def visible(self) -> bool:
        """Return whether the browser has windows."""
        return self.latest.browser is not None and self.latest.browser.visible

    @property
    def outgrown(self) -> bool:
        """Return whether the browser uses more memory than allowed."""
        return self.latest.browser is not None and self.latest.browser.memory.exceeded

    @property
    def is_to_be_replaced(self) -> bool:
        """Return whether its next use needs a newly started browser."""
        is_old = trio.current_time() - self.latest.since_s > self.max_age_s
        return (self.outdated or self.outgrown or is_old) and not self.for_person

    def part(self) -> None:
        """End the browser; the owners of its tabs receive the reason."""
        if self.latest.browser is not None:
            why = "it used too much memory" if self.outgrown else "it was replaced"
            self.latest.browser.connection.leave_pages(why)
        self.over.cancel()

    @property
    def notice(self) -> str:
        """Return the notice of the browser's limitations."""
        return "" if self.latest.browser is None else self.latest.browser.notice

    def serves(self, *, visible: bool) -> bool:
        """Return whether the browser is suitable for another use."""
        return not self.is_to_be_replaced and (self.visible or not visible)

    async def lasts(self, idle_s: float) -> None:
        """Wait until the browser has ended, or was idle for `idle_s`."""
        with self.over:
            await self.uses.lasts(idle_s)


@attrs.define(eq=False)
class Worker:
    """A worker that keeps one browser in a nursery while it is used, and for a while after.

    Attributes:
        number: the number of the worker, from 0: it has its own profile and port.
        starts: how often its browsers have started.
    """

    number: int
    _nursery: trio.Nursery
    _settings: Settings
    _launcher: Launcher
    _start: Start
    starts: int = attrs.field(default=0, init=False)
    _changing: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _run: BrowserRun | None = attrs.field(default=None, init=False)
    _failed: dict[bool, TabwrightError] = attrs.field(
        factory=dict[bool, TabwrightError], init=False
    )  # the latest start failure, by whether windows were requested
    _gone: trio.Event = attrs.field(factory=trio.Event, init=False)

    def __attrs_post_init__(self) -> None:
        self._gone.set()

    @property
    def running(self) -> RunningBrowser | None:
        """Return the run of its browser, or None if it does not run."""
        return self._run.latest.browser if self._run else None

    @asynccontextmanager
    async def used(self, *, visible: bool) -> AsyncGenerator[BrowserRun]:
        """Use the browser in the block: concurrent callers share one start.

        If the start fails, it fails for all of them; a later caller triggers a new attempt.

        Raises:
            BrowserUnavailable: there is no browser, or none with a window.
            BrowserDied: it ended before it could be used.
        """
        known = self._failed.get(visible)
        with ExitStack() as use:
            async with self._changing:  # a caller during a replacement gets the new browser
                run = await self._fitting_run(known, visible=visible)
                use.enter_context(run.uses.interrupted())
            try:
                yield run
            except Undelivered as error:  # it was given up: the next one is a new one
                self._forget(run)
                raise BrowserDied("The browser crashed repeatedly.") from error
            except Unanswered as error:
                raise BrowserDied("The browser ended while it opened a tab.") from error

    async def end_unused(self) -> None:
        """End the browser unless a tab is in it, so that another program can use its profile."""
        run, gone = self._run, self._gone
        if run is None:
            return
        with trio.move_on_after(UNUSED_S):
            await run.uses.begins()
            self._forget(run)
            run.part()
            await gone.wait()

    @property
    def is_to_be_replaced(self) -> bool:
        """Return whether its browser is replaced at the next use."""
        return self._run is not None and self._run.is_to_be_replaced

    def require_windows(self) -> None:
        """Check whether a tab could be shown to a person.

        Raises:
            BrowserUnavailable: it cannot, with the reason.
        """
        if not (self._run and self._run.visible):
            self._launcher.require_screen()

    async def check_proxy(self) -> str:
        """Return advice about a page that cannot be reached; empty if there is none.

        If a newly started browser would use another proxy, the next use starts one.

        Raises:
            BrowserUnavailable: the configured proxy cannot be used.
        """
        run = self._run
        if run is None or run.latest.browser is None:
            return ""
        report = await self._launcher.check_proxy(run.latest.browser.proxy)
        run.outdated |= report.changed
        return report.advice

    async def _fitting_run(self, known: TabwrightError | None, *, visible: bool) -> BrowserRun:
        """Return the running browser, or start one.

        Args:
            known: the failure recorded before this call.
            visible: whether it must have windows.
        """
        if self._run is not None and self._run.serves(visible=visible):
            return self._run
        failure = self._failed.get(visible)
        if failure is not None and failure is not known:
            raise copy(failure)  # each caller gets its own traceback
        if visible:
            self.require_windows()
        await self._end_run()
        await self._gone.wait()
        try:
            run: BrowserRun = await self._nursery.start(self._keep, visible)
        except TabwrightError as error:
            self._failed[visible] = copy(error)
            raise
        self._run = run
        return run

    async def _end_run(self) -> None:
        """End the browser, if it runs, after its current work if that ends soon."""
        run = self._run
        if run is None:
            return
        with trio.move_on_after(DRAIN_S):
            await run.work.begins()
        self._forget(run)
        run.part()

    async def _keep(self, visible: bool, task_status: trio.TaskStatus[BrowserRun]) -> None:  # noqa: FBT001
        self._gone = trio.Event()
        latest = LastStart()

        def started(browser: RunningBrowser) -> None:
            """Note a start."""
            self.starts += 1
            latest.see(browser)

        for_person = visible and self._settings.browser.headless
        idle_s = WINDOW_IDLE_S if for_person else self._settings.session.sleep_after_s
        try:
            with suppress(Escalated):  # the next use starts a new one, and reports the failure
                browser = self._start(started, visible=visible, for_person=for_person)
                async with browser as address:
                    ours = latest.browser is not None and latest.browser.ours
                    is_own = self._settings.own_session is not None
                    # The browser of the user is never replaced.
                    max_age_s = MAX_AGE_S if ours and not is_own else inf
                    run = BrowserRun(address, latest, max_age_s, for_person)
                    task_status.started(run)
                    await run.lasts(idle_s)
                    self._forget(run)
        finally:
            self._run = None
            self._gone.set()

    def _forget(self, run: BrowserRun) -> None:
        if self._run is run:
            self._run = None


@attrs.frozen(eq=False)
class Workers:
    """The workers for searches, with the kept profiles, and the workers for pages, by number.

    Two of a number are the same if no search has to replace its browser. Otherwise they have
    separate browsers: a CAPTCHA is shown in a new browser with a window, on the same profile, and
    sessions must not lose their pages for it.
    """

    searching: Sequence[Worker]
    paging: Sequence[Worker]
    sources: Sources

    def having(self, use: BrowserUse) -> Sequence[Worker]:
        """Return the workers for a use."""
        return self.paging if use is BrowserUse.PAGES else self.searching

    def is_out(self, number: int, use: BrowserUse) -> bool:
        """Return whether a worker has no browser for a use while its source is resting."""
        return self.sources.is_resting(number) and self.having(use)[number].running is None

    def source_states(self) -> tuple[SourceState, ...]:
        """Return the state of every source."""
        return self.sources.states(worker.number for worker, _ in self.each() if worker.running)

    def each(self) -> Iterator[tuple[Worker, BrowserUse]]:
        """Return every worker, with its use."""
        for searching, paging in zip(self.searching, self.paging, strict=True):
            if paging is searching:
                yield searching, BrowserUse.ALL
            else:
                yield searching, BrowserUse.SEARCH
                yield paging, BrowserUse.PAGES

    def states(self, tabs: Sequence[TabState]) -> Iterator[WorkerState]:
        """Return the state of every worker; `tabs` are the leased ones."""
        for worker, use in self.each():
            running = worker.running
            own = [tab for tab in tabs if tab.worker == worker.number]
            yield WorkerState(
                worker.number,
                product=running.product if running else "",
                visible=running is not None and running.visible,
                tabs=sum(use in {BrowserUse.ALL, tab.browser} for tab in own),
                memory_bytes=running.memory.used_bytes if running else 0,
                use=use,
                starts=worker.starts,
            )
