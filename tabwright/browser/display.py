"""The display on which a browser window can open, on systems with X11 or Wayland."""

import re
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
"""The variables that name a display."""

_LOCAL_X11 = re.compile(r"(?:unix)?:(\d+)(?:\.\d+)?")
_CONNECT_S = 2.0


def display_problem(environment: Mapping[str, str]) -> str | None:
    """Return why no window can open, or None if one can. It blocks for up to 2 s.

    DISPLAY and WAYLAND_DISPLAY are only names: a display that was closed since, or that belongs to
    another machine, does not answer.
    """
    if sys.platform in {"win32", "darwin"}:
        return None
    x11, wayland = environment.get("DISPLAY", ""), environment.get("WAYLAND_DISPLAY", "")
    if not x11 and not wayland:
        return "neither DISPLAY nor WAYLAND_DISPLAY is set"
    if wayland and _answers_at(Path(environment.get("XDG_RUNTIME_DIR", "/nonexistent"), wayland)):
        return None
    if x11 and _x11_answers(x11):
        return None
    named = f"DISPLAY {x11}" if x11 else f"WAYLAND_DISPLAY {wayland}"
    return f"{named} does not respond"


def is_local_x11(display: str) -> bool:
    """Return whether an X11 display such as ``:0`` is on this machine, not of an SSH session."""
    return _LOCAL_X11.fullmatch(display) is not None


def _x11_answers(display: str) -> bool:
    """Return whether something listens at a display such as ``:0`` or ``host:10.0``."""
    if local := _LOCAL_X11.fullmatch(display):
        name = f"/tmp/.X11-unix/X{local[1]}"  # noqa: S108  (the directory of X11)
        return _answers_at(Path(name)) or _answers_at(Path(f"\0{name}"))
    host, _, number = display.partition(":")
    with suppress(OSError, ValueError):
        port = 6000 + int(number.partition(".")[0])
        with socket.create_connection((host, port), timeout=_CONNECT_S):
            return True
    return False


def _answers_at(path: Path) -> bool:
    """Return whether a Unix socket has a listener; a name that begins with NUL is abstract."""
    with suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as one:
        one.settimeout(_CONNECT_S)
        one.connect(str(path))
        return True
    return False
