"""Profiles that last: checked and locked before a browser sees them.

Chromium does not complain about a profile that it cannot use: it silently runs on the user's own.
And of two browsers on one profile the second waits 20 s and then kills the first. So both are
settled before the start.
"""

import os
import re
import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tabwright.cdp.chromium.directory import try_lock
from tabwright.cdp.chromium.errors import ProfileLocked, ProfileUnusable

_OWNER: Final = "tabwright-owner"
_OWNER_BYTES_MAX: Final = 300
_SINGLETON: Final = re.compile(r"(?P<host>.+)-(?P<pid>\d+)")
_SINGLETONS: Final = ("SingletonSocket", "SingletonCookie", "SingletonLock")
PORT_FILE: Final = "DevToolsActivePort"


@contextmanager
def claimed(profile: Path) -> Generator[Path]:
    """Has `profile` for ourselves inside the context; yields its absolute path.

    The directory is made if it is missing. Our own lock (the file ``tabwright-owner``) decides
    first, and tells on which host the profile was ours before; a browser that was not started by us
    is told by Chromium's ``SingletonLock``. That of a dead process is removed, and that of the host
    on which the profile was ours: the browser there went with its owner.

    Raises:
        ProfileUnusable: it is no directory that we can write to.
        ProfileLocked: another browser has it, also one that hangs, or is on another host.
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
    """Chromium's own lock: a link named ``SingletonLock`` to ``host-pid``, and a socket."""
    try:
        owner = (profile / "SingletonLock").readlink()
    except FileNotFoundError:
        return
    except OSError as error:
        raise ProfileUnusable(
            profile, "its SingletonLock is not a link", advice="Remove that file."
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
    """Whether a process listens behind `path`: of a dead one only the name is left.

    The number of a process is no proof of life, since another one may have it by now.
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
    """Whether there is such a process; it need not be the one that was meant."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _forget(path: Path) -> None:
    """Removes a file that the last run left in a profile."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ProfileUnusable(
            path.parent, f"its {path.name} cannot be removed", advice="Remove it."
        ) from error
