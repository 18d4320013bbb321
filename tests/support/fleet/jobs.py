"""The twin of a queue of jobs in Redis (`tabwright.plugins.fleet.redis_jobs`), in memory."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

import attrs
import trio

from tabwright.protocol.jobs import (
    DeadJob,
    JobEnd,
    JobLimits,
    LeasedJob,
    NewJob,
    QueueState,
    WorkerReport,
)

State: TypeAlias = Literal["waiting", "late", "leased", "done", "dead"]


@attrs.define(eq=False)
class _Job:
    """A job of the queue.

    Attributes:
        due_s: when its state ends: the lease, the pause before the next attempt, or its keeping.
        text: the result, or the error of a dead letter.
    """

    key: str
    batch: str
    payload: str
    put_s: float
    state: State = "waiting"
    attempts: int = 0
    token: int = 0
    due_s: float = 0.0
    text: str = ""
    given_up_s: float = 0.0


@attrs.define(eq=False)
class MemoryJobQueue:
    """A queue of jobs for one process; see `JobQueue` for its methods.

    Attributes:
        limits: of the queue.
        now: returns the time in seconds.
    """

    limits: JobLimits = attrs.field(factory=JobLimits)
    now: Callable[[], float] = trio.current_time
    _jobs: dict[str, _Job] = attrs.field(factory=dict[str, _Job])
    _waiting: dict[str, deque[str]] = attrs.field(factory=dict[str, deque[str]])
    _again: deque[str] = attrs.field(factory=deque[str])
    _token: int = 0
    _workers: dict[str, tuple[float, WorkerReport]] = attrs.field(
        factory=dict[str, tuple[float, WorkerReport]]
    )

    async def put(self, batch: str, jobs: Sequence[NewJob]) -> None:
        """Add the jobs whose keys are not known yet."""
        await trio.lowlevel.checkpoint()
        self._tidy()
        for one in jobs:
            if one.key not in self._jobs:
                self._jobs[one.key] = _Job(one.key, batch, one.payload, self.now())
                self._wait(self._jobs[one.key])

    async def ends(self, keys: Sequence[str]) -> list[JobEnd]:
        """Return those of these jobs that have ended."""
        await trio.lowlevel.checkpoint()
        self._tidy()
        ended = (job for job in self._known(keys) if job.state in {"done", "dead"})
        return [JobEnd(one.key, one.state == "dead", one.text) for one in ended]

    async def forget(self, keys: Sequence[str]) -> None:
        """Drop results that have been saved elsewhere."""
        await trio.lowlevel.checkpoint()
        for job in list(self._known(keys)):
            if job.state == "done":
                del self._jobs[job.key]

    async def cancel(self, batch: str) -> int:
        """Remove the waiting jobs of a batch, and return their number."""
        await trio.lowlevel.checkpoint()
        mine = [one for one in self._jobs.values() if one.batch == batch]
        waiting = [one.key for one in mine if one.state in {"waiting", "late"}]
        for key in waiting:
            del self._jobs[key]
        self._waiting.pop(batch, None)
        self._again = deque(key for key in self._again if key in self._jobs)
        return len(waiting)

    async def lease(self, count: int, *, retry: bool) -> list[LeasedJob]:
        """Lease up to `count` jobs."""
        await trio.lowlevel.checkpoint()
        self._tidy()
        leases = [self._leased(self._again.popleft())] if retry and self._again else []
        while self._waiting and len(leases) < count:
            batch = next(iter(self._waiting))
            keys = self._waiting.pop(batch)
            leases.append(self._leased(keys.popleft()))
            if keys:
                self._waiting[batch] = keys  # now the last batch
        return leases

    async def renew(self, leases: Sequence[LeasedJob]) -> set[str]:
        """Renew leases, and return the keys of those that are still held."""
        await trio.lowlevel.checkpoint()
        held = [job for one in leases if (job := self._held(one))]
        for job in held:
            job.due_s = self.now() + self.limits.lease_s
        return {job.key for job in held}

    async def finish(self, lease: LeasedJob, result: str) -> bool:
        """End a job with its result."""
        await trio.lowlevel.checkpoint()
        job = self._held(lease)
        if job is not None:
            self._end(job, "done", result, self.limits.result_s)
        return job is not None

    async def fail(self, lease: LeasedJob, error: str) -> bool:
        """End an attempt with an error."""
        await trio.lowlevel.checkpoint()
        job = self._held(lease)
        if job is None:
            return False
        if job.attempts >= self.limits.attempts:
            self._give_up(job, error)
        else:
            job.state, job.token = "late", 0
            job.due_s = self.now() + self.limits.retry_s * 2 ** (job.attempts - 1)
        return True

    async def give_back(self, lease: LeasedJob) -> bool:
        """Put a job first in its batch again."""
        await trio.lowlevel.checkpoint()
        job = self._held(lease)
        if job is not None:
            job.attempts -= 1
            self._wait(job, first=True)
        return job is not None

    async def report(self, worker: WorkerReport) -> None:
        """Record that a worker is alive."""
        await trio.lowlevel.checkpoint()
        self._workers[worker.name] = (self.now(), worker)

    async def leave(self, name: str) -> None:
        """Remove a worker that has stopped."""
        await trio.lowlevel.checkpoint()
        self._workers.pop(name, None)

    async def state(self) -> QueueState:
        """Return the numbers of the queue, and its workers."""
        await trio.lowlevel.checkpoint()
        now_s = self.now()
        states = Counter(job.state for job in self._jobs.values())
        lists = [*self._waiting.values(), *([self._again] if self._again else [])]
        firsts = [self._jobs[keys[0]].put_s for keys in lists]
        living = sorted(
            name
            for name, (reported_s, _) in self._workers.items()
            if now_s - reported_s < self.limits.worker_s
        )
        return QueueState(
            states["waiting"] + states["late"],
            states["leased"],
            states["dead"],
            now_s - min(firsts, default=now_s),
            tuple(self._workers[name][1] for name in living),
        )

    async def dead(self, count: int) -> list[DeadJob]:
        """Return up to `count` dead letters, the latest first."""
        await trio.lowlevel.checkpoint()
        dead = [job for job in self._jobs.values() if job.state == "dead"]
        dead.sort(key=lambda job: -job.given_up_s)
        return [
            DeadJob(
                job.key, job.batch, job.payload, job.text, job.attempts, self.now() - job.given_up_s
            )
            for job in dead[:count]
        ]

    async def retry(self, keys: Sequence[str]) -> int:
        """Let dead letters wait for a worker again."""
        await trio.lowlevel.checkpoint()
        dead = [job for job in self._known(keys) if job.state == "dead"]
        for job in dead:
            job.attempts, job.put_s = 0, self.now()
            self._wait(job)
        return len(dead)

    async def drop(self, keys: Sequence[str]) -> int:
        """Delete dead letters."""
        await trio.lowlevel.checkpoint()
        dead = [job.key for job in self._known(keys) if job.state == "dead"]
        for key in dead:
            del self._jobs[key]
        return len(dead)

    def _known(self, keys: Sequence[str]) -> Iterator[_Job]:
        return (self._jobs[key] for key in keys if key in self._jobs)

    def _held(self, lease: LeasedJob) -> _Job | None:
        """Return the job of a lease that is still the latest one."""
        job = self._jobs.get(lease.key)
        return job if job is not None and job.token == lease.token else None

    def _wait(self, job: _Job, *, first: bool = False) -> None:
        job.state, job.token = "waiting", 0
        keys = self._again if job.attempts else self._waiting.setdefault(job.batch, deque())
        (keys.appendleft if first else keys.append)(job.key)

    def _leased(self, key: str) -> LeasedJob:
        job = self._jobs[key]
        self._token += 1
        job.attempts += 1
        job.state, job.token = "leased", self._token
        job.due_s = self.now() + self.limits.lease_s
        return LeasedJob(key, job.batch, job.payload, job.token, job.attempts)

    def _end(self, job: _Job, state: State, text: str, keep_s: float) -> None:
        job.state, job.token, job.text = state, 0, text
        job.due_s = self.now() + keep_s

    def _give_up(self, job: _Job, error: str) -> None:
        self._end(job, "dead", error, self.limits.dead_s)
        job.given_up_s = self.now()

    def _tidy(self) -> None:
        """Move the jobs on whose pause, lease or keeping is over."""
        due = [one for one in self._jobs.values() if one.state != "waiting"]
        for job in sorted(due, key=lambda one: one.due_s):
            if job.due_s > self.now():
                break
            if job.state in {"done", "dead"}:
                del self._jobs[job.key]
            elif job.state == "leased" and job.attempts >= self.limits.attempts:
                self._give_up(job, f"Its worker ended without a result, {job.attempts} times.")
            else:
                self._wait(job)
