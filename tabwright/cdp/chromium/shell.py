"""Small scripts for the system's own shell, each in a session of its own.

A session of its own is a process group of its own: a Ctrl-C in our terminal does not reach it,
and it can be killed as a whole. ``preexec_fn`` is not used: in a program with threads it may
deadlock between fork and exec.
"""

import subprocess
from collections.abc import Mapping, Sequence

import trio

from tabwright.cdp.chromium.errors import SystemRefused


async def start_script(
    script: Sequence[str],
    *,
    stdin: int,
    stdout: int = subprocess.DEVNULL,
    stderr: int = subprocess.DEVNULL,
    env: Mapping[str, str],
) -> trio.Process:
    """Starts ``/bin/sh`` on `script`: its text, then the arguments that it sees as ``"$@"``.

    It inherits the three descriptors and the variables that are given, and no others. Cancellation
    is seen before the start only: afterwards the process is always returned.

    Raises:
        SystemRefused: the system gave us no process or no file descriptor.
    """
    text, *arguments = script
    try:
        return await trio.lowlevel.open_process(
            ["/bin/sh", "-c", text, "sh", *arguments],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=env,
            start_new_session=True,
        )
    except OSError as error:
        raise SystemRefused(error) from error
