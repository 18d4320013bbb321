"""The WebSocket link, for browsers that we did not start and where there is no pipe (RFC 6455).

The one module that knows trio-websocket, whose defaults do not fit CDP: messages of at most
1 MiB (a larger one closes the whole connection), reads of 4 KiB, a queue of one message (with it
full, pings go unanswered).
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import trio
import trio_websocket
from trio_websocket import ConnectionClosed, HandshakeError, WebSocketConnection

from tabwright.cdp.chromium.background import open_background
from tabwright.cdp.errors import LinkLost
from tabwright.cdp.pipe import FRAME_BYTES_MAX, READ_BYTES

QUEUE_MAX = 64
"""Messages that may wait in trio-websocket while our reader is busy with one batch."""

CLOSE_S = 0.5
"""For the closing handshake, which CDP does not need and a frozen browser never finishes."""


class WebSocketLink:
    """A `Link` on a WebSocket connection."""

    def __init__(self, socket: WebSocketConnection) -> None:
        self._socket = socket

    def send_nowait(self, frame: bytes) -> bool:
        """See `Link.send_nowait`; a WebSocket always needs waiting."""
        del frame
        return False

    async def send(self, frame: bytes) -> None:
        """See `Link.send`. Goes as a text frame: on a binary one Chromium hangs up."""
        try:
            await self._socket.send_message(frame.decode())
        except ConnectionClosed as closed:
            raise LinkLost(_reason(closed)) from closed

    async def receive(self) -> Sequence[bytes]:
        """See `Link.receive`."""
        try:
            message = await self._socket.get_message()
        except ConnectionClosed as closed:
            raise LinkLost(_reason(closed)) from closed
        return [message.encode() if isinstance(message, str) else message]

    async def aclose(self) -> None:
        """See `Link.aclose`."""
        with trio.move_on_after(CLOSE_S, shield=True):
            await self._socket.aclose()


@asynccontextmanager
async def open_websocket_link(url: str) -> AsyncGenerator[WebSocketLink]:
    """Connects to a browser's WebSocket, such as ``ws://127.0.0.1:9222/devtools/browser/…``.

    Connecting to a frozen browser waits until the caller's deadline.

    Raises:
        LinkLost: nothing listens there, or it does not speak WebSocket.
    """
    async with open_background() as nursery:
        link = WebSocketLink(await _connect(nursery, url))
        try:
            yield link
        finally:
            await link.aclose()


async def _connect(nursery: trio.Nursery, url: str) -> WebSocketConnection:
    try:
        return await trio_websocket.connect_websocket_url(
            nursery,
            url,
            message_queue_size=QUEUE_MAX,
            max_message_size=FRAME_BYTES_MAX,
            receive_buffer_size=READ_BYTES,
        )
    except (HandshakeError, OSError, ValueError) as error:
        cause = error.__cause__ or error
        raise LinkLost(f"no WebSocket connection to the browser ({cause})") from error


def _reason(closed: ConnectionClosed) -> str:
    reason = closed.reason
    if reason is None:
        return "the WebSocket was closed"
    return f"the WebSocket was closed with code {reason.code} {reason.name}"
