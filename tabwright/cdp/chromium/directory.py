"""The private directory of a browser: its temporary files, and its profile if it has no other.

Our process holds a lock on it. A directory without a lock was left by a dead process, and the next
start removes it. The lock is on the directory itself, so that an interrupted removal cannot leave a
directory without one.
"""

import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs

from tabwright.cdp.chromium.errors import ProfileLocked, ProfileUnusable, SystemRefused

# File locks that end with their process (BSD ``flock``).

if sys.platform != "win32":
    import fcntl


def try_lock(fd: int) -> bool:
    """Take the exclusive lock on an open file or directory; return False if it is locked.

    The lock belongs to this opening of the file: it lasts until `fd` is closed or our process ends,
    and excludes other openings in our own process, too.
    """
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


_PREFIX: Final = "tabwright-"
_SUFFIX: Final = ".browser"

_PATH_BYTES_MAX: Final = 104 - len("/.org.chromium.Chromium.XXXXXX/SingletonSocket") - 1
"""The maximum length: Chromium creates a socket in it, and macOS allows 104 bytes (Linux 108)."""


@attrs.frozen
class PrivateDirectory:
    """A directory that only we can read, locked until it is released.

    Attributes:
        path: its path; TMPDIR of the browser.
    """

    path: Path
    _lock_fd: int

    @property
    def profile(self) -> Path:
        """The path of the browser's private profile."""
        return self.path / "profile"

    @property
    def crashes(self) -> Path:
        """The path for crash dumps."""
        return self.path / "crashes"

    def remove(self) -> bool:
        """Try to remove all of it; return True if nothing is left."""
        shutil.rmtree(self.path, ignore_errors=True)
        return not self.path.exists()

    def release(self) -> None:
        """Release the lock: anything left is removed by the next sweep."""
        os.close(self._lock_fd)


def make_directory() -> PrivateDirectory:
    """Create a private directory, after removing those that dead processes left. It blocks.

    Raises:
        SystemRefused: no directory can be created or locked.
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
    """Remove our directories that dead processes left without a lock. It blocks.

    Args:
        parent: the directory that contains them.
        pattern: of their names, as for `pathlib.Path.glob`.
        spare_empty: whether to keep empty ones.
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


# Profiles that last: checked and locked before a browser sees them.
#
# Chromium does not complain about a profile that it cannot use: it silently runs on the user's own.
# And of two browsers on one profile the second waits 20 s and then kills the first. So both are
# settled before the start.

_OWNER: Final = "tabwright-owner"
_OWNER_BYTES_MAX: Final = 300
_SINGLETON: Final = re.compile(r"(?P<host>.+)-(?P<pid>\d+)")
_SINGLETONS: Final = ("SingletonSocket", "SingletonCookie", "SingletonLock")
PORT_FILE: Final = "DevToolsActivePort"


@contextmanager
def claimed(profile: Path) -> Generator[Path]:
    """Claim `profile` exclusively inside the context; yield its absolute path.

    The directory is created if it is missing. Our own lock (the file ``tabwright-owner``) is
    checked first, and names the last host that used the profile. A browser that we did not start is
    detected by Chromium's ``SingletonLock``. A lock of a dead process is removed, and so is that of
    the last host that used the profile with our lock, because its browser ended with its owner.

    Raises:
        ProfileUnusable: it is not a writable directory.
        ProfileLocked: another browser uses it, even one that hangs or is on another host.
    """
    profile = profile.absolute()
    try:
        profile.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner_fd = os.open(profile / _OWNER, os.O_RDWR | os.O_CREAT, 0o600)
    except FileExistsError as error:
        raise ProfileUnusable(profile, "it is not a directory") from error
    except OSError as error:
        raise ProfileUnusable(profile, str(error.strerror)) from error
    try:
        pid, _, last_host = (
            os.read(owner_fd, _OWNER_BYTES_MAX).decode(errors="replace").partition(" ")
        )
        if not try_lock(owner_fd):
            raise ProfileLocked(profile, int(pid) if pid.isdecimal() else None)
        _check_singleton(profile, last_host)
        # Says whose it is, for errors and for later; where the disk is full it goes unsaid.
        with suppress(OSError):
            os.ftruncate(owner_fd, 0)
            os.pwrite(owner_fd, f"{os.getpid()} {socket.gethostname()}".encode(), 0)
        _forget(profile / PORT_FILE)  # it would pass for the one to come
        yield profile
    finally:
        os.close(owner_fd)


def _check_singleton(profile: Path, last_host: str) -> None:
    """Check Chromium's own lock: a link named ``SingletonLock`` to ``host-pid``, and a socket."""
    try:
        owner = (profile / "SingletonLock").readlink()
    except FileNotFoundError:
        return
    except OSError as error:
        raise ProfileUnusable(
            profile, "its SingletonLock is not a symbolic link", advice="Remove that file."
        ) from error
    match = _SINGLETON.fullmatch(str(owner))
    if match is None:
        return
    host, pid = match["host"], int(match["pid"])
    is_here = host == socket.gethostname()
    if not is_here and host != last_host:
        raise ProfileLocked(profile, pid, host=host)
    if _listens(profile / "SingletonSocket"):
        raise ProfileLocked(profile, pid)
    if not (is_here and _runs(pid)):
        for name in _SINGLETONS:
            _forget(profile / name)


def _listens(path: Path) -> bool:
    """Return whether a process listens at `path`: a dead one leaves only the name.

    A process id does not prove that it is alive, because another process can have it by now.
    """
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(0)
        try:
            probe.connect(str(path.resolve()))
        except BlockingIOError:
            return True  # too busy to take the call, or stopped
        except OSError:
            return False
    return True


def _runs(pid: int) -> bool:
    """Return whether a process with this id exists; it can be another one."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _forget(path: Path) -> None:
    """Remove a file that the last run left in a profile."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ProfileUnusable(
            path.parent, f"its {path.name} cannot be removed", advice="Remove it."
        ) from error
