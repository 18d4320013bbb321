"""Deterministic runs: one seed determines the clock, the scheduler and all random values.

The only module that uses trio's private names for this, as Hypothesis' trio plug-in did.
"""

from collections.abc import Awaitable, Callable
from random import Random
from typing import TypeVar

import attrs
import trio
import trio.testing
from trio._core import _run  # pyright: ignore[reportPrivateUsage]

from tabwright.actors.kit.tracing import ActorSystem, Tracer, TraceRecord, ignore_trace
from tabwright.app import open_tabwright
from tabwright.client import Tabwright
from tabwright.config.loader import override, settings_from
from tabwright.config.settings import Settings
from tabwright.environment import Environment
from tabwright.ratelimit.store import MemoryLimiterStore
from tabwright.reader.video import VideoFrame
from tabwright.testing.fake.browser import FakeBrowser, FakeLauncher, fake_fetching, fake_launcher
from tabwright.testing.fake.link import Fault
from tabwright.testing.fake.site import FakeSite

_SCHEDULER = _run.__dict__
ResultT = TypeVar("ResultT")

MIDNIGHT_S = 1_800_057_600.0
"""The start of simulated runs: a midnight in 2027, in seconds since 1970 UTC."""


def wall_clock() -> float:
    """Return seconds since 1970 UTC in a simulated run: for `Environment.now`."""
    return MIDNIGHT_S + trio.current_time()


async def inline(work: Callable[[], ResultT], /) -> ResultT:
    """Run the work in the calling task; an `Offload` without threads."""
    await trio.lowlevel.checkpoint()
    return work()


def run_seeded(work: Callable[[Random], Awaitable[ResultT]], seed: int) -> ResultT:
    """Run `work` in a new trio run whose task order and time depend only on `seed`.

    Time stands still while any task can run, and jumps when none can.
    """
    allowed: bool = _SCHEDULER["_ALLOW_DETERMINISTIC_SCHEDULING"]
    _SCHEDULER["_ALLOW_DETERMINISTIC_SCHEDULING"] = True
    _SCHEDULER["_r"].seed(seed)
    try:
        return trio.run(work, Random(seed), clock=trio.testing.MockClock(autojump_threshold=0))  # noqa: S311
    finally:
        _SCHEDULER["_ALLOW_DETERMINISTIC_SCHEDULING"] = allowed


# Seams of a simulated system: fake browsers, virtual time, memory in place of files.


def simulated_environment(
    launcher: FakeLauncher, random: Random, tracer: Tracer = ignore_trace
) -> Environment:
    """Return an environment without real I/O.

    Args:
        launcher: starts fake browsers; its pages are also fetched by HTTP.
        random: generates jitter and names; pass the generator of the run.
        tracer: called with every record.
    """
    return Environment(
        launcher=launcher,
        fetching=fake_fetching(launcher.site),
        system=ActorSystem(tracer=tracer, random=random),
        limiter_store=MemoryLimiterStore(),
        now=wall_clock,
        offload=inline,
        take_frames=no_frames,
        machine=UnusedMachine(),
    )


@attrs.frozen
class UnusedMachine:
    """A machine that is short of nothing."""

    def total_bytes(self) -> int:
        """Return a large number."""
        return 1 << 40

    def available_bytes(self) -> int:
        """Return a large number."""
        return 1 << 40


async def no_frames(
    _video: bytes, _count: int, _interval_s: float | None = None
) -> tuple[VideoFrame, ...]:
    """A real program would run while no time passes."""
    await trio.lowlevel.checkpoint()
    return ()


@attrs.define(eq=False)
class SimulatedTabwright:
    """Runs a test on fake browsers, in virtual time.

    Attributes:
        site: the web of the browsers.
        seed: determines latencies, the order of tasks and all random values.
        settings: the settings of tabwright; None for the defaults without downloads.
        browsers: the browsers of the last run, in the order of their start.
        trace: what the actors did in the last run, in order.
        injected: the faults that came about in the last run; a fault at a call that is never made
            does not.
    """

    site: FakeSite
    seed: int = 7
    settings: Settings | None = None
    browsers: list[FakeBrowser] = attrs.field(factory=list[FakeBrowser], init=False)
    trace: list[TraceRecord] = attrs.field(factory=list[TraceRecord], init=False)
    injected: list[Fault] = attrs.field(factory=list[Fault], init=False)

    def run(self, work: Callable[[Tabwright], Awaitable[ResultT]], *faults: Fault) -> ResultT:
        """Run `work` with a tabwright on new browsers, and return its result."""
        self.browsers, self.trace = [], []
        # The folder of downloads is made in a thread, and virtual time does not wait for threads.
        settings = self.settings or settings_from(override(acting__downloads=None))

        async def live(random: Random) -> ResultT:
            launcher = fake_launcher(self.site, random, *faults, on_start=self.browsers.append)
            self.injected = launcher.faults.injected
            environment = simulated_environment(launcher, random, self.trace.append)
            async with open_tabwright(settings, environment) as tabwright:
                return await work(tabwright)

        return run_seeded(live, self.seed)
