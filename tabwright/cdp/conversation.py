"""The pending calls of one connection, without any I/O.

The rules:

* Numbers count up over all sessions of a connection; a reply settles the call of its number.
* A call is settled exactly once: by its reply, by the loss of its session, or by the loss of all.
* An abandoned call is forgotten; its late reply is counted as odd and dropped, never raised.
* A reply that cannot be read, as far as its head says that it is one, fails only its call.
* Chromium does not answer the pending calls of a target that goes away. Two events say so, and each
  settles every pending call of that session: ``Inspector.targetCrashed`` (sent with no domain
  enabled) and ``Target.detachedFromTarget``.
* A frame that cannot be read, an unknown number and an unknown event are counted, never raised.
"""

import itertools
from collections.abc import Callable, Mapping
from typing import TypeAlias

import attrs
from outcome import Error, Outcome, Value

from tabwright.cdp import wire
from tabwright.cdp.errors import (
    CommandFailed,
    Gone,
    MalformedReply,
    SessionEnded,
    TargetCrashed,
)
from tabwright.cdp.wire import JSON, Raw, Shape, WireFrame

Failure: TypeAlias = Callable[[str], Gone]
"""Creates the error of a call that will get no reply, from the call's method."""


class _Detached(Shape, frozen=True):
    session_id: str


@attrs.define(eq=False)
class PendingCall:
    """A command without a reply yet.

    Attributes:
        outcome: its raw result or its error, once it is settled.
        wake: called once with the outcome; the caller sets it when it begins to wait.
    """

    number: int
    session_id: str
    method: str
    outcome: Outcome[Raw] | None = None
    wake: Callable[[Outcome[Raw]], None] | None = None


class CommandMultiplexer:
    """The pending calls of a connection.

    Attributes:
        oddities: the number of unreadable frames and of replies to unknown calls.
    """

    def __init__(self) -> None:
        self.oddities = 0
        self._numbers = itertools.count(1)
        self._pending: dict[int, PendingCall] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def open(
        self, session_id: str, method: str, params: Mapping[str, JSON]
    ) -> tuple[PendingCall, bytes]:
        """Create a pending call and the frame to send for it.

        Raises:
            UnsendableText: a parameter contains text that UTF-8 cannot encode.
        """
        number = next(self._numbers)
        frame = wire.encode_command(number, session_id, method, params)
        call = self._pending[number] = PendingCall(number, session_id, method)
        return call, frame

    def abandon(self, call: PendingCall) -> None:
        """Forget a call without a caller; the browser may still run the command."""
        self._pending.pop(call.number, None)

    def receive(self, frame: bytes) -> WireFrame | None:
        """Process a frame: settle its call, or return it if it is an event.

        Raises:
            MalformedReply: an event about the end of a session does not name the session.
        """
        envelope = wire.decode_frame(frame)
        if envelope is None:
            self.oddities += 1
            if lost := self._pending.get(wire.reply_number(frame)):
                text = "its response is too large or invalid"
                self._settle(lost, Error(MalformedReply(lost.method, text)))
        elif envelope.method is not None:
            if loss := session_lost_error(envelope):
                self.lose_session(*loss)
            return envelope
        else:
            call = self._pending.get(envelope.id or 0)
            if call is None:
                self.oddities += 1
            elif envelope.error is None:
                self._settle(call, Value(envelope.result))
            else:
                fault = envelope.error
                error = CommandFailed(call.method, fault.code, fault.message, str(fault.data))
                self._settle(call, Error(error))
        return None

    def lose_session(self, session_id: str, failure: Failure) -> None:
        """Settle every pending call of one session with the error that `failure` makes."""
        for call in [c for c in self._pending.values() if c.session_id == session_id]:
            self._settle(call, Error(failure(call.method)))

    def lose(self, failure: Failure) -> None:
        """Settle every pending call."""
        for call in list(self._pending.values()):
            self._settle(call, Error(failure(call.method)))

    def _settle(self, call: PendingCall, result: Outcome[Raw]) -> None:
        self._pending.pop(call.number)
        call.outcome = result
        if call.wake is not None:
            call.wake(result)


def session_lost_error(event: WireFrame) -> tuple[str, Failure] | None:
    """Return the session that `event` ends, and the error of its calls; None for other events."""
    match event.method:
        case "Inspector.targetCrashed":
            return event.session_id, TargetCrashed
        case "Target.detachedFromTarget":
            detached = wire.decode(event.params, _Detached, "Target.detachedFromTarget")
            return detached.session_id, SessionEnded
        case _:
            return None
