"""Why a browser did not start, or did not stay.

::

    LaunchError               message, advice, retryable, stderr_tail
    ├── NotSupported          this system is not one we can start browsers on
    ├── BrowserNotFound       no browser where we looked
    ├── ArgumentRefused       an extra argument would break what we rely on
    ├── ProfileUnusable       the directory cannot serve as a profile
    ├── ProfileLocked         another browser has the profile
    ├── PortTaken             another program listens where the browser should
    ├── LimitTooTight         the system lets a browser open too few files
    ├── SystemRefused         the system is out of what a browser needs
    ├── BrowserExited         it started and ended by itself
    └── BrowserSilent         it runs and does not answer
"""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import ClassVar, Final

_INSTALL: Final[Mapping[str, str]] = {
    "linux": "Install one, for example with `apt install chromium`, or set its path.",
    "darwin": "Install one, for example with `brew install --cask chromium`, or set its path.",
    "win32": "Install one, for example with `winget install Microsoft.Edge`, or set its path.",
}


class LaunchError(Exception):
    """A failed launch: what happened, and the next step.

    Attributes:
        message: what happened, one or two sentences.
        advice: the next step for the user, one sentence.
        stderr_tail: the last lines that the browser wrote to its standard error; may be empty.
        retryable: whether the same launch can succeed a moment later.
    """

    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, advice: str, stderr_tail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.stderr_tail = stderr_tail

    def __str__(self) -> str:
        text = f"{self.message} {self.advice}"
        return f"{text}\nIts last output:\n{self.stderr_tail}" if self.stderr_tail else text


class NotSupported(LaunchError):
    """Starting browsers is not supported on this system."""


class BrowserNotFound(LaunchError):
    """No browser was found in the searched places."""

    def __init__(self, message: str, *, platform: str) -> None:
        super().__init__(message, advice=_INSTALL.get(platform, "Install one, or set its path."))


class ArgumentRefused(LaunchError):
    """An extra argument conflicts with a required one."""

    def __init__(self, argument: str, reason: str) -> None:
        super().__init__(
            f"The browser argument {argument!r} is refused: {reason}.",
            advice="Remove it from browser.arguments.",
        )


class ProfileUnusable(LaunchError):
    """The directory cannot serve as a profile; Chromium would silently use another one."""

    def __init__(
        self,
        profile: Path,
        reason: str,
        *,
        advice: str = "Use a local directory that tabwright can write to, or no profile.",
    ) -> None:
        super().__init__(f"{profile} cannot be a browser profile: {reason}.", advice=advice)


class ProfileLocked(LaunchError):
    """Another browser has the profile.

    Attributes:
        pid: the process that uses it, if known.
    """

    def __init__(self, profile: Path, pid: int | None, *, host: str = "") -> None:
        owner = "another browser" if pid is None else f"process {pid}"
        elsewhere = f" on the host {host}" if host else ""
        gone = f"; if {host} is gone, remove the SingletonLock in it" if host else ""
        super().__init__(
            f"The profile {profile} is in use by {owner}{elsewhere}.",
            advice=f"Close that browser, or use another profile{gone}.",
        )
        self.pid = pid


class PortTaken(LaunchError):
    """Another program listens on the browser's port; Chromium would not report it."""

    def __init__(self, port: int) -> None:
        super().__init__(
            f"Port {port} is in use by another program.",
            advice="Choose other ports, or let the browser choose.",
        )


class LimitTooTight(LaunchError):
    """The system's limit on open files is too low for a browser."""

    def __init__(self, allowed: int, needed: int) -> None:
        super().__init__(
            f"A browser can open at most {allowed} files, but needs {needed}.",
            advice=f"Raise the limit (`ulimit -n {needed}` or more).",
        )


class SystemRefused(LaunchError):
    """The system is out of a resource: processes, file descriptors or disk space."""

    retryable = True

    def __init__(self, error: OSError) -> None:
        place = "" if error.filename is None else f" ({error.filename})"
        super().__init__(
            f"The system refused what a browser needs: {error.strerror}{place}.",
            advice="Check the limits (`ulimit -a`) and the free space in the temporary directory.",
        )


class BrowserExited(LaunchError):
    """The browser started and ended by itself.

    Attributes:
        exit_code: its exit code; a negative one is the signal that ended it.
    """

    retryable = True

    def __init__(self, exit_code: int, stderr_tail: str, advice: str = "") -> None:
        super().__init__(
            f"The browser exited with code {exit_code}.",
            advice=advice or "Start it manually with the same profile to see why.",
            stderr_tail=stderr_tail,
        )
        self.exit_code = exit_code


class BrowserSilent(LaunchError):
    """The browser is running but does not respond."""

    retryable = True

    def __init__(self, stderr_tail: str) -> None:
        super().__init__(
            "The browser is running but does not respond.",
            advice="Try again, allow more time, or check that the path is a Chromium browser.",
            stderr_tail=stderr_tail,
        )


# Limits of the system: open files, address space, disk space.

if sys.platform != "win32":
    import resource

DESCRIPTORS_MIN: Final = 256
"""With 64 Chromium dies at its start or first page; with 128 at one of its first pages."""


MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - we look at its size, and write nothing
"""The file system for shared memory on Linux."""

MEMORY_DISK_BYTES_MIN: Final = 1 << 30
"""With 64 MiB, Docker's default, a page with a few large canvases crashes its tab."""

FULL_BYTES: Final = 64 << 10
"""Below this free space a disk is full for Chromium, which writes more at once."""


def require_descriptors() -> None:
    """Check that a browser can open as many files as it needs (getrlimit(2)).

    The hard limit counts: Chromium raises the soft limit itself.

    Raises:
        LimitTooTight: it cannot, and would crash sooner or later.
    """
    if sys.platform == "win32":
        return
    _, descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY != descriptors < DESCRIPTORS_MIN:
        raise LimitTooTight(descriptors, DESCRIPTORS_MIN)


def advice_on_space() -> str:
    """Return advice about a browser that ended while its address space is limited.

    Empty if there is no such limit: some browsers need more address space than others.
    """
    if sys.platform == "win32":
        return ""
    space_bytes, _ = resource.getrlimit(resource.RLIMIT_AS)
    if space_bytes == resource.RLIM_INFINITY:
        return ""
    return (
        f"The address space is limited to {space_bytes >> 20} MiB. "
        "Remove that limit (`ulimit -v`) and limit memory with a control group."
    )


def memory_disk_is_small() -> bool:
    """Return whether the shared memory of a browser must be on an ordinary disk."""
    if not sys.platform.startswith("linux"):
        return False
    return _bytes_of(MEMORY_DISK, free=False) < MEMORY_DISK_BYTES_MIN


def full_disk(places: Iterable[Path]) -> Path | None:
    """Return the first of `places` whose disk is full; None if none is, or if unknown."""
    return next((place for place in places if 0 <= _bytes_of(place) < FULL_BYTES), None)


def _bytes_of(place: Path, *, free: bool = True) -> int:
    """Return the free space, or the size, of the disk at a path; -1 if unknown."""
    if sys.platform == "win32":
        return -1
    try:
        disk = os.statvfs(place)
    except OSError:
        return -1
    return disk.f_frsize * (disk.f_bavail if free else disk.f_blocks)
