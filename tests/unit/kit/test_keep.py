"""The life of an actor: start, restart, escalation, stop."""
# ruff: noqa: ARG001 - a test gets virtual time by naming the clock

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from random import Random

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from tabwright.actors.address import Address
from tabwright.actors.keeping import Care, keep
from tabwright.actors.tracing import ActorSystem, Crashed, Record, Restarting, Stopped
from tabwright.protocol.errors import Escalated, Unanswered, Undelivered


@attrs.frozen
class Do:
    """Has the actor run `work`."""

    work: Callable[[], Awaitable[object]]

    async def visit(self, _actor: object, /) -> object:
        return await self.work()


@asynccontextmanager
async def child() -> AsyncGenerator[object]:
    yield object()


@attrs.define
class Life:
    """A child whose start and stop take their time, and which tells of both."""

    start_s: float = 0
    stop_s: float = 0
    log: list[str] = attrs.field(factory=list)

    @asynccontextmanager
    async def __call__(self) -> AsyncGenerator[object]:
        await self._take("start", self.start_s)
        try:
            yield object()
        finally:
            await self._take("stop", self.stop_s)

    async def _take(self, step: str, duration_s: float) -> None:
        self.log.append(step)
        try:
            await trio.sleep(duration_s)
        except trio.Cancelled:
            self.log.append(f"{step} cancelled")
            raise


QUICK = Care(backoff_s=1, jitter=0)


async def crash() -> None:
    raise ValueError("boom")


async def idle() -> str:
    await trio.lowlevel.checkpoint()
    return "idle"


async def crash_many(actor: Address[object], times: int) -> None:
    for _ in range(times):
        with pytest.raises((Unanswered, Undelivered)):
            await actor.ask(Do(crash))


def delays(trace: Sequence[Record]) -> list[float]:
    return [record.delay_s for record in trace if isinstance(record, Restarting)]


def kinds(trace: Sequence[Record]) -> list[type[Record]]:
    """The records of the actor's life, without those of requests."""
    return [type(record) for record in trace if isinstance(record, Crashed | Restarting | Stopped)]


# Start


async def test_the_block_begins_when_the_actor_has_started(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    life = Life(start_s=5)
    start_s = trio.current_time()
    async with keep(system, "actor", life, Care()):
        assert trio.current_time() == start_s + 5


async def test_a_first_start_that_fails_raises_its_own_error(
    autojump_clock: MockClock, system: ActorSystem, trace: list[Record]
) -> None:
    error = ValueError("no such browser")

    @asynccontextmanager
    async def broken() -> AsyncGenerator[object]:
        await trio.sleep(1)
        raise error
        yield

    with pytest.raises(ValueError, match="no such browser") as caught:
        async with keep(system, "actor", broken, Care()):
            pytest.fail("began")

    assert caught.value is error
    assert kinds(trace) == [Crashed, Stopped]


async def test_an_error_out_of_the_nursery_of_a_first_start_is_unwrapped(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    @asynccontextmanager
    async def broken() -> AsyncGenerator[object]:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(crash)
            await trio.sleep_forever()
            yield

    with pytest.raises(ValueError, match="boom"):
        async with keep(system, "actor", broken, Care()):
            pytest.fail("began")


async def test_cancellation_during_the_first_start_cancels_it(
    autojump_clock: MockClock, system: ActorSystem, trace: list[Record]
) -> None:
    life = Life(start_s=100)
    start_s = trio.current_time()
    with trio.move_on_after(5) as scope:
        async with keep(system, "actor", life, Care()):
            pytest.fail("began")

    assert scope.cancelled_caught
    assert life.log == ["start", "start cancelled"]
    assert trio.current_time() == start_s + 5
    assert kinds(trace) == [Stopped]


async def test_cancellation_before_a_start_without_checkpoints_cancels_it(
    autojump_clock: MockClock, system: ActorSystem, trace: list[Record]
) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        async with keep(system, "actor", child, Care()):
            pytest.fail("began")

    assert scope.cancelled_caught
    assert kinds(trace) == [Stopped]


# Restart


async def test_queued_requests_survive_a_crash(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    starts: list[int] = []

    @asynccontextmanager
    async def numbered() -> AsyncGenerator[object]:
        starts.append(len(starts) + 1)
        yield object()

    async def incarnation() -> int:
        return starts[-1]

    async with keep(system, "actor", numbered, attrs.evolve(QUICK, mailbox_max=1)) as actor:
        answers: list[object] = []

        async def ask() -> None:
            answers.append(await actor.ask(Do(incarnation)))

        async def crash_late() -> None:
            await trio.sleep(1)
            await crash()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(crash_many_late := crash_asker(actor, crash_late))
            await wait_all_tasks_blocked()
            nursery.start_soon(ask)  # waits in the mailbox
            nursery.start_soon(ask)  # waits for room in it

    assert answers == [2, 2]
