"""A worker: one browser at a time, started on first need, exchanged when a window is needed."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, suppress
from copy import copy
from typing import Protocol

import attrs
import trio

from tabwright.browser.running import BrowserRole, Launcher, RunningBrowser
from tabwright.concurrency.timers import IdleTimer
from tabwright.config.settings import Settings
from tabwright.protocol.actor import Address
from tabwright.protocol.errors import (
    BrowserDied,
    Escalated,
    TabwrightError,
    Unanswered,
    Undelivered,
)

DRAIN_S = 10.0
"""How long work in progress may take to end, before its browser is exchanged under it."""

WINDOW_IDLE_S = 1.0
"""How long a window that was opened for a person stays when nothing is shown in it any more."""


class Start(Protocol):
    """Starts the browser of a worker."""

    def __call__(
        self, started: Callable[[RunningBrowser], None], *, visible: bool, for_person: bool
    ) -> AbstractAsyncContextManager[Address[BrowserRole]]:
        """Keeps the browser for the block, restarts included, and gives where to ask for it.

        Args:
            started: is told of the browser each time it has started.
            visible: whether it has windows.
            for_person: whether it is not started again when it ends.

        Raises:
            BrowserUnavailable: there is none, or none with a window.
            Escalated: it ended more often than it is started again.
        """
        ...


@attrs.define(eq=False)
class LastStart:
    """What a browser said of itself when it started, the last time."""

    browser: RunningBrowser | None = None

    def see(self, browser: RunningBrowser) -> None:
        """The browser has started, for the first time or again."""
        self.browser = browser


@attrs.define(eq=False)
class BrowserRun:
    """A browser from its start to its end, restarts included.

    Attributes:
        address: where it can be asked for.
        latest: how it runs since its latest start.
        for_person: whether it was started for a person to see; it then goes when nothing is
            shown in it any more, and when the person closes it.
        outdated: whether one that is started now would serve better.
        uses: the tabs in it.
        work: those of them that work goes on in.
        over: cancelled to end it.
    """

    address: Address[BrowserRole]
    latest: LastStart
    for_person: bool
    outdated: bool = False
    uses: IdleTimer = attrs.field(factory=IdleTimer)
    work: IdleTimer = attrs.field(factory=IdleTimer)
    over: trio.CancelScope = attrs.field(factory=trio.CancelScope)

    @property
    def visible(self) -> bool:
        """Whether it has windows."""
        return self.latest.browser is not None and self.latest.browser.visible

    @property
    def outgrown(self) -> bool:
        """Whether it takes more memory than it may."""
        return self.latest.browser is not None and self.latest.browser.memory.exceeded

    def part(self) -> None:
        """Ends it; who has a tab in it is told why."""
        if self.latest.browser is not None:
            why = "it used too much memory" if self.outgrown else "it was replaced"
            self.latest.browser.connection.leave_pages(why)
        self.over.cancel()

    @property
    def notice(self) -> str:
        """What it had to do without."""
        return "" if self.latest.browser is None else self.latest.browser.notice

    def serves(self, *, visible: bool) -> bool:
        """Whether it will do for another use."""
        if (self.outdated or self.outgrown) and not self.for_person:
            return False
        return self.visible or not visible

    async def lasts(self, idle_s: float) -> None:
        """Waits until it is over, or nothing went on in it for `idle_s`."""
        with self.over:
            await self.uses.lasts(idle_s)


@attrs.define(eq=False)
class Worker:
    """Keeps one browser in a nursery for as long as somebody uses it, and a while longer.

    Attributes:
        number: which one of the workers it is, from 0: it has a profile of its own, and a port.
    """

    number: int
    _nursery: trio.Nursery
    _settings: Settings
    _launcher: Launcher
    _start: Start
    _changing: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _run: BrowserRun | None = attrs.field(default=None, init=False)
    _failed: dict[bool, TabwrightError] = attrs.field(
        factory=dict[bool, TabwrightError], init=False
    )  # by whether windows were wanted: why the latest start did not succeed
    _gone: trio.Event = attrs.field(factory=trio.Event, init=False)

    def __attrs_post_init__(self) -> None:
        self._gone.set()

    @property
    def running(self) -> RunningBrowser | None:
        """How its browser runs; None where it does not."""
        return self._run.latest.browser if self._run else None

    @asynccontextmanager
    async def used(self, *, visible: bool) -> AsyncGenerator[BrowserRun]:
        """The browser, for the block: one start for however many need it at once.

        If that fails, it fails for all of them; who comes later has it tried anew.

        Raises:
            BrowserUnavailable: there is none, or none with a window.
            BrowserDied: it ended before it could be used.
        """
        known = self._failed.get(visible)
        with ExitStack() as use:
            async with self._changing:  # who comes during an exchange gets the new one
                run = await self._fitting_run(known, visible=visible)
                use.enter_context(run.uses.interrupted())
            try:
                yield run
            except Undelivered as error:  # it was given up: the next one is a new one
                self._forget(run)
                raise BrowserDied("The browser crashed repeatedly.") from error
            except Unanswered as error:
                raise BrowserDied("The browser ended while it opened a tab.") from error

    def require_windows(self) -> None:
        """Asks whether a tab could be shown to a person.

        Raises:
            BrowserUnavailable: it could not, and why.
        """
        if not (self._run and self._run.visible):
            self._launcher.require_screen()

    async def look_at_proxy(self) -> str:
        """What the user may do about a page that cannot be reached; empty for nothing special.

        Where a browser that is started now would get out in another way, the next use starts one.

        Raises:
            BrowserUnavailable: what is set cannot be used.
        """
        run = self._run
        if run is None or run.latest.browser is None:
            return ""
        look = await self._launcher.look_at_proxy(run.latest.browser.proxy)
        run.outdated |= look.changed
        return look.advice

    async def _fitting_run(self, known: TabwrightError | None, *, visible: bool) -> BrowserRun:
        """The browser that runs, or one that is started.

        Args:
            known: the failure that was there before the caller came.
            visible: whether it must have windows.
        """
        if self._run is not None and self._run.serves(visible=visible):
            return self._run
        failure = self._failed.get(visible)
        if failure is not None and failure is not known:
            raise copy(failure)  # each caller's has a traceback of its own
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
        """Ends the browser, if one runs; after the work in it where that is soon done."""
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
        for_person = visible and self._settings.browser.headless
        idle_s = WINDOW_IDLE_S if for_person else self._settings.session.idle_timeout_s
        try:
            with suppress(Escalated):  # the next use starts a new one, and hears why not
                browser = self._start(latest.see, visible=visible, for_person=for_person)
                async with browser as address:
                    run = BrowserRun(address, latest, for_person)
                    task_status.started(run)
                    await run.lasts(idle_s)
                    self._forget(run)
        finally:
            self._run = None
            self._gone.set()

    def _forget(self, run: BrowserRun) -> None:
        if self._run is run:
            self._run = None
