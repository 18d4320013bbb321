"""``fork_client.py ADDRESS ARGUMENTS`` starts a program within milliseconds.

The program has the given ARGUMENTS. It runs in a fork of the process that listens on that Unix
socket, with the environment, working directory and standard streams of this process, which
passes signals on. If this process is killed, so is the fork.
"""

import json
import os
import signal
import socket
import sys
from pathlib import Path
from types import FrameType

PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGWINCH)


def run(address: str, arguments: list[str]) -> int:
    """Run a command in a fork of the listening process; return its exit code."""
    request = {"arguments": arguments, "environment": dict(os.environ), "folder": str(Path.cwd())}
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)  # until they can be passed on
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(address)
        socket.send_fds(connection, [json.dumps(request).encode()], [0, 1, 2])
        pid = int(connection.recv(16))

        def pass_on(number: int, _frame: FrameType | None) -> None:
            os.kill(pid, number)

        for number in PASSED_ON:
            signal.signal(number, pass_on)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
        return int(connection.recv(16))


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:]))
