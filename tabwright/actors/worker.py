"""A worker: one browser at a time, started on first need, exchanged when a window is needed."""

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import partial

import attrs
import trio

from tabwright.actors import browser as browser_life
from tabwright.actors.address import Address
from tabwright.actors.browser import Browser, Launcher, RunningBrowser
from tabwright.actors.idleness import Idleness
from tabwright.actors.keeping import keep
from tabwright.actors.tracing import ActorSystem
from tabwright.cdp.wire_log import WireLog
from tabwright.config.settings import Settings
from tabwright.protocol.errors import BrowserDied, Escalated, Unanswered, Undelivered

DRAIN_S = 10.0
"""How long work in progress may take to end, before its browser is exchanged under it."""

WINDOW_IDLE_S = 1.0
"""How long a window that was opened for a person stays when nothing is shown in it any more."""


@attrs.define(eq=False)
class Latest:
    """What a browser said of itself when it started, the last time."""

    browser: RunningBrowser | None = None

    def see(self, browser: RunningBrowser) -> None:
        """The browser has started, for the first time or again."""
        self.browser = browser


@attrs.define(eq=False)
class Run:
    """A browser from its start to its end, restarts included.

    Attributes:
        address: where it can be asked for.
        latest: how it runs since its latest start.
        for_person: whether it was started for a person to see; it then goes when nothing is
            shown in it any more, and when the person closes it.
        outdated: whether one that is started now would serve better.
        uses: what goes on in it.
        over: cancelled to end it.
    """

    address: Address[Browser]
    latest: Latest
    for_person: bool
    outdated: bool = False
    uses: Idleness = attrs.field(factory=Idleness)
    over: trio.CancelScope = attrs.field(factory=trio.CancelScope)

    @property
    def visible(self) -> bool:
        """Whether it has windows."""
        return self.latest.browser is not None and self.latest.browser.visible

    @property
    def notice(self) -> str:
        """What it had to do without."""
        return "" if self.latest.browser is None else self.latest.browser.notice

    async def lasts(self, idle_s: float) -> None:
        """Waits until it is over, or nothing went on in it for `idle_s`."""
        with self.over:
            await self.uses.lasts(idle_s)


class Worker:
    """Keeps one browser in `nursery` for as long as somebody uses it, and a while longer."""

    def __init__(
        self,
        nursery: trio.Nursery,
        system: ActorSystem,
        settings: Settings,
        launcher: Launcher,
        log: WireLog | None,
    ) -> None:
        self._nursery = nursery
        self._system = system
        self._settings = settings
        self._launcher = launcher
        self._log = log
        self._changing = trio.Lock()
        self._run: Run | None = None
        self._gone = trio.Event()
        self._gone.set()

    @asynccontextmanager
    async def used(self, *, visible: bool) -> AsyncGenerator[Run]:
        """The browser, for the block: one start for however many need it at once.

        Raises:
            BrowserUnavailable: there is none, or none with a window.
            BrowserDied: it ended before it could be used.
        """
        with ExitStack() as use:
            async with self._changing:  # who comes during an exchange gets the new one
                run = await self._fitting_run(visible=visible)
                use.enter_context(run.uses.interrupted())
            try:
                yield run
            except Undelivered as error:  # it was given up: the next one is a new one
                self._forget(run)
                raise BrowserDied("The browser ended again and again.") from error
            except Unanswered as error:
                raise BrowserDied("The browser ended while a tab was being opened.") from error

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

    async def _fitting_run(self, *, visible: bool) -> Run:
        if visible and not (self._run and self._run.visible):
            self.require_windows()
            await self._end_run()
        elif self._run is not None and self._run.outdated and not self._run.for_person:
            await self._end_run()
        if self._run is not None:
            return self._run
        await self._gone.wait()
        run: Run = await self._nursery.start(self._keep, visible)
        self._run = run
        return run

    async def _end_run(self) -> None:
        """Ends the browser, if one runs; after the work in it where that is soon done."""
        run = self._run
        if run is None:
            return
        with trio.move_on_after(DRAIN_S):
            await run.uses.begins()
        self._forget(run)
        run.over.cancel()

    async def _keep(self, visible: bool, task_status: trio.TaskStatus[Run]) -> None:  # noqa: FBT001
        self._gone = trio.Event()
        opening = partial(self._launcher.open, visible=visible)
        latest, timeout_s = Latest(), self._settings.browser.start_timeout_s
        life = partial(browser_life.browser_actor, opening, latest.see, timeout_s, self._log)
        for_person = visible and self._settings.browser.headless
        care = browser_life.WINDOW_CARE if for_person else browser_life.CARE
        idle_s = WINDOW_IDLE_S if for_person else self._settings.session.idle_timeout_s
        try:
            with suppress(Escalated):  # the next use starts a new one, and hears why not
                async with keep(self._system, "browser", life, care) as address:
                    run = Run(address, latest, for_person)
                    task_status.started(run)
                    await run.lasts(idle_s)
                    self._forget(run)
        finally:
            self._run = None
            self._gone.set()

    def _forget(self, run: Run) -> None:
        if self._run is run:
            self._run = None
