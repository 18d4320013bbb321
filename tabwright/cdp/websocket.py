"""The WebSocket link, for browsers that we did not start, and where there is no pipe (RFC 6455).

The only module that uses trio-websocket, whose defaults do not fit CDP: messages of at most 1 MiB
(a larger one closes the whole connection), reads of 4 KiB, a queue of one message (with it full,
pings go unanswered). Its closing does not fit either: CDP needs no closing handshake, which a
frozen browser never finishes, and after a crash of the browser it leaves the socket open. So we
close the socket ourselves.
"""

from base64 import b64encode
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

import httpx2
import trio
import trio_websocket
from trio_websocket import (
    ConnectionClosed,
    ConnectionRejected,
    HandshakeError,
    WebSocketConnection,
)

from tabwright.cdp.errors import HandshakeRejected, LinkLost, MalformedReply
from tabwright.cdp.pipe import FRAME_BYTES_MAX
from tabwright.cdp.wire import Shape, decode
from tabwright.concurrency.nursery import background_nursery

READ_BYTES = 1 << 20
"""The size of a read. Large replies take a third of the CPU time of 64 KiB reads."""

QUEUE_MAX = 64
"""The maximum number of messages in trio-websocket while our reader is busy with a batch."""

HTTPHeaders: TypeAlias = Sequence[tuple[str, str]]
"""Names and values of headers."""

_Stream: TypeAlias = trio.SocketStream | trio.SSLStream[trio.SocketStream]


class WebSocketLink:
    """A `Transport` on a WebSocket connection, and the socket underneath, which it closes."""

    def __init__(self, socket: WebSocketConnection, stream: _Stream) -> None:
        self._socket = socket
        self._stream = stream

    def send_nowait(self, _: bytes, /) -> bool:
        """Send nothing: a WebSocket always needs waiting."""
        return False

    async def send(self, frame: bytes) -> None:
        """Send a text frame: Chromium disconnects on a binary one."""
        try:
            await self._socket.send_message(frame.decode())
        except ConnectionClosed as closed:
            raise LinkLost(_reason(closed)) from closed

    async def receive(self) -> Sequence[bytes]:
        try:
            message = await self._socket.get_message()
        except ConnectionClosed as closed:
            raise LinkLost(_reason(closed)) from closed
        return [message.encode() if isinstance(message, str) else message]

    async def aclose(self) -> None:
        await trio.aclose_forcefully(self._stream)


@asynccontextmanager
async def open_websocket_link(url: str, headers: HTTPHeaders = ()) -> AsyncGenerator[WebSocketLink]:
    """Connect to a browser's WebSocket, such as ``ws://127.0.0.1:9222/devtools/browser/…``.

    Connecting to a browser that is frozen or disconnects waits until the caller's deadline. Leaving
    closes the socket at once, even if cancelled.

    Args:
        url: the address of the WebSocket. Its user name and password are sent as HTTP Basic
            authentication (RFC 7617).
        headers: additional headers of its opening request.

    Raises:
        HandshakeRejected: the server refuses, for example a wrong token.
        LinkLost: nothing listens there, or it does not speak WebSocket.
    """
    address = urlsplit(url)
    try:
        async with background_nursery() as nursery:
            stream = await _dial(address)
            try:
                yield WebSocketLink(await _greet(nursery, stream, address, headers), stream)
            finally:
                await trio.aclose_forcefully(stream)
    except ConnectionRejected as rejected:
        raise HandshakeRejected(rejected.status_code) from rejected
    except HandshakeError as error:
        raise LinkLost(f"the server there does not speak WebSocket ({error})") from error


async def _dial(address: SplitResult) -> _Stream:
    try:
        if address.scheme == "wss":
            return await trio.open_ssl_over_tcp_stream(
                str(address.hostname), address.port or 443, https_compatible=True
            )
        return await trio.open_tcp_stream(str(address.hostname), address.port or 80)
    except (OSError, ValueError) as error:
        raise LinkLost(f"could not connect to the browser ({error})") from error


async def _greet(
    nursery: trio.Nursery, stream: _Stream, address: SplitResult, headers: HTTPHeaders
) -> WebSocketConnection:
    return await trio_websocket.wrap_client_stream(
        nursery,
        stream,
        address.netloc.rpartition("@")[2],
        f"{address.path or '/'}{'?' if address.query else ''}{address.query}",
        extra_headers=[
            (name.encode(), value.encode()) for name, value in (*_credentials(address), *headers)
        ],
        message_queue_size=QUEUE_MAX,
        max_message_size=FRAME_BYTES_MAX,
        receive_buffer_size=READ_BYTES,
    )


