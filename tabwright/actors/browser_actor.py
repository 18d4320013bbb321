"""The BrowserActor: one Chromium, which lives as long as its connection; and its workers."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial

import attrs
import trio

from tabwright.actors.kit.supervision import RestartPolicy, supervise
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.browser.identity import identify_workers
from tabwright.browser.running import (
    BrowserLink,
    BrowserRole,
    Launcher,
    LaunchOptions,
    RunningBrowser,
    close_gracefully,
    crash_when_lost,
    greet_browser,
)
from tabwright.browser.sources import Sources
from tabwright.browser.watchdogs import heartbeat
from tabwright.browser.worker import Worker, Workers
from tabwright.cdp.connection import CDPConnection, WireLog
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.settings import BrowserSettings
from tabwright.http.signatures import RequestSigner
from tabwright.page.open_page import TabDependencies
from tabwright.protocol.actor import Address

RESTART_POLICY = RestartPolicy(mailbox_max=64, grace_s=5.0)
"""The number of waiting requests is the number of tabs that can be opened at once."""

WINDOW_RESTART_POLICY = RestartPolicy(mailbox_max=64, crashes_max=0, grace_s=5.0)
"""A window opened for a person is not restarted: if it is gone, the person closed it."""


@attrs.frozen
class BrowserActor:
    """The implementation of `BrowserRole.running`."""

    _running: RunningBrowser

    async def running(self) -> RunningBrowser:
        if self._running.connection.lost.is_set():
            await trio.sleep_forever()  # the crash in progress ends this
        await trio.lowlevel.checkpoint()
        return self._running


@asynccontextmanager
async def browser_actor(
    opening: Callable[[], AbstractAsyncContextManager[BrowserLink]],
    started: Callable[[RunningBrowser], None],
    settings: BrowserSettings,
    log: WireLog | None,
    signer: RequestSigner | None,
) -> AsyncGenerator[BrowserActor]:
    """Run a browser; crash with `BrowserDied` when the connection is lost.

    Args:
        opening: starts the browser, or finds a running one.
        started: called with the browser once it runs.
        settings: its time limit for responses, and its memory limit.
        log: called with a line for each CDP frame.
        signer: signs the requests of its pages; None to leave them unsigned.

    Raises:
        BrowserUnavailable: there is no browser, or it did not respond in time.
    """
    async with opening() as opened, background_nursery() as talking:
        connection = CDPConnection(opened.link, log, opened.trouble)
        talking.start_soon(connection.run)
        running = await greet_browser(connection, opened, settings, signer)
        if running.guard is not None:  # until the browser has ended
            talking.start_soon(running.guard.attend, connection.root)
        started(running)
        try:
            async with background_nursery() as watching:
                watching.start_soon(crash_when_lost, connection, opened)
                watching.start_soon(heartbeat, connection)
                watching.start_soon(running.network.run, connection)
                watching.start_soon(running.pop_ups.attend, connection.root)
                if not running.identity.is_own:
                    watching.start_soon(identify_workers, connection.root, running.identity)
                if opened.processes is not None:
                    watching.start_soon(running.memory.run, connection.root, opened.processes)
                yield BrowserActor(running)
        finally:
            running.partial_downloads.remove()
        if opened.is_asked_to_close:
            await close_gracefully(running)


@attrs.frozen
class WorkerBrowser:
    """Starts and supervises the BrowserActor of one worker, on the kept profile or another."""

    _number: int
    _kept: bool
    _system: ActorSystem
    _launcher: Launcher
    _settings: BrowserSettings
    _log: WireLog | None
    _signer: RequestSigner | None

    def __call__(
        self, started: Callable[[RunningBrowser], None], *, visible: bool, for_person: bool
    ) -> AbstractAsyncContextManager[Address[BrowserRole]]:
        number = self._number
        options = LaunchOptions(visible=visible, worker=number, kept=self._kept)
        opening = partial(self._launcher.open, options)
        life = partial(browser_actor, opening, started, self._settings, self._log, self._signer)
        policy = WINDOW_RESTART_POLICY if for_person else RESTART_POLICY
        name = f"browser-{number}" if self._kept else f"page-browser-{number}"
        return supervise(self._system, name, life, policy)


def workers_of(
    sources: Sources,
    nursery: trio.Nursery,
    system: ActorSystem,
    dependencies: TabDependencies,
    log: WireLog | None,
) -> Workers:
    """Return the workers of all sources, whose browsers run in the nursery.

    A source on this machine, without windows, has two browsers for each worker, see `Workers`.
    """
    settings = dependencies.settings

    def worker(number: int, *, kept: bool) -> Worker:
        """Return the worker whose browsers use the profile of the settings, or the other."""
        source = sources.by_worker[number]
        start = WorkerBrowser(
            number, kept, system, source, settings.browser, log, dependencies.signer
        )
        return Worker(number, nursery, settings, source, start)

    numbers = range(len(sources.by_worker))
    searching = [worker(number, kept=True) for number in numbers]
    paging = [
        worker(number, kept=False)
        if settings.browser.headless and sources.is_local(number)
        else searching[number]
        for number in numbers
    ]
    return Workers(searching, paging, sources)
