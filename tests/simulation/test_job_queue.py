"""Seeded fleets with dead workers, expired leases, Redis outages: one result per job."""

from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from random import Random
from typing import TypeVar

import attrs
import pytest
import trio

from tabwright.plugins.fleet.batch import LEFT_BEHIND, JobBatch, open_batch
from tabwright.plugins.fleet.worker import JobWorker
from tabwright.protocol.errors import FleetUnavailable
from tabwright.protocol.jobs import JobEnd, JobLimits, LeasedJob, NewJob
from tabwright.testing.determinism import run_seeded
from tests.support.fleet.jobs import MemoryJobQueue

AnswerT = TypeVar("AnswerT")

SEEDS = range(16)
JOBS = 30
LIMITS = JobLimits(lease_s=10.0, retry_s=1.0, attempts=6)
POISON = "poison"


@attrs.define(eq=False)
class CountingQueue(MemoryJobQueue):
    """A queue that counts the results it has accepted."""

    accepted: Counter[str] = attrs.field(factory=Counter, init=False)

    async def finish(self, lease: LeasedJob, result: str) -> bool:
        is_held = await MemoryJobQueue.finish(self, lease, result)
        self.accepted[lease.key] += is_held
        return is_held


@attrs.define(eq=False)
class KilledLink:
    """The queue as seen by a process that is killed, and so cannot cancel its batch."""

    link: "Link"

    def __getattr__(self, name: str) -> object:
        return getattr(self.link, name)

    async def cancel(self, _batch: str) -> int:
        raise FleetUnavailable("It was killed.")


@attrs.define(eq=False)
class Redis:
    """The state of Redis: whether it answers, and how often calls fail if it does."""

    random: Random
    is_away: bool = False
    lost: float = 0.02


@attrs.define(eq=False)
class Link:
    """A process's access to the queue; calls fail before or after they take effect.

    A process that was killed makes no more calls.
    """

    queue: MemoryJobQueue
    redis: Redis
    is_alive: bool = True

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        return partial(self.call, getattr(self.queue, name))

    async def call(
        self, operation: Callable[..., Awaitable[AnswerT]], *given: object, **named: object
    ) -> AnswerT:
        await trio.sleep(self.redis.random.uniform(0, 0.01))
        self.check()
        if self.redis.random.random() < self.redis.lost:
            raise FleetUnavailable("The request was lost.")
        answer = await operation(*given, **named)
        self.check()
        if self.redis.random.random() < self.redis.lost:
            raise FleetUnavailable("The answer was lost.")
        return answer

    def check(self) -> None:
        if self.redis.is_away or not self.is_alive:
            raise FleetUnavailable("Redis is away.")


@attrs.define(eq=False)
class Fleet:
    """Workers that are killed and replaced, and a Redis with outages."""

    random: Random
    queue: CountingQueue = attrs.field(factory=lambda: CountingQueue(LIMITS))
    redis: Redis = attrs.field(init=False)
    deaths: int = 0
    outages: list[str] = attrs.field(factory=list)
    number: int = 0

    def __attrs_post_init__(self) -> None:
        self.redis = Redis(self.random)

    async def work(self, link: "Link", scope: trio.CancelScope, payload: str) -> str:
        await trio.sleep(self.random.uniform(0, 4))
        if payload == POISON:
            link.is_alive = False
            self.deaths += 1
            scope.cancel()
            await trio.sleep_forever()
        if self.random.random() < 0.05:
            raise ValueError("It failed this time.")
        return f"result of {payload}"

    async def worker(self) -> None:
        """Run one worker after another; each is killed, drained, or dies of a job."""
        while True:
            self.number += 1
            link = Link(self.queue, self.redis)
            with trio.CancelScope() as killed:
                worker = JobWorker(
                    queue=link,
                    limits=LIMITS,
                    work=partial(self.work, link, killed),
                    name=f"w{self.number}",
                    capacity=4,
                    chance=self.random,
                )
                stopping = trio.Event()
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(worker.run, stopping, 1.0)
                    await trio.sleep(self.random.uniform(5, 40))
                    if self.random.random() < 0.5:
                        stopping.set()
                    else:
                        link.is_alive = False
                        killed.cancel()
            link.is_alive = False
            await trio.sleep(self.random.uniform(0, 3))

    async def outage(self) -> None:
        while True:
            await trio.sleep(self.random.uniform(20, 60))
            self.redis.is_away = True
            await trio.sleep(self.random.uniform(1, 15))
            self.redis.is_away = False

    def batch(self, name: str = "b", outage_max_s: float = 600.0) -> JobBatch:
        return JobBatch(
            queue=Link(self.queue, self.redis),
            name=name,
            outage_max_s=outage_max_s,
            on_outage=self.outages.append,
            chance=self.random,
        )