def _credentials(address: SplitResult) -> HTTPHeaders:
    if address.username is None:
        return ()
    pair = f"{unquote(address.username)}:{unquote(address.password or '')}"
    return (("Authorization", f"Basic {b64encode(pair.encode()).decode()}"),)


def _reason(closed: ConnectionClosed) -> str:
    reason = closed.reason
    if reason is None:
        return "the WebSocket was closed"
    return f"the WebSocket was closed with code {reason.code} {reason.name}"


# Finding the WebSocket address of a running browser.


class EndpointUnreachable(Exception):
    """No CDP endpoint answers at the address.

    Attributes:
        status: the HTTP status of the answer; 0 if there was none.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class _Version(Shape, frozen=True):
    web_socket_debugger_url: str


async def websocket_url(endpoint: str, headers: HTTPHeaders = ()) -> str:
    """Return the WebSocket address of the browser at `endpoint`.

    A ``ws`` address with a path or a query is returned unchanged. Any other endpoint is queried for
    ``/json/version``, with the same query, see `seen_from_here` for its answer. Over plain HTTP the
    host is resolved first, because Chromium refuses host names but localhost. Waits until the
    caller's deadline.

    chromedp has the same rules (``allocate.go``, ``modifyURL``).

    Args:
        endpoint: the address of the browser.
        headers: additional headers of the request.

    Raises:
        EndpointUnreachable: there is no server, or it is not a browser.
    """
    address = urlsplit(_whole(endpoint))
    is_socket = address.scheme in {"ws", "wss"}
    if is_socket and (address.path.strip("/") or address.query):
        return endpoint
    is_secure = address.scheme in {"https", "wss"}
    place = public_part(endpoint)
    try:
        if not is_secure:
            address = await _resolved(address)
        path = f"{address.path.rstrip('/')}/json/version"
        scheme = "https" if is_secure else "http"
        async with httpx2.AsyncClient(trust_env=False, timeout=None, headers=headers) as client:
            answer = await client.get(address._replace(scheme=scheme, path=path).geturl())
            answer.raise_for_status()
            version = decode(answer.content, _Version, "/json/version")
    except httpx2.HTTPStatusError as error:
        status = error.response.status_code
        raise EndpointUnreachable(
            f"No browser responds at {place} (HTTP status {status}).", status
        ) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, MalformedReply, OSError, ValueError) as error:
        what = type(error).__name__  # its words may hold the whole address
        raise EndpointUnreachable(f"No browser responds at {place} ({what}).") from error
    return seen_from_here(version.web_socket_debugger_url, address)


def seen_from_here(url: str, address: SplitResult) -> str:
    """Return a WebSocket URL as it can be reached.

    A server that names itself by a loopback address, or by the ``Host`` header that it got, is
    reached at the host and port of `address`, and with its encryption.
    """
    host = urlsplit(url).hostname or ""
    return at_address(url, address) if host == address.hostname or _is_here(host) else url


def _is_here(host: str) -> bool:
    try:
        ip = ip_address(host)
    except ValueError:
        return host == "localhost"
    return ip.is_loopback or ip.is_unspecified


def at_address(url: str, address: SplitResult) -> str:
    """Return a WebSocket URL at the host and port of `address`, where the server is reached."""
    scheme = "wss" if address.scheme in {"https", "wss"} else "ws"
    return urlsplit(url)._replace(scheme=scheme, netloc=address.netloc).geturl()


async def _resolved(address: SplitResult) -> SplitResult:
    """Return the address with an IP address for the name of its host."""
    host = address.hostname or ""
    if host == "localhost":
        return address
    found = await trio.socket.getaddrinfo(host, address.port or 80, type=trio.socket.SOCK_STREAM)
    ip = str(found[0][4][0])
    user, at, _ = address.netloc.rpartition("@")
    shown = f"[{ip}]" if ":" in ip else ip
    return address._replace(netloc=f"{user}{at}{shown}:{address.port or 80}")


def public_part(endpoint: str) -> str:
    """Return the endpoint without parts that may be secret: user name, password, token."""
    scheme, _, rest = _whole(endpoint).partition("://")
    host = rest.partition("/")[0].partition("?")[0].rpartition("@")[2]
    return f"{scheme}://{host}"


def _whole(endpoint: str) -> str:
    """Return the endpoint with a scheme."""
    return endpoint if "://" in endpoint else f"http://{endpoint}"
