"""A stream of trio's as httpcore2 wants it."""

import httpcore2
import trio

GONE = (trio.BrokenResourceError, trio.ClosedResourceError)


class Wire(httpcore2.AsyncNetworkStream):
    """Bytes both ways. Times are the caller's to limit, by cancellation."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109
        """Some bytes; none at the end.

        Raises:
            httpcore2.ReadError: the connection is broken.
        """
        try:
            return bytes(await self._stream.receive_some(max_bytes))
        except GONE as error:
            raise httpcore2.ReadError(str(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109
        """Sends all of it.

        Raises:
            httpcore2.WriteError: the connection is broken.
        """
        try:
            await self._stream.send_all(buffer)
        except GONE as error:
            raise httpcore2.WriteError(str(error)) from error

    async def aclose(self) -> None:
        """Closes at once, cancelled or not: nothing is waited for."""
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(self._stream)

    @property
    def speaks_http2(self) -> bool:
        """Whether both sides have agreed on it (RFC 7301)."""
        stream = self._stream
        return isinstance(stream, trio.SSLStream) and stream.selected_alpn_protocol() == "h2"