async def coordinate(batch: JobBatch, keys: list[str], ends: dict[str, JobEnd]) -> None:
    """Submit jobs, eight at a time, and record how they end."""
    ahead = iter(keys)

    async def one_after_another() -> None:
        for key in ahead:
            ends[key] = await batch.result(NewJob(key, key))

    while True:
        try:
            async with open_batch(batch), trio.open_nursery() as nursery:
                for _ in range(8):
                    nursery.start_soon(one_after_another)
        except FleetUnavailable:  # at the beginning
            continue
        return


@pytest.mark.parametrize("seed", SEEDS)
def test_each_job_has_one_result_despite_crashes_and_outages(seed: int) -> None:
    async def world(random: Random) -> None:
        fleet, ends = Fleet(random), dict[str, JobEnd]()
        keys = [f"job-{number}" for number in range(JOBS)]
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(fleet.worker)
            nursery.start_soon(fleet.outage)
            killed_s = random.uniform(2, 20)
            with trio.move_on_after(killed_s):  # the coordinator is killed, and run again
                first = fleet.batch()
                first.queue = KilledLink(first.queue)
                await coordinate(first, keys, ends)
            left = [key for key in keys if key not in ends]
            with trio.fail_after(3600):
                await coordinate(fleet.batch(), left, ends)
            nursery.cancel_scope.cancel()
        assert {key for key, end in ends.items() if not end.is_dead} == set(keys)
        assert all(end.text == f"result of {key}" for key, end in ends.items())
        assert all(fleet.queue.accepted[key] == 1 for key in keys)

    run_seeded(world, seed)


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_job_that_kills_workers_is_given_up_and_others_finish(seed: int) -> None:
    async def world(random: Random) -> None:
        fleet, ends = Fleet(random), dict[str, JobEnd]()
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(fleet.worker)
            with trio.fail_after(3600):
                await coordinate(fleet.batch(), [POISON, "a", "b", "c"], ends)
            nursery.cancel_scope.cancel()
        assert ends[POISON].is_dead
        assert not any(ends[key].is_dead for key in "abc")
        assert fleet.deaths <= LIMITS.attempts
        (letter,) = await fleet.queue.dead(5)
        assert letter.key == POISON

    run_seeded(world, seed)


def test_batch_fails_and_reports_left_jobs_once_when_redis_stays_away() -> None:
    async def world(random: Random) -> None:
        fleet = Fleet(random)
        fleet.redis.lost = 0
        with pytest.raises(FleetUnavailable):
            async with open_batch(fleet.batch(outage_max_s=60.0)) as batch:
                fleet.redis.is_away = True
                await batch.result(NewJob("x", "x"))
        assert trio.current_time() >= 60
        assert len(fleet.outages) == 2
        assert fleet.outages[-1] == LEFT_BEHIND

    run_seeded(world, 1)


