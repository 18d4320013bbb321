"""The limits of the system that a browser meets: files, address space, room on disks."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tabwright.cdp.chromium.errors import LimitTooTight

if sys.platform != "win32":
    import resource

DESCRIPTORS_MIN: Final = 256
"""With 64 Chromium dies at its start, or over its first page; with 128 over its first pages."""


MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - we look at its size, and write nothing
"""Where processes on Linux share memory."""

MEMORY_DISK_BYTES_MIN: Final = 1 << 30
"""With 64 MiB, which is Docker's default, a page with a few large canvases loses its tab."""

FULL_BYTES: Final = 64 << 10
"""A disk with less room than this is full to Chromium: it writes more at once."""


def require_descriptors() -> None:
    """Checks that a browser may open as many files as it needs (getrlimit(2)).

    Of the two limits the hard one counts: Chromium raises the other by itself.

    Raises:
        LimitTooTight: it may not, and would die sooner or later.
    """
    if sys.platform == "win32":
        return
    _, descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY != descriptors < DESCRIPTORS_MIN:
        raise LimitTooTight(descriptors, DESCRIPTORS_MIN)


def advice_on_space() -> str:
    """What to do about a browser that has ended, where memory is limited by address space.

    Empty where it is not: some browsers need more address space than others.
    """
    if sys.platform == "win32":
        return ""
    space_bytes, _ = resource.getrlimit(resource.RLIMIT_AS)
    if space_bytes == resource.RLIM_INFINITY:
        return ""
    return (
        f"Its address space is limited to {space_bytes} bytes here: "
        "lift that (`ulimit -v`), and limit memory by a control group."
    )


def memory_disk_is_small() -> bool:
    """Whether what a browser's processes share has to lie on an ordinary disk."""
    if not sys.platform.startswith("linux"):
        return False
    return _bytes_of(MEMORY_DISK, free=False) < MEMORY_DISK_BYTES_MIN


def full_disk(places: Iterable[Path]) -> Path | None:
    """Return the first of `places` whose disk is full; None where none is, or it is unknown."""
    return next((place for place in places if 0 <= _bytes_of(place) < FULL_BYTES), None)


def _bytes_of(place: Path, *, free: bool = True) -> int:
    """The room on the disk of a place, or all of it; -1 where that cannot be said."""
    if sys.platform == "win32":
        return -1
    try:
        disk = os.statvfs(place)
    except OSError:
        return -1
    return disk.f_frsize * (disk.f_bavail if free else disk.f_blocks)
