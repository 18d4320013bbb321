"""Measure what a fleet costs its Redis: many workers in one process, whose jobs only wait.

Each worker has a connection of its own and works as it would in a process of its own: it asks for
jobs, renews their leases, reports, and takes a permit of a site for each job. The benchmark
measures the CPU time of Redis, so it does not matter that all workers share the other core.
"""

import argparse
import random
from collections.abc import Awaitable, Callable
from functools import partial
from typing import cast

import attrs
import msgspec
import trio
from coredis import Redis
from trio.testing import MockClock

from tabwright.config.engines import RatePolicy
from tabwright.plugins.fleet.batch import JobBatch, open_batch
from tabwright.plugins.fleet.redis import open_redis, script
from tabwright.plugins.fleet.redis_jobs import RedisJobQueue
from tabwright.plugins.fleet.redis_rates import RedisSharedRates
from tabwright.plugins.fleet.settings import FLEET_SETTINGS, FleetSettings
from tabwright.plugins.fleet.worker import IDLE, JobWorker
from tabwright.protocol.jobs import JobLimits, JobQueue, NewJob, WorkerReport
from tabwright.ratelimit.shared_rates import Bid
from tests.support.fleet.jobs import MemoryJobQueue
from tests.support.redis_server import RedisServer

CAPACITY = 8
SITES = 1000
ANSWER_S = 0.001
"""How long the simulated Redis takes to answer."""

KEY = "{tabwright}:jobs"
START_S = 0.02
"""The time between the starts of two workers, so that they do not connect all at once."""

RESULT = "x" * 8_000
"""A result of the usual size: the record of a page, as JSON."""

POLICY = RatePolicy(min_interval_s=0, concurrency=CAPACITY * 1000)


@attrs.define
class Usage:
    """The resources that Redis has used so far.

    Attributes:
        cpu_s: CPU time.
        calls: the number of script calls.
        bytes_most: the peak memory.
        connections: the number of open connections.
    """

    cpu_s: float
    calls: int
    bytes_most: int
    connections: int


async def usage(url: str) -> Usage:
    """Return the resources that a Redis has used."""
    async with Redis.from_url(url, decode_responses=True) as client:
        info = await client.info()
        commands = await client.info("commandstats")
    cpu_s = float(info["used_cpu_user"]) + float(info["used_cpu_sys"])
    calls = dict(commands).get("cmdstat_evalsha", {"calls": 0})["calls"]
    return Usage(cpu_s, int(calls), int(info["used_memory_peak"]), int(info["connected_clients"]))


async def run_worker(
    settings: FleetSettings, number: int, job_s: float, stopping: trio.Event
) -> None:
    """Work until stopped."""
    chance = random.Random(number)  # noqa: S311
    named = attrs.evolve(settings, worker=f"w{number}")
    async with open_redis(named, chance) as redis:
        rates = RedisSharedRates(redis)

        async def work(payload: str) -> str:
            permit = f"{number}-{chance.getrandbits(64):x}"
            bid = Bid(redis.worker, permit, POLICY, for_person=False, begins=True)
            site = f"site-{int(payload) % SITES}"
            while not (await rates.reserve(site, bid)).is_reserved:
                await trio.sleep(0.05)
            await trio.sleep(chance.expovariate(1 / job_s))
            await rates.release(site, permit)
            return RESULT

        worker = JobWorker(
            queue=RedisJobQueue(redis),
            limits=JobLimits(),
            work=work,
            name=redis.worker,
            capacity=CAPACITY,
            chance=chance,
        )
        await worker.run(stopping, 5)


async def measure(workers: int, jobs: int, job_s: float, idle_s: float) -> None:
    """Print the cost of the workers while they have no jobs, and the cost of a job."""
    with RedisServer() as server:
        settings = attrs.evolve(FLEET_SETTINGS.default, redis=server.url)
        stopping = trio.Event()
        async with trio.open_nursery() as nursery:
            for number in range(workers):
                nursery.start_soon(run_worker, settings, number, job_s, stopping)
                await trio.sleep(START_S)
            await trio.sleep(5 + workers / 100)
            before = await usage(server.url)
            await trio.sleep(idle_s)
            idle = await usage(server.url)
            began_s = trio.current_time()
            await put_and_wait(settings, jobs, at_once=2 * CAPACITY * workers)
            took_s = trio.current_time() - began_s
            done = await usage(server.url)
            stopping.set()
    print(
        f"{workers:5} workers: idle {100 * (idle.cpu_s - before.cpu_s) / idle_s:5.1f} % of a core,"
        f" {(idle.calls - before.calls) / idle_s:6.0f} calls/s; {jobs} jobs in {took_s:.1f} s:"
        f" {1e6 * (done.cpu_s - idle.cpu_s) / jobs:6.0f} µs of Redis and"
        f" {(done.calls - idle.calls) / jobs:5.1f} calls a job,"
        f" {done.bytes_most / 2**20:5.0f} MiB at most, {done.connections} connections",
        flush=True,
    )


async def ask_as_idle(path: str, number: int) -> None:
    """Send the commands of an idle worker, with less CPU time than a real one, until cancelled."""
    limits = JobLimits()
    times = ("30000", str(limits.attempts), str(round(limits.dead_s * 1000)))
    lease = command("EVALSHA", script("jobs").sha, 1, KEY, "lease", CAPACITY, 1, *times)
    report = msgspec.json.encode(WorkerReport(name=f"w{number}", capacity=CAPACITY)).decode()
    again = command("EVALSHA", script("jobs").sha, 1, KEY, "report", f"w{number}", report, 15_000)
    stream = await trio.open_unix_socket(path)
    chance, reported_s = random.Random(number), 0.0  # noqa: S311
    async with stream:
        while True:
            if trio.current_time() - reported_s > limits.worker_s / 4:
                reported_s = trio.current_time()
                await stream.send_all(again)
                await stream.receive_some()
            await stream.send_all(lease)
            await stream.receive_some()
            await trio.sleep(chance.uniform(0.5, 1) * IDLE.max_s)


