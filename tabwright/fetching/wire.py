"""A stream of trio's as httpcore2 wants it."""

import selectors
from typing import cast

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

    def get_extra_info(self, info: str) -> object:
        """Return whether the socket ``is_readable``; None for what is not known.

        An idle connection has nothing to say: one that can be read was closed, or will give bytes
        that nobody asked for.
        """
        stream: trio.abc.Stream = self._stream
        while isinstance(stream, trio.SSLStream):
            stream = cast("trio.SSLStream[trio.abc.Stream]", stream).transport_stream
        if info != "is_readable" or not isinstance(stream, trio.SocketStream):
            return None
        with selectors.DefaultSelector() as selector:
            selector.register(stream.socket.fileno(), selectors.EVENT_READ)
            return bool(selector.select(timeout=0))

    @property
    def speaks_http2(self) -> bool:
        """Whether both sides have agreed on it (RFC 7301)."""
        stream = self._stream
        return isinstance(stream, trio.SSLStream) and stream.selected_alpn_protocol() == "h2"
