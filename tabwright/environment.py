"""The dependencies that tests replace: browsers, clocks, threads, randomness."""

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Protocol, TypeVar

import attrs
import trio

from tabwright.actors.kit.tracing import ActorSystem
from tabwright.browser.machine import Machine, ThisMachine
from tabwright.plugin import plugins

if TYPE_CHECKING:
    from tabwright.browser.running import Launcher
    from tabwright.browser.sources import ManySources
    from tabwright.cdp.connection import WireLog
    from tabwright.config.engines import EngineConfig
    from tabwright.config.settings import Settings
    from tabwright.protocol.actor import Offload
    from tabwright.protocol.fetch import Fetcher
    from tabwright.protocol.jobs import JobQueue
    from tabwright.ratelimit.fleet_state import FleetRates
    from tabwright.ratelimit.store import LimiterStore
    from tabwright.reader.pages import PageWorkers
    from tabwright.reader.video import FrameExtractor
    from tabwright.sessions.leases import SessionLeases
    from tabwright.sessions.recorder import RecorderOf

ResultT = TypeVar("ResultT")

THREADS_MAX = 4
"""Our own limit, abandoned threads included, so that those of the host are not used up."""


@attrs.frozen
class ThreadOffload:
    """Runs CPU work in a thread; cancellation abandons the thread, which then ends."""

    limiter: trio.CapacityLimiter = attrs.field(factory=lambda: trio.CapacityLimiter(THREADS_MAX))

    async def __call__(self, work: Callable[[], ResultT], /) -> ResultT:
        """Run `work` in a thread, and return its result."""
        return await trio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self.limiter)


class Fleet(Protocol):
    """What the processes of a fleet share; a plugin brings it."""

    @property
    def jobs(self) -> "JobQueue":
        """The queue of the jobs that workers do."""
        ...

    def rates(self, now: Callable[[], float], /) -> "FleetRates":
        """Return the rates of sites, for this process.

        Args:
            now: returns the time in seconds since 1970 UTC.
        """
        ...

    def leases(self, principal: str, idle_s: float, /) -> "SessionLeases":
        """Return the leases of the sessions of a user.

        Args:
            principal: the user; empty for the only one.
            idle_s: how long the state of a session without an owner lasts.
        """
        ...


@attrs.frozen(eq=False, kw_only=True)
class Environment:
    """The dependencies that come from outside; each has a real and a simulated form.

    Attributes:
        launcher: starts or finds the browsers; None for the launcher of the settings.
        sources: several places where browsers run; None for one.
        fetching: opens the client that fetches pages by HTTP; None for that of the settings.
        system: the tracer and the source of randomness.
        engines: the search engines and the rate limits of sites; None for those of the settings.
        limiter_store: counts requests; None for the store of the settings.
        now: returns the time in seconds since 1970 UTC.
        nonces: makes the nonces of signed requests, which are seen by others.
        offload: runs CPU work.
        take_frames: takes frames out of videos; None for the ffmpeg of the settings.
        machine: reports whether there is memory for another tab.
        open_fleet: opens what the processes of a fleet share; None for a process that works alone.
        page_workers: other processes that read the pages of batches; None for this process.
        recorder_of: makes the recorder of sessions; None for one that records nothing.
        wire_log: is called with a line for each CDP frame.
    """

    launcher: "Launcher | None" = None
    sources: "ManySources | None" = None
    fetching: "Callable[[], AbstractAsyncContextManager[Fetcher]] | None" = None
    system: ActorSystem = attrs.field(factory=ActorSystem)
    engines: "EngineConfig | None" = None
    limiter_store: "LimiterStore | None" = None
    now: Callable[[], float] = time.time
    nonces: Random = attrs.field(factory=SystemRandom)
    offload: "Offload" = attrs.field(factory=ThreadOffload)
    take_frames: "FrameExtractor | None" = None
    machine: Machine = attrs.field(factory=ThisMachine)
    open_fleet: "Callable[[], AbstractAsyncContextManager[Fleet]] | None" = None
    page_workers: "PageWorkers | None" = None
    recorder_of: "RecorderOf | None" = None
    wire_log: "WireLog | None" = None


@attrs.frozen
class EnvironmentChange:
    """What a plugin replaces in the environment of each tabwright that opens.

    Attributes:
        change: returns the environment for these settings.
    """

    change: "Callable[[Environment, Settings], Environment]"


def changed_by_plugins(environment: Environment, settings: "Settings") -> Environment:
    """Return the environment with what plugins replace in it.

    Raises:
        SettingsError: a plugin cannot be used.
    """
    for plugin in plugins(settings.plugins.enabled):
        for part in plugin.parts("environment", EnvironmentChange):
            environment = part.change(environment, settings)
    return environment
