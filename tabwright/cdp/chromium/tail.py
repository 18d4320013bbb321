"""The last words of a process."""

from typing import Final

import trio

_KEPT_BYTES: Final = 8 << 10
_READ_BYTES: Final = 64 << 10


class Tail:
    """Reads a stream to its end and keeps only the last of it."""

    def __init__(self) -> None:
        self._kept = b""
        self._ended = trio.Event()

    async def drain(self, stream: trio.abc.ReceiveStream) -> None:
        """Reads until the end, or until it is cancelled, and closes `stream`."""
        async with stream:
            while chunk := await stream.receive_some(_READ_BYTES):
                self._kept = (self._kept + chunk)[-_KEPT_BYTES:]
        self._ended.set()

    async def wait_end(self) -> None:
        """Waits until the stream was read to its end."""
        await self._ended.wait()

    def text(self) -> str:
        """The last whole lines, at most 8 KiB."""
        kept = self._kept
        if len(kept) == _KEPT_BYTES:
            kept = kept.partition(b"\n")[2]
        return kept.decode(errors="replace").strip()
