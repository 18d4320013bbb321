"""The BrowserSupervisor: a browser on first need, and one tab for each piece of work."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial

import trio

from tabwright.actors import tab
from tabwright.actors.browser import Launcher
from tabwright.actors.idleness import Idleness
from tabwright.actors.keeping import Care, keep
from tabwright.actors.page_life import PagePlan
from tabwright.actors.tab import tab_actor
from tabwright.actors.tracing import ActorSystem
from tabwright.actors.worker import Worker
from tabwright.cdp.background import open_background
from tabwright.cdp.wire_log import WireLog
from tabwright.config.settings import Settings
from tabwright.protocol.errors import BrowserDied, Escalated
from tabwright.protocol.leases import FindScreen, Lease, LeaseTab, LookAtProxy

CARE = Care(mailbox_max=256, at_once=256, grace_s=4.0)
"""Those who wait for a tab wait here; a lease in waiting must not hold up one that is granted."""

OPEN_TRIES_MAX = 3
"""A browser that dies while a tab is being opened is replaced, and the tab opened there."""


class BrowserSupervisor:
    """Answers what `tabwright.protocol.leases.Supervisor` asks. Each lease is a task.

    The leases end before the worker's browser does, so that their tabs are closed also in a
    browser that is not ours and lives on.
    """

    def __init__(
        self, leases: trio.Nursery, worker: Worker, system: ActorSystem, settings: Settings
    ) -> None:
        self._leases = leases
        self._worker = worker
        self._system = system
        self._settings = settings
        self._slots = trio.Semaphore(settings.browser.tabs_max)
        self._tabs_opened = 0

    async def lease_tab(self, request: LeaseTab, /) -> Lease:
        """See `LeaseTab`."""
        lease: Lease = await self._leases.start(self._hold_lease, request)
        return lease

    async def look_at_proxy(self, request: LookAtProxy, /) -> str:
        """See `LookAtProxy`."""
        del request
        return await self._worker.look_at_proxy()

    async def find_screen(self, request: FindScreen, /) -> None:
        """See `FindScreen`."""
        del request
        await trio.lowlevel.checkpoint()
        self._worker.require_windows()

    async def _hold_lease(self, request: LeaseTab, task_status: trio.TaskStatus[Lease]) -> None:
        async with self._slots:
            for _ in range(OPEN_TRIES_MAX - 1):
                with suppress(BrowserDied):
                    return await self._keep_tab(request, task_status)
            return await self._keep_tab(request, task_status)

    async def _keep_tab(self, request: LeaseTab, task_status: trio.TaskStatus[Lease]) -> None:
        """Keeps a tab until the lease is over, or the page is gone.

        Raises:
            BrowserDied: the browser went away before the tab was there.
        """
        async with self._worker.used(visible=request.visible) as run:
            self._tabs_opened += 1
            idleness = Idleness()
            plan = PagePlan(request.private, request.light, background=not request.visible)
            life = partial(tab_actor, run.address, self._settings, idleness, plan)
            with suppress(Escalated):  # the page is gone; who asks the tab is told so
                async with keep(self._system, f"tab-{self._tabs_opened}", life, tab.CARE) as own:
                    task_status.started(Lease(own, run.notice))
                    await self._until_over(request, idleness)

    async def _until_over(self, request: LeaseTab, idleness: Idleness) -> None:
        async with trio.open_nursery() as either:

            async def idle() -> None:
                await idleness.lasts(self._settings.session.idle_timeout_s)
                either.cancel_scope.cancel()

            either.start_soon(idle)
            await request.over.wait()
            either.cancel_scope.cancel()


@asynccontextmanager
async def browser_supervisor(
    system: ActorSystem, settings: Settings, launcher: Launcher, log: WireLog | None
) -> AsyncGenerator[BrowserSupervisor]:
    """The life of a supervisor; stopping it closes every tab and then the browser."""
    async with open_background() as browsers, open_background() as leases:
        worker = Worker(browsers, system, settings, launcher, log)
        yield BrowserSupervisor(leases, worker, system, settings)
