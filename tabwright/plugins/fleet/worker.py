"""A worker: leases jobs, does several at the same time, and gives back what it cannot finish."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from math import inf
from random import Random
from typing import TypeAlias

import attrs
import trio

from tabwright.concurrency.nursery import background_nursery, sole_error, wait_for_either
from tabwright.concurrency.timers import Backoff
from tabwright.plugins.fleet.redis import GIVE_BACK_S, OUTAGE_S
from tabwright.protocol.errors import FleetUnavailable
from tabwright.protocol.jobs import JobLimits, JobQueue, LeasedJob, WorkerReport

logger = logging.getLogger(__name__)

JobWork: TypeAlias = Callable[[str], Awaitable[str]]
"""Does the job of a payload, and returns its result. An exception is an error of this attempt."""

JOB_S = 600.0
"""The time limit of a job, so that one that hangs becomes a dead letter too."""

IDLE = Backoff(first_s=0.02, max_s=1.0)
"""The pauses between two questions for jobs, while none wait."""

ERROR_MAX = 2_000
"""The maximum length of the error of a job."""


@attrs.frozen
class Usage:
    """The resources of its machine that a worker uses."""

    memory_bytes: int = 0
    browsers: int = 0


async def no_usage() -> Usage:
    """Report nothing."""
    await trio.lowlevel.checkpoint()
    return Usage()


@attrs.define(eq=False, kw_only=True)
class JobWorker:
    """A worker of a queue.

    Attributes:
        queue: where the jobs come from.
        limits: of the queue.
        work: does a job.
        name: of the worker in the fleet.
        capacity: the number of jobs that are done at the same time.
        version: of the program.
        usage: returns what the worker uses, for its reports.
        chance: varies pauses, so that workers do not ask at the same time.
    """

    queue: JobQueue
    limits: JobLimits
    work: JobWork
    name: str
    capacity: int
    chance: Random
    version: str = ""
    usage: Callable[[], Awaitable[Usage]] = no_usage
    _held: dict[trio.CancelScope, LeasedJob] = attrs.field(
        factory=dict[trio.CancelScope, LeasedJob], init=False
    )
    _slot: trio.Event = attrs.field(factory=trio.Event, init=False)
    _done: int = attrs.field(default=0, init=False)
    _failed: int = attrs.field(default=0, init=False)
    _is_draining: bool = attrs.field(default=False, init=False)

    async def run(self, stopping: trio.Event, drain_s: float) -> None:
        """Do jobs until `stopping` is set and those in work are done, or `drain_s` have passed.

        Redis can go away meanwhile: the worker asks again until it is back. Jobs that are not done
        at the end, or when this call is cancelled, are given back.
        """
        try:
            async with background_nursery() as nursery:
                nursery.start_soon(self._renew)
                nursery.start_soon(self._keep_reporting)
                async with trio.open_nursery() as jobs:
                    await self._lease(jobs, stopping)
                    self._is_draining = True
                    with trio.move_on_after(drain_s):
                        while self._held:
                            await self._slot.wait()
                    jobs.cancel_scope.cancel()
        finally:
            with trio.move_on_after(GIVE_BACK_S, shield=True), suppress(FleetUnavailable):
                await self.queue.leave(self.name)

    async def report(self) -> WorkerReport:
        """Return the state of this worker."""
        used = await self.usage()
        return WorkerReport(
            name=self.name,
            capacity=self.capacity,
            in_work=len(self._held),
            done=self._done,
            failed=self._failed,
            memory_bytes=used.memory_bytes,
            browsers=used.browsers,
            version=self.version,
            is_draining=self._is_draining,
        )

    async def _lease(self, jobs: trio.Nursery, stopping: trio.Event) -> None:
        """Begin jobs as long as there is room."""
        misses, is_away = 0, False
        while not stopping.is_set():
            pause_s = 0.0
            try:
                has_retry = any(job.attempt > 1 for job in self._held.values())
                room = self.capacity - len(self._held)
                leases = await self.queue.lease(room, retry=not has_retry)
                is_away = False
            except FleetUnavailable as error:
                if not is_away:
                    logger.warning("%s", error)
                is_away, leases, pause_s = True, [], OUTAGE_S
            for one in leases:
                scope = trio.CancelScope()
                self._held[scope] = one
                jobs.start_soon(self._do, one, scope)
            if not leases:
                misses += 1
                with trio.move_on_after(max(pause_s, IDLE.pause_s(misses, self.chance))):
                    await stopping.wait()
            else:
                misses = 0
            while len(self._held) >= self.capacity and not stopping.is_set():
                await wait_for_either(self._slot, stopping)

    async def _do(self, job: LeasedJob, scope: trio.CancelScope) -> None:
        """Do a job and end it. It is given back if the worker stops; not if its lease is lost."""
        end = partial(self.queue.give_back, job)
        try:
            with scope:
                try:
                    with trio.fail_after(JOB_S):
                        result = await self.work(job.payload)
                except Exception as error:  # noqa: BLE001  (it is what the job has ended with)
                    logger.warning("Job %s failed: %r", job.key, error)
                    self._failed += 1
                    end = partial(self.queue.fail, job, _text_of(error))
                else:
                    self._done += 1
                    end = partial(self.queue.finish, job, result)
        finally:
            is_stopped = trio.current_effective_deadline() == -inf
            if not scope.cancelled_caught:
                with trio.move_on_after(
                    GIVE_BACK_S if is_stopped else self.limits.lease_s, shield=True
                ):
                    await self._end(job, end)
            del self._held[scope]
            self._slot.set()
            self._slot = trio.Event()

    async def _end(self, job: LeasedJob, end: Callable[[], Awaitable[bool]]) -> None:
        """Report how a job ended; retry while Redis cannot be reached."""
        while True:
            try:
                is_held = await end()
            except FleetUnavailable:
                await trio.sleep(OUTAGE_S)
            else:
                if not is_held:
                    logger.warning("The lease of job %s had already ended.", job.key)
                return

    async def _renew(self) -> None:
        """Renew the leases of all jobs in work; stop jobs whose lease is lost."""
        while True:
            await trio.sleep(self.limits.lease_s / 4)
            held = list(self._held.items())
            if not held:
                continue
            try:
                kept = await self.queue.renew([job for _, job in held])
            except FleetUnavailable:
                continue
            for scope, job in held:
                if job.key not in kept and scope in self._held:
                    scope.cancel()

    async def _keep_reporting(self) -> None:
        """Report to the fleet at intervals that this worker is alive."""
        while True:
            report = await self.report()
            with suppress(FleetUnavailable):
                await self.queue.report(report)
            await trio.sleep(self.limits.worker_s / 4)


def _text_of(error: Exception) -> str:
    if isinstance(error, trio.TooSlowError):
        return f"It took longer than {JOB_S:.0f} s."
    cause = sole_error(error)
    return f"{type(cause).__name__}: {cause}"[:ERROR_MAX]
