"""The machine that browsers run on: its memory for another tab, and its display."""

import re
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import attrs

from tabwright.config.settings import Settings

SESSION_TAB_BYTES = 80_000_000
"""The memory of the machine for each open tab of a session, unless the settings have a number."""

SESSION_TABS_MIN = 16

BROWSER_BYTES_MIN = 4_000_000_000
"""The least memory that a browser can use before it is replaced, unless the settings say so."""

AVAILABLE_BYTES_MIN = 300_000_000
"""The available memory below which new tabs wait."""

CGROUP = Path("/sys/fs/cgroup")


class Machine(Protocol):
    """The readings of a machine, or of a container with less memory."""

    def total_bytes(self) -> int:
        """Return the memory that programs can have in all."""
        ...

    def available_bytes(self) -> int:
        """Return the memory that programs can still have without swapping."""
        ...


@attrs.frozen
class ThisMachine:
    """The readings of this machine, by psutil, and of its control group (cgroup v2).

    Attributes:
        cgroup: the folder of the control group, as a container sees it.
    """

    cgroup: Path = CGROUP

    def total_bytes(self) -> int:
        import psutil  # noqa: PLC0415  (not before a tab is needed)

        total: int = psutil.virtual_memory().total
        return min(total, self._cgroup_bytes("memory.max") or total)

    def available_bytes(self) -> int:
        import psutil  # noqa: PLC0415

        available: int = psutil.virtual_memory().available
        limit = self._cgroup_bytes("memory.max")
        if limit is None:
            return available
        # Cached files count as used, but can be dropped.
        used = (self._cgroup_bytes("memory.current") or 0) - self._inactive_file_bytes()
        return min(available, max(limit - used, 0))

    def _cgroup_bytes(self, name: str) -> int | None:
        """Return a reading of the control group; None if it has none, or no limit."""
        try:
            text = (self.cgroup / name).read_text(encoding="ascii").strip()
        except OSError:
            return None
        return int(text) if text.isdecimal() else None

    def _inactive_file_bytes(self) -> int:
        try:
            lines = (self.cgroup / "memory.stat").read_text(encoding="ascii").splitlines()
        except OSError:
            return 0
        stat = dict(line.split(maxsplit=1) for line in lines if " " in line)
        return int(stat.get("inactive_file", "0"))


def shortage(machine: Machine) -> str:
    """Return what a machine is short of, as a clause; empty for nothing."""
    is_short = machine.available_bytes() < AVAILABLE_BYTES_MIN
    return "the machine is short of memory" if is_short else ""


def fitted(settings: Settings, machine: Machine) -> Settings:
    """Return settings whose limits fit a machine, where they have none of their own."""
    pool, browser = settings.pool, settings.browser
    if pool.max_session_tabs is None:
        tabs = max(machine.total_bytes() // SESSION_TAB_BYTES, SESSION_TABS_MIN)
        pool = attrs.evolve(pool, max_session_tabs=tabs)
    if browser.memory_bytes_max is None:
        size = max(machine.total_bytes() // 2, BROWSER_BYTES_MIN)
        browser = attrs.evolve(browser, memory_bytes_max=size)
    return attrs.evolve(settings, pool=pool, browser=browser)


# The display on which a browser window can open, on systems with X11 or Wayland.

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
