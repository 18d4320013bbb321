"""The life cycle of an actor: start, restart, escalation, stop."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from random import Random

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
    TraceRecord,
)
from tabwright.protocol.actor import Address
from tabwright.protocol.errors import Escalated, Unanswered, Undelivered

from .conftest import Doer


@asynccontextmanager
async def child() -> AsyncGenerator[object]:
    yield Doer()


@attrs.define
class Life:
    """A child that takes time to start and stop, and logs both."""

    start_s: float = 0
    stop_s: float = 0
    log: list[str] = attrs.field(factory=list)

    @asynccontextmanager
    async def __call__(self) -> AsyncGenerator[object]:
        await self._take("start", self.start_s)
        try:
            yield Doer()
        finally:
            await self._take("stop", self.stop_s)

    async def _take(self, step: str, duration_s: float) -> None:
        self.log.append(step)
        try:
            await trio.sleep(duration_s)
        except trio.Cancelled:
            self.log.append(f"{step} cancelled")
            raise


QUICK = RestartPolicy(backoff_s=1, jitter=0)


async def fail() -> None:
    raise ValueError("boom")


async def crash() -> None:
    """Crash the actor, as a task of its own life does."""
    life = trio.lowlevel.current_task().parent_nursery
    assert life is not None
    life.start_soon(fail)
    await trio.sleep_forever()


async def idle() -> str:
    await trio.lowlevel.checkpoint()
    return "idle"


async def crash_many(actor: Address[object], times: int) -> None:
    for _ in range(times):
        with pytest.raises((Unanswered, Undelivered)):
            await actor.ask(Doer.do, crash)


def delays(trace: Sequence[TraceRecord]) -> list[float]:
    return [record.delay_s for record in trace if isinstance(record, ActorRestarting)]


def kinds(trace: Sequence[TraceRecord]) -> list[type[TraceRecord]]:
    """Return the kinds of an actor's life-cycle records, without those of requests."""
    return [
        type(record)
        for record in trace
        if isinstance(record, ActorCrashed | ActorRestarting | ActorStopped)
    ]


# Start


