"""A queue of jobs: the requests of producers, workers and observers.

A job has a key. It is put by its key, so putting it again changes nothing, and its result is found
by its key, also by a process that did not put it. A batch is the jobs of one command.

A worker leases a job for a while and renews the lease while it works. Each lease has a new token,
and only the latest token of a job can end it: a worker that was too slow cannot overwrite the
result of another one (a fencing token). So a job can be begun more than once, but it has one
result.

A job whose worker dies or reports an error is leased again, to `JobLimits.attempts` leases in all.
Then it is a dead letter, and has an error instead of a result. Jobs that are leased again are kept
apart, so that a job that kills its workers takes each other job with it at most once.
"""

from collections.abc import Sequence
from typing import Protocol

import attrs


@attrs.frozen(kw_only=True)
class JobLimits:
    """The limits of a queue.

    Attributes:
        lease_s: seconds after which a lease that was not renewed ends.
        attempts: the maximum number of leases of a job.
        retry_s: the pause before a failed job is leased again; it doubles with each attempt.
        result_s: seconds that a result is kept for.
        dead_s: seconds that a dead letter is kept for.
        worker_s: seconds after which a worker that has not reported is taken for dead.
    """

    lease_s: float = 30.0
    attempts: int = 3
    retry_s: float = 5.0
    result_s: float = 24 * 3600.0
    dead_s: float = 7 * 24 * 3600.0
    worker_s: float = 15.0


@attrs.frozen
class NewJob:
    """A job to be done."""

    key: str
    payload: str = attrs.field(repr=False)


@attrs.frozen
class LeasedJob:
    """A job that a worker has leased.

    Attributes:
        token: of the lease; that of a later lease of any job is greater.
        attempt: the number of leases of this job, with this one.
    """

    key: str
    batch: str
    payload: str = attrs.field(repr=False)
    token: int
    attempt: int


@attrs.frozen
class JobEnd:
    """The end of a job.

    Attributes:
        text: its result; the error of a dead letter.
    """

    key: str
    is_dead: bool
    text: str = attrs.field(repr=False)


@attrs.frozen
class DeadJob:
    """A dead letter: a job that was given up.

    Attributes:
        age_s: seconds since it was given up.
    """

    key: str
    batch: str
    payload: str
    error: str
    attempts: int
    age_s: float


@attrs.frozen(kw_only=True)
class WorkerReport:
    """The report of a worker about itself.

    Attributes:
        capacity: the number of jobs that it does at the same time.
        in_work: the jobs that it is doing.
        done, failed: the jobs that it has ended since its start.
        memory_bytes: of its process and its browsers.
        browsers: the number of its running browsers.
        is_draining: whether it accepts no more jobs, since it is stopping.
    """

    name: str
    capacity: int
    in_work: int = 0
    done: int = 0
    failed: int = 0
    memory_bytes: int = 0
    browsers: int = 0
    version: str = ""
    is_draining: bool = False

    @property
    def utilisation(self) -> float:
        """Return the jobs in work, as a share of the capacity."""
        return self.in_work / self.capacity


@attrs.frozen
class QueueState:
    """A queue and its workers.

    Attributes:
        waiting: the jobs that wait for a worker, or for their next attempt.
        running: the leased jobs.
        dead: the dead letters.
        oldest_s: how long the first job of any batch has waited; 0 for none.
        workers: those that have reported lately, by name.
    """

    waiting: int = 0
    running: int = 0
    dead: int = 0
    oldest_s: float = 0.0
    workers: tuple[WorkerReport, ...] = ()

    @property
    def utilisation(self) -> float:
        """Return the jobs in work, as a share of the capacity of all workers; 0 without workers."""
        capacity = sum(one.capacity for one in self.workers)
        return sum(one.in_work for one in self.workers) / capacity if capacity else 0.0


class JobQueue(Protocol):
    """A queue of jobs.

    A cancelled call may have had its effect or not; repeating any of them does no harm.

    Each method raises `FleetUnavailable` if the queue cannot be reached; it may have had its effect
    then.
    """

    async def put(self, batch: str, jobs: Sequence[NewJob]) -> None:
        """Add the jobs whose keys are not known yet; those of all batches are leased in turn."""
        ...

    async def ends(self, keys: Sequence[str]) -> list[JobEnd]:
        """Return those of these jobs that have ended; many of them in several answers."""
        ...

    async def forget(self, keys: Sequence[str]) -> None:
        """Drop results that have been saved elsewhere; dead letters stay."""
        ...

    async def cancel(self, batch: str) -> int:
        """Remove the waiting jobs of a batch, and return their number. Leased ones go on."""
        ...

    async def lease(self, count: int, *, retry: bool) -> list[LeasedJob]:
        """Lease up to `count` jobs; none if none wait.

        Args:
            count: the maximum number.
            retry: whether one of them can be a job that was leased before. A worker must not have
                two such jobs: one of them can be a job that kills its worker, and would take the
                other one with it again and again.
        """
        ...

    async def renew(self, leases: Sequence[LeasedJob]) -> set[str]:
        """Renew leases, and return the keys of those that are still held."""
        ...

    async def finish(self, lease: LeasedJob, result: str) -> bool:
        """End a job with its result; return False if the lease is not held any more."""
        ...

    async def fail(self, lease: LeasedJob, error: str) -> bool:
        """End an attempt with an error; return False if the lease is not held any more."""
        ...

    async def give_back(self, lease: LeasedJob) -> bool:
        """Put a job first in its batch again, as if it had not been leased."""
        ...

    async def report(self, worker: WorkerReport) -> None:
        """Record that a worker is alive."""
        ...

    async def leave(self, name: str) -> None:
        """Remove a worker that has stopped."""
        ...

    async def state(self) -> QueueState:
        """Return the numbers of the queue, and its workers."""
        ...

    async def dead(self, count: int) -> list[DeadJob]:
        """Return up to `count` dead letters, the latest first."""
        ...

    async def retry(self, keys: Sequence[str]) -> int:
        """Let dead letters wait for a worker again, with all attempts; return their number."""
        ...

    async def drop(self, keys: Sequence[str]) -> int:
        """Delete dead letters, and return their number."""
        ...
