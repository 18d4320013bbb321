"""The locations of browsers on each operating system."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

import attrs

from tabwright.cdp.chromium.errors import BrowserNotFound

BrowserName = Literal["edge", "chrome", "chromium", "headless-shell"]

PREFERENCE: Final[tuple[BrowserName, ...]] = ("edge", "chrome", "chromium")
"""Edge first: if installed, it came with the system and is updated with it."""

SHELL: Final[BrowserName] = "headless-shell"
"""Starts in a third of the time; has no window, and neither locks nor fills a profile."""


@attrs.frozen
class BrowserExecutable:
    """An installed browser.

    Attributes:
        path: its executable.
        name: the browser; None if the path was given instead of searched for.
    """

    path: Path
    name: BrowserName | None


@attrs.frozen
class _Places:
    """The possible locations of a browser: paths (``~`` is the home), then names on PATH."""

    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


_PLACES: Final[Mapping[str, Mapping[BrowserName, _Places]]] = {
    "linux": {
        "edge": _Places(
            ("/usr/bin/microsoft-edge", "/usr/bin/microsoft-edge-stable"),
            ("microsoft-edge", "microsoft-edge-stable"),
        ),
        "chrome": _Places(
            ("/usr/bin/google-chrome", "/usr/bin/google-chrome-stable"),
            ("google-chrome", "google-chrome-stable", "chrome"),
        ),
        "chromium": _Places(
            ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/lib/chromium/chromium"),
            ("chromium", "chromium-browser"),
        ),
        "headless-shell": _Places(
            ("/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium-headless-shell"),
            ("chromium-headless-shell", "chrome-headless-shell", "headless_shell"),
        ),
    },
    "darwin": {
        "edge": _Places(
            (
                "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
                "~/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
            ),
        ),
        "chrome": _Places(
            (
                "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
                "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
            ),
        ),
        "chromium": _Places(
            (
                "/Applications/Chromium.app/Contents/MacOS/Chromium",
                "~/Applications/Chromium.app/Contents/MacOS/Chromium",
            ),
            ("chromium",),
        ),
        "headless-shell": _Places((), ("chrome-headless-shell",)),
    },
    "win32": {
        "edge": _Places(
            (
                r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
                r"C:\Program Files\Microsoft\Edge\Application\msedge.exe",
            ),
            ("msedge",),
        ),
        "chrome": _Places(
            (
                r"C:\Program Files\Google\Chrome\Application\chrome.exe",
                r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
                r"~\AppData\Local\Google\Chrome\Application\chrome.exe",
            ),
            ("chrome",),
        ),
        "chromium": _Places(
            (
                r"C:\Program Files\Chromium\Application\chrome.exe",
                r"~\AppData\Local\Chromium\Application\chrome.exe",
            ),
            ("chromium",),
        ),
        "headless-shell": _Places((), ("chrome-headless-shell",)),
    },
}


def is_executable(path: str) -> bool:
    """Return whether `path` is a file that we can execute."""
    return os.path.isfile(path) and os.access(path, os.X_OK)  # noqa: PTH113


def find_browser(
    order: Sequence[BrowserName] = PREFERENCE,
    *,
    explicit: Path | None = None,
    platform: str = sys.platform,
    exists: Callable[[str], bool] = is_executable,
    which: Callable[[str], str | None] = shutil.which,
) -> BrowserExecutable:
    """Return the first browser of `order` that is installed; an explicit path takes precedence.

    Args:
        order: the accepted browsers, best first.
        explicit: the path chosen by the user.
        platform: an operating system as `sys.platform` names it.
        exists: returns whether a path is an executable file.
        which: looks a name up on PATH.

    Raises:
        BrowserNotFound: no browser is installed, or the explicit path is not an executable file.
    """
    if explicit is not None:
        require_executable(explicit, platform=platform, exists=exists)
        return BrowserExecutable(explicit, None)
    for name in order:
        places = _PLACES.get(platform, _PLACES["linux"])[name]
        for path in _candidates(places, which):
            if exists(path):
                return BrowserExecutable(Path(path), name)
    wanted = ", ".join(order)
    raise BrowserNotFound(f"No browser was found (looked for {wanted}).", platform=platform)


def is_shell(path: Path) -> bool:
    """Return whether an executable has the name of the headless shell."""
    return path.stem in _PLACES["linux"][SHELL].names


def require_executable(
    path: Path, *, platform: str = sys.platform, exists: Callable[[str], bool] = is_executable
) -> None:
    """Check that `path` can be started.

    Raises:
        BrowserNotFound: it is not an executable file.
    """
    if not exists(str(path)):
        raise BrowserNotFound(f"{path} is not an executable file.", platform=platform)


def _candidates(places: _Places, which: Callable[[str], str | None]) -> Iterator[str]:
    for path in places.paths:
        yield os.path.expanduser(path)  # noqa: PTH111 - a Path is of this system, not of `platform`
    for name in places.names:
        found = which(name)
        if found is not None:
            yield found
