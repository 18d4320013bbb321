"""The private pipe: frames end with NUL (Chromium's ``--remote-debugging-pipe``).

There is no port, so no other process can attach; and the browser ends when the pipe is closed.
"""

import os
import select
from collections.abc import Sequence

import trio

from tabwright.cdp.errors import LinkLost

READ_BYTES = 1 << 16
"""The size of a read: a full pipe on Linux. A larger buffer takes longer to allocate than to fill.
"""

FRAME_BYTES_MAX = 256 << 20
"""A larger frame is not a reply but an attack on our memory: it is cut."""

HEAD_BYTES = 256
"""The bytes that are kept of it: enough to identify the command that it replies to."""

ATOMIC_BYTES: int = getattr(select, "PIPE_BUF", 512)
"""Smaller writes to a pipe are atomic (POSIX; 512 is the minimum)."""


class Splitter:
    """Splits a stream of bytes into frames at NUL; of a too large frame it keeps the head."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the frames that `chunk` completes; of too large ones only the heads."""
        head, *rest = chunk.split(b"\0")
        self._keep(head)
        if not rest:
            return []
        *whole, tail = rest
        frames = [b"".join(self._parts), *whole]
        self._parts, self._size = [], 0
        self._keep(tail)
        return frames

    def _keep(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        if self._size > FRAME_BYTES_MAX:
            first = self._parts[: HEAD_BYTES + 1]  # no part is empty but perhaps the first
            self._parts = [b"".join(first)[:HEAD_BYTES]]


class PipeLink:
    """A `Transport` on two file descriptors, which it owns and closes.

    Args:
        read_fd: the other end of the browser's file descriptor 4.
        write_fd: the other end of the browser's file descriptor 3.
    """

    def __init__(self, read_fd: int, write_fd: int) -> None:
        os.set_blocking(read_fd, False)
        os.set_blocking(write_fd, False)
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._splitter = Splitter()

    def send_nowait(self, frame: bytes) -> bool:
        """Send a frame without waiting; one above `ATOMIC_BYTES` is left to `send`."""
        if len(frame) >= ATOMIC_BYTES:
            return False
        return self._write(frame + b"\0") > 0

    async def send(self, frame: bytes) -> None:
        left = memoryview(frame + b"\0")
        while left:
            sent = self._write(left)
            left = left[sent:]
            if left:
                try:
                    await trio.lowlevel.wait_writable(self._write_fd)
                except trio.ClosedResourceError as error:
                    raise LinkLost("the pipe was closed on our side") from error

    async def receive(self) -> Sequence[bytes]:
        while True:
            try:
                await trio.lowlevel.wait_readable(self._read_fd)
            except trio.ClosedResourceError as error:
                raise LinkLost("the pipe was closed on our side") from error
            while chunk := self._read():
                if frames := self._splitter.feed(chunk):
                    return frames

    async def aclose(self) -> None:
        for fd in (self._write_fd, self._read_fd):
            if fd >= 0:
                trio.lowlevel.notify_closing(fd)
                os.close(fd)
        self._read_fd = self._write_fd = -1
        await trio.lowlevel.cancel_shielded_checkpoint()

    def _read(self) -> bytes:
        """Return the available bytes, perhaps none."""
        try:
            chunk = os.read(self._read_fd, READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise LinkLost(f"the pipe cannot be read ({error.strerror})") from error
        if not chunk:
            raise LinkLost("the browser closed the pipe")
        return chunk

    def _write(self, data: bytes | memoryview) -> int:
        try:
            return os.write(self._write_fd, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise LinkLost(f"the pipe cannot be written ({error.strerror})") from error
