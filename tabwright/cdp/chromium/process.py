"""The process of a browser that we start: from the command line to the last file removed."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self, cast

import attrs
import trio

from tabwright.cdp.chromium.arguments import LaunchPlan, arguments, browser_environment
from tabwright.cdp.chromium.directory import PORT_FILE, PrivateDirectory, claimed
from tabwright.cdp.chromium.errors import (
    BrowserExited,
    BrowserSilent,
    LaunchError,
    NotSupported,
    PortTaken,
    ProfileLocked,
    SystemRefused,
    advice_on_space,
    full_disk,
    memory_disk_is_small,
    require_descriptors,
)
from tabwright.cdp.chromium.finding import require_executable
from tabwright.cdp.chromium.guardian import Guardian, guarded_directory, start_script
from tabwright.concurrency.nursery import background_nursery

# Reading the WebSocket endpoint of a browser that we started.
#
# With port 0 Chromium writes the file ``DevToolsActivePort`` into its profile: the port, a line
# end, and the path of the browser target. With another one it only says so on its standard error.

_COMPLETE: Final = re.compile(r"(?P<port>\d{1,5})\n(?P<path>/devtools/browser/[0-9a-f-]{36})\n?")

_ANNOUNCED: Final = re.compile(
    r"DevTools listening on (ws://127\.0\.0\.1:\d{1,5}/devtools/browser/[0-9a-f-]{36})"
)
"""The announcement on its standard error, the only sign if the port was given."""


def announced_endpoint(text: str) -> str | None:
    """Return the address from the browser's standard error; None if it is not there yet."""
    match = _ANNOUNCED.search(text)
    return match and match[1]


def read_endpoint(profile: Path) -> str | None:
    """Return the address; None while the file is missing or incomplete."""
    try:
        text = (profile / PORT_FILE).read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return None
    return parse_endpoint(text)


def require_port(port: int) -> None:
    """Check that a browser can listen on `port` of 127.0.0.1; 0 is always available.

    Raises:
        PortTaken: another program listens there.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise PortTaken(port) from error


def parse_endpoint(text: str) -> str | None:
    """Parse ``ws://127.0.0.1:PORT/devtools/browser/ID`` from the file; None if incomplete."""
    match = _COMPLETE.fullmatch(text)
    return match and f"ws://127.0.0.1:{match['port']}{match['path']}"


# The private pipe between us and a browser.


