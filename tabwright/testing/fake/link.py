"""The link to a fake browser: the same seam that pipe and socket have."""

from collections.abc import Sequence

import trio

from tabwright.cdp.errors import LinkLost

FRAMES_MAX = 65_536
"""More frames than any test leaves unread; a real pipe would make the browser wait."""


class FakeLink:
    """A `Link` whose other end is in this process.

    Attributes:
        is_cut: whether the browser has hung up.
    """

    def __init__(self) -> None:
        self._to_browser, self.commands = trio.open_memory_channel[bytes](FRAMES_MAX)
        self._to_us, self._frames = trio.open_memory_channel[bytes](FRAMES_MAX)
        self.is_cut = False

    def send_nowait(self, frame: bytes) -> bool:
        """See `Link.send_nowait`."""
        try:
            self._to_browser.send_nowait(frame)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise LinkLost("the fake browser has ended") from error
        return True

    async def send(self, frame: bytes) -> None:
        """See `Link.send`."""
        await trio.lowlevel.checkpoint()
        self.send_nowait(frame)

    async def receive(self) -> Sequence[bytes]:
        """See `Link.receive`."""
        try:
            return [await self._frames.receive()]
        except (trio.EndOfChannel, trio.ClosedResourceError) as error:
            raise LinkLost("the fake browser closed the link") from error

    async def aclose(self) -> None:
        """See `Link.aclose`."""
        self._to_browser.close()
        self._frames.close()
        await trio.lowlevel.checkpoint()

    def emit(self, frame: bytes) -> None:
        """The browser's side: sends a frame to us; a link that is gone takes it and forgets it."""
        try:
            self._to_us.send_nowait(frame)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    def cut(self) -> None:
        """The browser's side: hangs up."""
        self.is_cut = True
        self._to_us.close()
        self.commands.close()
