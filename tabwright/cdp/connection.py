"""A connection to one browser: a link, the calls on it, and the sessions of its targets.

Commands go into a bounded outbox that one task empties, so that cancelling a caller never tears a
frame; a command that can be sent without waiting is sent at once. The reader settles replies and
passes events to bounded subscriptions; it never waits, so a reply cannot be delayed by an event.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol, TypeAlias

import trio

from tabwright.cdp import wire
from tabwright.cdp.conversation import CommandMultiplexer, Failure, PendingCall, session_lost_error
from tabwright.cdp.errors import (
    ConnectionLost,
    FrameTooLarge,
    LinkLost,
    MalformedReply,
    SessionEnded,
)
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import CDPCommand, Raw, Shape, WireFrame

COMMAND_BYTES_MAX = 64 << 20
"""Chromium disconnects (WebSocket) or hangs (pipe) on a command of more than 100 MiB."""

OUTBOX_MAX = 64
"""The maximum number of commands that wait for the writer; further callers wait."""

WRITE_STALL_S = 30.0
"""A browser that has not read a whole command after this many seconds is given up."""

ROOT = ""
"""The session id of the browser itself."""


WireLog: TypeAlias = Callable[[str], None]
"""Called with a line for each frame."""


class Transport(Protocol):
    """Carries frames of JSON text in UTF-8 between us and one browser, in order.

    One task sends and one receives. A link never retries and never reorders.
    """

    def send_nowait(self, frame: bytes, /) -> bool:
        """Send the whole frame if that needs no waiting; return False if nothing was sent.

        Raises:
            LinkLost: the link to the browser is lost.
        """
        ...

    async def send(self, frame: bytes) -> None:
        """Send the whole frame.

        Cancellation may leave a torn frame, after which the link is unusable.

        Raises:
            LinkLost: the link to the browser is lost.
        """
        ...

    async def receive(self) -> Sequence[bytes]:
        """Return the next frames, at least one; a checkpoint. Cancellation loses nothing.

        Raises:
            LinkLost: the link to the browser is lost.
        """
        ...

    async def aclose(self) -> None:
        """Release the link's resources; returns soon even if the browser hangs."""
        ...


class _Attached(Shape, frozen=True):
    session_id: str


