"""``fork_server.py ADDRESS`` imports tabwright, and runs it in a fork for each ``fork_client.py``.

A test of starting or of the tree of processes needs the real program.
"""

import fcntl
import gc
import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress

import mcp.server  # noqa: F401

from tabwright.__main__ import main
from tabwright.app import PAGE_MODULES, import_modules
from tabwright.cli import early_calls, serve  # noqa: F401

REQUEST_BYTES_MAX = 1 << 20
F_SETSIG = 10
"""Which signal tells of I/O; fcntl(2) of Linux."""


def listen(address: str) -> int:
    """Import the program, then fork for each connection, until standard input ends.

    Returns the exit code: 0, or in a fork that of the command.
    """
    import_modules(PAGE_MODULES)
    callers = dict[int, tuple[int, socket.socket]]()  # and the process of each, by its descriptor
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen(64)
        gc.collect()
        gc.freeze()
        sys.stdout.write("listening\n")
        sys.stdout.flush()
        while sys.stdin not in (ready := select.select([listener, sys.stdin, *callers], [], [])[0]):
            for ended in callers.keys() & set(ready):
                pid, caller = callers.pop(ended)
                os.close(ended)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                with caller, suppress(BrokenPipeError):  # it was killed, and the fork with it
                    caller.send(str(code if code >= 0 else 128 - code).encode())
            if listener in ready:
                caller, _ = listener.accept()
                pid = os.fork()
                if pid == 0:
                    return _run_here(caller)
                callers[os.pidfd_open(pid)] = pid, caller
    return 0


def _run_here(caller: socket.socket) -> int:
    text, streams, _, _ = socket.recv_fds(caller, REQUEST_BYTES_MAX, 3)
    request = json.loads(text)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.argv = ["tabwright", *request["arguments"]]
    _die_with(caller)
    caller.send(str(os.getpid()).encode())
    return main()


def _die_with(caller: socket.socket) -> None:
    """Have the kernel kill this process once the other end is closed."""
    fcntl.fcntl(caller, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(caller, F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(caller, fcntl.F_SETFL, os.O_ASYNC)


if __name__ == "__main__":
    sys.exit(listen(sys.argv[1]))
