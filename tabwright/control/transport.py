"""Where servers of this user can be asked: a Unix socket each, named by its process.

Only the user can reach one: the folder is theirs alone, and the socket too.
"""

import errno
import os
import socket
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs
import trio
from platformdirs import user_state_path

from tabwright.config.loader import private_folder

SUFFIX = ".sock"
UNNAMED = ".unnamed"
"""Not shorter than the other: the system limits the length of a socket's path."""


@attrs.frozen(order=True)
class Server:
    """A server that listens.

    Attributes:
        pid: its process.
        place: its socket.
    """

    pid: int
    place: Path


def control_folders() -> Sequence[Path]:
    """Where a server listens: in the first of these that will do.

    Who looks for servers looks into all of them: the environment that an MCP client gives its
    server often lacks ``XDG_RUNTIME_DIR``.
    """
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    state = user_state_path("tabwright", appauthor=False) / "control"
    return [runtime / "tabwright", state] if runtime.is_absolute() and runtime.is_dir() else [state]


def running_servers() -> Sequence[Server]:
    """The servers of this user, by process; sockets of those that have ended are removed."""
    return sorted(server for folder in control_folders() for server in _servers_in(folder))


@contextmanager
def open_listener() -> Generator[trio.SocketListener]:
    """Listens at the socket of this process, which goes with the block.

    Raises:
        OSError: there is no folder that will do; the text says why of each.
    """
    listening, place = _listening()
    try:
        yield trio.SocketListener(trio.socket.from_stdlib_socket(listening))
    finally:
        place.unlink(missing_ok=True)
        listening.close()


def _listening() -> tuple[socket.socket, Path]:
    problems: list[str] = []
    for folder in control_folders():
        try:
            _make_private(folder)
            return _listening_in(folder)
        except OSError as error:
            problems.append(f"{folder}: {error.strerror or error}")
    raise OSError("; ".join(problems))


def _make_private(folder: Path) -> None:
    private_folder(folder)
    if folder.stat().st_uid != os.getuid():
        raise PermissionError(errno.EPERM, "belongs to another user")
    folder.chmod(0o700)


def _listening_in(folder: Path) -> tuple[socket.socket, Path]:
    """Listens first and takes its name then: what has the name is served, or of the dead."""
    place = folder / f"{os.getpid()}{SUFFIX}"
    if any(server.place == place for server in _servers_in(folder)):
        raise OSError(errno.EADDRINUSE, "this process listens there already")
    unnamed = place.with_suffix(UNNAMED)
    unnamed.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.bind(str(unnamed))
        unnamed.chmod(0o600)
        listening.listen()
        unnamed.rename(place)
    except BaseException:
        listening.close()
        unnamed.unlink(missing_ok=True)
        raise
    return listening, place


def _servers_in(folder: Path) -> Iterator[Server]:
    for place in folder.glob(f"*{SUFFIX}"):
        if not place.stem.isdecimal():
            continue
        if _is_served(place):
            yield Server(int(place.stem), place)
        else:
            with suppress(OSError):
                place.unlink()


def _is_served(place: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0)
        try:
            probe.connect(str(place))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:  # it has more callers than it can take just now
            return True
    return True
