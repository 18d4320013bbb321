"""What the trace tells, and in which order."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from tabwright.actors.kit.supervision import Care, keep
from tabwright.actors.kit.tracing import (
    Abandoned,
    ActorSystem,
    Answered,
    Began,
    Crashed,
    Lost,
    Record,
    Refused,
    RequestRecord,
    Restarting,
    Sent,
    Stopped,
)
from tabwright.protocol.errors import Refusal, Unanswered, Undelivered


@attrs.frozen
class Do:
    """Has the actor run `work`."""

    work: Callable[[], Awaitable[object]]

    async def visit(self, _actor: object, /) -> object:
        return await self.work()


Crashing: TypeAlias = Callable[[float, float], Callable[[], AbstractAsyncContextManager[object]]]
"""See the fixture."""


@asynccontextmanager
async def child() -> AsyncGenerator[object]:
    yield object()


ONE_WAITS = Care(mailbox_max=1)


async def crash() -> None:
    raise ValueError("boom")


async def refuse() -> None:
    raise Refusal("no")


def about(trace: Sequence[Record], number: int) -> list[type[Record]]:
    """What happened to one request."""
    return [type(r) for r in trace if isinstance(r, RequestRecord) and r.number == number]


def request(at_s: float, number: int = 1) -> dict[str, object]:
    return {
        "at_s": at_s,
        "actor": "actor",
        "number": number,
        "request": "Do",
        "trail": ("actor",),
    }


async def test_the_records_of_an_answer(
    autojump_clock: MockClock, system: ActorSystem, trace: list[Record]
) -> None:
    async with keep(system, "actor", child, Care()) as actor:
        await actor.ask(Do(lambda: trio.sleep_until(3)))

    assert trace == [
        Sent(**request(0)),
        Began(**request(0)),
        Answered(**request(3)),
        Stopped(at_s=3, actor="actor"),
    ]


async def test_the_records_of_a_crash(
    autojump_clock: MockClock, system: ActorSystem, trace: list[Record]
) -> None:
    async with keep(system, "actor", child, Care(backoff_s=2, jitter=0)) as actor:
        with pytest.raises(Unanswered):
            await actor.ask(Do(crash))
        await trio.sleep(5)

    assert trace == [
        Sent(**request(0)),
        Began(**request(0)),
        Crashed(at_s=0, actor="actor", incarnation=1, error="ValueError: boom"),
        Lost(**request(0)),
        Restarting(at_s=0, actor="actor", delay_s=2),
        Stopped(at_s=5, actor="actor"),
    ]


async def test_the_records_of_a_refusal(
    autojump_clock: MockClock, system: ActorSystem, trace: list[Record]
) -> None:
    async with keep(system, "actor", child, Care()) as actor:
        with pytest.raises(Refusal):
            await actor.ask(Do(refuse))

    assert about(trace, 1) == [Sent, Began, Refused]


async def test_a_request_that_is_cancelled_in_work_is_abandoned(
    autojump_clock: MockClock, system: ActorSystem, trace: list[Record]
) -> None:
    async with keep(system, "actor", child, Care()) as actor:
        with trio.move_on_after(1):
            await actor.ask(Do(trio.sleep_forever))
        await wait_all_tasks_blocked()

        assert about(trace, 1) == [Sent, Began, Abandoned]


async def test_a_request_that_is_cancelled_before_its_work_is_abandoned(
    autojump_clock: MockClock, system: ActorSystem, trace: list[Record]
) -> None:
    async with keep(system, "actor", child, ONE_WAITS) as actor, trio.open_nursery() as nursery:
        free = trio.Event()
        await actor.tell(Do(free.wait))
        await wait_all_tasks_blocked()
        with trio.move_on_after(1) as patience:
            nursery.start_soon(actor.ask, Do(free.wait))  # queued
            await wait_all_tasks_blocked()
            await actor.ask(Do(free.wait))  # without room
        nursery.cancel_scope.cancel()
        free.set()
        with trio.CancelScope(shield=True):
            await wait_all_tasks_blocked()

        assert patience.cancelled_caught
        assert about(trace, 2) == [Sent, Abandoned]
        assert about(trace, 3) == [Sent, Abandoned]


async def test_what_a_stop_ends_is_lost(
    autojump_clock: MockClock, system: ActorSystem, trace: list[Record]
) -> None:
    async with keep(system, "actor", child, ONE_WAITS) as actor:
        await actor.tell(Do(trio.sleep_forever))
        await wait_all_tasks_blocked()
        await actor.tell(Do(trio.sleep_forever))

    assert about(trace, 1) == [Sent, Began, Lost]
    assert about(trace, 2) == [Sent, Lost]


async def test_what_is_cut_off_and_nobody_waits_for_any_more_is_abandoned(
    autojump_clock: MockClock, system: ActorSystem, trace: list[Record], crashing: Crashing
) -> None:
    async with keep(system, "actor", crashing(0.5, 2), ONE_WAITS) as actor:
        with trio.move_on_after(1):
            await actor.ask(Do(trio.sleep_forever))
        await trio.sleep(2)

    assert about(trace, 1) == [Sent, Began, Abandoned]


async def test_what_does_not_get_in_is_lost(
    autojump_clock: MockClock, system: ActorSystem, trace: list[Record]
) -> None:
    async with keep(system, "actor", child, ONE_WAITS) as actor:
        assert actor.notify(Do(trio.sleep_forever))
        await wait_all_tasks_blocked()
        assert actor.notify(Do(trio.sleep_forever))
        assert not actor.notify(Do(trio.sleep_forever))
    with pytest.raises(Undelivered):
        await actor.ask(Do(trio.sleep_forever))

    assert about(trace, 3) == [Sent, Lost]
    assert about(trace, 4) == [Sent, Lost]


async def test_requests_are_counted_over_all_actors_of_a_system(
    autojump_clock: MockClock, system: ActorSystem, trace: list[Record]
) -> None:
    async with (
        keep(system, "one", child, Care()) as one,
        keep(system, "two", child, Care()) as two,
    ):
        for actor in (one, two, one):
            await actor.ask(Do(trio.lowlevel.checkpoint))

    assert [(r.number, r.actor) for r in trace if isinstance(r, Sent)] == [
        (1, "one"),
        (2, "two"),
        (3, "one"),
    ]


def test_a_record_cannot_be_changed() -> None:
    record = Stopped(at_s=1, actor="actor")

    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        record.actor = "another"
    assert record == Stopped(at_s=1, actor="actor")
