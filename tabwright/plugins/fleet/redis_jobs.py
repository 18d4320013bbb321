"""The queue of jobs on Redis; its operations are in ``lua/jobs.lua``."""

from collections.abc import Sequence
from itertools import chain, starmap

import attrs
import msgspec

from tabwright.plugins.fleet.redis import Argument, FleetRedis, ReplyT, script
from tabwright.protocol.jobs import (
    DeadJob,
    JobEnd,
    JobLimits,
    LeasedJob,
    NewJob,
    QueueState,
    WorkerReport,
)

ENDS_MAX = 64
"""The maximum number of results in an answer."""

MS = 1000


@attrs.frozen(eq=False)
class RedisJobQueue:
    """A queue of jobs that the processes of a fleet share; see `JobQueue` for its methods."""

    _redis: FleetRedis
    limits: JobLimits = attrs.field(factory=JobLimits)

    async def put(self, batch: str, jobs: Sequence[NewJob]) -> None:
        """Add the jobs whose keys are not known yet."""
        given = chain.from_iterable((one.key, one.payload) for one in jobs)
        await self._run("put", batch, *given, reply=list[str])

    async def ends(self, keys: Sequence[str]) -> list[JobEnd]:
        """Return those of these jobs that have ended."""
        ends = await self._run("ends", ENDS_MAX, *keys, reply=list[tuple[str, bool, str]])
        return [JobEnd(*one) for one in ends]

    async def forget(self, keys: Sequence[str]) -> None:
        """Drop results that have been saved elsewhere."""
        await self._run("forget", *keys, reply=list[str])

    async def cancel(self, batch: str) -> int:
        """Remove the waiting jobs of a batch, and return their number."""
        return await self._run("cancel", batch, reply=int)

    async def lease(self, count: int, *, retry: bool) -> list[LeasedJob]:
        """Lease up to `count` jobs."""
        limits = self.limits
        ends = (_ms(limits.lease_s), limits.attempts, _ms(limits.dead_s))
        leases = await self._run(
            "lease", count, int(retry), *ends, reply=list[tuple[str, str, str, int, int]]
        )
        return [LeasedJob(*one) for one in leases]

    async def renew(self, leases: Sequence[LeasedJob]) -> set[str]:
        """Renew leases, and return the keys of those that are still held."""
        given: list[Argument] = [part for one in leases for part in (one.key, one.token)]
        return await self._run("renew", _ms(self.limits.lease_s), *given, reply=set[str])

    async def finish(self, lease: LeasedJob, result: str) -> bool:
        """End a job with its result."""
        keep_ms = _ms(self.limits.result_s)
        return await self._run("finish", lease.key, lease.token, result, keep_ms, reply=bool)

    async def fail(self, lease: LeasedJob, error: str) -> bool:
        """End an attempt with an error."""
        limits = self.limits
        ends = (_ms(limits.retry_s), limits.attempts, _ms(limits.dead_s))
        return await self._run("fail", lease.key, lease.token, error, *ends, reply=bool)

    async def give_back(self, lease: LeasedJob) -> bool:
        """Put a job first in its batch again."""
        return await self._run("give_back", lease.key, lease.token, reply=bool)

    async def report(self, worker: WorkerReport) -> None:
        """Record that a worker is alive."""
        text = msgspec.json.encode(worker).decode()
        await self._run("report", worker.name, text, _ms(self.limits.worker_s), reply=list[str])

    async def leave(self, name: str) -> None:
        """Remove a worker that has stopped."""
        await self._run("leave", name, reply=list[str])

    async def state(self) -> QueueState:
        """Return the numbers of the queue, and its workers."""
        waiting, running, dead, oldest_ms, reports = await self._run(
            "state", reply=tuple[int, int, int, int, list[str]]
        )
        workers = [msgspec.json.decode(one, type=WorkerReport) for one in reports]
        named = tuple(sorted(workers, key=lambda one: one.name))
        return QueueState(waiting, running, dead, oldest_ms / MS, named)

    async def dead(self, count: int) -> list[DeadJob]:
        """Return up to `count` dead letters, the latest first."""
        letters = await self._run("dead", count, reply=list[tuple[str, str, str, str, int, int]])
        return [attrs.evolve(one, age_s=one.age_s / MS) for one in starmap(DeadJob, letters)]

    async def retry(self, keys: Sequence[str]) -> int:
        """Let dead letters wait for a worker again."""
        return await self._run("retry", *keys, reply=int)

    async def drop(self, keys: Sequence[str]) -> int:
        """Delete dead letters."""
        return await self._run("drop", *keys, reply=int)

    async def _run(self, operation: str, *arguments: Argument, reply: type[ReplyT]) -> ReplyT:
        return await self._redis.run(
            script("jobs"), [self._redis.key("jobs")], (operation, *arguments), reply=reply
        )


def _ms(seconds: float) -> int:
    return round(seconds * MS)
