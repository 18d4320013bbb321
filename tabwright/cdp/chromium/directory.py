"""The private directory of one browser: its temporary files, and its profile if it has no other.

Whoever made it holds a lock on it. A directory whose lock is free was left by a process that is
dead, and the next start removes it. The lock is on the directory itself, so that no half-done
removal can leave a directory without one.
"""

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

import attrs

from tabwright.cdp.chromium.errors import SystemRefused

# File locks that end with their process (BSD ``flock``).

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


_PREFIX: Final = "tabwright-"
_SUFFIX: Final = ".browser"

_PATH_BYTES_MAX: Final = 104 - len("/.org.chromium.Chromium.XXXXXX/SingletonSocket") - 1
"""Chromium makes a socket below it, and 104 bytes are what macOS allows (108 on Linux)."""


@attrs.frozen
class PrivateDirectory:
    """A directory that only we can read, locked by us until it is released.

    Attributes:
        path: where it is; TMPDIR of the browser.
    """

    path: Path
    _lock_fd: int

    @property
    def profile(self) -> Path:
        """Where the browser makes itself a profile."""
        return self.path / "profile"

    @property
    def crashes(self) -> Path:
        """Where crash dumps go."""
        return self.path / "crashes"

    def remove(self) -> bool:
        """Tries to remove all of it; True when nothing is left."""
        shutil.rmtree(self.path, ignore_errors=True)
        return not self.path.exists()

    def release(self) -> None:
        """Gives the lock back: what is left belongs to the next sweep."""
        os.close(self._lock_fd)


def make_directory() -> PrivateDirectory:
    """Makes a private directory, once those that dead processes left are swept. It blocks.

    Raises:
        SystemRefused: no directory can be made or locked.
    """
    try:
        # The temporary directory of the system, or ``/tmp`` where that has too long a name.
        longest = os.sep + _PREFIX + "x" * 8 + _SUFFIX
        usual = tempfile.gettempdir()
        fits = len(os.fsencode(usual + longest)) <= _PATH_BYTES_MAX
        parent = Path(usual if fits else "/tmp")  # noqa: S108 - mkdtemp makes the name and the mode
        # An empty one may be new, and about to be locked by the process that made it.
        sweep(parent, f"{_PREFIX}*{_SUFFIX}", spare_empty=True)
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, suffix=_SUFFIX, dir=parent))
        try:
            lock_fd = os.open(path, os.O_RDONLY)
        except OSError:
            path.rmdir()
            raise
        try_lock(lock_fd)
        return PrivateDirectory(path, lock_fd)
    except OSError as error:
        raise SystemRefused(error) from error


def sweep(parent: Path, pattern: str, *, spare_empty: bool) -> None:
    """Remove the directories of ours that dead processes left: nobody has their lock. It blocks.

    Args:
        parent: where they are.
        pattern: of their names, as for `pathlib.Path.glob`.
        spare_empty: whether those with nothing in them stay.
    """
    for path in parent.glob(pattern):
        with suppress(OSError):  # another user's, or swept by another process at this moment
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                is_ours = os.fstat(fd).st_uid == os.geteuid()
                if is_ours and not (spare_empty and not any(path.iterdir())) and try_lock(fd):
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(fd)
