"""A session: the commands and events of one target of the browser."""

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
"""The maximum number of queued events in a subscription before the oldest is dropped."""

ReplyT = TypeVar("ReplyT")
NextT = TypeVar("NextT")
EventT = TypeVar("EventT", bound=Event)
EventT_co = TypeVar("EventT_co", bound=Event, covariant=True)


class Listener(Protocol):
    """The reader's side of a subscription."""

    def offer(self, method: str, params: Raw) -> None:
        """Queue the event if its type is subscribed; never waits."""
        ...

    def fail(self, failure: Failure) -> None:
        """End the iteration with an error once the queue is empty."""
        ...


class Subscription(Generic[EventT_co]):
    """An asynchronous iterator over the events of some types in one session.

    Subscribe before acting, or the event is missed. It is a context manager that ends the
    subscription. Pass it to a task as an argument: a task that subscribes itself may start too
    late. The queue is bounded, and the reader never waits: when the queue is full the oldest event
    is dropped and counted. Waiting for the next event is a checkpoint only if none is queued;
    cancellation loses no event.

    Attributes:
        dropped: the number of events dropped from a full queue.
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
        if method in self._types:
            self.dropped += len(self._queue) == self._queue.maxlen
            self._queue.append((method, params))
            if self._waiting:
                self._waiting.unpark()

    def fail(self, failure: Failure) -> None:
        self._failure = failure
        self._waiting.unpark_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop receiving; the queued events are still returned, and then the iteration ends."""
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
    """The connection of a session to its browser."""

    async def call(
        self, session: "CDPSession", commands: Sequence[CDPCommand[object]]
    ) -> list[Raw]:
        """Send commands in order, and wait for the raw results of all."""
        ...

    def session(self, session_id: str) -> "CDPSession":
        """Return the session of an attached target."""
        ...


class CDPSession:
    """An attached target, or (with an empty id) the browser itself.

    Attributes:
        id: the flat session id.
        connection: the connection that it belongs to.
        failure: the error of calls after the target is gone; None while it lives.
    """

    def __init__(self, connection: Speaker, session_id: str) -> None:
        self.id = session_id
        self.connection = connection
        self.failure: Failure | None = None
        self._listeners: list[Listener] = []

    async def execute(self, command: CDPCommand[ReplyT]) -> ReplyT:
        """Send a command and wait for its reply.

        Cancelled before it begins, it sends nothing. Cancelled later, it forgets the call, which
        the browser may still run; a frame is never torn. Some commands are never answered, so the
        caller should have a deadline.

        Raises:
            CommandFailed: the browser refused the command.
            MalformedReply: the reply does not have the defined shape.
            UnsendableText: the command contains text that UTF-8 cannot encode.
            FrameTooLarge: the command is larger than `COMMAND_BYTES_MAX`.
            Gone: the target or the browser was lost before it could answer.
        """
        (reply,) = await self.execute_all((command,))
        return reply

    async def execute_all(self, commands: Sequence[CDPCommand[ReplyT]]) -> list[ReplyT]:
        """Send commands in this order without waiting in between, then wait for all replies.

        For commands whose replies depend on later commands. Cancellation and errors are those of
        `execute`; the first error ends the wait, not the later commands.
        """
        raws = await self.connection.call(self, commands)
        return [
            wire.decode(raw, command.reply, command.method)
            for raw, command in zip(raws, commands, strict=True)
        ]

    async def execute_both(
        self, first: CDPCommand[ReplyT], then: CDPCommand[NextT]
    ) -> tuple[ReplyT, NextT]:
        """Send two commands whose replies have different shapes, then wait for both.

        Cancellation and errors are those of `execute_all`.
        """
        (reply,), next_reply = await self.execute_then((first,), then)
        return reply, next_reply

    async def execute_then(
        self, commands: Sequence[CDPCommand[ReplyT]], last: CDPCommand[NextT]
    ) -> tuple[list[ReplyT], NextT]:
        """Send commands, and a last one whose reply has another shape, then wait for all.

        Cancellation and errors are those of `execute_all`.
        """
        *raws, last_raw = await self.connection.call(self, (*commands, last))
        replies = [
            wire.decode(raw, command.reply, command.method)
            for raw, command in zip(raws, commands, strict=True)
        ]
        return replies, wire.decode(last_raw, last.reply, last.method)

    def subscribe(self, *types: type[EventT], capacity: int = EVENTS_MAX) -> Subscription[EventT]:
        """Subscribe to events of these types from now until the end of the block."""
        subscription = Subscription(types, capacity, self._listeners.remove)
        if self.failure is not None:
            subscription.fail(self.failure)
        self._listeners.append(subscription)
        return subscription

    def take(self, event: WireFrame) -> None:
        """Pass an event to its subscriptions."""
        for listener in self._listeners:
            listener.offer(event.method or "", event.params)

    def end(self, failure: Failure) -> None:
        """Fail every later call and every subscription; the first reason is kept."""
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
"""Called with each new target before it runs; returns the commands to send to it first.

It may subscribe to the session's events itself, but not in a new task, which may start after the
first event; and it must not wait. With `target.auto_attach_frames` among the commands, the target's
own frames are attached and welcomed, too.
"""

NEW_PAGE = (
    inspector.enable(),
    page.enable(),
    page.set_lifecycle_events_enabled(),
    network.enable(),
)
"""The first commands to every page."""


async def keep_attached(
    session: CDPSession,
    auto_attach: CDPCommand[Nothing],
    welcome: Welcome,
    begun: Callable[[], None] | None = None,
) -> None:
    """Attach targets as they appear, and let each run after its welcome.

    Runs until it is cancelled or `session` ends. After cancellation, attached targets stay attached
    and new ones stay paused: cancel it together with the page or the browser, not before.

    Args:
        session: the browser's root for pop-ups, a page for its frames.
        auto_attach: `target.auto_attach_pages` or `target.auto_attach_frames`. For the browser it
            attaches to every new page; one that another page opened has an ``opener_id``.
        welcome: called with each, including targets that we attach to explicitly.
        begun: called once all new targets are attached.

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
