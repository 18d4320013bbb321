"""The transport of CDP: whole frames in, whole frames out."""

from collections.abc import Sequence
from typing import Protocol


class Transport(Protocol):
    """Carries frames of JSON text in UTF-8 between us and one browser, in order.

    One task sends and one receives. A link never retries and never reorders.
    """

    def send_nowait(self, frame: bytes) -> bool:
        """Sends the whole frame if that needs no waiting; False means that nothing was sent.

        Raises:
            LinkLost: the browser is not there any more.
        """
        ...

    async def send(self, frame: bytes) -> None:
        """Sends the whole frame.

        Cancelled half-way it leaves a torn frame, after which the link is good for nothing.

        Raises:
            LinkLost: the browser is not there any more.
        """
        ...

    async def receive(self) -> Sequence[bytes]:
        """The next frames, at least one; a checkpoint. Cancellation loses nothing.

        Raises:
            LinkLost: the browser is not there any more.
        """
        ...

    async def aclose(self) -> None:
        """Gives back what the link holds; returns soon also when the browser hangs."""
        ...
