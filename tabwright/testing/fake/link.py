"""The transport to a fake browser, beside pipe and WebSocket."""

import itertools
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias

import attrs
import trio

from tabwright.cdp.errors import LinkLost

FRAMES_MAX = 65_536
"""More frames than any test leaves unread; a real pipe would make the browser wait."""


class FakeLink:
    """A `Transport` whose other end is in this process.

    Attributes:
        is_cut: whether the browser has disconnected.
    """

    def __init__(self) -> None:
        self._to_browser, self.commands = trio.open_memory_channel[bytes](FRAMES_MAX)
        self._to_us, self._frames = trio.open_memory_channel[bytes](FRAMES_MAX)
        self.is_cut = False

    def send_nowait(self, frame: bytes) -> bool:
        try:
            self._to_browser.send_nowait(frame)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise LinkLost("the fake browser has ended") from error
        return True

    async def send(self, frame: bytes) -> None:
        await trio.lowlevel.checkpoint()
        self.send_nowait(frame)

    async def receive(self) -> Sequence[bytes]:
        try:
            return [await self._frames.receive()]
        except (trio.EndOfChannel, trio.ClosedResourceError) as error:
            raise LinkLost("the fake browser closed the link") from error

    async def aclose(self) -> None:
        self._to_browser.close()
        self._frames.close()
        await trio.lowlevel.checkpoint()

    def emit(self, frame: bytes) -> None:
        """The browser's side: sends a frame to us; a link that is gone takes it and forgets it."""
        try:
            self._to_us.send_nowait(frame)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    def cut(self) -> None:
        """Close the connection from the browser's side."""
        self.is_cut = True
        self._to_us.close()
        self.commands.close()


# Faults on the link to a browser.


class FaultKind(StrEnum):
    """The effect of a fault.

    ``ERROR``: the command fails. ``MUTE``: it gets no reply. ``CRASH``: its page crashes and it
    gets no reply; for a command to the browser, the page that it names has crashed before.
    ``DETACH``: we are detached from its page, and it gets no reply. ``CUT``: the link breaks.
    ``GARBLE``: its reply is not valid JSON. ``DELAY``: its reply comes `Fault.delay_s` later.
    """

    ERROR = "error"
    MUTE = "mute"
    CRASH = "crash"
    DETACH = "detach"
    CUT = "cut"
    GARBLE = "garble"
    DELAY = "delay"


HARMS = tuple(kind for kind in FaultKind if kind is not FaultKind.DELAY)
"""The faults that need no further number."""


@attrs.frozen
class Fault:
    """A fault that is injected once: at the n-th call of a method, counted from 1.

    Attributes:
        delay_s: how long a delayed reply is late.
    """

    harm: FaultKind
    method: str
    nth: int = 1
    delay_s: float = 0.0


@attrs.define
class Faults:
    """The faults of a browser, over all of its restarts.

    Attributes:
        injected: those that have come about.
    """

    planned: tuple[Fault, ...] = ()
    injected: list[Fault] = attrs.field(factory=list[Fault], init=False)
    _calls: Counter[str] = attrs.field(factory=Counter[str], init=False)

    def fault_for(self, method: str) -> Fault | None:
        """Count a call of `method`; what goes wrong with it, if anything."""
        self._calls[method] += 1
        count = self._calls[method]
        for fault in self.planned:
            if fault.method == method and fault.nth == count:
                self.injected.append(fault)
                return fault
        return None


# The messages of a fake browser: replies, events, ids, and delayed work.

Parameters: TypeAlias = Mapping[str, object]
Result: TypeAlias = Mapping[str, object]

SERVER_ERROR = -32000


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
        """Answer a command with its ``result`` or its ``error``."""
        self._send({"id": command.number, **outcome}, command.session_id)

    def emit(self, method: str, params: Parameters, session_id: str = "") -> None:
        """Send an event."""
        self._send({"method": method, "params": params}, session_id)

    def garble(self) -> None:
        """Send a message that is not valid JSON."""
        self._link.emit(b"{this is no JSON")

    def cut(self) -> None:
        """Hangs up."""
        self._link.cut()

    def new_id(self, kind: str) -> str:
        """An id that nothing else in this browser has."""
        return f"{kind}-{next(self._ids)}"

    def later(
        self, delay_s: float, work: Callable[[], object], scope: trio.CancelScope | None = None
    ) -> None:
        """Do `work` after a while, unless `scope` is cancelled first."""

        async def wait() -> None:
            """Sleep, and works; cancelled, it does nothing."""
            with scope or trio.CancelScope():
                await trio.sleep(delay_s)
                work()

        self._nursery.start_soon(wait)

    def _send(self, message: Mapping[str, object], session_id: str) -> None:
        session = {"sessionId": session_id} if session_id else {}
        self._link.emit(json.dumps({**message, **session}).encode())
