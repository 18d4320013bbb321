"""The BrowserSupervisor: a browser on first need, and one tab for each piece of work."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial

import attrs
import trio

from tabwright.actors import browser as worker
from tabwright.actors import tab
from tabwright.actors.address import Address
from tabwright.actors.browser import Browser, Launcher, browser_actor
from tabwright.actors.idleness import Idleness
from tabwright.actors.keeping import Care, keep
from tabwright.actors.tab import tab_actor
from tabwright.actors.tracing import ActorSystem
from tabwright.cdp.background import open_background
from tabwright.cdp.wire_log import WireLog
from tabwright.config.settings import Settings
from tabwright.protocol.errors import BrowserDied, Escalated, Unanswered, Undelivered
from tabwright.protocol.leases import LeaseTab
from tabwright.protocol.tabs import Tab

CARE = Care(mailbox_max=256, at_once=256, grace_s=4.0)
"""Those who wait for a tab wait here; a lease in waiting must not hold up one that is granted."""

OPEN_TRIES_MAX = 3
"""A browser that dies while a tab is being opened is replaced, and the tab opened there."""


@attrs.frozen
class Nurseries:
    """Where the tasks of a supervisor live."""

    browser: trio.Nursery
    leases: trio.Nursery


class BrowserSupervisor:
    """Answers `LeaseTab`. Each lease is a task in one nursery, and the browser in another.

    The leases end before the browser does, so that their tabs are closed also in a browser that
    is not ours and lives on.
    """

    def __init__(
        self,
        nurseries: Nurseries,
        system: ActorSystem,
        settings: Settings,
        launcher: Launcher,
        log: WireLog | None,
    ) -> None:
        self._nurseries = nurseries
        self._system = system
        self._settings = settings
        self._launcher = launcher
        self._log = log
        self._slots = trio.Semaphore(settings.browser.tabs_max)
        self._tabs_opened = 0
        self._leases = Idleness()
        self._starting = trio.Lock()
        self._browser: Address[Browser] | None = None
        self._browser_gone = trio.Event()
        self._browser_gone.set()

    async def lease_tab(self, request: LeaseTab, /) -> Address[Tab]:
        """See `LeaseTab`."""
        address: Address[Tab] = await self._nurseries.leases.start(self._hold_lease, request)
        return address

    async def _hold_lease(
        self, request: LeaseTab, task_status: trio.TaskStatus[Address[Tab]]
    ) -> None:
        async with self._slots:
            with self._leases.interrupted():
                for _ in range(OPEN_TRIES_MAX - 1):
                    with suppress(BrowserDied):
                        return await self._keep_tab(request, task_status)
                return await self._keep_tab(request, task_status)

    async def _keep_tab(
        self, request: LeaseTab, task_status: trio.TaskStatus[Address[Tab]]
    ) -> None:
        """Keeps a tab until the lease is over, or the page is gone.

        Raises:
            BrowserDied: the browser went away before the tab was there.
        """
        browser = await self._running_browser()
        self._tabs_opened += 1
        idleness = Idleness()
        life = partial(
            tab_actor, browser, self._settings.network, idleness, private=request.private
        )
        name = f"tab-{self._tabs_opened}"
        try:
            async with keep(self._system, name, life, tab.CARE) as address:
                task_status.started(address)
                await self._until_over(request, idleness)
        except Escalated:
            return  # the page is gone; who asks the tab is told so
        except Undelivered as error:  # the browser was given up: the next one is a new one
            if self._browser is browser:
                self._browser = None
            raise BrowserDied("The browser ended again and again.") from error
        except Unanswered as error:
            raise BrowserDied("The browser ended while a tab was being opened.") from error

    async def _until_over(self, request: LeaseTab, idleness: Idleness) -> None:
        async with trio.open_nursery() as either:

            async def idle() -> None:
                await idleness.lasts(self._settings.session.idle_timeout_s)
                either.cancel_scope.cancel()

            either.start_soon(idle)
            await request.over.wait()
            either.cancel_scope.cancel()

    async def _running_browser(self) -> Address[Browser]:
        """The browser, started if there is none: one start for however many ask at once."""
        async with self._starting:
            if self._browser is None:
                await self._browser_gone.wait()
                browser: Address[Browser] = await self._nurseries.browser.start(self._keep_browser)
                self._browser = browser
            return self._browser

    async def _keep_browser(self, task_status: trio.TaskStatus[Address[Browser]]) -> None:
        self._browser_gone = trio.Event()
        life = partial(
            browser_actor, self._launcher, self._settings.browser.start_timeout_s, self._log
        )
        try:
            with suppress(Escalated):  # the next lease starts a new one, and hears why not
                async with keep(self._system, "browser", life, worker.CARE) as address:
                    task_status.started(address)
                    await self._leases.lasts(self._settings.session.idle_timeout_s)
                    self._browser = None
        finally:
            self._browser = None
            self._browser_gone.set()


@asynccontextmanager
async def browser_supervisor(
    system: ActorSystem, settings: Settings, launcher: Launcher, log: WireLog | None
) -> AsyncGenerator[BrowserSupervisor]:
    """The life of a supervisor; stopping it closes every tab and then the browser."""
    async with open_background() as browser, open_background() as leases:
        yield BrowserSupervisor(Nurseries(browser, leases), system, settings, launcher, log)
