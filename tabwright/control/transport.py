"""Control channels: a Unix socket per server, named by its process, and the messages on it.

Only the user can reach one: folder and socket are private.
"""

import errno
import logging
import os
import socket
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, TypeAlias

import attrs
import msgspec
import trio
from platformdirs import user_state_path

from tabwright.config.loader import private_folder
from tabwright.protocol.browser_pool import PoolState
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.interventions import Intervention, PersonsAnswer
from tabwright.protocol.jobs import QueueState
from tabwright.protocol.rate_limit import RateShare, SiteRate
from tabwright.protocol.sessions import SessionState
from tabwright.protocol.tasks import TaskControl, TaskState
from tabwright.sessions.store import Saved

SUFFIX = ".sock"
UNNAMED = ".unnamed"
"""As long as the other suffix: the system limits the length of a socket's path."""


@attrs.frozen(order=True)
class ServerSocket:
    """A listening server.

    Attributes:
        pid: its process id.
        place: the path of its socket.
    """

    pid: int
    place: Path


def control_folders() -> Sequence[Path]:
    """Return the folders in which a server listens: it uses the first that works.

    Clients search all of them: the environment that an MCP client passes to its server often lacks
    ``XDG_RUNTIME_DIR``.
    """
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    state = user_state_path("tabwright", appauthor=False) / "control"
    return [runtime / "tabwright", state] if runtime.is_absolute() and runtime.is_dir() else [state]


def running_servers() -> Sequence[ServerSocket]:
    """Return the servers of this user by process; remove the sockets of ended ones."""
    return sorted(server for folder in control_folders() for server in _servers_in(folder))


@contextmanager
def open_listener() -> Generator[trio.SocketListener]:
    """Listen at the socket of this process, which is removed at the end of the block.

    Raises:
        OSError: no folder works; the text says why for each.
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
            make_private(folder)
            return _listening_in(folder)
        except OSError as error:
            problems.append(f"{folder}: {error.strerror or error}")
    raise OSError("; ".join(problems))


def make_private(folder: Path) -> None:
    """Create a folder, if needed, that only the user can enter.

    Raises:
        OSError: it cannot be created, or belongs to another user.
    """
    private_folder(folder)
    if folder.stat().st_uid != os.getuid():
        raise PermissionError(errno.EPERM, "belongs to another user")
    folder.chmod(0o700)


def _listening_in(folder: Path) -> tuple[socket.socket, Path]:
    """Listen first and rename the socket then: a socket with the name is served, or dead."""
    place = folder / f"{os.getpid()}{SUFFIX}"
    if any(server.place == place for server in _servers_in(folder)):
        raise OSError(errno.EADDRINUSE, "this process already listens there")
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


def _servers_in(folder: Path) -> Iterator[ServerSocket]:
    for place in folder.glob(f"*{SUFFIX}"):
        if not place.stem.isdecimal():
            continue
        if _is_served(place):
            yield ServerSocket(int(place.stem), place)
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


# The last errors of a process.

KEPT_MAX = 20


@attrs.frozen
class PastError:
    """A warning or an error of the log.

    Attributes:
        at: in seconds since 1970 UTC.
        source: the logger, for example ``gateway``.
        text: the logged text, without error messages, which may be private.
    """

    at: float
    source: str
    text: str


class LastErrors(logging.Handler):
    """Keeps the latest errors, in order."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._kept: deque[PastError] = deque(maxlen=KEPT_MAX)

    @property
    def kept(self) -> tuple[PastError, ...]:
        """The recorded errors."""
        return tuple(self._kept)

    def emit(self, record: logging.LogRecord) -> None:
        """Record an error."""
        source = record.name.removeprefix("tabwright.")
        self._kept.append(PastError(record.created, source, record.getMessage()))


@contextmanager
def noted_errors() -> Generator[LastErrors]:
    """Record the errors of this package while the block runs."""
    log, errors = logging.getLogger("tabwright"), LastErrors()
    log.addHandler(errors)
    try:
        yield errors
    finally:
        log.removeHandler(errors)


# Messages: one line of JSON-RPC 2.0 for a request, one for its response.

REFUSED = -32000
"""The code of a tabwright error, whose kind and advice are in its data."""

