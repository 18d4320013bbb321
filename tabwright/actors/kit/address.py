"""The address of an actor, with three ways to send it a request."""

from collections.abc import Awaitable, Callable
from types import FunctionType
from typing import Concatenate, Generic

import attrs
import trio

from tabwright.actors.kit.context import TaskContext, current_context
from tabwright.actors.kit.mailbox import Envelope, Mailbox, Request
from tabwright.actors.kit.tracing import ActorSystem, RequestSent
from tabwright.protocol.actor import AnswerT, ParametersT, RoleT_co


class WaitOrderError(RuntimeError):
    """An actor tried to wait on one that was started after it: this can deadlock."""


@attrs.frozen(eq=False)
class MailboxAddress(Generic[RoleT_co]):
    """The address of one actor; stays valid across the actor's restarts.

    Attributes:
        name: the actor's name, as traces show it.
        order: its position in the order of starting.
    """

    name: str
    order: tuple[int, ...]
    _mailbox: Mailbox = attrs.field(repr=False)
    _system: ActorSystem = attrs.field(repr=False)

    async def ask(
        self,
        method: Callable[Concatenate[RoleT_co, ParametersT], Awaitable[AnswerT]],
        /,
        *args: ParametersT.args,
        **kwargs: ParametersT.kwargs,
    ) -> AnswerT:
        """Send a request and wait for the answer.

        The caller's deadline travels with the request; set one with ``trio.fail_after``. Cancelling
        the caller stops the work, wherever it is, and takes a queued request back.

        Raises:
            Refusal: the actor refused it.
            Undelivered: the request was never started.
            Unanswered: it was started, and the actor crashed or stopped; see its `__cause__`.
            WaitOrderError: the caller is an actor that was started before this one.
        """
        self._check_order()
        request: Request[AnswerT] = Request(method, args, kwargs)
        envelope = self._envelope(request, trio.current_effective_deadline())
        try:
            await self._mailbox.put(envelope)
            return await envelope.answer()
        finally:
            envelope.scope.cancel()

    async def tell(
        self,
        method: Callable[Concatenate[RoleT_co, ParametersT], Awaitable[object]],
        /,
        *args: ParametersT.args,
        **kwargs: ParametersT.kwargs,
    ) -> None:
        """Send a request, and wait only until the mailbox has room.

        Cancellation withdraws the request if it is not queued yet; once queued, it runs to its end.

        Raises:
            Undelivered: the actor has stopped.
            WaitOrderError: the caller is an actor that was started before this one.
        """
        self._check_order()
        await self._mailbox.put(self._envelope(Request(method, args, kwargs)))

    def notify(
        self,
        method: Callable[Concatenate[RoleT_co, ParametersT], Awaitable[object]],
        /,
        *args: ParametersT.args,
        **kwargs: ParametersT.kwargs,
    ) -> bool:
        """Send without waiting, regardless of the order; return whether the mailbox had room."""
        return self._mailbox.put_nowait(self._envelope(Request(method, args, kwargs)))

    def _envelope(
        self, request: Request[AnswerT], deadline: float = float("inf")
    ) -> Envelope[AnswerT]:
        if not isinstance(request.method, FunctionType):
            kind = type(request.method).__name__
            raise TypeError(f"{self.name} accepts a method and its arguments, not {kind}.")
        scope = trio.CancelScope(deadline=deadline)
        place = TaskContext(self.order, (*current_context().trail, self.name))
        envelope = Envelope(self._system, request, place, scope)
        envelope.trace(RequestSent)
        return envelope

    def _check_order(self) -> None:
        if not current_context().may_wait_on(self.order):
            who = " > ".join(current_context().trail)
            raise WaitOrderError(f"{who} must not wait for {self.name}, which was started after it")
