"""One seed replays a run: the clock, the scheduler and every draw of chance.

The one file that touches trio's private names for this, as Hypothesis' own trio plug-in did.
"""

from collections.abc import Awaitable, Callable
from random import Random
from typing import TypeVar

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
"""When simulated runs begin: a midnight in 2027, in seconds since 1970 UTC."""


def wall_clock() -> float:
    """Seconds since 1970 UTC in a simulated run, whose clock begins at 0: `Environment.now`."""
    return MIDNIGHT_S + trio.current_time()


async def inline(work: Callable[[], ResultT], /) -> ResultT:
    """Runs the work here and now; an `Offload` without threads."""
    await trio.lowlevel.checkpoint()
    return work()


def run_seeded(work: Callable[[Random], Awaitable[ResultT]], seed: int) -> ResultT:
    """Runs `work` in a trio of its own whose order of tasks and whose time depend on `seed` alone.

    Time stands still while anything can run, and jumps when nothing can.
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
    """Seams through which nothing real comes in.

    Args:
        launcher: of fake browsers; what it shows them is fetched by HTTP too.
        random: draws jitter and names; give it the seed of the run.
        tracer: is called with every record.
    """
    return Environment(
        launcher=launcher,
        fetching=fake_fetching(launcher.site),
        system=ActorSystem(tracer=tracer, random=random),
        ledger=MemoryLimiterStore(),
        now=wall_clock,
        offload=inline,
        take_frames=_no_frames,
    )


async def _no_frames(_video: bytes, _count: int) -> tuple[VideoFrame, ...]:
    """A real program would run while no time passes."""
    await trio.lowlevel.checkpoint()
    return ()