def command(*words: object) -> bytes:
    """Return a command as Redis reads it (redis.io, "RESP")."""
    texts = [str(one).encode() for one in words]
    return b"*%d\r\n" % len(texts) + b"".join(b"$%d\r\n%s\r\n" % (len(one), one) for one in texts)


async def measure_idle(workers: int, idle_s: float) -> None:
    """Print the cost of idle workers; one process can simulate a thousand, with little CPU time."""
    with RedisServer() as server:
        settings = attrs.evolve(FLEET_SETTINGS.default, redis=server.url)
        async with open_redis(settings, random.Random(0)) as redis:  # noqa: S311
            await RedisJobQueue(redis).state()  # loads the script
        async with trio.open_nursery() as nursery:
            for number in range(workers):
                nursery.start_soon(ask_as_idle, server.url.removeprefix("unix://"), number)
                await trio.sleep(START_S / 4)
            await trio.sleep(5)
            before, began_s = await usage(server.url), trio.current_time()
            await trio.sleep(idle_s)
            after, took_s = await usage(server.url), trio.current_time() - began_s
            nursery.cancel_scope.cancel()
    print(
        f"{workers:5} idle workers: {100 * (after.cpu_s - before.cpu_s) / took_s:5.1f} % of a core,"
        f" {(after.calls - before.calls) / took_s:6.0f} calls/s, {after.connections} connections",
        flush=True,
    )


async def put_and_wait(settings: FleetSettings, jobs: int, at_once: int) -> None:
    """Put jobs like a command does, and drop each result."""
    async with open_redis(settings, random.Random(0)) as redis:  # noqa: S311
        await wait_for_jobs(RedisJobQueue(redis), "b", jobs, min(at_once, 512))


async def wait_for_jobs(queue: JobQueue, name: str, jobs: int, at_once: int) -> None:
    """Put the jobs of a command, and drop each result."""
    chance = random.Random(0)  # noqa: S311
    batch = JobBatch(queue=queue, name=name, outage_max_s=60, on_outage=print, chance=chance)
    ahead = iter(range(jobs))

    async def take() -> None:
        for number in ahead:
            await batch.result(NewJob(f"{name}-{number}", str(number)))
            await batch.forget(f"{name}-{number}")

    async with open_batch(batch), trio.open_nursery() as nursery:
        for _ in range(min(at_once, jobs)):
            nursery.start_soon(take)


@attrs.define(eq=False)
class CountedQueue:
    """A queue in memory that answers with the latency of Redis and counts its calls."""

    queue: MemoryJobQueue
    calls: int = 0

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        return partial(self.call, getattr(self.queue, name))

    async def call(
        self, operation: Callable[..., Awaitable[object]], *given: object, **named: object
    ) -> object:
        """Call the queue."""
        self.calls += 1
        await trio.sleep(ANSWER_S)
        return await operation(*given, **named)


async def simulate(workers: int, jobs: int, job_s: float, idle_s: float) -> None:
    """Print how often workers ask, and how long jobs of eight commands take, in simulated time."""
    limits = JobLimits()
    counted, commands = CountedQueue(MemoryJobQueue(limits)), 8
    queue, stopping, chance = cast("JobQueue", counted), trio.Event(), random.Random(0)  # noqa: S311

    async def work(payload: str) -> str:
        await trio.sleep(chance.expovariate(1 / job_s))
        return payload

    async with trio.open_nursery() as nursery:
        for number in range(workers):
            worker = JobWorker(
                queue=queue,
                limits=limits,
                work=work,
                name=f"w{number}",
                capacity=CAPACITY,
                chance=random.Random(number),  # noqa: S311
            )
            nursery.start_soon(worker.run, stopping, 5)
        await trio.sleep(5)
        counted.calls = 0
        await trio.sleep(idle_s)
        idle, began_s, counted.calls = counted.calls / idle_s, trio.current_time(), 0
        async with trio.open_nursery() as all_commands:
            for one in range(commands):
                all_commands.start_soon(
                    wait_for_jobs,
                    queue,
                    f"b{one}",
                    jobs // commands,
                    CAPACITY * workers // commands,
                )
        took_s = trio.current_time() - began_s
        stopping.set()
    print(
        f"{workers:5} simulated workers: {idle:6.0f} calls/s while idle;"
        f" {jobs} jobs in {took_s:.1f} s, {jobs / took_s:.0f} a second,"
        f" {counted.calls / jobs:.1f} calls a job",
        flush=True,
    )


def main() -> None:
    """Run the measurements, and print a line for each number of workers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workers", type=int, nargs="*", default=[4, 30, 100, 300, 1000])
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--job-s", type=float, default=1.0, help="mean time of a job")
    parser.add_argument("--idle-s", type=float, default=10.0)
    parser.add_argument("--idle-only", action="store_true", help="workers that only ask")
    parser.add_argument("--simulated", action="store_true", help="the queue in memory, no Redis")
    options = parser.parse_args()
    for workers in options.workers:
        if options.simulated:
            clock = MockClock(autojump_threshold=0)
            sizes = (workers, options.jobs, options.job_s, options.idle_s)
            trio.run(simulate, *sizes, clock=clock)
            continue
        if options.idle_only:
            trio.run(measure_idle, workers, options.idle_s)
            continue
        trio.run(partial(measure, workers, options.jobs, options.job_s, options.idle_s))


if __name__ == "__main__":
    main()
