"""The guardian: a small process that outlives us to clean up after us.

End of file on the pipe ends a healthy Chromium when we are killed, but not one that is stopped or
hangs, and not one with a port. So a shell waits on a pipe whose other end only we have. When we die
for any reason, the kernel closes that end; the shell then kills the process group of the browser
and removes its directory.

`PR_SET_PDEATHSIG` does not work for this: it follows the thread that started the process, and
trio's threads end after ten idle seconds.
"""

import os
import signal
import subprocess
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, cast

import trio

from tabwright.cdp.chromium.arguments import browser_environment
from tabwright.cdp.chromium.directory import PrivateDirectory, make_directory
from tabwright.cdp.chromium.errors import SystemRefused
from tabwright.concurrency.nursery import background_nursery

# Shell scripts, each in a session of its own.
#
# A session of its own is a process group of its own: a Ctrl-C in our terminal does not reach it,
# and it can be killed as a whole. ``preexec_fn`` is not used: in a program with threads it may
# deadlock between fork and exec.


async def start_script(
    script: Sequence[str],
    *,
    stdin: int,
    stdout: int = subprocess.DEVNULL,
    stderr: int = subprocess.DEVNULL,
    env: Mapping[str, str],
) -> trio.Process:
    """Start ``/bin/sh`` with `script`: its text, then the arguments that it sees as ``"$@"``.

    It inherits only the given descriptors and variables. Cancellation is checked only before the
    start: afterwards the process is always returned.

    Raises:
        SystemRefused: the system has no process or file descriptor left.
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


_SCRIPT: Final = """
trap '' HUP INT TERM
group=$2
while read -r line; do
    [ "$line" = done ] && exit
    group=$line
done
[ -n "$group" ] && kill -9 "-$group"
rm -rf -- "$1"
sleep 0.3
rm -rf -- "$1"
"""
"""Each line is the group to kill from now on, an empty one means none; ``done`` ends it.

The second removal is for files that the dying processes wrote during the first.
"""

_PAUSE_S: Final = 0.1
"""The delay before a killed guardian is replaced, which avoids a hot loop on a full system."""

_DISMISSAL_S: Final = 1.0
_REMOVALS: Final = 10


class Guardian:
    """Guards a directory, and a process group after `watch`.

    Attributes:
        directory: removed when our process dies.
    """

    def __init__(self, directory: PrivateDirectory, process: trio.Process) -> None:
        self.directory = directory
        self._process = process
        self._group: int | None = None

    def watch(self, group: int) -> None:
        """Guard the process group `group`, too."""
        self._group = group
        self._write_line(str(group))

    def kill_group(self) -> None:
        """Kill the rest of the group, if there is one, and stop guarding it."""
        if self._group is not None:
            with suppress(ProcessLookupError, PermissionError):  # macOS: only zombies are left
                os.killpg(self._group, signal.SIGKILL)
            self._group = None
            self._write_line("")

    async def keep(self) -> None:
        """Replace the process whenever it ends; run until cancelled."""
        while True:
            await self._process.wait()
            await trio.sleep(_PAUSE_S)
            with suppress(SystemRefused):
                fallen = self._process
                self._process = await _start_process(self.directory, self._group)
                self._write_line(str(self._group or ""))
                await _pipe(fallen).aclose()

    async def dismiss(self) -> None:
        """End the process without killing or removing anything."""
        self._write_line("done")
        await _pipe(self._process).aclose()
        with trio.move_on_after(_DISMISSAL_S):
            await self._process.wait()
        self._process.kill()
        await self._process.wait()

    def _write_line(self, line: str) -> None:
        with suppress(BrokenPipeError):  # it was killed; the next one will be notified
            os.write(_pipe(self._process).fileno(), f"{line}\n".encode())


@asynccontextmanager
async def guarded_directory() -> AsyncGenerator[Guardian]:
    """Create a private directory and its guardian.

    When the context is left, even by cancellation, the directory is removed and then the guardian
    dismissed; that takes a moment but is bounded.

    Raises:
        SystemRefused: no directory can be created, or no guardian started.
    """
    directory = await trio.to_thread.run_sync(make_directory)
    try:
        guardian = Guardian(directory, await _start_process(directory))
    except BaseException:
        directory.release()  # first: when descriptors are short, removing needs this one
        directory.remove()
        raise
    try:
        async with background_nursery() as nursery:
            nursery.start_soon(guardian.keep)
            yield guardian
    finally:
        with trio.CancelScope(shield=True):
            # Removes what dying processes may still write to for a moment.
            for _ in range(_REMOVALS):
                if await trio.to_thread.run_sync(directory.remove):
                    break
                await trio.sleep(_PAUSE_S)
            await guardian.dismiss()
        directory.release()


async def _start_process(directory: PrivateDirectory, group: int | None = None) -> trio.Process:
    script = [_SCRIPT, str(directory.path), str(group or "")]
    return await start_script(script, stdin=subprocess.PIPE, env=browser_environment(os.environ))


def _pipe(process: trio.Process) -> trio.lowlevel.FdStream:
    return cast("trio.lowlevel.FdStream", process.stdin)  # what PIPE makes of it