def test_batch_cancelled_during_redis_outage_reports_leftover_jobs() -> None:
    async def world(random: Random) -> None:
        fleet = Fleet(random)
        fleet.redis.lost = 0
        with trio.move_on_after(1):
            async with open_batch(fleet.batch()) as batch, trio.open_nursery() as nursery:
                nursery.start_soon(batch.result, NewJob("x", "x"))
                await trio.sleep(0.5)
                fleet.redis.is_away = True
                await trio.sleep_forever()
        assert fleet.outages[-1] == LEFT_BEHIND
        assert (await fleet.queue.state()).waiting == 1

    run_seeded(world, 1)


def test_stopping_worker_finishes_short_jobs_and_returns_the_rest() -> None:
    async def work(payload: str) -> str:
        await trio.sleep(float(payload))
        return payload

    async def world(random: Random) -> None:
        queue = MemoryJobQueue(LIMITS)
        await queue.put("b", [NewJob("short", "5"), NewJob("long", "50"), NewJob("next", "1")])
        worker = JobWorker(
            queue=queue, limits=LIMITS, work=work, name="w", capacity=2, chance=random
        )
        stopping = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(worker.run, stopping, 20.0)
            await trio.sleep(1)
            (reported,) = (await queue.state()).workers
            assert (reported.name, reported.capacity) == ("w", 2)
            stopping.set()
        assert await queue.ends(["short"]) == [JobEnd("short", False, "5")]
        state = await queue.state()
        assert (state.waiting, state.running, state.workers) == (2, 0, ())
        again = await queue.lease(5, retry=True)
        assert [(one.key, one.attempt) for one in again] == [("long", 1), ("next", 1)]

    run_seeded(world, 1)


def test_worker_keeps_the_lease_of_a_long_job() -> None:
    async def work(payload: str) -> str:
        await trio.sleep(float(payload))
        return payload

    async def world(random: Random) -> None:
        queue = MemoryJobQueue(LIMITS)
        await queue.put("b", [NewJob("long", "100")])
        async with trio.open_nursery() as nursery:
            for name in "ab":
                worker = JobWorker(
                    queue=queue, limits=LIMITS, work=work, name=name, capacity=1, chance=random
                )
                nursery.start_soon(worker.run, trio.Event(), 1.0)
            await trio.sleep(101)
            nursery.cancel_scope.cancel()
        assert await queue.ends(["long"]) == [JobEnd("long", False, "100")]

    run_seeded(world, 1)


def test_worker_does_both_jobs_whose_leases_have_the_same_token() -> None:
    async def work(payload: str) -> str:
        await trio.sleep(float(payload))
        return payload

    async def world(random: Random) -> None:
        before, after = MemoryJobQueue(LIMITS), MemoryJobQueue(LIMITS)
        worker = JobWorker(
            queue=before, limits=LIMITS, work=work, name="w", capacity=2, chance=random
        )
        await before.put("b", [NewJob("x", "5")])
        await after.put("b", [NewJob("x", "6"), NewJob("y", "7")])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(worker.run, trio.Event(), 1.0)
            await trio.sleep(1)
            worker.queue = after  # Redis has lost its data, and counts from 1 again
            await trio.sleep(20)
            nursery.cancel_scope.cancel()
        assert {one.key for one in await after.ends(["x", "y"])} == {"x", "y"}

    run_seeded(world, 1)


def test_job_that_hangs_is_given_up() -> None:
    async def hang(_payload: str) -> str:
        await trio.sleep_forever()

    async def world(random: Random) -> None:
        queue = MemoryJobQueue(attrs.evolve(LIMITS, attempts=1))
        await queue.put("b", [NewJob("x", "x")])
        worker = JobWorker(
            queue=queue,
            limits=queue.limits,
            work=hang,
            name="w",
            capacity=1,
            chance=random,
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(worker.run, trio.Event(), 1.0)
            with trio.fail_after(3600):
                while not (letters := await queue.dead(1)):
                    await trio.sleep(1)
            nursery.cancel_scope.cancel()
        assert "longer than" in letters[0].error

    run_seeded(world, 1)
