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

from tabwright.actors.kit.tracing import ActorSystem, Tracer, ignore_trace
from tabwright.environment import Environment
from tabwright.ratelimit.store import MemoryLimiterStore
from tabwright.reader.video import VideoFrame
from tabwright.testing.fake.browser import FakeLauncher, fake_fetching

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
        ledger=MemoryLimiterStore(),
        now=wall_clock,
        offload=inline,
        take_frames=_no_frames,
        machine=UnusedMachine(),
    )


@attrs.frozen
class UnusedMachine:
    """A machine that is short of nothing."""

    def available_bytes(self) -> int:
        """Return a large number."""
        return 1 << 40

    def load(self) -> float:
        """Return zero."""
        return 0.0


async def _no_frames(_video: bytes, _count: int) -> tuple[VideoFrame, ...]:
    """A real program would run while no time passes."""
    await trio.lowlevel.checkpoint()
    return ()
