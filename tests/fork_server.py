"""``fork_server.py ADDRESS PROGRAM`` imports a program and forks for each client.

Clients are ``fork_client.py`` processes. Tests of startup or of the process tree need the real
program instead.
"""

import atexit
import fcntl
import gc
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import walk_packages

REQUEST_BYTES_MAX = 1 << 20
F_SETSIG = 10
"""Which signal tells of I/O; fcntl(2) of Linux."""

returned = list[int]()
"""What the command of this process has returned, if it is a fork."""


def import_tabwright() -> Callable[[], int]:
    """Import what most commands need; return the main function."""
    share_browsers()
    app = import_module("tabwright.app")
    app.import_modules(["mcp.server", "anyio._backends._trio", "encodings.idna", *app.ON_DEMAND])
    for package in ("tabwright.cli", "tabwright.plugins"):
        inside = walk_packages(import_module(package).__path__, f"{package}.")
        app.import_modules([module.name for module in inside])
    return import_module("tabwright.__main__").main


def share_browsers() -> None:
    """Have commands use the browsers that their environment names (`shared_browser.py`)."""
    name, path = "shared_browser", Path(__file__).with_name("shared_browser.py")
    spec = spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    sys.modules[name] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    launch = import_module("tabwright.browser.launch")
    launch.ChromiumLauncher = module.sharing_launcher()


def import_pytest() -> Callable[[], int]:
    """Import what tests of any tabwright copy share; return a function that runs them."""
    for name in ("attrs", "hypothesis", "msgspec", "trio", "yaml"):
        import_module(name)
    console_main = import_module("pytest").console_main

    def main() -> int:
        """Run tests with the modules of the working directory, like ``python -m pytest``."""
        sys.dont_write_bytecode = True  # what is compiled of one copy is nobody else's
        sys.path.insert(0, str(Path.cwd()))
        return console_main()

    return main


PROGRAMS = {"tabwright": import_tabwright, "pytest": import_pytest}


def listen(address: str, program: str) -> int:
    """Import the program, then fork for each connection, until standard input ends.

    Return the exit code: 0, or in a fork that of the command.
    """
    gc.disable()  # what is imported stays
    main = PROGRAMS[program]()
    gc.enable()
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
                    _become(caller, program)
                    returned.append(main())
                    return returned[0]
                callers[os.pidfd_open(pid)] = pid, caller
    return 0


def _become(caller: socket.socket, program: str) -> None:
    """Take over the client's streams, environment, working directory and arguments."""
    text, streams, _, _ = socket.recv_fds(caller, REQUEST_BYTES_MAX, 3)
    request = json.loads(text)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.argv = [program, *request["arguments"]]
    _die_with(caller)
    caller.send(str(os.getpid()).encode())


def _die_with(caller: socket.socket) -> None:
    """Have the kernel kill this process once the other end of the socket is closed."""
    fcntl.fcntl(caller, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(caller, F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(caller, fcntl.F_SETFL, os.O_ASYNC)


def _leave() -> None:
    """Exit a fork whose command has returned, after all other exit handlers have run.

    The usual exit would dismantle all modules, including those of the server, which takes half of
    the time of a fork.
    """
    for code in returned:
        with suppress(OSError, ValueError):  # output that cannot be written: the usual end tells
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


if __name__ == "__main__":
    atexit.register(_leave)  # first, and so it is called last
    sys.exit(listen(*sys.argv[1:]))
