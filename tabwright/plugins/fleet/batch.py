"""The jobs of one command: put into a queue, and waited for, also while Redis is away."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import TypeVar

import attrs
import trio

from tabwright.concurrency.nursery import background_nursery, one_of_a_kind
from tabwright.concurrency.timers import Backoff
from tabwright.plugins.fleet.redis import GIVE_BACK_S, OUTAGE_S
from tabwright.protocol.errors import FleetUnavailable
from tabwright.protocol.jobs import JobEnd, JobQueue, NewJob

POLLING = Backoff(first_s=0.1, max_s=0.5)
"""The pauses between two questions for results; they grow while none come."""

REPEAT_S = 30.0
"""How often the jobs are put again, in case that Redis has restarted and lost them."""

LEFT_BEHIND = "Redis cannot be reached, so pages that wait can stay in the queue."

AnswerT = TypeVar("AnswerT")


@attrs.define(eq=False)
class _Waiter:
    """A job that is waited for."""

    job: NewJob
    ended: trio.Event = attrs.field(factory=trio.Event)
    end: JobEnd | None = None


@attrs.define(eq=False, kw_only=True)
class JobBatch:
    """The jobs of one command; see `open_batch`.

    Attributes:
        queue: where they are put.
        name: of the batch; the same command has the same one when it is run again.
        outage_max_s: how long Redis can be away before the command fails.
        on_outage: is called with a sentence when Redis goes away, when it is back, and when it is
            away at the end.
        chance: varies pauses.
    """

    queue: JobQueue
    name: str
    outage_max_s: float
    on_outage: Callable[[str], None]
    chance: Random
    _waiters: dict[str, _Waiter] = attrs.field(factory=dict[str, _Waiter], init=False)
    _asked: trio.Event = attrs.field(factory=trio.Event, init=False)
    _away_since_s: float | None = attrs.field(default=None, init=False)

    async def result(self, job: NewJob) -> JobEnd:
        """Put a job, unless its key is known, and return its end.

        Cancelled, the job stays in the queue; see `JobQueue.cancel`.

        Raises:
            FleetUnavailable: Redis was away for longer than `outage_max_s`.
        """
        await self._ask(lambda: self.queue.put(self.name, [job]))
        waiter = self._waiters.setdefault(job.key, _Waiter(job))
        self._asked.set()
        try:
            await waiter.ended.wait()
        finally:
            self._waiters.pop(job.key, None)
        if waiter.end is None:
            raise AssertionError("a job that has ended has an end")
        return waiter.end

    async def forget(self, key: str) -> None:
        """Drop a result that has been saved.

        Raises:
            FleetUnavailable: see `result`.
        """
        await self._ask(lambda: self.queue.forget([key]))

    async def watch(self) -> None:
        """Ask for results until cancelled.

        Raises:
            FleetUnavailable: see `result`.
        """
        misses, put_s = 0, trio.current_time()
        while True:
            if not self._waiters:
                self._asked = trio.Event()
                await self._asked.wait()
                misses, put_s = 0, trio.current_time()
            ends = await self._ask(lambda: self.queue.ends(list(self._waiters)))
            for end in ends:
                if waiter := self._waiters.pop(end.key, None):
                    waiter.end = end
                    waiter.ended.set()
            misses = 0 if ends else misses + 1
            if trio.current_time() - put_s > REPEAT_S:
                await self._ask(self._put_again)
                put_s = trio.current_time()
            await trio.sleep(POLLING.pause_s(misses, self.chance) if misses else POLLING.first_s)

    async def _put_again(self) -> None:
        await self.queue.put(self.name, [one.job for one in self._waiters.values()])

    async def _ask(self, question: Callable[[], Awaitable[AnswerT]]) -> AnswerT:
        """Return the answer of the queue; while Redis is away, wait for it and ask again.

        Raises:
            FleetUnavailable: see `result`.
        """
        while True:
            try:
                answer = await question()
                if self._away_since_s is not None:
                    await self._put_again()  # Redis can have lost the jobs
                    self._away_since_s = None
                    self.on_outage("Redis is back.")
            except FleetUnavailable as error:
                now_s = trio.current_time()
                if self._away_since_s is None:
                    self._away_since_s = now_s
                    self.on_outage(f"{error.message} Waiting for it.")
                if now_s - self._away_since_s >= self.outage_max_s:
                    raise
                await trio.sleep(OUTAGE_S)
            else:
                return answer


@asynccontextmanager
async def open_batch(batch: JobBatch) -> AsyncGenerator[JobBatch]:
    """Watch for the results of a batch during the block.

    At the end, also by an error or a cancellation, the jobs that still wait are removed from the
    queue. They stay if Redis is away then, which is reported, or if this process is killed; their
    results are there when the same command is run again.

    Raises:
        FleetUnavailable: Redis cannot be reached at the beginning, or was away for too long.
    """
    await batch.queue.state()
    failure: BaseException | None = None
    try:
        async with background_nursery() as nursery:
            nursery.start_soon(batch.watch)
            yield batch
    except BaseExceptionGroup as group:  # of all tasks that wait for Redis
        errors = group.split(trio.Cancelled)[1]
        failure = one_of_a_kind(errors, FleetUnavailable) if errors else group
    finally:
        if not await _is_removed(batch):
            batch.on_outage(LEFT_BEHIND)
    if failure is not None:
        raise failure


async def _is_removed(batch: JobBatch) -> bool:
    """Remove the jobs that still wait, even if cancelled; return False if Redis is away."""
    with trio.move_on_after(GIVE_BACK_S, shield=True), suppress(FleetUnavailable):
        await batch.queue.cancel(batch.name)
        return True
    return False
