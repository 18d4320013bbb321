"""The client of the user process: sends it a command line and prints what it answers.

It imports only the standard library, and little of it: that takes 20 ms instead of 200.

A request is a line of JSON; see `tabwright.cli.user_process.ShellRequest`. The answer is a line for
each step, ``{"step": text}``, and then ``{"out": text, "err": text, "code": number}``.
"""

import json
import os
import socket
import sys
import time
from collections.abc import Callable, Sequence

from tabwright._version import __version__
from tabwright.config.variables import settings_variables

SHELL_COMMANDS = (
    *("open", "snapshot", "click", "type", "fill", "press", "scroll", "wait", "run"),
    *("screenshot", "files", "debug", "tabs", "act"),
    *("session list", "session save", "session close", "trace record"),
)
"""The commands and groups that are sent to the user process without the parser, to be fast.

A test compares them with the commands that act on pages. They are repeated here, because an import
of those takes ten times as long, and because only the process could be asked, which may hang.
"""

QUERY_COMMANDS = ("read", "extract", "search")
"""The commands that run in the user process unless they have other settings than it."""

SURROUNDINGS = (
    *("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"),
    *("NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"),
)
"""Further variables that decide about the answer of a query: for its way to the network, and for
the folders of the user. The process has those of its start.
"""

SOCKET = "user.sock"
START_S = 60.0
"""How long the process may take to start, or to end, in seconds."""

POLL_S = 0.02
FAILURE, INTERRUPTED, PIPE_CLOSED = 1, 130, 141


def is_shell_command(arguments: Sequence[str]) -> bool:
    """Return whether a command line is one of `SHELL_COMMANDS`."""
    return arguments[0] in SHELL_COMMANDS or " ".join(arguments[:2]) in SHELL_COMMANDS


def asks_for_help(arguments: Sequence[str]) -> bool:
    """Return whether a command line asks for help, which needs no process."""
    return "-h" in arguments or "--help" in arguments


def surroundings() -> dict[str, str]:
    """Return the variables of `SURROUNDINGS` that are set."""
    return {name: os.environ[name] for name in SURROUNDINGS if os.environ.get(name)}


def socket_paths() -> tuple[str, ...]:
    """Return where the socket of the user process can be: it uses the first, clients search all.

    The environment that an MCP client passes on often lacks ``XDG_RUNTIME_DIR``.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    folders = [f"{state}/tabwright/control"]
    if os.path.isabs(runtime) and os.path.isdir(runtime):
        folders.insert(0, f"{runtime}/tabwright")
    return tuple(f"{folder}/{SOCKET}" for folder in folders)


def connect() -> socket.socket | None:
    """Return a connection to the user process; None if it is not running."""
    for path in socket_paths():
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(path)
        except OSError:
            connection.close()
        else:
            return connection
    return None


def start(options: Sequence[str] = (), *, reports: bool = True) -> socket.socket | None:
    """Start the user process, and return a connection to it once it accepts commands; or None.

    The errors of the process are printed until it can be reached, and then go to its log.

    Args:
        options: of `tabwright daemon start`.
        reports: whether to print why it does not start.
    """
    import subprocess
    import tempfile

    command = [sys.executable, "-m", "tabwright", "daemon", "start", "--foreground", *options]
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and process.poll() is None:
            if connection := connect():
                return connection
            time.sleep(POLL_S)
        if connection := connect():  # another one was faster
            return connection
        process.terminate()
        if reports:
            errors.seek(0)
            sys.stderr.write(errors.read() or "tabwright: the user process did not start\n")
        return None


def run_in_user_process(arguments: Sequence[str]) -> int:
    """Run a command line in the user process, which is started if needed; return the exit code.

    Ctrl+C closes the connection, which cancels the command.
    """
    try:
        connection = connect() or start()
    except KeyboardInterrupt:
        return INTERRUPTED
    if connection is None:
        return FAILURE
    return exchange(connection, arguments)


def query_in_user_process(
    arguments: Sequence[str], reach: Callable[[], socket.socket | None] = connect
) -> int | None:
    """Run a command line in the user process if it accepts it; return the exit code.

    Args:
        arguments: the command line.
        reach: returns a connection to the process, or None.

    Returns:
        None if the command has to run by itself.
    """
    try:
        connection = reach()
        return None if connection is None else exchange(connection, arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Declined:
        return None


def start_for_query() -> socket.socket | None:
    """Start the user process, and return a connection to it.

    Returns:
        None if one runs, which has declined the query, or if it does not start.
    """
    if running := connect():
        running.close()
        return None
    return start(reports=False)


def mcp_line() -> bytes:
    """Return the first line of a client of MCP, whose own lines follow."""
    return json.dumps({"version": __version__}).encode() + b"\n"


class Declined(Exception):
    """The process does not run the command, which has to run by itself."""


def exchange(connection: socket.socket, arguments: Sequence[str]) -> int:
    """Run a command line at the other end of a connection; return the exit code.

    Raises:
        Declined: it is one of `QUERY_COMMANDS`, and the process has other settings or has ended.
    """
    is_query = arguments[0] in QUERY_COMMANDS
    # A query can ask its user for something, such as to solve a CAPTCHA by a link.
    shows_steps = is_query or sys.stderr.isatty()
    try:
        with connection:
            request = {
                "version": __version__,
                "arguments": list(arguments),
                "folder": os.getcwd(),
                "input": sys.stdin.read() if "-" in arguments and not is_query else "",
                "environment": settings_variables(),
                "surroundings": surroundings(),
            }
            answer = _answer(connection, request, shows_steps=shows_steps)
    except KeyboardInterrupt:
        return INTERRUPTED
    except ConnectionError:  # it was killed
        answer = None
    if answer is None and is_query:
        raise Declined
    if answer is None:
        sys.stderr.write("tabwright: the user process ended before it answered\n")
        return FAILURE
    if answer["declined"]:
        raise Declined
    sys.stderr.write(str(answer["err"]))
    try:
        sys.stdout.write(str(answer["out"]))
        sys.stdout.flush()
    except BrokenPipeError:  # such as that of `head`, which has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    return int(str(answer["code"]))


def stop() -> int:
    """End the user process and wait for its end; return the exit code."""
    connection = connect()
    if connection is None:
        sys.stdout.write("The user process is not running.\n")
        return 0
    code = exchange(connection, ["daemon", "stop"])
    deadline = time.monotonic() + START_S
    while any(map(os.path.exists, socket_paths())) and time.monotonic() < deadline:
        time.sleep(POLL_S)
    return code


def _answer(
    connection: socket.socket, request: object, *, shows_steps: bool
) -> dict[str, object] | None:
    """Return the answer, with the steps printed; None if the process ended before it."""
    connection.sendall(json.dumps(request).encode() + b"\n")
    with connection.makefile("rb") as lines:
        for line in lines:
            answer: dict[str, object] = json.loads(line)
            if "step" not in answer:
                return answer
            if shows_steps:
                sys.stderr.write(f"{answer['step']}\n")
    return None
