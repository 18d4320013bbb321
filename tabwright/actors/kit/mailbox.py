"""The mailbox of an actor: a queue of envelopes, each settled exactly once.

The rules:

* An envelope is settled on every path: after its work, with an answer, a refusal, an internal
  error, or without a caller that waits; by `Mailbox.lose`, if the actor crashed or was stopped,
  with the reason; by `Mailbox.close`, if it was never started.
* An exception that a request raises ends that request only. Parts that an actor cannot work without
  run in its own life, and an exception there is its crash.
* Its cancel scope belongs to two tasks: created by the caller with the caller's deadline, entered
  by the worker, cancelled by the caller when it leaves. Work that no caller waits for ends at once.
* An envelope whose scope is cancelled is never started.
* The mailbox outlives its actor's incarnations. A crash loses the envelopes in work, never the
  queued ones; only `Mailbox.close` sends those back.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Generic

import attrs
import outcome
import trio

from tabwright.actors.kit.context import TaskContext, use_context
from tabwright.actors.kit.tracing import (
    ActorSystem,
    RequestAnswered,
    RequestCancelled,
    RequestFailed,
    RequestLost,
    RequestRecord,
    RequestRefused,
    RequestStarted,
)
from tabwright.protocol.actor import AnswerT_co
from tabwright.protocol.errors import (
    InternalError,
    Refusal,
    TabwrightError,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.untrusted_text import Quoted

_log = logging.getLogger("tabwright.actors")


@attrs.frozen(eq=False)
class Request(Generic[AnswerT_co]):
    """A method of a role, with the arguments of a call.

    Attributes:
        method: as the role declares it.
        args, kwargs: of the call; they may be private, and stay out of traces.
    """

    method: Callable[..., Awaitable[AnswerT_co]]
    args: tuple[object, ...]
    kwargs: Mapping[str, object]

    @property
    def name(self) -> str:
        """Return the name of the method, for traces."""
        return self.method.__name__

    async def run(self, actor: object) -> AnswerT_co:
        """Call the method by its name, because an actor does not inherit from its role."""
        own: Callable[..., Awaitable[AnswerT_co]] = getattr(actor, self.name)
        return await own(*self.args, **self.kwargs)


@attrs.define(eq=False)
class Envelope(Generic[AnswerT_co]):
    """A request on its way, with the cancel scope that links caller and worker."""

    system: ActorSystem
    request: Request[AnswerT_co]
    place: TaskContext
    scope: trio.CancelScope
    number: int = attrs.field(init=False)
    _outcome: outcome.Outcome[AnswerT_co] | None = attrs.field(default=None, init=False)
    _settled: trio.Event = attrs.field(factory=trio.Event, init=False)

    @property
    def actor_name(self) -> str:
        """The name of the receiving actor."""
        return self.place.trail[-1]

    def __attrs_post_init__(self) -> None:
        self.number = next(self.system.requests)

    async def work(self, actor: object) -> None:
        """Let `actor` answer the request, and settle the envelope, unless it is cancelled."""
        if not self._is_dead():
            await self._work(actor)
        self._settle()

    def lose(self, crash: BaseException | None) -> None:
        """Settle a request that was interrupted by a crash or a stop of the actor."""
        if not self._is_dead():
            self._outcome = outcome.Error(self._unanswered(crash))
        self._settle()

    async def answer(self) -> AnswerT_co:
        """Wait for the settlement; return the answer or raise the error for the caller."""
        await self._settled.wait()
        if self._outcome is None:
            # The worker can see the deadline of the caller pass before the caller is cancelled.
            await trio.lowlevel.checkpoint()
            raise self._unanswered(None)
        return self._outcome.unwrap()

    def send_back(self, crash: BaseException | None, event: str = "has stopped") -> Undelivered:
        """Settle a request that was never started and never will be; return its error.

        Args:
            crash: the reason.
            event: what has happened to the actor.
        """
        reason = (": ", Quoted(_crash_text(crash))) if crash else (".",)
        error = Undelivered((f"{self.actor_name} {event}", *reason), advice="Try again.")
        error.__cause__ = crash
        self._outcome = outcome.Error(error)
        self._settle()
        return error

    def trace(self, kind: type[RequestRecord]) -> None:
        """Record that `kind` happened to this request."""
        self.system.tracer(
            kind(
                at_s=trio.current_time(),
                actor=self.actor_name,
                number=self.number,
                request=self.request.name,
                trail=self.place.trail,
            )
        )

    async def _work(self, actor: object) -> None:
        self.trace(RequestStarted)
        try:
            with use_context(self.place), self.scope:
                self._outcome = outcome.Value(await self.request.run(actor))
        except (Refusal, InternalError) as error:
            self._outcome = outcome.Error(error)
        except (Undelivered, Unanswered) as loss:  # of an actor that this one called
            self._outcome = outcome.Error(self._unanswered(loss))
        except Exception as fault:  # noqa: BLE001  (a bug in one request must not end the actor)
            name = self.request.name
            _log.error("%s failed: %s", self.actor_name, name, exc_info=fault)
            self._outcome = outcome.Error(InternalError(self.actor_name, fault))

    def _is_dead(self) -> bool:
        return self.scope.cancel_called or self.scope.deadline <= trio.current_time()

    def _settle(self) -> None:
        self._settled.set()
        self.trace(self._ending())

    def _ending(self) -> type[RequestRecord]:
        match self._outcome:
            case outcome.Value():
                return RequestAnswered
            case outcome.Error(error=Refusal()):
                return RequestRefused
            case outcome.Error(error=InternalError()):
                return RequestFailed
            case None if self._is_dead():
                return RequestCancelled
            case _:
                return RequestLost

    def _unanswered(self, crash: BaseException | None) -> Unanswered:
        reason = (
            ("failed: ", Quoted(_crash_text(crash)))
            if crash
            else ("was stopped before it could answer.",)
        )
        error = Unanswered((f"{self.actor_name} ", *reason), advice="Try again.")
        error.__cause__ = crash
        return error


class Mailbox:
    """A first-in, first-out queue of envelopes for an actor, at most `capacity` of them.

    Attributes:
        asked: set once an envelope was queued.
    """

    def __init__(self, capacity: int) -> None:
        self._closed_by: BaseException | None = None
        self._in, self._out = trio.open_memory_channel[Envelope[object]](capacity)
        self._cut_off: list[Envelope[object]] = []
        self.asked = trio.Event()

    async def put(self, envelope: Envelope[object]) -> None:
        """Queue an envelope, waiting for room. Cancellation withdraws the envelope.

        Raises:
            Undelivered: the mailbox is closed, or was closed meanwhile.
        """
        self.asked.set()
        try:
            await self._in.send(envelope)
        except trio.ClosedResourceError:
            raise envelope.send_back(self._closed_by) from self._closed_by
        except trio.Cancelled:
            envelope.trace(RequestCancelled)
            raise

    def put_nowait(self, envelope: Envelope[object]) -> bool:
        """Queue the envelope if there is room; return whether there was."""
        self.asked.set()
        try:
            self._in.send_nowait(envelope)
        except (trio.WouldBlock, trio.ClosedResourceError):
            envelope.trace(RequestLost)
            return False
        return True

    async def serve(self, actor: object, at_once: int) -> None:
        """Let `actor` work on the envelopes, at most `at_once` at a time, until cancelled.

        The envelopes that are interrupted then are settled by `lose`.
        """
        free = trio.Semaphore(at_once)
        async with trio.open_nursery() as workers:
            while True:
                await free.acquire()
                # Drop the reference, so that the envelope is not kept alive until the next one.
                workers.start_soon(self._work, actor, await self._out.receive(), free)

    def lose(self, crash: BaseException | None) -> None:
        """Settle the requests that were interrupted when `serve` ended; `crash` is the reason."""
        while self._cut_off:
            self._cut_off.pop(0).lose(crash)

    def send_back(self, crash: BaseException) -> None:
        """Send back the queued envelopes, because the actor does not start; `asked` is reset."""
        self.asked = trio.Event()
        with suppress(trio.WouldBlock):
            while True:
                self._out.receive_nowait().send_back(crash, "could not be started")

    def close(self, crash: BaseException | None = None) -> None:
        """Reject new envelopes, and send back the queued ones; `crash` is the reason."""
        self._closed_by = crash
        self._in.close()
        with suppress(trio.EndOfChannel), self._out:
            while True:
                self._out.receive_nowait().send_back(crash)

    async def _work(self, actor: object, envelope: Envelope[object], free: trio.Semaphore) -> None:
        try:
            await envelope.work(actor)
        except BaseException:
            self._cut_off.append(envelope)
            raise
        finally:
            free.release()


def _crash_text(crash: BaseException) -> str:
    return crash.message if isinstance(crash, TabwrightError) else str(crash)
