"""What the parts of a fake browser say to us with: replies, events, ids, and things done later."""

import itertools
import json
from collections.abc import Callable, Mapping
from typing import TypeAlias

import attrs
import trio

from tabwright.testing.fake.link import FakeLink

Parameters: TypeAlias = Mapping[str, object]
Result: TypeAlias = Mapping[str, object]

METHOD_NOT_FOUND = -32601
INVALID_PARAMETERS = -32602
SERVER_ERROR = -32000
SESSION_NOT_FOUND = -32001


@attrs.frozen
class FakeCommand:
    """A command as it came in."""

    number: int
    method: str
    params: Parameters
    session_id: str


class CommandRefused(Exception):
    """The command fails, as the browser says it."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Silence(Exception):
    """This command is not answered."""


class Later(Exception):
    """This command is answered after a while, with what `answer` gives then."""

    def __init__(self, delay_s: float, answer: Callable[[], Result]) -> None:
        super().__init__(delay_s)
        self.delay_s = delay_s
        self.answer = answer


class Blocked(Exception):
    """This command is answered once the page's dialog is, with what `answer` gives then."""

    def __init__(self, answer: Callable[[], Result]) -> None:
        super().__init__()
        self.answer = answer


class FakeWire:
    """The browser's side of the link."""

    def __init__(self, link: FakeLink, nursery: trio.Nursery) -> None:
        self._link = link
        self._nursery = nursery
        self._ids = itertools.count(1)

    def reply(self, command: FakeCommand, **outcome: object) -> None:
        """Answers a command with its ``result`` or its ``error``."""
        self._send({"id": command.number, **outcome}, command.session_id)

    def emit(self, method: str, params: Parameters, session_id: str = "") -> None:
        """Sends an event."""
        self._send({"method": method, "params": params}, session_id)

    def garble(self) -> None:
        """Sends what is no JSON."""
        self._link.emit(b"{this is no JSON")

    def cut(self) -> None:
        """Hangs up."""
        self._link.cut()

    def new_id(self, kind: str) -> str:
        """An id that nothing else in this browser has."""
        return f"{kind}-{next(self._ids)}"

    def later(
        self, delay_s: float, work: Callable[[], None], scope: trio.CancelScope | None = None
    ) -> None:
        """Does `work` after a while, unless `scope` is cancelled first."""

        async def wait() -> None:
            """Sleeps, and works; cancelled, it does nothing."""
            with scope or trio.CancelScope():
                await trio.sleep(delay_s)
                work()

        self._nursery.start_soon(wait)

    def _send(self, message: Mapping[str, object], session_id: str) -> None:
        session = {"sessionId": session_id} if session_id else {}
        self._link.emit(json.dumps({**message, **session}).encode())