RequestId: TypeAlias = int | str


@attrs.frozen
class AnswerRequest:
    """A person's answer to an intervention; see `Interventions.answer`."""

    id: str
    answer: PersonsAnswer


@attrs.frozen
class TaskRequest:
    """A change of a running task; see `Tasks.change`."""

    id: str
    change: TaskControl


@attrs.frozen
class ViewRequest:
    """A request for a link to the live view.

    Attributes:
        tab: the number of the only tab that it shows; None for all.
        user: the user of the server whose tabs it shows; empty for its operator.
        valid_s: seconds in which the link can be used.
    """

    tab: int | None
    user: str
    valid_s: float


@attrs.frozen
class ViewLink:
    """A link to the live view, which can be used once within `valid_s` seconds."""

    url: str
    valid_s: float


@attrs.frozen
class LogInRequest:
    """A request to use a log-in that was kept in a session's file.

    Attributes:
        session: the name of the session.
        path: of its file, absolute; a server with other files does not use it.
        cookies: name, domain and path of the cookies that the log-in set.
        origins: the origins whose storage it changed.
    """

    session: str
    path: str
    cookies: tuple[tuple[str, str, str], ...]
    origins: tuple[str, ...]

    @classmethod
    def of(cls, session: str, path: Path, before: Saved, after: Saved) -> "LogInRequest":
        """Return the request for the changes of a log-in to a session's file."""
        cookies = [one for one in after.cookies if one not in before.cookies]
        return cls(
            session,
            str(path.resolve()),
            tuple((one.name, one.domain, one.path) for one in cookies),
            tuple(one.origin for one in after.storage if one not in before.storage),
        )


@attrs.frozen
class ServerStatus:
    """The status of a server.

    Attributes:
        now_s: the current time on the clock of `pool`.
        rates: of all known sites.
        share: the part of the rates that the server keeps to; None without a fleet.
    """

    now_s: float
    pool: PoolState
    rates: tuple[SiteRate, ...]
    share: RateShare | None = None


@attrs.frozen
class Overview:
    """An overview of a server.

    Attributes:
        fleet: the jobs and workers of its fleet; None without one, or without Redis.
        up_s: seconds since it began to serve.
        memory_bytes: of the server itself, without its browsers; 0 if unknown.
        queue: its interventions.
        errors: the latest ones, oldest first.
    """

    status: ServerStatus
    up_s: float
    memory_bytes: int
    queue: tuple[Intervention, ...]
    sessions: tuple[SessionState, ...]
    tasks: tuple[TaskState, ...]
    errors: tuple[PastError, ...]
    fleet: QueueState | None = None


class ControlRequest(msgspec.Struct, frozen=True):
    """The line of a request."""

    jsonrpc: Literal["2.0"]
    id: RequestId
    method: str
    params: msgspec.Raw = msgspec.Raw(b"{}")


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """The error of a response.

    Attributes:
        data: the details of a tabwright error.
    """

    code: int
    message: str
    data: Mapping[str, object] = {}


class ControlAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The line of a response, with a result or an error."""

    jsonrpc: Literal["2.0"]
    id: RequestId | None
    result: msgspec.Raw = msgspec.Raw()
    error: Failure | None = None


def request_line(method: str, params: object) -> bytes:
    """Encode a request."""
    encoded = msgspec.Raw(msgspec.json.encode(params))
    return msgspec.json.encode(ControlRequest("2.0", 1, method, encoded))


def result_line(request_id: RequestId, result: object) -> bytes:
    """Encode a result."""
    encoded = msgspec.Raw(msgspec.json.encode(result))
    return msgspec.json.encode(ControlAnswer("2.0", request_id, result=encoded))


def failure_line(request_id: RequestId, code: int, text: str) -> bytes:
    """Encode a protocol error."""
    return msgspec.json.encode(ControlAnswer("2.0", request_id, error=Failure(code, text)))


def refusal_line(request_id: RequestId, error: TabwrightError) -> bytes:
    """Encode a tabwright error."""
    failure = Failure(REFUSED, error.message, error.details())
    return msgspec.json.encode(ControlAnswer("2.0", request_id, error=failure))
