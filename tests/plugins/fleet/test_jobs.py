"""The contract of a job queue, in memory and on Redis."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from random import Random

import pytest
import trio

from tabwright.plugins.fleet.redis import open_redis
from tabwright.plugins.fleet.redis_jobs import ENDS_MAX, RedisJobQueue
from tabwright.plugins.fleet.settings import FleetSettings
from tabwright.protocol.jobs import (
    JobEnd,
    JobLimits,
    JobQueue,
    LeasedJob,
    NewJob,
    WorkerReport,
)
from tests.support.fleet.jobs import MemoryJobQueue

SHORT = JobLimits(lease_s=0.02, retry_s=0.01)
"""Leases that end while a test waits for that."""

LONG = JobLimits(lease_s=3600.0, retry_s=3600.0, worker_s=3600.0)
"""Leases that do not."""


@pytest.fixture(params=["memory", "redis"])
def opened(
    request: pytest.FixtureRequest, fleet_settings: FleetSettings
) -> Callable[[JobLimits], object]:
    @asynccontextmanager
    async def memory(limits: JobLimits) -> AsyncGenerator[JobQueue]:
        yield MemoryJobQueue(limits)

    @asynccontextmanager
    async def on_redis(settings: FleetSettings, limits: JobLimits) -> AsyncGenerator[JobQueue]:
        async with open_redis(settings, Random(1)) as redis:
            yield RedisJobQueue(redis, limits)

    if request.param == "memory":
        return memory
    return partial(on_redis, fleet_settings)


def jobs(*keys: str) -> list[NewJob]:
    return [NewJob(key, f"do {key}") for key in keys]


async def until(question: Callable[[], Awaitable[object]]) -> object:
    """Repeat a question until its answer is true."""
    while not (answer := await question()):
        await trio.sleep(0.005)
    return answer


async def leased(queue: JobQueue) -> LeasedJob:
    """Lease one job as soon as one is available."""
    (one,) = await until(partial(queue.lease, 1, retry=True))
    return one


async def test_finished_job_result_is_stored_under_its_key(opened) -> None:
    async with opened(LONG) as queue:
        await queue.put("b", jobs("x"))
        (one,) = await queue.lease(5, retry=True)
        assert (one.key, one.batch, one.payload, one.attempt) == ("x", "b", "do x", 1)
        assert await queue.ends(["x"]) == []
        assert await queue.finish(one, "ü")
        assert await queue.ends(["x", "y"]) == [JobEnd("x", False, "ü")]


async def test_job_put_again_under_the_same_key_is_not_rerun(opened) -> None:
    async with opened(LONG) as queue:
        await queue.put("b", jobs("x"))
        await queue.put("b", jobs("x"))
        (one,) = await queue.lease(5, retry=True)
        await queue.put("b", jobs("x"))
        assert await queue.lease(5, retry=True) == []
        await queue.finish(one, "r")
        await queue.put("other", jobs("x"))
        assert await queue.lease(5, retry=True) == []
        assert await queue.ends(["x"]) == [JobEnd("x", False, "r")]


async def test_jobs_of_all_batches_are_leased_in_turn(opened) -> None:
    async with opened(LONG) as queue:
        await queue.put("a", jobs("a1", "a2", "a3"))
        await queue.put("b", jobs("b1", "b2"))
        assert [one.key for one in await queue.lease(4, retry=True)] == ["a1", "b1", "a2", "b2"]
        assert [one.key for one in await queue.lease(4, retry=True)] == ["a3"]


async def test_worker_whose_lease_ended_cannot_end_the_job(opened) -> None:
    async with opened(SHORT) as queue:
        await queue.put("b", jobs("x"))
        slow = await leased(queue)
        other = await leased(queue)
        assert other.key == "x"
        assert other.token > slow.token
        assert other.attempt == 2
        for late in (queue.finish(slow, "old"), queue.fail(slow, "no"), queue.give_back(slow)):
            assert not await late
        assert await queue.renew([slow]) == set()


async def test_renewed_lease_does_not_end(opened) -> None:
    async with opened(LONG) as queue:
        await queue.put("b", jobs("x", "y"))
        one, two = await queue.lease(2, retry=True)
        assert await queue.renew([one, two]) == {"x", "y"}
        assert await queue.finish(one, "r")
        assert await queue.renew([one, two]) == {"y"}


async def test_failed_job_is_retried_and_then_becomes_a_dead_letter(opened) -> None:
    async with opened(JobLimits(lease_s=3600.0, retry_s=0.01)) as queue:
        await queue.put("b", jobs("x"))
        for attempt in (1, 2, 3):
            one = await leased(queue)
            assert one.attempt == attempt
            assert (await queue.state()).dead == 0
            assert await queue.fail(one, f"error {attempt}")
        assert await queue.lease(1, retry=True) == []
        (letter,) = await queue.dead(10)
        assert (letter.key, letter.batch, letter.payload) == ("x", "b", "do x")
        assert (letter.error, letter.attempts) == ("error 3", 3)
        assert await queue.ends(["x"]) == [JobEnd("x", True, "error 3")]


async def test_failed_job_waits_for_its_next_attempt(opened) -> None:
    async with opened(LONG) as queue:
        await queue.put("b", jobs("x"))
        (one,) = await queue.lease(1, retry=True)
        assert await queue.fail(one, "no")
        assert await queue.lease(1, retry=True) == []
        assert (await queue.state()).waiting == 1
        assert not await queue.finish(one, "late")


async def test_job_that_kills_its_workers_is_a_dead_letter(opened) -> None:
    async with opened(SHORT) as queue:
        await queue.put("b", jobs("poison"))
        for _ in range(SHORT.attempts):
            assert (await leased(queue)).key == "poison"

        async def buried() -> bool:
            return not await queue.lease(1, retry=True) and (await queue.state()).dead == 1

        await until(buried)
        (letter,) = await queue.dead(10)
        assert letter.attempts == SHORT.attempts
        await queue.put("b", jobs("poison"))  # by the same command again
        assert await queue.lease(1, retry=True) == []


async def test_dead_letters_can_be_tried_again_or_dropped(opened) -> None:
    async with opened(JobLimits(lease_s=3600, attempts=1)) as queue:
        await queue.put("b", jobs("x", "y"))
        for one in await queue.lease(2, retry=True):
            await queue.fail(one, "no")
        assert {one.key for one in await queue.dead(10)} == {"x", "y"}
        assert len(await queue.dead(1)) == 1
        assert await queue.retry(["x", "z"]) == 1
        assert await queue.drop(["x", "y"]) == 1
        assert await queue.dead(10) == []
        (one,) = await queue.lease(5, retry=True)
        assert (one.key, one.attempt) == ("x", 1)
        assert await queue.finish(one, "r")
        assert await queue.ends(["x", "y"]) == [JobEnd("x", False, "r")]


async def test_worker_gets_at_most_one_retried_job_per_lease(opened) -> None:
    async with opened(JobLimits(lease_s=3600.0, retry_s=0.0)) as queue:
        await queue.put("b", jobs("x", "y"))
        for one in await queue.lease(2, retry=True):
            await queue.fail(one, "no")
        await queue.put("b", jobs("new"))
        assert [one.key for one in await queue.lease(5, retry=False)] == ["new"]
        (first,) = await queue.lease(5, retry=True)
        (second,) = await queue.lease(5, retry=True)
        assert {first.key, second.key} == {"x", "y"}
        assert await queue.lease(5, retry=True) == []
        assert await queue.fail(first, "no")
        assert await queue.cancel("b") == 1
        assert (await queue.state()).waiting == 0


async def test_job_given_back_is_leased_next_without_losing_an_attempt(opened) -> None:
    async with opened(LONG) as queue:
        await queue.put("b", jobs("x", "y"))
        (one,) = await queue.lease(1, retry=True)
        assert await queue.give_back(one)
        assert not await queue.finish(one, "r")
        (again,) = await queue.lease(1, retry=True)
        assert (again.key, again.attempt) == ("x", 1)


async def test_batch_cancellation_removes_its_waiting_jobs_only(opened) -> None:
    async with opened(LONG) as queue:
        await queue.put("a", jobs("a1", "a2", "a3", "a4"))
        await queue.put("b", jobs("b1"))
        (running, other, late) = await queue.lease(3, retry=True)
        assert (running.key, other.key, late.key) == ("a1", "b1", "a2")
        await queue.fail(late, "no")
        assert await queue.cancel("a") == 3
        assert await queue.lease(5, retry=True) == []
        assert await queue.finish(running, "r")
        assert await queue.finish(other, "r")
        await queue.put("a", jobs("a3"))
        assert [one.key for one in await queue.lease(5, retry=True)] == ["a3"]


async def test_forgotten_job_loses_its_result_and_can_be_queued_again(opened) -> None:
    async with opened(LONG) as queue:
        await queue.put("b", jobs("x", "y"))
        one, _ = await queue.lease(2, retry=True)
        await queue.finish(one, "r")
        await queue.forget(["x", "y", "z"])
        assert await queue.ends(["x", "y"]) == []
        await queue.put("b", jobs("x", "y"))
        assert [one.key for one in await queue.lease(5, retry=True)] == ["x"]


async def test_results_expire(opened) -> None:
    async with opened(JobLimits(result_s=0.01)) as queue:
        await queue.put("b", jobs("x"))
        (one,) = await queue.lease(1, retry=True)
        await queue.finish(one, "r")

        async def gone() -> bool:
            return not await queue.ends(["x"])

        await until(gone)


async def test_many_results_come_in_several_answers(opened) -> None:
    keys = [f"k{number}" for number in range(2 * ENDS_MAX + 1)]
    async with opened(LONG) as queue:
        await queue.put("b", jobs(*keys))
        for one in await queue.lease(len(keys), retry=True):
            await queue.finish(one, "r")
        left = set(keys)
        while left:
            ends = await queue.ends(sorted(left))
            assert ends
            left -= {one.key for one in ends}


async def test_state_reports_queue_counts_and_live_workers(opened) -> None:
    async with opened(LONG) as queue:
        assert (await queue.state()).utilisation == 0
        await queue.put("b", jobs("x", "y", "z"))
        (one,) = await queue.lease(1, retry=True)
        two = WorkerReport(name="w2", capacity=3, in_work=1, memory_bytes=5_000_000_000)
        await queue.report(two)
        await queue.report(WorkerReport(name="w1", capacity=1, in_work=0))
        state = await queue.state()
        assert (state.waiting, state.running, state.dead) == (2, 1, 0)
        assert [worker.name for worker in state.workers] == ["w1", "w2"]
        assert state.workers[1] == two
        assert state.utilisation == 0.25
        await queue.leave("w1")
        assert (await queue.state()).workers == (two,)
        await queue.finish(one, "r")

        async def has_aged() -> bool:
            return (await queue.state()).oldest_s > 0

        await until(has_aged)


async def test_worker_without_recent_report_is_removed(opened) -> None:
    async with opened(JobLimits(worker_s=0.02)) as queue:
        await queue.report(WorkerReport(name="w", capacity=1))

        async def gone() -> bool:
            return not (await queue.state()).workers

        await until(gone)
