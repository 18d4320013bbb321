"""The records of a trace, and their order."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from tabwright.actors.kit.supervision import RestartPolicy, supervise
from tabwright.actors.kit.tracing import (
    ActorCrashed,
    ActorRestarting,
    ActorStopped,
    ActorSystem,
    RequestAnswered,
    RequestCancelled,
    RequestFailed,
    RequestLost,
    RequestRecord,
    RequestRefused,
    RequestSent,
    RequestStarted,
    TraceRecord,
)
from tabwright.protocol.errors import InternalError, Refusal, Unanswered, Undelivered

from .conftest import Doer

Crashing: TypeAlias = Callable[[float, float], Callable[[], AbstractAsyncContextManager[object]]]
"""See the fixture."""


@asynccontextmanager
async def child() -> AsyncGenerator[object]:
    yield Doer()


ONE_WAITS = RestartPolicy(mailbox_max=1)


async def fail() -> None:
    raise ValueError("boom")


async def crash() -> None:
    """Crash the actor, as a task of its own life does."""
    life = trio.lowlevel.current_task().parent_nursery
    assert life is not None
    life.start_soon(fail)
    await trio.sleep_forever()


async def refuse() -> None:
    raise Refusal("no")


def about(trace: Sequence[TraceRecord], number: int) -> list[type[TraceRecord]]:
    """Return the kinds of the records of one request."""
    return [type(r) for r in trace if isinstance(r, RequestRecord) and r.number == number]


def request(at_s: float, number: int = 1) -> dict[str, object]:
    return {
        "at_s": at_s,
        "actor": "actor",
        "number": number,
        "request": "do",
        "trail": ("actor",),
    }


async def test_answered_request_is_traced_from_sent_to_answered(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async with supervise(system, "actor", child, RestartPolicy()) as actor:
        await actor.ask(Doer.do, lambda: trio.sleep_until(3))

    assert trace == [
        RequestSent(**request(0)),
        RequestStarted(**request(0)),
        RequestAnswered(**request(3)),
        ActorStopped(at_s=3, actor="actor"),
    ]


async def test_crash_and_restart_of_an_actor_are_traced(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async with supervise(system, "actor", child, RestartPolicy(backoff_s=2, jitter=0)) as actor:
        with pytest.raises(Unanswered):
            await actor.ask(Doer.do, crash)
        await trio.sleep(5)

    assert trace == [
        RequestSent(**request(0)),
        RequestStarted(**request(0)),
        ActorCrashed(at_s=0, actor="actor", incarnation=1, error="ValueError: boom"),
        RequestLost(**request(0)),
        ActorRestarting(at_s=0, actor="actor", delay_s=2),
        ActorStopped(at_s=5, actor="actor"),
    ]


async def test_request_with_an_unexpected_error_is_traced_as_failed(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async with supervise(system, "actor", child, RestartPolicy()) as actor:
        with pytest.raises(InternalError):
            await actor.ask(Doer.do, fail)

    assert about(trace, 1) == [RequestSent, RequestStarted, RequestFailed]


async def test_refused_request_is_traced_as_refused(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async with supervise(system, "actor", child, RestartPolicy()) as actor:
        with pytest.raises(Refusal):
            await actor.ask(Doer.do, refuse)

    assert about(trace, 1) == [RequestSent, RequestStarted, RequestRefused]


async def test_request_cancelled_in_progress_is_traced_as_cancelled(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async with supervise(system, "actor", child, RestartPolicy()) as actor:
        with trio.move_on_after(1):
            await actor.ask(Doer.do, trio.sleep_forever)
        await wait_all_tasks_blocked()

        assert about(trace, 1) == [RequestSent, RequestStarted, RequestCancelled]


async def test_request_cancelled_before_start_is_traced_as_cancelled(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async with (
        supervise(system, "actor", child, ONE_WAITS) as actor,
        trio.open_nursery() as nursery,
    ):
        free = trio.Event()
        await actor.tell(Doer.do, free.wait)
        await wait_all_tasks_blocked()
        with trio.move_on_after(1) as patience:
            nursery.start_soon(actor.ask, Doer.do, free.wait)  # queued
            await wait_all_tasks_blocked()
            await actor.ask(Doer.do, free.wait)  # without room
        nursery.cancel_scope.cancel()
        free.set()
        with trio.CancelScope(shield=True):
            await wait_all_tasks_blocked()

        assert patience.cancelled_caught
        assert about(trace, 2) == [RequestSent, RequestCancelled]
        assert about(trace, 3) == [RequestSent, RequestCancelled]


async def test_requests_ended_by_stop_are_traced_as_lost(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async with supervise(system, "actor", child, ONE_WAITS) as actor:
        await actor.tell(Doer.do, trio.sleep_forever)
        await wait_all_tasks_blocked()
        await actor.tell(Doer.do, trio.sleep_forever)

    assert about(trace, 1) == [RequestSent, RequestStarted, RequestLost]
    assert about(trace, 2) == [RequestSent, RequestLost]


async def test_cut_off_request_of_departed_caller_is_traced_as_cancelled(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord], crashing: Crashing
) -> None:
    async with supervise(system, "actor", crashing(0.5, 2), ONE_WAITS) as actor:
        with trio.move_on_after(1):
            await actor.ask(Doer.do, trio.sleep_forever)
        await trio.sleep(2)

    assert about(trace, 1) == [RequestSent, RequestStarted, RequestCancelled]


async def test_undelivered_requests_are_traced_as_lost(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async with supervise(system, "actor", child, ONE_WAITS) as actor:
        assert actor.notify(Doer.do, trio.sleep_forever)
        await wait_all_tasks_blocked()
        assert actor.notify(Doer.do, trio.sleep_forever)
        assert not actor.notify(Doer.do, trio.sleep_forever)
    with pytest.raises(Undelivered):
        await actor.ask(Doer.do, trio.sleep_forever)

    assert about(trace, 3) == [RequestSent, RequestLost]
    assert about(trace, 4) == [RequestSent, RequestLost]


async def test_requests_are_numbered_across_all_actors_of_a_system(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async with (
        supervise(system, "one", child, RestartPolicy()) as one,
        supervise(system, "two", child, RestartPolicy()) as two,
    ):
        for actor in (one, two, one):
            await actor.ask(Doer.do, trio.lowlevel.checkpoint)

    assert [(r.number, r.actor) for r in trace if isinstance(r, RequestSent)] == [
        (1, "one"),
        (2, "two"),
        (3, "one"),
    ]


def test_a_record_cannot_be_changed() -> None:
    record = ActorStopped(at_s=1, actor="actor")

    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        record.actor = "another"
    assert record == ActorStopped(at_s=1, actor="actor")
