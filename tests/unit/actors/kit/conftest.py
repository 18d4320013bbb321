"""An actor system in virtual time that keeps its trace."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from random import Random

import attrs
import pytest
import trio

from tabwright.actors.kit.tracing import ActorSystem, TraceRecord

HOUR_S = 3600.0


class Doer:
    """An actor that does whatever it is asked to do."""

    async def do(self, work: Callable[[], Awaitable[object]]) -> object:
        return await work()


@attrs.frozen
class Crashing:
    """A child that crashes by itself after a while, and then takes time to stop."""

    after_s: float
    stop_s: float

    @asynccontextmanager
    async def __call__(self) -> AsyncGenerator[object]:
        async with trio.open_nursery() as own:
            own.start_soon(self._crash)
            own.start_soon(self._stop)
            yield Doer()

    async def _crash(self) -> None:
        await trio.sleep(self.after_s)
        raise ValueError("boom")

    async def _stop(self) -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(self.stop_s)


@pytest.fixture
def crashing() -> type[Crashing]:
    """The class of a child that crashes after one time and takes another to stop."""
    return Crashing


@pytest.fixture
def trace() -> list[TraceRecord]:
    """The trace records of `system` so far."""
    return []


@pytest.fixture
async def system(trace: list[TraceRecord], nursery: trio.Nursery) -> ActorSystem:
    """An actor system for tests that choose a clock; it times out after an hour."""
    nursery.start_soon(give_up)
    return ActorSystem(tracer=trace.append, random=Random(1))


async def give_up() -> None:
    with trio.fail_after(HOUR_S):
        await trio.sleep_forever()
