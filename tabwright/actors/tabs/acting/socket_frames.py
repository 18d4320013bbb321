"""What goes over the WebSockets of a page: the latest frames, as lines that a person can read."""

from collections import deque

import attrs

from tabwright.cdp.domains import network
from tabwright.page.outline_text import harmless

FRAMES_MAX = 1000
"""Of all WebSockets of one tab."""

CHARACTERS_MAX = 400_000
"""The same for what is kept of them."""

TEXT_MAX = 2000
"""Of one frame; what it has more is only counted."""

TEXT = 1
"""The opcode of text (RFC 6455, section 11.8); all else is bytes."""


@attrs.frozen
class SocketFrame:
    """One message that went over a WebSocket.

    Attributes:
        socket: what the browser calls the WebSocket.
        sent: whether it was the page that said it.
        at: when, in seconds on the browser's clock.
        text: what it said, cut; of bytes how many they were.
    """

    socket: str
    sent: bool
    at: float
    text: str


class SocketFrames:
    """Remembers the latest frames of one tab."""

    def __init__(self) -> None:
        self._frames = deque[SocketFrame]()
        self._characters = 0

    def add(self, frame: SocketFrame) -> None:
        """One more, for which the oldest may have to go."""
        self._frames.append(frame)
        self._characters += len(frame.text)
        while len(self._frames) > FRAMES_MAX or self._characters > CHARACTERS_MAX:
            self._characters -= len(self._frames.popleft().text)

    def told(self, socket: str, count: int, began: float) -> str:
        """A line for each frame of one WebSocket, the latest last.

        Args:
            socket: which.
            count: of all its frames.
            began: when it was opened.
        """
        lines = [_line(frame, began) for frame in self._frames if frame.socket == socket]
        if count > len(lines):
            lines.insert(0, f"({count - len(lines)} earlier frames are not kept.)")
        return "\n".join(lines) or "(Nothing was said.)"


def text_of(message: network.Message) -> str:
    """What is kept of a message."""
    text = message.payload_data
    if message.opcode != TEXT:
        return f"({size_of(message)} bytes)"
    more = len(text) - TEXT_MAX
    return f"{text[:TEXT_MAX]}… (+{more} characters)" if more > 0 else text


def size_of(message: network.Message) -> int:
    """How many bytes it carries; CDP gives those of binary messages in base64."""
    payload = message.payload_data
    if message.opcode == TEXT:
        return len(payload.encode())
    return len(payload) // 4 * 3 - payload[-2:].count("=")


def _line(frame: SocketFrame, began: float) -> str:
    what = "sent" if frame.sent else "received"
    return f"{what} at {(frame.at - began) * 1000:.0f} ms: {harmless(frame.text)}"
