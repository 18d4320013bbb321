"""The limits of the system under which no browser runs (getrlimit(2))."""

import sys
from typing import Final

if sys.platform != "win32":
    import resource

_DESCRIPTORS_MIN: Final = 256
"""With 64 Chromium dies at its start, with 128 over its first pages."""


def too_tight() -> str:
    """What has to be raised before a browser can run here, in a sentence; empty for nothing.

    Of the two limits on descriptors the hard one counts: Chromium raises the other by itself.
    """
    if sys.platform == "win32":
        return ""
    _, descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)
    space_bytes, _ = resource.getrlimit(resource.RLIMIT_AS)
    if resource.RLIM_INFINITY != descriptors < _DESCRIPTORS_MIN:
        return (
            f"A browser started here may open no more than {descriptors} files: "
            f"raise that limit (`ulimit -n`) to {_DESCRIPTORS_MIN} or more."
        )
    if space_bytes != resource.RLIM_INFINITY:
        return (
            f"A browser started here has an address space of {space_bytes} bytes at most: "
            "lift that (`ulimit -v`), and limit memory by a control group."
        )
    return ""
