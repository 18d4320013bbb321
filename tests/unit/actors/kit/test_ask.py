"""The outcomes for an asker: an answer, one of three errors, or its own cancellation."""

import gc
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from math import inf
from typing import TypeAlias, cast

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from tabwright.actors.kit.supervision import RestartPolicy, supervise
from tabwright.actors.kit.tracing import ActorCrashed, ActorSystem, RequestSent, TraceRecord
from tabwright.protocol.errors import (
    Effect,
    Escalated,
    InternalError,
    Refusal,
    Unanswered,
    Undelivered,
)

from .conftest import Doer

Crashing: TypeAlias = Callable[[float, float], Callable[[], AbstractAsyncContextManager[object]]]
"""See the fixture."""


@asynccontextmanager
async def child() -> AsyncGenerator[object]:
    yield Doer()


@attrs.define(eq=False)
class Work:
    """Endless work that logs its begin and its end."""

    log: list[str] = attrs.field(factory=list)

    async def __call__(self) -> None:
        self.log.append("began")
        try:
            await trio.sleep_forever()
        finally:
            self.log.append("ended")


ONE_WAITS = RestartPolicy(mailbox_max=1, backoff_s=1, jitter=0)


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


async def ten_seconds() -> None:
    await trio.sleep(10)


async def idle() -> str:
    await trio.lowlevel.checkpoint()
    return "idle"


async def test_ask_returns_the_answer(autojump_clock: MockClock, system: ActorSystem) -> None:
    async def work() -> str:
        await trio.sleep(1)
        return "done"

    async with supervise(system, "actor", child, RestartPolicy()) as actor:
        assert await actor.ask(Doer.do, work) == "done"


