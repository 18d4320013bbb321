"""The WebSocket link, for browsers that we did not start, and where there is no pipe (RFC 6455).

trio-websocket opens the connection. It would then hand over one message at a time, through a task
and a channel, which takes more CPU time than anything else on this link. So the frames are read by
wsproto, on which it is built, all those of a read at once. There is no closing handshake: CDP needs
none, a frozen browser never finishes it, and after a crash it would leave the socket open.
"""

import os
from base64 import b64encode
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import TypeAlias, cast
from urllib.parse import SplitResult, unquote, urlsplit

import h11
import httpx2
import trio
import trio_websocket
from trio_websocket import ConnectionRejected, HandshakeError
from wsproto.connection import Connection, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Ping, TextMessage
from wsproto.utilities import LocalProtocolError

from tabwright.cdp.errors import HandshakeRejected, LinkLost, MalformedReply
from tabwright.cdp.pipe import READ_BYTES, Splitter
from tabwright.cdp.wire import Shape, decode
from tabwright.concurrency.nursery import background_nursery

CLOSED = "the WebSocket was closed"

HTTPHeaders: TypeAlias = Sequence[tuple[str, str]]
"""Names and values of headers."""

_Stream: TypeAlias = trio.SocketStream | trio.SSLStream[trio.SocketStream]


class WebSocketLink:
    """A `Transport` on the socket of an open WebSocket connection, which it closes."""

    def __init__(self, stream: _Stream, received: bytes = b"") -> None:
        self._stream = stream
        self._protocol = Connection(ConnectionType.CLIENT)
        self._received = received
        self._splitter = Splitter()
        self._sending = trio.Lock()
        self._begun: bytes | None = None
        self._rest = b""
        self._end = ""

    def send_nowait(self, frame: bytes) -> bool:
        """Send a text frame without waiting, unless the connection is encrypted."""
        if self._rest or self._sending.locked() or not isinstance(self._stream, trio.SocketStream):
            return False
        data = self._frame(frame)
        try:
            sent = os.write(self._stream.socket.fileno(), data)
        except BlockingIOError:
            return False
        except OSError as error:
            raise LinkLost(CLOSED) from error
        self._rest = data[sent:]
        self._begun = frame if self._rest else None
        return not self._rest

    async def send(self, frame: bytes) -> None:
        """Send a text frame: Chromium disconnects on a binary one."""
        begun, self._begun = self._begun, None  # by `send_nowait`
        await self._send(b"" if frame is begun else self._frame(frame))

    async def receive(self) -> Sequence[bytes]:
        while not self._end:
            chunk, self._received = self._received, b""
            try:
                chunk = chunk or bytes(await self._stream.receive_some(READ_BYTES))
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                raise LinkLost(CLOSED) from error
            self._protocol.receive_data(chunk or None)
            text = bytearray()
            for event in self._protocol.events():
                match event:
                    case TextMessage() | BytesMessage():
                        data = event.data
                        text += data.encode() if isinstance(data, str) else data
                        if event.message_finished:
                            text += b"\0"  # JSON has none, so it can end a message, as on a pipe
                    case Ping():
                        await self._send(self._protocol.send(event.response()))
                    case CloseConnection(code, reason):
                        self._end = f"{CLOSED} with code {code:d} {reason or ''}".rstrip()
                    case _:
                        pass
            if frames := self._splitter.feed(bytes(text)):
                return frames
        raise LinkLost(self._end)

    async def aclose(self) -> None:
        await trio.aclose_forcefully(self._stream)

    def _frame(self, text: bytes) -> bytes:
        try:
            return self._protocol.send(TextMessage(text.decode()))
        except LocalProtocolError as error:
            raise LinkLost(CLOSED) from error

    async def _send(self, data: bytes) -> None:
        """Send the rest of what was begun, and then this."""
        async with self._sending:
            data, self._rest = self._rest + data, b""
            try:
                await self._stream.send_all(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                raise LinkLost(CLOSED) from error


@asynccontextmanager
async def open_websocket_link(url: str, headers: HTTPHeaders = ()) -> AsyncGenerator[WebSocketLink]:
    """Connect to a browser's WebSocket, such as ``ws://127.0.0.1:9222/devtools/browser/…``.

    Connecting to a browser that is frozen waits until the caller's deadline. Leaving closes the
    socket at once, even if cancelled.

    Args:
        url: the address of the WebSocket. Its user name and password are sent as HTTP Basic
            authentication (RFC 7617).
        headers: additional headers of its opening request.

    Raises:
        HandshakeRejected: the server refuses, for example a wrong token.
        LinkLost: nothing listens there, or it does not speak WebSocket.
    """
    address = urlsplit(url)
    stream = await _dial(address)
    try:
        yield WebSocketLink(stream, await _shake_hands(stream, address, headers))
    finally:
        await trio.aclose_forcefully(stream)


async def _dial(address: SplitResult) -> _Stream:
    try:
        if address.scheme == "wss":
            return await trio.open_ssl_over_tcp_stream(
                str(address.hostname), address.port or 443, https_compatible=True
            )
        return await trio.open_tcp_stream(str(address.hostname), address.port or 80)
    except (OSError, ValueError) as error:
        raise LinkLost(f"could not connect to the browser ({error})") from error


async def _shake_hands(stream: _Stream, address: SplitResult, headers: HTTPHeaders) -> bytes:
    """Open the WebSocket connection, and return what was received beyond its handshake."""
    handshake = _HandshakeStream(stream)
    try:
        async with background_nursery() as nursery:
            await trio_websocket.wrap_client_stream(
                nursery,
                cast("trio.SocketStream", handshake),  # it works on any stream
                address.netloc.rpartition("@")[2],
                f"{address.path or '/'}{'?' if address.query else ''}{address.query}",
                extra_headers=[
                    (name.encode(), value.encode())
                    for name, value in (*_credentials(address), *headers)
                ],
            )
    except ConnectionRejected as rejected:
        raise HandshakeRejected(rejected.status_code) from rejected
    except (HandshakeError, h11.ProtocolError) as error:
        raise LinkLost(f"the server there does not speak WebSocket ({error})") from error
    return handshake.rest


class _HandshakeStream(trio.abc.Stream):
    """The stream of a connection while trio-websocket opens it.

    A disconnection is an error, since trio-websocket would wait for the handshake forever. What is
    received beyond the handshake stays in `rest`.
    """

    def __init__(self, stream: _Stream) -> None:
        self._stream = stream
        self._response = b""
        self._is_open = False
        self.rest = b""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        try:
            await self._stream.send_all(data)
        except trio.BrokenResourceError as error:
            raise LinkLost(_disconnection(error)) from error

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        if self._is_open:
            await trio.sleep_forever()
        try:
            data = bytes(await self._stream.receive_some(max_bytes))
        except trio.BrokenResourceError as error:
            raise LinkLost(_disconnection(error)) from error
        if not data:
            raise LinkLost("the server disconnected during the handshake")
        self._response += data
        head, end, self.rest = self._response.partition(b"\r\n\r\n")
        self._is_open = bool(end) and head.split(maxsplit=2)[1:2] == [b"101"]
        return data.removesuffix(self.rest) if self._is_open else data

    async def aclose(self) -> None:
        await self._stream.aclose()


def _disconnection(error: trio.BrokenResourceError) -> str:
    return f"the server disconnected during the handshake ({error.__cause__ or error})"


def _credentials(address: SplitResult) -> HTTPHeaders:
    if address.username is None:
        return ()
    pair = f"{unquote(address.username)}:{unquote(address.password or '')}"
    return (("Authorization", f"Basic {b64encode(pair.encode()).decode()}"),)


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
