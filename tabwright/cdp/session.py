"""A target of the browser that we talk to, and hear from."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from tabwright.cdp import wire
from tabwright.cdp.command import CDPCommand
from tabwright.cdp.conversation import Failure
from tabwright.cdp.subscription import Listener, Subscription
from tabwright.cdp.wire import Event, Raw, WireFrame

EVENTS_MAX = 4096
"""Events that may wait in one subscription before the oldest is dropped."""

ReplyT = TypeVar("ReplyT")
NextT = TypeVar("NextT")
EventT = TypeVar("EventT", bound=Event)


class Speaker(Protocol):
    """What a session speaks through: the connection to its browser."""

    async def call(
        self, session: "CDPSession", commands: Sequence[CDPCommand[object]]
    ) -> list[Raw]:
        """Sends commands in order, and waits for the raw results of all."""
        ...

    def session(self, session_id: str) -> "CDPSession":
        """The session of an attached target."""
        ...


class CDPSession:
    """A target that we are attached to, or (with an empty id) the browser itself.

    Attributes:
        id: the flat session id.
        connection: the conversation that it is a part of.
        failure: how calls fail since the target is gone; None while it lives.
    """

    def __init__(self, connection: Speaker, session_id: str) -> None:
        self.id = session_id
        self.connection = connection
        self.failure: Failure | None = None
        self._listeners: list[Listener] = []

    async def execute(self, command: CDPCommand[ReplyT]) -> ReplyT:
        """Sends a command and waits for its reply.

        Cancelled before it begins, it sends nothing. Cancelled later, it forgets the call, which
        the browser may still run; a frame is never torn. Some commands are never answered, so
        the caller should have a deadline.

        Raises:
            CommandFailed: the browser said no.
            MalformedReply: the reply does not have the promised shape.
            UnsendableText: the command holds text that UTF-8 cannot carry.
            FrameTooLarge: the command is larger than `COMMAND_BYTES_MAX`.
            Gone: the target or the browser went away before it could answer.
        """
        (reply,) = await self.execute_all((command,))
        return reply

    async def execute_all(self, commands: Sequence[CDPCommand[ReplyT]]) -> list[ReplyT]:
        """Sends commands in this order, none waiting for another, and then waits for all replies.

        For commands of which one is answered only after a later one has come. Cancellation and
        errors are those of `execute`; the first error ends the wait, not the commands behind it.
        """
        raws = await self.connection.call(self, commands)
        return [
            wire.decode(raw, command.reply, command.method)
            for raw, command in zip(raws, commands, strict=True)
        ]

    async def execute_both(
        self, first: CDPCommand[ReplyT], then: CDPCommand[NextT]
    ) -> tuple[ReplyT, NextT]:
        """Sends two commands whose replies have different shapes, and then waits for both.

        Cancellation and errors are those of `execute_all`.
        """
        raw, next_raw = await self.connection.call(self, (first, then))
        reply = wire.decode(raw, first.reply, first.method)
        return reply, wire.decode(next_raw, then.reply, then.method)

    def subscribe(self, *types: type[EventT], capacity: int = EVENTS_MAX) -> Subscription[EventT]:
        """The events of these types that arrive from now on, to the end of its block."""
        subscription = Subscription(types, capacity, self._listeners.remove)
        if self.failure is not None:
            subscription.fail(self.failure)
        self._listeners.append(subscription)
        return subscription

    def take(self, event: WireFrame) -> None:
        """Hands an event to those who wait for it."""
        for listener in self._listeners:
            listener.offer(event.method or "", event.params)

    def end(self, failure: Failure) -> None:
        """Fails every later call, and those who wait for events; the first reason stays."""
        if self.failure is None:
            self.failure = failure
            for listener in self._listeners:
                listener.fail(failure)
