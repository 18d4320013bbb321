"""The WebSocket of a browser that chose its port itself.

Chromium writes the file ``DevToolsActivePort`` into its profile: the port, a line end, and the
path of the browser target.
"""

import re
from pathlib import Path
from typing import Final

from tabwright.cdp.chromium.profile import PORT_FILE

_COMPLETE: Final = re.compile(r"(?P<port>\d{1,5})\n(?P<path>/devtools/browser/[0-9a-f-]{36})\n?")


def read_endpoint(profile: Path) -> str | None:
    """The address, or None as long as the file is missing or half written."""
    try:
        text = (profile / PORT_FILE).read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return None
    return parse_endpoint(text)


def parse_endpoint(text: str) -> str | None:
    """``ws://127.0.0.1:PORT/devtools/browser/ID`` out of the file's text; None unless complete."""
    match = _COMPLETE.fullmatch(text)
    return match and f"ws://127.0.0.1:{match['port']}{match['path']}"