class CDPConnection:
    """A connection to one browser over a link that it does not own.

    Args:
        link: carries the frames.
        log: called with a line for each frame.
        trouble: returns, when the link is lost, the known problem of the browser's system; empty
            for none.

    Attributes:
        root: the session of the browser itself.
        lost: set when the connection is lost.
        strays: the number of events for unknown sessions, or with unreadable session ids.
        frames_received: the number of received frames.
    """

    def __init__(
        self, link: Transport, log: WireLog | None = None, trouble: Callable[[], str] = str
    ) -> None:
        self._link = link
        self._log = log
        self._trouble = trouble
        self._conversation = CommandMultiplexer()
        self._outbox, self._outgoing = trio.open_memory_channel[bytes](OUTBOX_MAX)
        self._unsent = 0
        self.root = CDPSession(self, ROOT)
        self._sessions = {ROOT: self.root}
        self.lost = trio.Event()
        self.strays = 0
        self.frames_received = 0

    async def run(self) -> None:
        """Read and write until the link is lost; then, or when cancelled, fail every call."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write)
                nursery.start_soon(self._read)
                await self.lost.wait()
                nursery.cancel_scope.cancel()
        finally:
            self._lose("it was closed")

    def session(self, session_id: str) -> CDPSession:
        """Return the session of an attached target; an unknown one has ended."""
        session = self._sessions.get(session_id)
        if session is None:
            session = CDPSession(self, session_id)
            session.end(self.root.failure or SessionEnded)
        return session

    def give_up(self, reason: str) -> None:
        """Treat the browser as lost: fail every call, and send nothing more."""
        self._lose(reason)

    def leave_pages(self, reason: str) -> None:
        """Treat every page as lost; the browser itself can still be closed."""
        failure: Failure = partial(ConnectionLost, reason=reason)
        for session_id in self._sessions.keys() - {ROOT}:
            self._conversation.lose_session(session_id, failure)
            self._sessions.pop(session_id).end(failure)

    async def call(self, session: CDPSession, commands: Sequence[CDPCommand[object]]) -> list[Raw]:
        """Run `Session.execute_all` without types; return the raw results. Same errors."""
        await trio.lowlevel.checkpoint_if_cancelled()
        calls: list[PendingCall] = []
        try:
            for command in commands:
                if session.failure is not None:
                    raise session.failure(command.method)
                call, frame = self._conversation.open(session.id, command.method, command.params)
                calls.append(call)
                await self._post(call, frame)
            return [await _settled(call) for call in calls]
        finally:
            for call in calls:
                self._conversation.abandon(call)

    async def _post(self, call: PendingCall, frame: bytes) -> None:
        if len(frame) > COMMAND_BYTES_MAX:
            raise FrameTooLarge(call.method, f"the command has {len(frame)} bytes")
        if self._log:
            self._log(sent_line(frame))
        try:
            if self._unsent or not self._link.send_nowait(frame):
                await self._enqueue(frame)
        except LinkLost as error:
            raise ConnectionLost(call.method, str(error)) from error

    async def _enqueue(self, frame: bytes) -> None:
        self._unsent += 1
        try:
            with suppress(trio.ClosedResourceError):  # then the loss has settled the call
                await self._outbox.send(frame)
        except BaseException:
            self._unsent -= 1
            raise

    async def _write(self) -> None:
        async for frame in self._outgoing:
            try:
                with trio.fail_after(WRITE_STALL_S):
                    await self._link.send(frame)
            except (LinkLost, trio.TooSlowError) as error:
                self._lose(str(error) or "the browser accepts no commands")
                return
            self._unsent -= 1

    async def _read(self) -> None:
        while True:
            try:
                frames = await self._link.receive()
            except LinkLost as error:
                self._lose(str(error))
                return
            for frame in frames:
                self._take(frame)

    def _take(self, frame: bytes) -> None:
        self.frames_received += 1
        if self._log:
            self._log(received_line(frame))
        try:
            event = self._conversation.receive(frame)
            if event is not None:
                if event.method == "Target.attachedToTarget":
                    attached = wire.decode(event.params, _Attached, "Target.attachedToTarget")
                    self._sessions[attached.session_id] = CDPSession(self, attached.session_id)
                session = self._sessions.get(event.session_id)
                if session is None:
                    self.strays += 1
                else:
                    session.take(event)
                if loss := session_lost_error(event):
                    session_id, failure = loss
                    if lost := self._sessions.pop(session_id, None):
                        lost.end(failure)
        except MalformedReply:
            self.strays += 1

    def _lose(self, reason: str) -> None:
        trouble = self._trouble()
        whole = f"{reason} ({trouble})" if trouble else reason
        failure: Failure = partial(ConnectionLost, reason=whole)
        for session in self._sessions.values():
            session.end(failure)
        self._conversation.lose(failure)
        self._outbox.close()
        self.lost.set()


async def _settled(call: PendingCall) -> Raw:
    """Wait for the outcome of a call; if cancelled, the outcome is dropped."""
    if call.outcome is not None:
        return call.outcome.unwrap()

    def abort(_: object) -> trio.lowlevel.Abort:
        """Cancel the wait: no task is woken by the outcome."""
        call.wake = None
        return trio.lowlevel.Abort.SUCCEEDED

    call.wake = partial(trio.lowlevel.reschedule, trio.lowlevel.current_task())
    raw: Raw = await trio.lowlevel.wait_task_rescheduled(abort)
    return raw


# The wire log: one line for each frame, for a person who debugs.
#
#     => #12 @a1b2 Page.navigate {"url":"https://example.com/"}
#     <= #12 @a1b2 {"frameId":"…"}
#     <- @a1b2 Page.loadEventFired {"timestamp":1.5}

LOGGED_MAX = 400
"""The maximum number of characters of a frame's content in a line."""

LOGGED_NOT = (
    "ookie",
    "uthorization",
    "Input.",
    "Fetch.",
    "setExtraHTTPHeaders",
    "xtraInfo",
    "submitForm",
    "localStorage",
    "webStorage",
)
"""A frame that contains one of these may carry a secret: its content is not logged."""


def sent_line(frame: bytes) -> str:
    """Return the log line of a command."""
    return _line("=>", frame)


def received_line(frame: bytes) -> str:
    """Return the log line of a reply or an event."""
    return _line("<-", frame)


def _line(arrow: str, frame: bytes) -> str:
    envelope = wire.decode_frame(frame)
    if envelope is None:
        return f"{arrow} ({len(frame)} bytes, unreadable)"
    if envelope.method is None:
        arrow = "<="
    number = "" if envelope.id is None else f" #{envelope.id}"
    session = f" @{envelope.session_id[:4].lower()}" if envelope.session_id else ""
    method = f" {envelope.method}" if envelope.method else ""
    return f"{arrow}{number}{session}{method} {_content(frame, envelope)}"


def _content(frame: bytes, envelope: WireFrame) -> str:
    if any(word.encode() in frame for word in LOGGED_NOT):
        return f"({len(frame)} bytes, private)"
    if envelope.error is not None:
        return f"error {envelope.error.code} {envelope.error.message}"
    content = bytes(envelope.params if envelope.method else envelope.result)
    text = content[: LOGGED_MAX * 4].decode(errors="replace")
    return text if len(text) <= LOGGED_MAX else f"{text[:LOGGED_MAX]}… ({len(frame)} bytes)"