async def test_answer_is_not_retained_after_delivery(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with supervise(system, "actor", child, RestartPolicy(at_once=3)) as actor:
        answers = [Work()]
        left = weakref.ref(answers[0])

        async def work() -> Work:
            await trio.lowlevel.checkpoint()
            return answers.pop()

        await actor.ask(Doer.do, work)
        await wait_all_tasks_blocked()
        gc.collect()
        assert left() is None


async def test_refusal_does_not_crash_the_actor(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async with supervise(system, "actor", child, RestartPolicy(crashes_max=0)) as actor:
        with pytest.raises(Refusal, match="no"):
            await actor.ask(Doer.do, refuse)
        assert await actor.ask(Doer.do, idle) == "idle"

    assert not [record for record in trace if isinstance(record, ActorCrashed)]


async def test_actor_crash_is_the_cause_of_unanswered(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with supervise(system, "actor", child, RestartPolicy()) as actor:
        with pytest.raises(Unanswered, match="actor failed: boom") as caught:
            await actor.ask(Doer.do, crash)

    assert type(caught.value.__cause__) is ValueError


async def test_concurrent_requests_are_unanswered_after_a_crash(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    beside = Work()
    async with (
        supervise(system, "actor", child, RestartPolicy(at_once=2)) as actor,
        trio.open_nursery() as nursery,
    ):

        async def ask() -> None:
            with pytest.raises(Unanswered, match="actor failed: boom") as caught:
                await actor.ask(Doer.do, beside)
            assert type(caught.value.__cause__) is ValueError

        nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        with pytest.raises(Unanswered, match="boom"):
            await actor.ask(Doer.do, crash)

    assert beside.log == ["began", "ended"]


async def test_unexpected_error_ends_only_its_own_request(
    autojump_clock: MockClock,
    system: ActorSystem,
    trace: list[TraceRecord],
    caplog: pytest.LogCaptureFixture,
) -> None:
    ended = trio.Event()

    async def ten_seconds_beside() -> None:
        await trio.sleep(10)
        ended.set()

    policy = RestartPolicy(at_once=2, crashes_max=0)
    async with (
        supervise(system, "actor", child, policy) as actor,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(actor.ask, Doer.do, ten_seconds_beside)
        await wait_all_tasks_blocked()
        for _ in range(3):
            with pytest.raises(InternalError) as caught:
                await actor.ask(Doer.do, fail)
            assert type(caught.value.__cause__) is ValueError
            assert not caught.value.retryable
            assert caught.value.effect is Effect.UNKNOWN
        await ended.wait()

    assert not [record for record in trace if isinstance(record, ActorCrashed)]
    assert [record.exc_info is not None for record in caplog.records] == [True] * 3


async def test_unexpected_error_of_a_request_without_a_caller_is_logged(
    autojump_clock: MockClock, system: ActorSystem, caplog: pytest.LogCaptureFixture
) -> None:
    async with supervise(system, "actor", child, RestartPolicy(crashes_max=0)) as actor:
        await actor.tell(Doer.do, fail)
        assert await actor.ask(Doer.do, idle) == "idle"

    [record] = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[0] is ValueError


async def test_internal_error_of_another_actor_is_passed_on_unchanged(
    autojump_clock: MockClock, system: ActorSystem, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        supervise(system, "bottom", child, RestartPolicy()) as bottom,
        supervise(system, "top", child, RestartPolicy()) as top,
    ):
        with pytest.raises(InternalError, match="bottom failed") as caught:
            await top.ask(Doer.do, lambda: bottom.ask(Doer.do, fail))

    assert type(caught.value.__cause__) is ValueError
    assert len(caplog.records) == 1


@pytest.mark.parametrize("value", ["click", 5, None, Doer])
async def test_asking_with_something_other_than_a_request_is_a_type_error(
    value: object, autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async with supervise(system, "actor", child, RestartPolicy(crashes_max=0)) as actor:
        untyped = cast("Callable[[Doer], Awaitable[object]]", value)
        with pytest.raises(TypeError):
            await actor.ask(untyped)
        with pytest.raises(TypeError):
            await actor.tell(untyped)
        with pytest.raises(TypeError):
            actor.notify(untyped)

    assert not [record for record in trace if isinstance(record, RequestSent)]


async def test_each_failed_request_reports_its_own_error(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async def crash_as_well() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise KeyError("bang")

    async with (
        supervise(system, "actor", child, RestartPolicy(at_once=2)) as actor,
        trio.open_nursery() as nursery,
    ):

        async def ask() -> None:
            with pytest.raises(Unanswered, match="bang"):
                await actor.ask(Doer.do, crash_as_well)

        nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        with pytest.raises(Unanswered, match="boom"):
            await actor.ask(Doer.do, crash)


async def test_request_cut_off_by_crash_fails_once_actor_has_stopped(
    autojump_clock: MockClock, system: ActorSystem, crashing: Crashing
) -> None:
    async with supervise(system, "actor", crashing(3, 2), RestartPolicy()) as actor:
        began_s = trio.current_time()
        with pytest.raises(Unanswered, match="actor failed: boom") as caught:
            await actor.ask(Doer.do, trio.sleep_forever)

    assert type(caught.value.__cause__) is ValueError
    assert trio.current_time() == began_s + 5


async def test_crash_is_reported_even_if_stop_interrupts_its_cleanup(
    autojump_clock: MockClock, system: ActorSystem, crashing: Crashing
) -> None:
    slow = crashing(3, 5)
    async with (
        trio.open_nursery() as nursery,
        supervise(system, "actor", slow, RestartPolicy()) as actor,
    ):

        async def ask() -> None:
            with pytest.raises(Unanswered, match="actor failed: boom"):
                await actor.ask(Doer.do, trio.sleep_forever)

        nursery.start_soon(ask)
        await trio.sleep(4)


async def test_request_in_progress_at_stop_is_unanswered(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with (
        trio.open_nursery() as nursery,
        supervise(system, "actor", child, RestartPolicy()) as actor,
    ):

        async def ask() -> None:
            with pytest.raises(Unanswered, match="was stopped"):
                await actor.ask(Doer.do, trio.sleep_forever)

        nursery.start_soon(ask)
        await wait_all_tasks_blocked()


async def test_requests_still_waiting_at_stop_are_undelivered(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    errors: list[str] = []
    started: list[str] = []

    async with (
        trio.open_nursery() as nursery,
        supervise(system, "actor", child, ONE_WAITS) as actor,
    ):

        async def ask(name: str) -> None:
            async def work() -> None:
                started.append(name)
                await trio.sleep_forever()

            with pytest.raises((Unanswered, Undelivered)) as caught:
                await actor.ask(Doer.do, work)
            errors.append(f"{name} {caught.value.kind}")

        for name in ("in work", "queued", "without room"):
            nursery.start_soon(ask, name)
            await wait_all_tasks_blocked()

    assert started == ["in work"]
    assert sorted(errors) == [
        "in work unanswered",
        "queued undelivered",
        "without room undelivered",
    ]


async def test_stopped_actor_refuses_every_request(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with supervise(system, "actor", child, RestartPolicy()) as actor:
        pass

    with pytest.raises(Undelivered, match="actor has stopped"):
        await actor.ask(Doer.do, idle)
    with pytest.raises(Undelivered, match="actor has stopped"):
        await actor.tell(Doer.do, idle)
    assert not actor.notify(Doer.do, idle)


async def test_undelivered_names_the_error_that_ended_the_actor(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    with pytest.raises(Escalated):
        async with supervise(system, "actor", child, RestartPolicy(crashes_max=0)) as actor:
            actor.notify(Doer.do, crash)
            await trio.sleep_forever()

    with pytest.raises(Undelivered, match="boom"):
        await actor.ask(Doer.do, idle)


@pytest.mark.parametrize("loss", [Undelivered, Unanswered])
async def test_actor_survives_lost_request_to_another_actor(
    loss: type[Exception], autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async def lose() -> None:
        raise loss("of another")

    async with supervise(system, "actor", child, RestartPolicy(crashes_max=0)) as actor:
        with pytest.raises(Unanswered, match="of another") as caught:
            await actor.ask(Doer.do, lose)

    assert type(caught.value) is Unanswered
    assert type(caught.value.__cause__) is loss
    assert not [record for record in trace if isinstance(record, ActorCrashed)]


@pytest.mark.parametrize("patience_s", [inf, 100], ids=["no deadline", "a deadline"])
@pytest.mark.parametrize("ahead", [0, 1, 2], ids=["in work", "queued", "without room"])
async def test_cancelled_ask_stops_or_never_starts_its_work(
    ahead: int, patience_s: float, autojump_clock: MockClock, system: ActorSystem
) -> None:
    work = Work()
    free = trio.Event()
    start_s = trio.current_time()
    asker = trio.CancelScope(deadline=start_s + patience_s)
    async with (
        supervise(system, "actor", child, ONE_WAITS) as actor,
        trio.open_nursery() as nursery,
    ):

        async def ask() -> None:
            with asker:
                await actor.ask(Doer.do, work)

        for _ in range(ahead):
            nursery.start_soon(actor.ask, Doer.do, free.wait)
            await wait_all_tasks_blocked()
        nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        asker.cancel()
        await wait_all_tasks_blocked()

        assert work.log == ([] if ahead else ["began", "ended"])
        free.set()
        assert await actor.ask(Doer.do, idle) == "idle"

    assert asker.cancelled_caught
    assert work.log == ([] if ahead else ["began", "ended"])
    assert trio.current_time() == start_s


async def test_request_that_expires_in_the_mailbox_is_never_started(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    work = Work()
    async with (
        supervise(system, "actor", child, RestartPolicy()) as actor,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(actor.ask, Doer.do, ten_seconds)
        await wait_all_tasks_blocked()
        with pytest.raises(trio.TooSlowError), trio.fail_after(5):
            await actor.ask(Doer.do, work)
        await actor.ask(Doer.do, idle)

    assert work.log == []


async def test_cancelled_ask_frees_its_mailbox_slot(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with (
        supervise(system, "actor", child, ONE_WAITS) as actor,
        trio.open_nursery() as nursery,
    ):
        free = trio.Event()
        for _ in range(2):
            nursery.start_soon(actor.ask, Doer.do, free.wait)
            await wait_all_tasks_blocked()
        with trio.move_on_after(1):
            await actor.ask(Doer.do, crash)
        free.set()
        await wait_all_tasks_blocked()

        assert actor.notify(Doer.do, idle)


async def test_the_deadline_travels_through_a_chain_of_asks(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    deadlines: list[float] = []
    last = Work()

    async def note() -> None:
        deadlines.append(trio.current_effective_deadline())
        await last()

    async with (
        supervise(system, "bottom", child, RestartPolicy()) as bottom,
        supervise(system, "middle", child, RestartPolicy()) as middle,
        supervise(system, "top", child, RestartPolicy()) as top,
    ):
        deadline = trio.current_time() + 7
        with trio.move_on_at(deadline) as asker:
            await top.ask(Doer.do, lambda: middle.ask(Doer.do, lambda: bottom.ask(Doer.do, note)))
        await wait_all_tasks_blocked()

        assert asker.cancelled_caught
        assert deadlines == [deadline]
        assert last.log == ["began", "ended"]


async def test_cancellation_travels_through_a_chain_of_asks(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    last = Work()
    async with (
        supervise(system, "bottom", child, RestartPolicy()) as bottom,
        supervise(system, "top", child, RestartPolicy()) as top,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(top.ask, Doer.do, lambda: bottom.ask(Doer.do, last))
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await wait_all_tasks_blocked()

        assert last.log == ["began", "ended"]


async def test_an_asker_waits_for_room(autojump_clock: MockClock, system: ActorSystem) -> None:
    async with (
        supervise(system, "actor", child, ONE_WAITS) as actor,
        trio.open_nursery() as nursery,
    ):
        start_s = trio.current_time()
        for _ in range(2):
            nursery.start_soon(actor.ask, Doer.do, ten_seconds)
            await wait_all_tasks_blocked()

        assert await actor.ask(Doer.do, idle) == "idle"
        assert trio.current_time() == start_s + 20


async def test_notify_says_whether_there_was_room(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with supervise(system, "actor", child, ONE_WAITS) as actor:
        assert actor.notify(Doer.do, trio.sleep_forever)
        await wait_all_tasks_blocked()
        assert actor.notify(Doer.do, idle)
        assert not actor.notify(Doer.do, idle)


async def test_send_without_answer_waits_only_for_room_in_the_mailbox(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with supervise(system, "actor", child, ONE_WAITS) as actor:
        start_s = trio.current_time()
        await actor.tell(Doer.do, ten_seconds)
        await wait_all_tasks_blocked()
        await actor.tell(Doer.do, ten_seconds)
        assert trio.current_time() == start_s

        await actor.tell(Doer.do, idle)
        assert trio.current_time() == start_s + 10


async def test_sent_request_completes_when_its_sender_is_cancelled(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    ended = trio.Event()

    async def work() -> None:
        await trio.sleep(10)
        ended.set()

    async with supervise(system, "actor", child, RestartPolicy()) as actor:
        with trio.move_on_after(1):
            await actor.tell(Doer.do, work)
            await trio.sleep_forever()
        await ended.wait()


async def test_cancelled_send_withdraws_a_request_not_yet_in_mailbox(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    work = Work()
    async with supervise(system, "actor", child, ONE_WAITS) as actor:
        for _ in range(2):
            await actor.tell(Doer.do, ten_seconds)
            await wait_all_tasks_blocked()
        with trio.move_on_after(1) as teller:
            await actor.tell(Doer.do, work)
        await actor.ask(Doer.do, idle)

    assert teller.cancelled_caught
    assert work.log == []


async def test_actor_runs_at_most_its_limit_of_concurrent_requests(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    works = [Work() for _ in range(4)]
    async with supervise(system, "actor", child, RestartPolicy(at_once=3)) as actor:
        for work in works:
            await actor.tell(Doer.do, work)
        await wait_all_tasks_blocked()

        assert [work.log for work in works] == [["began"], ["began"], ["began"], []]