@attrs.define
class PipeEnds:
    """One side of a pair of pipes: a descriptor to read from and one to write to.

    It owns both until they are taken. As a context manager it closes those that it still owns.
    """

    read_fd: int
    write_fd: int
    _owned: bool = True

    def take(self) -> tuple[int, int]:
        """Transfer ``(read_fd, write_fd)`` to the caller, who then closes them."""
        self._owned = False
        return self.read_fd, self.write_fd

    def close(self) -> None:
        """Close both, unless they were taken or closed before."""
        if self._owned:
            self._owned = False
            os.close(self.read_fd)
            os.close(self.write_fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def crossed() -> tuple[PipeEnds, PipeEnds]:
    """Create two sides: data written to one is read from the other.

    Raises:
        SystemRefused: there are no more file descriptors.
    """
    try:
        our_read, their_write = os.pipe()
        try:
            their_read, our_write = os.pipe()
        except OSError:
            os.close(our_read)
            os.close(their_write)
            raise
    except OSError as error:
        raise SystemRefused(error) from error
    return PipeEnds(our_read, our_write), PipeEnds(their_read, their_write)


# The last lines that a process wrote.

_KEPT_BYTES: Final = 8 << 10


class StderrTail:
    """Reads a stream to its end and keeps only the last part."""

    def __init__(self) -> None:
        self._kept = b""
        self._ended = trio.Event()

    async def drain(self, stream: trio.abc.ReceiveStream) -> None:
        """Read until the end, or until cancelled, and close `stream`."""
        async with stream:
            while chunk := await stream.receive_some():
                self._kept = (self._kept + chunk)[-_KEPT_BYTES:]
        self._ended.set()

    async def wait_end(self) -> None:
        """Wait until the stream was read to its end."""
        await self._ended.wait()

    def text(self) -> str:
        """Return the last whole lines, at most 8 KiB."""
        kept = self._kept
        if len(kept) == _KEPT_BYTES:
            kept = kept.partition(b"\n")[2]
        return kept.decode(errors="replace").strip()


_SHIMS: Final[Mapping[str, str]] = {
    "pipe": 'read -r go && umask 077 && exec "$@" 3<&0 4>&1 0</dev/null 1>&2',
    "websocket": 'read -r go && umask 077 && exec "$@" 0</dev/null 1>&2',
}
"""Waits for the start signal, then becomes the browser, with the pipe on descriptors 3 and 4.

The files of the browser, including downloads, are readable only by its user.

The browser thus never runs unguarded: if we die before the guardian knows of it, the shim reads end
of file and ends.
"""

_PROFILE_IN_USE: Final = 21
"""Chromium's exit code when another browser has the profile (``chrome_result_codes.h``)."""

_POLL_S: Final = 0.02
_LAST_WORDS_S: Final = 0.5
_REAP_S: Final = 5.0
"""A killed process ends at once, unless it is blocked in the kernel."""


class Chromium:
    """A running browser, started by `launch`.

    Attributes:
        pid: its process, the leader of its process group.
        profile: the directory of its cookies and storage.
        pipe: our side of the private pipe, for ``link="pipe"``. Its connection takes it
            (`PipeEnds.take`), and closes it before `launch` is left.
        endpoint: the WebSocket address of the browser target, for ``link="websocket"``.
    """

    def __init__(
        self, process: trio.Process, tail: StderrTail, profile: Path, directory: PrivateDirectory
    ) -> None:
        self.pid = process.pid
        self.profile = profile
        self._directory = directory
        self.pipe: PipeEnds | None = None
        self.endpoint: str | None = None
        self._process = process
        self._tail = tail

    @property
    def exit_code(self) -> int | None:
        """None while it runs; a negative one is the signal that ended it."""
        return self._process.returncode

    async def wait_exit(self) -> int:
        """Wait until it has ended, and return its exit code; a cancelled wait changes nothing."""
        exit_code = await self._process.wait()
        with trio.move_on_after(_LAST_WORDS_S):
            await self._tail.wait_end()
        return exit_code

    def stderr_tail(self) -> str:
        """Return the last lines of its standard error, at most 8 KiB."""
        return self._tail.text()

    def failure(self) -> LaunchError:
        """Return why it does not respond, after a caller's deadline passed or its link was lost."""
        exit_code = self.exit_code
        if exit_code is None:
            return BrowserSilent(self.stderr_tail())
        if exit_code == _PROFILE_IN_USE:
            return ProfileLocked(self.profile, None)
        trouble = self.trouble()
        return BrowserExited(
            exit_code,
            self.stderr_tail(),
            f"Free some disk space: {trouble}." if trouble else advice_on_space(),
        )

    def trouble(self) -> str:
        """Return the current problem of its system, such as a full disk; empty for none."""
        full = full_disk((self.profile, self._directory.path))
        return f"the disk that holds {full} is full" if full else ""


@asynccontextmanager
async def launch(plan: LaunchPlan) -> AsyncGenerator[Chromium]:
    """Start a browser and keep it running until the context is left.

    With a pipe it is yielded as soon as its process runs; the caller finds out whether it responds.
    With a WebSocket it is yielded when its port is known, which may never happen. In both cases the
    caller opens `trio.fail_after`, and an expired deadline cleans up like any other exit.

    A caller that can still talk to the browser asks it to end (``Browser.close``) before it leaves.
    Leaving closes the pipe (or sends SIGTERM if there is none), waits up to the plan's grace period
    for the browser to end, kills the rest of its process group, and removes the private directory.
    This happens after success, error and cancellation, is bounded, and cancellation does not cut it
    short. If our process is killed, the guardian does it (`tabwright.cdp.chromium.guardian`).

    Raises:
        LaunchError: the browser could not be started; the subclasses say why. Errors of the body
            are not changed.
    """
    if sys.platform == "win32":
        raise NotSupported(
            "Browsers cannot be started on Windows yet.",
            advice="Start one with --remote-debugging-port and connect to it.",
        )
    require_executable(plan.path)
    require_descriptors()
    if plan.link == "websocket":
        require_port(plan.port)
    async with guarded_directory() as guardian:
        own = nullcontext(guardian.directory.profile)
        with own if plan.profile is None else claimed(plan.profile) as profile:
            async with _running(plan, profile, guardian) as chromium:
                yield chromium


@asynccontextmanager
async def _running(plan: LaunchPlan, profile: Path, guardian: Guardian) -> AsyncGenerator[Chromium]:
    ours, theirs = crossed()
    with ours:
        with theirs:
            switches = arguments(
                plan, profile, root=os.geteuid() == 0, small_memory_disk=memory_disk_is_small()
            )
            process = await start_script(
                [_SHIMS[plan.link], str(plan.path.absolute()), *switches],
                stdin=theirs.read_fd,
                stdout=theirs.write_fd,
                stderr=subprocess.PIPE,
                env=browser_environment(
                    os.environ,
                    TMPDIR=str(guardian.directory.path),
                    BREAKPAD_DUMP_LOCATION=str(guardian.directory.crashes),
                ),
            )
        tail = StderrTail()
        chromium = Chromium(process, tail, profile, guardian.directory)
        async with background_nursery() as nursery:
            nursery.start_soon(tail.drain, cast("trio.abc.ReceiveStream", process.stderr))
            nursery.start_soon(_reap, process, guardian)
            try:
                guardian.watch(process.pid)
                with suppress(BrokenPipeError):  # it is dead already, as its exit code will tell
                    os.write(ours.write_fd, b"go\n")
                if plan.link == "pipe":
                    chromium.pipe = ours
                else:
                    ours.close()
                    chromium.endpoint = await _endpoint(chromium)
                yield chromium
            finally:
                ours.close()
                await _end(process, plan, guardian)


async def _reap(process: trio.Process, guardian: Guardian) -> None:
    """Reap a browser that ends by itself, and the rest of its process group."""
    await process.wait()
    guardian.kill_group()


async def _endpoint(chromium: Chromium) -> str:
    """Poll for the port file, or the announcement, until it exists; there is no event for it."""
    while (
        endpoint := (read_endpoint(chromium.profile) or announced_endpoint(chromium.stderr_tail()))
    ) is None:
        if chromium.exit_code is not None:
            await chromium.wait_exit()
            raise chromium.failure()
        await trio.sleep(_POLL_S)
    return endpoint


async def _end(process: trio.Process, plan: LaunchPlan, guardian: Guardian) -> None:
    with trio.CancelScope(shield=True):
        if plan.link == "websocket":
            process.terminate()
        with trio.move_on_after(plan.stop_grace_s):
            await process.wait()
        guardian.kill_group()
        with trio.move_on_after(_REAP_S):
            await process.wait()
            await _reap_orphans(process.pid)


async def _reap_orphans(group: int) -> None:
    """Reap the browser's children if they became ours, which happens to the process with id 1.

    Usually another process adopts and reaps them.
    """
    with suppress(ChildProcessError):  # there are none, or no more
        while True:
            buried, _ = os.waitpid(-group, os.WNOHANG)  # noqa: ASYNC222 - it does not block
            if not buried:
                await trio.sleep(_POLL_S)
