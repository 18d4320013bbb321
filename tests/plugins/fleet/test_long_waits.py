"""Workers without jobs and commands with long jobs wait as long as necessary."""

from functools import partial
from random import Random

import pytest
import trio

from tabwright.plugins.fleet.batch import JobBatch, open_batch
from tabwright.plugins.fleet.worker import JobWorker
from tabwright.protocol.jobs import JobLimits, NewJob
from tests.support.fleet.jobs import MemoryJobQueue

HOUR_S = 3_600.0


@pytest.fixture
def queue() -> MemoryJobQueue:
    return MemoryJobQueue(limits=JobLimits(lease_s=4 * HOUR_S))


async def echo(payload: str) -> str:
    return payload


def worker(queue: MemoryJobQueue) -> JobWorker:
    return JobWorker(
        queue=queue, limits=queue.limits, work=echo, name="w", capacity=1, chance=Random(1)
    )


def batch(queue: MemoryJobQueue) -> JobBatch:
    return JobBatch(
        queue=queue, name="b", outage_max_s=1.0, on_outage=lambda _said: None, chance=Random(1)
    )


async def test_worker_idle_for_an_hour_runs_the_next_job(queue, autojump_clock):
    stopping = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(worker(queue).run, stopping, drain_s=1.0))
        await trio.sleep(HOUR_S)
        async with open_batch(batch(queue)) as jobs:
            end = await jobs.result(NewJob("key", "text"))
        stopping.set()
    assert end.text == "text"


async def test_command_waits_an_hour_for_a_job(queue, autojump_clock):
    async with open_batch(batch(queue)) as jobs, trio.open_nursery() as nursery:

        async def work() -> None:
            await trio.sleep(HOUR_S)
            (lease,) = await queue.lease(1, retry=True)
            await queue.finish(lease, "text")

        nursery.start_soon(work)
        end = await jobs.result(NewJob("key", "text"))
    assert end.text == "text"
