"""The outside of a simulated house: fake browsers, simulated time, memory in place of files."""

from random import Random

import trio

from tabwright.actors.kit.tracing import ActorSystem, Tracer, ignore
from tabwright.concurrency.offload import inline
from tabwright.environment import Seams
from tabwright.ratelimit.store import MemoryLedger
from tabwright.reader.video import Frame
from tabwright.testing.determinism import wall_clock
from tabwright.testing.fake.fetcher import fake_fetching
from tabwright.testing.fake.launcher import FakeLauncher


def simulated_seams(launcher: FakeLauncher, random: Random, tracer: Tracer = ignore) -> Seams:
    """Seams through which nothing real comes in.

    Args:
        launcher: of fake browsers; what it shows them is fetched by HTTP too.
        random: draws jitter and names; give it the seed of the run.
        tracer: is called with every record.
    """
    return Seams(
        launcher=launcher,
        fetching=fake_fetching(launcher.site),
        system=ActorSystem(tracer=tracer, random=random),
        ledger=MemoryLedger(),
        now=wall_clock,
        offload=inline,
        take_frames=_no_frames,
    )


async def _no_frames(_video: bytes, _count: int) -> tuple[Frame, ...]:
    """A real program would run while no time passes."""
    await trio.lowlevel.checkpoint()
    return ()
