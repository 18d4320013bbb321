"""Locks that end with their holder, however it ends (BSD ``flock``)."""

import sys

if sys.platform != "win32":
    import fcntl


def try_lock(fd: int) -> bool:
    """Takes the exclusive lock on an open file or directory; False when another holds it.

    The lock belongs to this opening of the file: it lasts until `fd` is closed or we die, and
    keeps out other openings in our own process too.
    """
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
