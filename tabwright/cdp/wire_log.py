"""The wire log: one line for each frame, for a person who debugs.

::

    => #12 @a1b2 Page.navigate {"url":"https://example.com/"}
    <= #12 @a1b2 {"frameId":"…"}
    <- @a1b2 Page.loadEventFired {"timestamp":1.5}
"""

from collections.abc import Callable
from typing import TypeAlias

from tabwright.cdp import wire
from tabwright.cdp.wire import WireFrame

WireLog: TypeAlias = Callable[[str], None]

TEXT_MAX = 400
"""Characters of a frame's content that a line shows."""

PRIVATE = (
    "ookie",
    "uthorization",
    "Input.",
    "Fetch.",
    "setExtraHTTPHeaders",
    "xtraInfo",
    "submitForm",
    "localStorage",
)
"""A frame that holds one of these may carry a secret: its content stays out of the log."""


def sent(frame: bytes) -> str:
    """The line of a command."""
    return _line("=>", frame)


def received(frame: bytes) -> str:
    """The line of a reply or an event."""
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
    if any(word.encode() in frame for word in PRIVATE):
        return f"({len(frame)} bytes, private)"
    if envelope.error is not None:
        return f"error {envelope.error.code} {envelope.error.message}"
    content = bytes(envelope.params if envelope.method else envelope.result)
    text = content[: TEXT_MAX * 4].decode(errors="replace")
    return text if len(text) <= TEXT_MAX else f"{text[:TEXT_MAX]}… ({len(frame)} bytes)"