async def test_supervise_block_begins_after_the_actor_has_started(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    life = Life(start_s=5)
    start_s = trio.current_time()
    async with supervise(system, "actor", life, RestartPolicy()):
        assert trio.current_time() == start_s + 5


async def test_a_first_start_that_fails_raises_its_own_error(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    error = ValueError("no such browser")

    @asynccontextmanager
    async def broken() -> AsyncGenerator[object]:
        await trio.sleep(1)
        raise error
        yield

    with pytest.raises(ValueError, match="no such browser") as caught:
        async with supervise(system, "actor", broken, RestartPolicy()):
            pytest.fail("began")

    assert caught.value is error
    assert kinds(trace) == [ActorCrashed, ActorStopped]


async def test_an_error_out_of_the_nursery_of_a_first_start_is_unwrapped(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    @asynccontextmanager
    async def broken() -> AsyncGenerator[object]:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fail)
            await trio.sleep_forever()
            yield

    with pytest.raises(ValueError, match="boom"):
        async with supervise(system, "actor", broken, RestartPolicy()):
            pytest.fail("began")


async def test_cancellation_during_the_first_start_cancels_it(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    life = Life(start_s=100)
    start_s = trio.current_time()
    with trio.move_on_after(5) as scope:
        async with supervise(system, "actor", life, RestartPolicy()):
            pytest.fail("began")

    assert scope.cancelled_caught
    assert life.log == ["start", "start cancelled"]
    assert trio.current_time() == start_s + 5
    assert kinds(trace) == [ActorStopped]


async def test_cancellation_before_a_start_without_checkpoints_cancels_it(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        async with supervise(system, "actor", child, RestartPolicy()):
            pytest.fail("began")

    assert scope.cancelled_caught
    assert kinds(trace) == [ActorStopped]


# Restart


async def test_queued_requests_are_answered_after_a_crash_and_restart(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    starts: list[int] = []
    answers: list[object] = []

    @asynccontextmanager
    async def numbered() -> AsyncGenerator[object]:
        starts.append(len(starts) + 1)
        yield Doer()

    async def incarnation() -> int:
        await trio.lowlevel.checkpoint()
        return starts[-1]

    async def crash_late() -> None:
        await trio.sleep(1)
        await crash()

    async with supervise(system, "actor", numbered, attrs.evolve(QUICK, mailbox_max=1)) as actor:

        async def ask() -> None:
            answers.append(await actor.ask(Doer.do, incarnation))

        await actor.tell(Doer.do, crash_late)
        await wait_all_tasks_blocked()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)  # waits in the mailbox
            nursery.start_soon(ask)  # waits for room in it

    assert answers == [2, 2]


async def test_crashes_up_to_the_limit_restart_and_one_more_escalates(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    with pytest.raises(
        Escalated, match="actor failed permanently after 3 restarts: boom"
    ) as caught:
        async with supervise(system, "actor", child, attrs.evolve(QUICK, crashes_max=3)) as actor:
            await crash_many(actor, 3)
            assert await actor.ask(Doer.do, idle) == "idle"
            actor.notify(Doer.do, crash)
            await trio.sleep_forever()

    assert type(caught.value.crash) is ValueError
    assert caught.value.__cause__ is not None
    assert kinds(trace) == [ActorCrashed, ActorRestarting] * 3 + [ActorCrashed, ActorStopped]


async def test_crash_outside_the_period_does_not_count(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    policy = attrs.evolve(QUICK, crashes_max=1, period_s=10)
    async with supervise(system, "actor", child, policy) as actor:
        for _ in range(5):
            await crash_many(actor, 1)
            await trio.sleep(10)

    assert delays(trace) == [1] * 5


async def test_a_crash_at_the_edge_inside_the_period_counts(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    with pytest.raises(Escalated):
        async with supervise(
            system, "actor", child, RestartPolicy(crashes_max=1, period_s=10)
        ) as actor:
            await crash_many(actor, 1)
            await trio.sleep(9)
            actor.notify(Doer.do, crash)
            await trio.sleep_forever()


async def test_a_restart_that_fails_to_start_is_a_crash(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    starts: list[int] = []

    @asynccontextmanager
    async def starts_once_and_from_the_third_time() -> AsyncGenerator[object]:
        starts.append(len(starts) + 1)
        if starts[-1] == 2:
            await fail()
        yield Doer()

    async with supervise(system, "actor", starts_once_and_from_the_third_time, QUICK) as actor:
        await crash_many(actor, 1)
        assert await actor.ask(Doer.do, idle) == "idle"

    assert starts == [1, 2, 3]
    assert [r.incarnation for r in trace if isinstance(r, ActorCrashed)] == [1, 2]


async def test_back_off_doubles_up_to_its_cap(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    starts_s: list[float] = []

    @asynccontextmanager
    async def timed() -> AsyncGenerator[object]:
        starts_s.append(trio.current_time())
        yield Doer()

    policy = RestartPolicy(crashes_max=9, backoff_s=1, backoff_max_s=5, jitter=0)
    async with supervise(system, "actor", timed, policy) as actor:
        await crash_many(actor, 5)
        await actor.ask(Doer.do, idle)

    assert delays(trace) == [1, 2, 4, 5, 5]
    waits_s = [after - before for before, after in pairwise(starts_s)]
    assert waits_s == pytest.approx([1, 2, 4, 5, 5])


async def delays_of(seed: int, policy: RestartPolicy) -> list[float]:
    trace: list[TraceRecord] = []
    system = ActorSystem(trace.append, Random(seed))
    async with supervise(system, "actor", child, policy) as actor:
        await crash_many(actor, policy.crashes_max)
        await actor.ask(Doer.do, idle)
    return delays(trace)


async def test_back_off_jitter_comes_from_the_given_random(
    autojump_clock: MockClock,
) -> None:
    policy = RestartPolicy(crashes_max=6, backoff_s=1, backoff_max_s=8, jitter=0.5)
    seeded = await delays_of(1, policy)

    assert seeded == await delays_of(1, policy)
    assert seeded != await delays_of(2, policy)
    for delay_s, full_s in zip(seeded, [1, 2, 4, 8, 8, 8], strict=True):
        assert full_s / 2 < delay_s < full_s


# Stop


async def test_a_stop_during_back_off_is_immediate(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    life = Life()
    start_s = trio.current_time()
    async with supervise(system, "actor", life, RestartPolicy(backoff_s=5, jitter=0)) as actor:
        await crash_many(actor, 1)
        await wait_all_tasks_blocked()

    assert kinds(trace) == [ActorCrashed, ActorRestarting, ActorStopped]
    assert life.log == ["start", "stop"]
    assert trio.current_time() == start_s


async def test_stop_ends_requests_in_progress_at_once(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    start_s = trio.current_time()
    async with supervise(system, "actor", child, RestartPolicy()) as actor:
        await actor.tell(Doer.do, trio.sleep_forever)
        await wait_all_tasks_blocked()

    assert trio.current_time() == start_s


async def test_stop_within_its_grace_period_is_not_cancelled(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    life = Life(stop_s=3)
    start_s = trio.current_time()
    async with supervise(system, "actor", life, RestartPolicy(grace_s=4)):
        pass

    assert life.log == ["start", "stop"]
    assert trio.current_time() == start_s + 3


async def test_a_stop_that_hangs_is_cancelled_after_its_grace(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    life = Life(stop_s=100)
    start_s = trio.current_time()
    async with supervise(system, "actor", life, RestartPolicy(grace_s=4)):
        pass

    assert life.log == ["start", "stop", "stop cancelled"]
    assert trio.current_time() == start_s + 4
    assert kinds(trace) == [ActorStopped]


async def test_stop_during_a_restart_cancels_the_start_after_grace_period(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    life = Life()
    async with supervise(system, "actor", life, attrs.evolve(QUICK, grace_s=4)) as actor:
        await crash_many(actor, 1)
        life.start_s = 100
        await trio.sleep(10)
        stop_s = trio.current_time()

    assert life.log == ["start", "stop", "start", "start cancelled"]
    assert trio.current_time() == stop_s + 4


async def test_an_actor_that_starts_during_its_stop_is_stopped_at_once(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    life = Life()
    async with supervise(system, "actor", life, attrs.evolve(QUICK, grace_s=4)) as actor:
        await crash_many(actor, 1)
        life.start_s = 12
        await trio.sleep(10)
        stop_s = trio.current_time()

    assert life.log == ["start", "stop", "start", "stop"]
    assert trio.current_time() == stop_s + 3


async def test_crash_while_stopping_is_traced_but_not_raised(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    @asynccontextmanager
    async def falls() -> AsyncGenerator[object]:
        yield Doer()
        await fail()

    async with supervise(system, "actor", falls, RestartPolicy(crashes_max=0)):
        pass

    assert kinds(trace) == [ActorCrashed, ActorStopped]


async def test_error_of_a_request_during_stop_is_not_a_crash(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async def crash_when_cancelled() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise ValueError("boom")

    async with supervise(system, "actor", child, RestartPolicy(at_once=2, crashes_max=0)) as actor:
        await actor.tell(Doer.do, crash_when_cancelled)
        await wait_all_tasks_blocked()

    assert kinds(trace) == [ActorStopped]


async def test_crash_at_end_of_grace_period_is_not_raised(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async def crash_when_cancelled() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise ValueError("boom")

    @asynccontextmanager
    async def falls() -> AsyncGenerator[object]:
        yield Doer()
        async with trio.open_nursery() as nursery:  # a cancellation and a crash, in one group
            nursery.start_soon(crash_when_cancelled)
            nursery.start_soon(trio.sleep_forever)

    async with supervise(system, "actor", falls, RestartPolicy(grace_s=4)):
        pass

    assert kinds(trace) == [ActorCrashed, ActorStopped]
    assert [r.error for r in trace if isinstance(r, ActorCrashed)] == ["ValueError: boom"]


class Leaving(Exception):
    """An error raised by the block."""


@pytest.mark.parametrize("way", ["end", "error", "cancellation"])
async def test_actors_stop_in_reverse_order_on_end_error_or_cancellation(
    way: str, autojump_clock: MockClock, system: ActorSystem
) -> None:
    log: list[str] = []

    @asynccontextmanager
    async def named(name: str) -> AsyncGenerator[object]:
        log.append(f"{name} starts")
        yield Doer()
        await trio.sleep(1)
        log.append(f"{name} stopped")

    async def live() -> None:
        async with (
            supervise(system, "one", lambda: named("one"), RestartPolicy()),
            supervise(system, "two", lambda: named("two"), RestartPolicy()),
            supervise(system, "three", lambda: named("three"), RestartPolicy()),
        ):
            match way:
                case "error":
                    raise Leaving
                case "cancellation":
                    scope.cancel()
                    await trio.sleep_forever()
                case _:
                    pass

    with trio.CancelScope() as scope:
        if way == "error":
            with pytest.raises(Leaving):
                await live()
        else:
            await live()

    assert log == [
        "one starts",
        "two starts",
        "three starts",
        "three stopped",
        "two stopped",
        "one stopped",
    ]


async def test_actor_answers_during_cleanup_of_a_cancelled_block(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    answers: list[object] = []
    with trio.CancelScope() as scope:
        async with supervise(system, "actor", child, RestartPolicy()) as actor:
            try:
                scope.cancel()
                await trio.sleep_forever()
            finally:
                with trio.CancelScope(shield=True):
                    await trio.sleep(1)
                    answers.append(await actor.ask(Doer.do, idle))

    assert scope.cancelled_caught
    assert answers == ["idle"]


# Errors


async def test_an_escalation_cancels_the_block(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    ended: list[str] = []
    with pytest.raises(Escalated):
        async with supervise(system, "actor", child, RestartPolicy(crashes_max=0)) as actor:
            actor.notify(Doer.do, crash)
            try:
                await trio.sleep_forever()
            except trio.Cancelled:
                ended.append("cancelled")
                raise

    assert ended == ["cancelled"]


async def test_system_exit_is_not_a_crash_and_propagates(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async def leave_the_program() -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        async with supervise(system, "actor", child, RestartPolicy()) as actor:
            actor.notify(Doer.do, leave_the_program)
            await trio.sleep_forever()

    assert kinds(trace) == [ActorStopped]


async def test_escalation_of_an_inner_actor_crashes_the_outer_actor(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    inner: list[Address[object]] = []

    @asynccontextmanager
    async def outer() -> AsyncGenerator[object]:
        async with supervise(system, "inner", child, RestartPolicy(crashes_max=0)) as address:
            inner.append(address)
            yield Doer()

    async with supervise(system, "outer", outer, QUICK) as actor:
        inner[-1].notify(Doer.do, crash)
        await trio.sleep(5)
        assert await inner[-1].ask(Doer.do, idle) == "idle"
        assert await actor.ask(Doer.do, idle) == "idle"

    crashed = [record.actor for record in trace if isinstance(record, ActorCrashed)]
    assert crashed == ["inner", "outer"]


async def test_single_error_of_the_block_is_raised_unchanged(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    cause, reason = OSError("cause"), KeyError("reason")
    error = Leaving()

    async def leave() -> None:
        try:
            raise reason
        except KeyError:
            await trio.lowlevel.checkpoint()
            raise error from cause

    with pytest.raises(Leaving) as caught:
        async with (
            supervise(system, "one", child, RestartPolicy()),
            supervise(system, "two", child, RestartPolicy()),
        ):
            await leave()

    assert caught.value is error
    assert caught.value.__cause__ is cause
    assert caught.value.__context__ is reason


async def test_error_of_the_block_keeps_its_context(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    with pytest.raises(Leaving) as caught:
        async with supervise(system, "actor", child, RestartPolicy()):
            try:
                await fail()
            except ValueError:
                raise Leaving  # noqa: B904

    assert type(caught.value.__context__) is ValueError
    assert not caught.value.__suppress_context__


async def test_several_errors_are_raised_as_a_group(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    with pytest.RaisesGroup(Leaving, Escalated):
        async with supervise(system, "actor", child, RestartPolicy(crashes_max=0)) as actor:
            actor.notify(Doer.do, crash)
            try:
                await trio.sleep_forever()
            finally:
                raise Leaving


@attrs.define
class FailingStart:
    """A child whose first starts fail."""

    failures: int
    starts: int = 0

    @asynccontextmanager
    async def __call__(self) -> AsyncGenerator[object]:
        self.starts += 1
        if self.starts <= self.failures:
            raise OSError(f"start {self.starts}")
        yield Doer()


ON_DEMAND = RestartPolicy(crashes_max=3, on_demand=True)


async def answer() -> str:
    await trio.lowlevel.checkpoint()
    return "done"


async def test_on_demand_actor_retries_failed_start_for_a_later_request(
    system, autojump_clock: MockClock
) -> None:
    life = FailingStart(failures=4)
    async with supervise(system, "late", life, ON_DEMAND) as address:
        await wait_all_tasks_blocked()
        assert life.starts == 0
        with pytest.raises(Undelivered, match="could not be started") as refused:
            await address.ask(Doer.do, answer)
        assert isinstance(refused.value.__cause__, OSError)
        assert refused.value.retryable
        await trio.sleep(60)
        assert life.starts == 4
        assert await address.ask(Doer.do, answer) == "done"
    assert life.starts == 5


async def test_on_demand_actor_answers_after_second_start_attempt(
    system, autojump_clock: MockClock
) -> None:
    life = FailingStart(failures=1)
    async with supervise(system, "late", life, ON_DEMAND) as address:
        assert await address.ask(Doer.do, answer) == "done"
    assert life.starts == 2


async def test_failed_start_returns_all_requests_even_beyond_mailbox_limit(
    system, autojump_clock: MockClock
) -> None:
    policy = RestartPolicy(mailbox_max=2, crashes_max=3, on_demand=True)
    refused: list[Undelivered] = []

    async def ask(address: Address[object]) -> None:
        with pytest.raises(Undelivered) as error:
            await address.ask(Doer.do, answer)
        refused.append(error.value)

    async with (
        supervise(system, "late", FailingStart(failures=4), policy) as address,
        trio.open_nursery() as nursery,
    ):
        for _ in range(5):
            nursery.start_soon(ask, address)
    assert len(refused) == 5


async def test_on_demand_actor_that_crashes_at_work_too_often_escalates(
    system, autojump_clock: MockClock
) -> None:
    with pytest.raises(Escalated):
        async with supervise(system, "late", FailingStart(failures=0), ON_DEMAND) as address:
            for _ in range(5):
                with pytest.raises(Unanswered):
                    await address.ask(Doer.do, crash)
            await trio.sleep(60)


async def test_supervision_ends_while_unstarted_on_demand_actor_waits(
    system, autojump_clock: MockClock
) -> None:
    async with supervise(system, "late", FailingStart(failures=4), ON_DEMAND) as address:
        with pytest.raises(Undelivered):
            await address.ask(Doer.do, answer)
