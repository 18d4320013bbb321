"""A target of the browser that we talk to, and hear from."""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic, Protocol, Self, TypeAlias, TypeVar

import trio

from tabwright.cdp import wire
from tabwright.cdp.conversation import Failure
from tabwright.cdp.domains import inspector, network, page, runtime
from tabwright.cdp.domains.target import AttachedToTarget
from tabwright.cdp.errors import CDPError, Gone
from tabwright.cdp.wire import CDPCommand, Event, Nothing, Raw, WireFrame

EVENTS_MAX = 4096
"""Events that may wait in one subscription before the oldest is dropped."""

ReplyT = TypeVar("ReplyT")
NextT = TypeVar("NextT")
EventT = TypeVar("EventT", bound=Event)
EventT_co = TypeVar("EventT_co", bound=Event, covariant=True)


class Listener(Protocol):
    """The reader's side of a subscription."""

    def offer(self, method: str, params: Raw) -> None:
        """Takes the event if it is of a type asked for; never waits."""
        ...

    def fail(self, failure: Failure) -> None:
        """Ends the iteration with an error once the queue is empty."""
        ...


class Subscription(Generic[EventT_co]):
    """An asynchronous iterator over the events of one session, of the types asked for.

    Subscribe before acting, or the event is missed: it hears from when it was made. It is a context
    manager, whose end is the end of its hearing; a task that is to take the events gets it as an
    argument, for what a task does first comes too late. The queue is bounded, and the reader never
    waits: when the queue is full the oldest event is dropped and counted. Waiting for the next
    event is a checkpoint only where there is none yet; cancellation loses no event.

    Attributes:
        dropped: events that were thrown away because nobody took them in time.
    """

    def __init__(
        self,
        types: tuple[type[EventT_co], ...],
        capacity: int,
        leave: Callable[[Listener], None],
    ) -> None:
        self.dropped = 0
        self._leave = leave
        self._closed = False
        self._types = {event_type.method: event_type for event_type in types}
        self._queue = deque[tuple[str, Raw]](maxlen=capacity)
        self._failure: Failure | None = None
        self._waiting = trio.lowlevel.ParkingLot()

    def offer(self, method: str, params: Raw) -> None:
        """See `Listener.offer`."""
        if method in self._types:
            self.dropped += len(self._queue) == self._queue.maxlen
            self._queue.append((method, params))
            if self._waiting:
                self._waiting.unpark()

    def fail(self, failure: Failure) -> None:
        """See `Listener.fail`."""
        self._failure = failure
        self._waiting.unpark_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hears no more; what was heard is still given, and then the iteration ends."""
        if not self._closed:
            self._closed = True
            self._leave(self)
            self._waiting.unpark_all()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> EventT_co:
        while not self._queue:
            if self._closed:
                raise StopAsyncIteration
            if self._failure is not None:
                raise self._failure("waiting for " + " or ".join(self._types))
            await self._waiting.park()
        method, params = self._queue.popleft()
        return wire.decode(params, self._types[method], method)


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


# Keeping the pop-ups of a browser, or the out-of-process frames of a page, attached and running.
#
# A target that is attached as it starts is held until it is told to run, so that nothing of it is
# missed. It must be told without waiting: while it is held, it may not answer any other command,
# its opener hangs, and the page around it never loads.

Welcome: TypeAlias = Callable[[AttachedToTarget, CDPSession], Sequence[CDPCommand[Nothing]]]
"""Told of each new target before it runs; gives the commands to send to it first.

It may subscribe to the session's events, itself and not by a task of its own, whose turn may come
after the first of them; and it must not wait. `target.auto_attach_frames` among the
commands keeps the target's own frames attached too: they are welcomed like the rest.
"""

NEW_PAGE = (
    inspector.enable(),
    page.enable(),
    page.set_lifecycle_events_enabled(),
    network.enable(),
)
"""What every page is told before anything else."""


async def keep_attached(
    session: CDPSession,
    auto_attach: CDPCommand[Nothing],
    welcome: Welcome,
    begun: Callable[[], None] | None = None,
) -> None:
    """Has targets attached as they come, and lets each run once it is welcomed.

    Runs until it is cancelled or `session` ends. Cancellation leaves what is attached as it is,
    and what comes later is held: cancel it with the page or the browser, not before.

    Args:
        session: the browser's root for pop-ups, a page for its frames.
        auto_attach: `target.auto_attach_pages` or `target.auto_attach_frames`. For the browser it
            attaches to every new page; one that another page opened has an ``opener_id``.
        welcome: told of each. What we attach to by hand is among them.
        begun: told once nothing is missed any more.

    Raises:
        CDPError: `auto_attach` failed.
    """
    with session.subscribe(AttachedToTarget) as arrivals:
        await session.execute(auto_attach)
        if begun is not None:
            begun()
        await _attend(arrivals, session, welcome)


async def _attend(
    arrivals: Subscription[AttachedToTarget], session: CDPSession, welcome: Welcome
) -> None:
    async with trio.open_nursery() as nursery:
        with suppress(Gone):
            async for arrival in arrivals:
                child = session.connection.session(arrival.session_id)
                opening = (*welcome(arrival, child), runtime.run_if_waiting_for_debugger())
                nursery.start_soon(_let_run, child, opening, welcome)
        nursery.cancel_scope.cancel()


async def _let_run(
    child: CDPSession, opening: Sequence[CDPCommand[Nothing]], welcome: Welcome
) -> None:
    # It may be gone by now, which its session tells the caller.
    with suppress(CDPError), child.subscribe(AttachedToTarget) as arrivals:
        await child.execute_all(opening)
        await _attend(arrivals, child, welcome)
