"""The WebSocket of a browser that we start, on a port that it chose itself or was given.

With port 0 Chromium writes the file ``DevToolsActivePort`` into its profile: the port, a line end,
and the path of the browser target. With another one it only says so on its standard error.
"""

import re
import socket
from pathlib import Path
from typing import Final

from tabwright.cdp.chromium.errors import PortTaken
from tabwright.cdp.chromium.profile import PORT_FILE

_COMPLETE: Final = re.compile(r"(?P<port>\d{1,5})\n(?P<path>/devtools/browser/[0-9a-f-]{36})\n?")


_ANNOUNCED: Final = re.compile(
    r"DevTools listening on (ws://127\.0\.0\.1:\d{1,5}/devtools/browser/[0-9a-f-]{36})"
)
"""What it writes to its standard error, the only sign where the port was given."""


def announced_endpoint(said: str) -> str | None:
    """The address, from what the browser wrote to its standard error; None before it did."""
    match = _ANNOUNCED.search(said)
    return match and match[1]


def read_endpoint(profile: Path) -> str | None:
    """The address, or None as long as the file is missing or half written."""
    try:
        text = (profile / PORT_FILE).read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return None
    return parse_endpoint(text)


def require_port(port: int) -> None:
    """Makes sure that a browser could listen at `port` of 127.0.0.1; 0 is always to be had.

    Raises:
        PortTaken: another program listens there.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise PortTaken(port) from error


def parse_endpoint(text: str) -> str | None:
    """``ws://127.0.0.1:PORT/devtools/browser/ID`` out of the file's text; None unless complete."""
    match = _COMPLETE.fullmatch(text)
    return match and f"ws://127.0.0.1:{match['port']}{match['path']}"
