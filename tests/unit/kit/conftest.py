"""An actor system in virtual time that keeps its trace."""

from random import Random

import pytest
import trio

from tabwright.actors.kit.tracing import ActorSystem, Record

HOUR_S = 3600.0


@pytest.fixture
def trace() -> list[Record]:
    """What happened in `system` so far."""
    return []


@pytest.fixture
async def system(trace: list[Record], nursery: trio.Nursery) -> ActorSystem:
    """For tests that name a clock; one that still waits after an hour has failed."""
    nursery.start_soon(give_up)
    return ActorSystem(tracer=trace.append, random=Random(1))


async def give_up() -> None:
    with trio.fail_after(HOUR_S):
        await trio.sleep_forever()
