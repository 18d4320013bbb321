"""The BrowserSupervisor: starts browsers on demand, and leases tabs."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import count

import trio

from tabwright.actors.browser_actor import workers_of
from tabwright.actors.kit.supervision import supervise
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.actors.tab_actor import TAB_RESTART_POLICY, tab_actor
from tabwright.browser.sources import Sources
from tabwright.browser.tab_pool import ConcurrencyBackoff, PoolSlot, TabPool
from tabwright.browser.worker import Workers
from tabwright.cdp.connection import WireLog
from tabwright.concurrency.nursery import background_nursery
from tabwright.concurrency.timers import IdleTimer
from tabwright.page.live_tabs import LiveTabs
from tabwright.page.open_page import PageOptions, TabDependencies, open_pages
from tabwright.protocol.browser_pool import (
    Lease,
    LeaseTab,
    OpenPage,
    PoolState,
    Queued,
    TabUse,
)
from tabwright.protocol.errors import BrowserDied, BrowserUnavailable, Escalated, TabLost
from tabwright.protocol.progress import ignore_progress

OPEN_TRIES_MAX = 4
"""How often a tab is opened, at most, if its browser or another page of its process crashes."""


class BrowserSupervisor:
    """The implementation of `tabwright.protocol.browser_pool.BrowserPool`. Each lease is a task.

    Leases end before the browsers do: their tabs are closed in a browser that continues to run.
    """

    def __init__(  # noqa: PLR0913, PLR0917  (all that it is made of)
        self,
        leases: trio.Nursery,
        workers: Workers,
        pool: TabPool,
        system: ActorSystem,
        dependencies: TabDependencies,
        live: LiveTabs,
    ) -> None:
        self._leases, self._workers = leases, workers
        self._system = system
        self._dependencies = dependencies
        self._live = live
        self._pool = pool
        self._numbers = count(1)

    async def lease_tab(self, request: LeaseTab, /) -> Lease:
        lease: Lease = await self._leases.start(self._hold_lease, request)
        return lease

    async def start_browser(self) -> None:
        """Start the browser that opens the first tab."""
        async with self._workers.paging[0].used(visible=False):
            pass

    async def open_pages(self) -> tuple[OpenPage, ...]:
        async with self._workers.searching[0].used(visible=False) as run:
            return await open_pages(run.latest.browser)

    async def end_unused(self) -> None:
        await self._workers.searching[0].end_unused()

    async def change_use(self, number: int, use: TabUse, queued: Queued = ignore_progress) -> None:
        await self._pool.change(number, use, queued)

    async def back_off(self, engine: str, /) -> None:
        await trio.lowlevel.checkpoint()
        self._pool.back_off(engine)

    async def reset_back_off(self) -> None:
        await trio.lowlevel.checkpoint()
        self._pool.reset_back_off()

    async def pool(self) -> PoolState:
        await trio.lowlevel.checkpoint()
        return PoolState(
            max_tabs=self._dependencies.settings.pool.max_tabs,
            waiting=self._pool.waiting,
            workers=tuple(self._workers.states(self._pool.tabs)),
            tabs=self._pool.tabs,
            sources=self._workers.source_states(),
            lowered_max_tabs=self._pool.lowered_max_tabs,
        )

    async def check_proxy(self) -> str:
        advice = [await worker.check_proxy() for worker, _ in self._workers.each()]
        return next(filter(None, advice), "")

    async def find_screen(self, worker: int, /) -> None:
        await trio.lowlevel.checkpoint()
        self._workers.searching[worker].require_windows()

    async def _hold_lease(self, request: LeaseTab, task_status: trio.TaskStatus[Lease]) -> None:
        number = next(self._numbers)
        for _ in self._workers.sources.each[1:]:
            try:
                return await self._hold_place(number, request, task_status)
            except BrowserUnavailable:
                if request.worker is not None or self._workers.sources.are_all_resting:
                    raise
        return await self._hold_place(number, request, task_status)

    async def _hold_place(
        self, number: int, request: LeaseTab, task_status: trio.TaskStatus[Lease]
    ) -> None:
        async with self._pool.place(number, request) as place:
            for _ in range(OPEN_TRIES_MAX - 1):
                with suppress(BrowserDied, TabLost):
                    return await self._keep_tab(request, place, task_status)
            return await self._keep_tab(request, place, task_status)

    async def _keep_tab(
        self, request: LeaseTab, place: PoolSlot, task_status: trio.TaskStatus[Lease]
    ) -> None:
        """Keep a tab open until the lease ends or the page is gone.

        Raises:
            BrowserDied, TabLost: the browser or the page was lost before the tab was ready.
        """
        number, worker = place.tab.number, place.tab.worker
        browser = self._workers.having(request.browser)[worker]
        if browser.is_to_be_replaced and browser in self._workers.paging:
            await self._pool.vacate(worker)
        async with browser.used(visible=request.visible) as run:
            idleness = IdleTimer()
            plan = PageOptions(
                request.context or (f"tab-{number}" if request.private else ""),
                request.pop_up,
                request.own,
                request.closes,
                request.light,
                background=not request.visible,
                downloads=request.downloads,
                state=lambda: place.tab,
            )
            life = partial(tab_actor, run.address, self._dependencies, self._live, idleness, plan)
            with suppress(Escalated), place.work_in(run.work):  # later requests report that
                async with supervise(
                    self._system, f"tab-{number}", life, TAB_RESTART_POLICY
                ) as own:
                    task_status.started(Lease(number, worker, own, run.visible, run.notice))
                    await self._until_over(request, place, idleness)

    async def _until_over(self, request: LeaseTab, place: PoolSlot, idleness: IdleTimer) -> None:
        idle_s = self._dependencies.settings.session.sleep_after_s
        async with trio.open_nursery() as either:

            async def idle() -> None:
                """End the lease of an idle tab that is not ``RESTING``, or ask its session to."""
                await idleness.lasts(idle_s)
                while place.tab.use is TabUse.RESTING or request.give_up is not None:
                    if place.tab.use is TabUse.KEPT:  # else it waits for its turn without a limit
                        place.ask_back()
                    await trio.sleep(idle_s)
                    await idleness.lasts(idle_s)
                either.cancel_scope.cancel()

            if not request.own:  # which ends with its session
                either.start_soon(idle)
            await request.over.wait()
            either.cancel_scope.cancel()


@asynccontextmanager
async def browser_supervisor_actor(  # noqa: PLR0913, PLR0917  (all that it is made of)
    system: ActorSystem,
    dependencies: TabDependencies,
    live: LiveTabs,
    limit: ConcurrencyBackoff,
    sources: Sources,
    log: WireLog | None,
    shortage: Callable[[], str],
) -> AsyncGenerator[BrowserSupervisor]:
    """Run the supervisor; stopping it closes every tab and then the browsers."""
    async with background_nursery() as browsers, background_nursery() as leases:
        settings = dependencies.settings

        workers = workers_of(sources, browsers, system, dependencies, log)
        pool = TabPool(settings.pool, limit, shortage, workers.is_out)
        yield BrowserSupervisor(leases, workers, pool, system, dependencies, live)
