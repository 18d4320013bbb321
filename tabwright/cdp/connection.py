"""One browser: a link, the conversation on it, and the sessions of its targets.

Commands go into a bounded outbox that one task empties, so that cancelling a caller never tears
a frame; one that needs no waiting is sent at once. The reader settles replies and hands events
to bounded subscriptions; it never waits for anybody, so a reply cannot stand behind an event.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

import trio

from tabwright.cdp import wire, wire_log
from tabwright.cdp.command import Command
from tabwright.cdp.conversation import Call, Conversation, Failure, lost_session
from tabwright.cdp.errors import ConnectionLost, FrameTooLarge, LinkLost
from tabwright.cdp.link import Link
from tabwright.cdp.subscription import Listener, Subscription
from tabwright.cdp.wire import JSON, Event, Frame, Raw, Shape
from tabwright.cdp.wire_log import WireLog

COMMAND_BYTES_MAX = 64 << 20
"""Chromium hangs up (WebSocket) or wedges (pipe) on a command of more than 100 MiB."""

OUTBOX_MAX = 64
"""Commands that may wait for the writer; more make their callers wait."""

EVENTS_MAX = 4096
"""Events that may wait in one subscription before the oldest is dropped."""

WRITE_STALL_S = 30.0
"""A browser that takes no byte of a command for so long is given up."""

ROOT = ""
"""The session id of the browser itself."""

ReplyT = TypeVar("ReplyT")
EventT = TypeVar("EventT", bound=Event)


class _Attached(Shape, frozen=True):
    session_id: str


class Session:
    """A target that we are attached to, or (with an empty id) the browser itself.

    Attributes:
        id: the flat session id.
        failure: how calls fail since the target is gone; None while it lives.
    """

    def __init__(self, connection: "Connection", session_id: str) -> None:
        self.id = session_id
        self.failure: Failure | None = None
        self._connection = connection
        self._listeners: list[Listener] = []

    async def execute(self, command: Command[ReplyT]) -> ReplyT:
        """Sends a command and waits for its reply.

        Cancellation forgets the call; the browser may still run it. Some commands are never
        answered, so the caller should have a deadline.

        Raises:
            CommandFailed: the browser said no.
            MalformedReply: the reply does not have the promised shape.
            FrameTooLarge: the command is larger than `COMMAND_BYTES_MAX`.
            Gone: the target or the browser went away before it could answer.
        """
        raw = await self._connection.call(self, command.method, command.params)
        return wire.decode(raw, command.reply, command.method)

    @contextmanager
    def subscribe(
        self, *types: type[EventT], capacity: int = EVENTS_MAX
    ) -> Generator[Subscription[EventT]]:
        """The events of these types that arrive while the block runs."""
        subscription = Subscription(types, capacity)
        if self.failure is not None:
            subscription.fail(self.failure)
        self._listeners.append(subscription)
        try:
            yield subscription
        finally:
            self._listeners.remove(subscription)

    def take(self, event: Frame) -> None:
        """Hands an event to those who wait for it."""
        for listener in self._listeners:
            listener.offer(event.method or "", event.params)

    def end(self, failure: Failure) -> None:
        """Fails every later call, and those who wait for events; the first reason stays."""
        if self.failure is None:
            self.failure = failure
            for listener in self._listeners:
                listener.fail(failure)


class Connection:
    """A conversation with one browser over a link that it does not own.

    Attributes:
        root: the session of the browser itself.
        lost: set when nothing can be said or heard any more.
        strays: how many events came for sessions that we do not know.
    """

    def __init__(self, link: Link, log: WireLog | None = None) -> None:
        self._link = link
        self._log = log
        self._conversation = Conversation()
        self._outbox, self._outgoing = trio.open_memory_channel[bytes](OUTBOX_MAX)
        self._unsent = 0
        self.root = Session(self, ROOT)
        self._sessions = {ROOT: self.root}
        self.lost = trio.Event()
        self.strays = 0

    async def run(self) -> None:
        """Reads and writes until the link is lost; then, and when cancelled, fails every call."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write)
                await self._read()
                nursery.cancel_scope.cancel()
        finally:
            self._lose("it was closed")

    def session(self, session_id: str) -> Session:
        """The session of an attached target; one that is not known any more has ended."""
        session = self._sessions.get(session_id)
        if session is None:
            session = Session(self, session_id)
            session.end(self.root.failure or partial(ConnectionLost, reason="session unknown"))
        return session

    async def call(self, session: Session, method: str, params: Mapping[str, JSON]) -> Raw:
        """`Session.execute` without types: the raw result."""
        if session.failure is not None:
            await trio.lowlevel.checkpoint_if_cancelled()
            raise session.failure(method)
        call, frame = self._conversation.open(session.id, method, params)
        try:
            await self._post(call, frame)
            await self._settled(call)
        finally:
            self._conversation.abandon(call)
        if call.outcome is None:
            raise ConnectionLost(method, "it was closed")
        return call.outcome.unwrap()

    async def _post(self, call: Call, frame: bytes) -> None:
        if len(frame) > COMMAND_BYTES_MAX:
            raise FrameTooLarge(call.method, f"the command has {len(frame)} bytes")
        if self._log:
            self._log(wire_log.sent(call.number, call.session_id, call.method, frame))
        try:
            if not self._unsent and self._link.send_nowait(frame):
                return
            await self._enqueue(frame)
        except (LinkLost, trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ConnectionLost(call.method, str(error)) from error

    async def _enqueue(self, frame: bytes) -> None:
        self._unsent += 1
        try:
            await self._outbox.send(frame)
        except BaseException:
            self._unsent -= 1
            raise

    async def _settled(self, call: Call) -> None:
        def abort(_: object) -> trio.lowlevel.Abort:
            call.wake = None
            return trio.lowlevel.Abort.SUCCEEDED

        if call.outcome is None:
            call.wake = partial(trio.lowlevel.reschedule, trio.lowlevel.current_task())
            await trio.lowlevel.wait_task_rescheduled(abort)

    async def _write(self) -> None:
        async for frame in self._outgoing:
            try:
                with trio.fail_after(WRITE_STALL_S):
                    await self._link.send(frame)
            except (LinkLost, trio.TooSlowError) as error:
                self._lose(str(error) or "the browser takes no commands")
                return
            self._unsent -= 1

    async def _read(self) -> None:
        while not self.lost.is_set():
            try:
                frames = await self._link.receive()
            except LinkLost as error:
                self._lose(str(error))
                return
            for frame in frames:
                self._take(frame)

    def _take(self, frame: bytes) -> None:
        event = self._conversation.receive(frame)
        if self._log:
            self._log_received(frame)
        if event is None:
            return
        if event.method == "Target.attachedToTarget":
            self._open_session(event)
        session = self._sessions.get(event.session_id)
        if session is None:
            self.strays += 1
        else:
            session.take(event)
        self._notice_loss(event)

    def _open_session(self, event: Frame) -> None:
        attached = wire.decode(event.params, _Attached, "Target.attachedToTarget")
        self._sessions[attached.session_id] = Session(self, attached.session_id)

    def _notice_loss(self, event: Frame) -> None:
        if loss := lost_session(event):
            session_id, failure = loss
            if session := self._sessions.pop(session_id, None):
                session.end(failure)

    def _lose(self, reason: str) -> None:
        failure: Failure = partial(ConnectionLost, reason=reason)
        for session in self._sessions.values():
            session.end(failure)
        self._conversation.lose(failure)
        self._outbox.close()
        self.lost.set()

    def _log_received(self, frame: bytes) -> None:
        envelope = wire.decode_frame(frame)
        if self._log and envelope:
            line = wire_log.received(frame, envelope.session_id, envelope.id, envelope.method)
            self._log(line)
