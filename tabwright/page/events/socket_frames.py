"""The latest frames of WebSockets, as readable lines."""

from collections import deque

import attrs

from tabwright.cdp.domains import network
from tabwright.page.events.console_log import TEXT_MAX
from tabwright.page.outline_text import escape_refs

FRAMES_MAX = 1000
"""Maximum number of frames of all WebSockets of one tab."""

CHARACTERS_MAX = 400_000
"""Maximum characters of the frames of all WebSockets of one tab."""


TEXT = 1
"""The opcode of text (RFC 6455, section 11.8); all others are bytes."""


@attrs.frozen
class SocketFrame:
    """A message of a WebSocket.

    Attributes:
        socket: the browser's id of the WebSocket.
        sent: whether the page sent it.
        at: when, in seconds on the browser's clock.
        text: its text, cut; for bytes their number.
    """

    socket: str
    sent: bool
    at: float
    text: str


class SocketFrames:
    """A log of the latest WebSocket frames of one tab."""

    def __init__(self) -> None:
        self._frames = deque[SocketFrame]()
        self._characters = 0

    def add(self, frame: SocketFrame) -> None:
        """Add a frame; the oldest may be removed."""
        self._frames.append(frame)
        self._characters += len(frame.text)
        while len(self._frames) > FRAMES_MAX or self._characters > CHARACTERS_MAX:
            self._characters -= len(self._frames.popleft().text)

    def text(self, socket: str, count: int, began: float) -> str:
        """Return a line for each frame of one WebSocket, the latest last.

        Args:
            socket: the browser's id of the WebSocket.
            count: the number of all its frames.
            began: the time at which it was opened.
        """
        lines = [_line(frame, began) for frame in self._frames if frame.socket == socket]
        if count > len(lines):
            lines.insert(0, f"({count - len(lines)} earlier frames were not kept.)")
        return "\n".join(lines) or "(No messages.)"


def text_of(message: network.WebSocketMessage) -> str:
    """Return the kept text of a message."""
    text = message.payload_data
    if message.opcode != TEXT:
        return f"({size_of(message)} bytes)"
    more = len(text) - TEXT_MAX
    return f"{text[:TEXT_MAX]}… (+{more} characters)" if more > 0 else text


def size_of(message: network.WebSocketMessage) -> int:
    """Return the size of a message in bytes; CDP returns binary messages in base64."""
    payload = message.payload_data
    if message.opcode == TEXT:
        return len(payload.encode())
    return len(payload) // 4 * 3 - payload[-2:].count("=")


def _line(frame: SocketFrame, began: float) -> str:
    what = "sent" if frame.sent else "received"
    return f"{what} at {(frame.at - began) * 1000:.0f} ms: {escape_refs(frame.text)}"
