"""Supervision: start an actor, serve, restart it after a crash, stop it within a grace period.

There are no strategies to choose from. One-for-one: supervise two actors side by side.
Rest-for-one: supervise one inside the other's block. Escalation: an exception leaves the block.
"""

from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Generic, TypeVar

import attrs
import trio

from tabwright.actors.kit.address import MailboxAddress
from tabwright.actors.kit.context import TaskContext, current_context, use_context
from tabwright.actors.kit.mailbox import Mailbox
from tabwright.actors.kit.tracing import (
    ActorCrashed,
    ActorRestarting,
    ActorStopped,
    ActorSystem,
    TraceRecord,
)
from tabwright.concurrency.nursery import background_nursery, sole_error, split_crash
from tabwright.concurrency.timers import Backoff
from tabwright.protocol.errors import Escalated

RoleT = TypeVar("RoleT")


@attrs.frozen(kw_only=True)
class RestartPolicy:
    """The supervision settings of an actor.

    Attributes:
        mailbox_max: the number of requests that can wait; further callers wait for room.
        at_once: the number of requests that the actor works on at a time.
        crashes_max: the number of crashes within `period_s` after which it is restarted; one more
            escalates.
        period_s: the window in which crashes are counted, in seconds.
        backoff_s: the wait before the first restart; it doubles with each crash in the window.
        backoff_max_s: the maximum wait.
        jitter: the maximum share of the wait that is randomly subtracted, 0 to 1.
        grace_s: how long the actor's stop may take before it is cancelled.
        on_demand: whether the actor starts only when the first request arrives, so that its imports
            cost nothing before. A failed start is then a crash like any other, except that it does
            not escalate: the waiting requests are sent back, and the next one starts it again.
    """

    mailbox_max: int = 64
    at_once: int = 1
    crashes_max: int = 3
    period_s: float = 60.0
    backoff_s: float = 0.05
    backoff_max_s: float = 5.0
    jitter: float = 0.5
    grace_s: float = 2.0
    on_demand: bool = False


@asynccontextmanager
async def supervise(
    system: ActorSystem,
    name: str,
    child: Callable[[], AbstractAsyncContextManager[RoleT]],
    policy: RestartPolicy,
) -> AsyncGenerator[MailboxAddress[RoleT]]:
    """Run the actor that `child` creates, and restart it after crashes, while the block runs.

    The block begins when the actor has started. The actor is stopped after the block has ended,
    even if the block is cancelled: its cleanup can still send requests. Entering `child` starts the
    actor, leaving it stops it.

    Raises:
        Exception: the error of the very first start; or a single error of the block, unwrapped.
        Escalated: the actor crashed more often than `policy` allows; the block is cancelled first.
    """
    supervisor = _Supervisor(system, name, child, policy)
    async with background_nursery() as nursery:
        try:
            await nursery.start(supervisor.run)
            yield supervisor.address
        finally:
            supervisor.stop()


class _Supervisor(Generic[RoleT]):
    def __init__(
        self,
        system: ActorSystem,
        name: str,
        child: Callable[[], AbstractAsyncContextManager[RoleT]],
        policy: RestartPolicy,
    ) -> None:
        self._system = system
        self._name = name
        self._child = child
        self._policy = policy
        self._place = TaskContext((*current_context().order, next(system.starts)), (name,))
        self._mailbox = Mailbox(policy.mailbox_max)
        self._crashes = deque[float]()
        self._life = trio.CancelScope()
        self._interruptible = trio.CancelScope()
        self._stopping = False
        self._waits = policy.on_demand
        self._served = False
        self.address = MailboxAddress[RoleT](name, self._place.order, self._mailbox, system)

    async def run(self, task_status: trio.TaskStatus[None]) -> None:
        """Run one incarnation after the other; once started, only `stop` ends it."""
        last_crash: BaseException | None = None
        try:
            with self._life, use_context(self._place):
                await self._incarnations(task_status)
        except Escalated as escalated:
            last_crash = escalated.crash
            raise
        finally:
            self._mailbox.close(last_crash)
            self._trace(ActorStopped)

    def stop(self) -> None:
        """End service or backoff at once; a start or a stop in progress has its grace period."""
        self._stopping = True
        self._life.deadline = trio.current_time() + self._policy.grace_s
        self._interruptible.cancel()

    async def _incarnations(self, task_status: trio.TaskStatus[None]) -> None:
        incarnation = 0
        while not self._stopping:
            incarnation += 1
            crash = await self._live(incarnation, task_status)
            if crash and not self._stopping:
                await self._back_off(crash)

    async def _live(self, incarnation: int, task_status: trio.TaskStatus[None]) -> Exception | None:
        started = incarnation > 1
        crash = None
        try:
            self._served = False
            if self._waits:
                started = started or await self._announce(task_status)
                with self._until_stop():
                    await self._mailbox.asked.wait()
                if self._stopping:
                    return None
                self._waits = False
            async with self._child() as actor:
                self._served = True
                if not started:
                    started = await self._announce(task_status)
                with self._until_stop():
                    await self._mailbox.serve(actor, self._policy.at_once)
        except BaseException as error:  # noqa: BLE001  (a crash may come with a cancellation)
            crash, rest = split_crash(error)
            self._record(crash, incarnation)
            if leaving := rest or (None if started else crash):
                raise (sole := sole_error(leaving)) from sole.__cause__
        finally:
            self._mailbox.lose(crash and sole_error(crash))
        return crash

    async def _announce(self, task_status: trio.TaskStatus[None]) -> bool:
        """Let the block begin, after which only `stop` ends the actor; return True."""
        await trio.lowlevel.checkpoint_if_cancelled()  # otherwise `stop` is never called
        self._life.shield = True
        task_status.started()
        return True

    @contextmanager
    def _until_stop(self) -> Generator[None]:
        with trio.CancelScope() as self._interruptible:
            if self._stopping:
                self._interruptible.cancel()
            yield

    def _record(self, crash: Exception | None, incarnation: int) -> None:
        if crash is not None:
            error = sole_error(crash)
            self._trace(
                ActorCrashed, incarnation=incarnation, error=f"{type(error).__name__}: {error}"
            )

    async def _back_off(self, crash: Exception) -> None:
        now = trio.current_time()
        self._crashes.append(now)
        while self._crashes[0] <= now - self._policy.period_s:
            self._crashes.popleft()
        if len(self._crashes) > self._policy.crashes_max:
            if self._policy.on_demand and not self._served:
                self._crashes.clear()
                self._mailbox.send_back(sole_error(crash))
                self._waits = True
                return
            raise Escalated(self._name, sole_error(crash), self._policy.crashes_max) from crash
        backoff = Backoff(self._policy.backoff_s, self._policy.backoff_max_s, self._policy.jitter)
        delay_s = backoff.pause_s(len(self._crashes), self._system.random)
        self._trace(ActorRestarting, delay_s=delay_s)
        with self._until_stop():
            await trio.sleep(delay_s)

    def _trace(self, kind: Callable[..., TraceRecord], **details: object) -> None:
        self._system.tracer(kind(at_s=trio.current_time(), actor=self._name, **details))
