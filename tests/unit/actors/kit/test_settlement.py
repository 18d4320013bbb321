"""Every ask is settled exactly once, whatever happens at the same time."""

from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from math import inf
from random import Random

import attrs
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from tabwright.actors.kit.context import TaskContext
from tabwright.actors.kit.mailbox import Envelope, Request
from tabwright.actors.kit.supervision import RestartPolicy, supervise
from tabwright.actors.kit.tracing import (
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
from tabwright.protocol.actor import Address
from tabwright.protocol.errors import Escalated, Refusal, Unanswered, Undelivered
from tabwright.testing.determinism import run_seeded

HOUR_S = 3600.0
ENDINGS = (RequestAnswered, RequestRefused, RequestCancelled, RequestFailed, RequestLost)


class Broken(Exception):
    """An unexpected error of one request."""


class Crash(Exception):
    """An error with which the whole actor crashes."""


@attrs.frozen
class Job:
    """Some seconds of work that ends with an answer, an error, or another ask."""

    duration_s: int
    error: type[Exception] | None = None
    next_job: "Job | None" = None


async def fail() -> None:
    raise Crash


@attrs.frozen
class Worker:
    """An actor that does jobs, and asks the actor before it to do the next job."""

    before: Address["Worker"] | None = None

    async def do(self, job: Job) -> str:
        await trio.sleep(job.duration_s)
        if job.error is Crash:
            life = trio.lowlevel.current_task().parent_nursery
            assert life is not None
            life.start_soon(fail)
            await trio.sleep_forever()
        if job.error:
            raise job.error("at the end of the job")
        if self.before and job.next_job:
            return await self.before.ask(Worker.do, job.next_job)
        return "answer"

    @asynccontextmanager
    async def __call__(self) -> AsyncGenerator["Worker"]:
        await trio.lowlevel.checkpoint()
        yield self
        await trio.lowlevel.checkpoint()


@attrs.frozen
class Ask:
    """A request to one of the two actors, with its time and the asker's patience."""

    arrival_s: int
    patience_s: float
    to_second: bool
    job: Job


@attrs.frozen
class World:
    """Two actors with small mailboxes, all requests to them, and their stop time."""

    asks: Sequence[Ask]
    policy: RestartPolicy
    stop_s: int

    async def live(self, random: Random) -> tuple[list[TraceRecord], Counter[Ask]]:
        """Return the trace, and how often each request ended."""
        trace: list[TraceRecord] = []
        ends: Counter[Ask] = Counter()
        system = ActorSystem(trace.append, random)
        with trio.fail_after(HOUR_S):
            async with trio.open_nursery() as askers:
                try:
                    await self._keep(system, askers, ends)
                except* Escalated:  # of either actor, or of both at once
                    pass
        return trace, ends

    async def _keep(self, system: ActorSystem, askers: trio.Nursery, ends: Counter[Ask]) -> None:
        async with (
            supervise(system, "first", Worker(), self.policy) as first,
            supervise(system, "second", Worker(first), self.policy) as second,
        ):
            for ask in self.asks:
                askers.start_soon(come, ask, second if ask.to_second else first, ends)
            await trio.sleep(self.stop_s)


async def come(ask: Ask, actor: Address[Worker], ends: Counter[Ask]) -> None:
    """Make the request, and count its outcome."""
    await trio.sleep(ask.arrival_s)
    with trio.move_on_after(ask.patience_s) as patience:
        try:
            assert await actor.ask(Worker.do, ask.job) == "answer"
            ends[ask] += 1
        except (Refusal, Undelivered, Unanswered):
            ends[ask] += 1
    ends[ask] += patience.cancelled_caught


durations = st.integers(0, 3)
errors = st.sampled_from([None, None, Refusal, Broken, Crash])
jobs = st.builds(Job, durations, errors, st.none() | st.builds(Job, durations, errors))
asks = st.builds(
    Ask, st.integers(0, 8), st.one_of(st.just(inf), st.integers(0, 6)), st.booleans(), jobs
)
cares = st.builds(
    RestartPolicy,
    mailbox_max=st.integers(0, 2),
    at_once=st.integers(1, 2),
    crashes_max=st.integers(0, 3),
    backoff_s=st.integers(0, 2),
    grace_s=st.integers(0, 2),
)
worlds = st.builds(World, st.lists(asks, max_size=10, unique=True), cares, st.integers(0, 12))


@given(worlds, st.integers(0, 2**32))
def test_every_ask_ends_exactly_once(world: World, seed: int) -> None:
    _, ends = run_seeded(world.live, seed)

    assert ends == Counter(world.asks)


@given(worlds, st.integers(0, 2**32))
def test_every_request_is_sent_and_ended_exactly_once_in_the_trace(world: World, seed: int) -> None:
    trace, _ = run_seeded(world.live, seed)
    requests = [record for record in trace if isinstance(record, RequestRecord)]

    for _, records in groupby(sorted(requests, key=number), number):
        sent, *began, ended = map(type, records)
        assert sent is RequestSent
        assert began in ([], [RequestStarted])
        assert ended in ENDINGS


@given(worlds, st.integers(0, 2**32))
def test_the_same_seed_gives_the_same_trace(world: World, seed: int) -> None:
    assert run_seeded(world.live, seed) == run_seeded(world.live, seed)


def number(record: RequestRecord) -> int:
    return record.number


async def test_deadline_seen_first_by_the_worker_cancels_the_caller(system, mock_clock):
    scope = trio.CancelScope(deadline=trio.current_time() + 1)
    place = TaskContext(trail=("worker",))
    envelope = Envelope(
        system, Request(Worker.do, (Job(1),), {}), place, trio.CancelScope(deadline=scope.deadline)
    )
    async with trio.open_nursery() as nursery:

        async def ask() -> None:
            with scope:
                await envelope.answer()

        nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        mock_clock.jump(2)
        await envelope.work(Worker())  # in the same round of the scheduler
    assert scope.cancelled_caught
