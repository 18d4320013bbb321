"""The wire log: one line for each frame, for a person who debugs.

::

    => #12 @a1b2 Page.navigate {"url":"https://example.com/"}
    <= #12 {"frameId":"…"}
    <- @a1b2 Page.loadEventFired {"timestamp":1.5}
"""

from collections.abc import Callable
from typing import TypeAlias

WireLog: TypeAlias = Callable[[str], None]

TEXT_MAX = 400
"""Characters of a frame that a line shows."""

PRIVATE = ("Cookie", "cookie", "Input.", "Fetch.", "setExtraHTTPHeaders", "extraInfo", "ExtraInfo")
"""A frame that holds one of these may carry a secret: its content stays out of the log."""


def sent(number: int, session_id: str, method: str, frame: bytes) -> str:
    """The line of a command."""
    return f"=> #{number}{_at(session_id)} {method} {_content(frame)}"


def received(frame: bytes, session_id: str, number: int | None, method: str | None) -> str:
    """The line of a reply or an event."""
    head = f"<= #{number}" if method is None else f"<-{_at(session_id)} {method}"
    return f"{head} {_content(frame)}"


def _at(session_id: str) -> str:
    return f" @{session_id[:4].lower()}" if session_id else ""


def _content(frame: bytes) -> str:
    text = frame[: TEXT_MAX * 4].decode(errors="replace")
    if any(word in text for word in PRIVATE):
        return f"({len(frame)} bytes, private)"
    return text if len(text) <= TEXT_MAX else f"{text[:TEXT_MAX]}… ({len(frame)} bytes)"
