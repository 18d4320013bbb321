"""The limits of the system under which no browser runs (getrlimit(2))."""

import sys
from typing import Final

from tabwright.cdp.chromium.errors import LimitTooTight

if sys.platform != "win32":
    import resource

DESCRIPTORS_MIN: Final = 256
"""With 64 Chromium dies at its start, or over its first page; with 128 over its first pages."""


def require_descriptors() -> None:
    """Checks that a browser may open as many files as it needs.

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
