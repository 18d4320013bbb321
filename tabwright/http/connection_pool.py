"""The connection pool: connections that are reused between requests.

Each connection carries one exchange at a time, even with HTTP/2: abandoning a response closes its
connection and affects no other. A connection is only reused if the last response ended exactly
at the end of its framing: extra bytes could pass for the next response.
"""

import selectors
from typing import TypeAlias, cast

import attrs
import httpcore2
import trio

from tabwright.http.connect import Connector, is_tunnelled
from tabwright.http.proxy_discovery import is_bypassed
from tabwright.http.request import RequestMessage, Target
from tabwright.protocol.proxy import Proxy, ProxyChoice

# A trio stream behind the interface of httpcore2.

GONE = (trio.BrokenResourceError, trio.ClosedResourceError)


class Wire(httpcore2.AsyncNetworkStream):
    """A stream of bytes. Timeouts are set by the caller, through cancellation."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109
        """Read some bytes; none at the end of the stream.

        Raises:
            httpcore2.ReadError: the connection is broken.
        """
        try:
            return bytes(await self._stream.receive_some(max_bytes))
        except GONE as error:
            raise httpcore2.ReadError(str(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109
        """Send all bytes.

        Raises:
            httpcore2.WriteError: the connection is broken.
        """
        try:
            await self._stream.send_all(buffer)
        except GONE as error:
            raise httpcore2.WriteError(str(error)) from error

    async def aclose(self) -> None:
        """Close at once, without waiting, even if cancelled."""
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(self._stream)

    def get_extra_info(self, info: str) -> object:
        """Return whether the socket ``is_readable``, and None for other keys.

        An idle connection that is readable was closed, or has received unrequested bytes.
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
        """Whether both sides agreed on HTTP/2 (RFC 7301)."""
        stream = self._stream
        return isinstance(stream, trio.SSLStream) and stream.selected_alpn_protocol() == "h2"


IDLE_MAX = 16
"""Maximum number of idle connections over all sites; beyond it the oldest are closed."""

IDLE_S = 30.0
"""How long an idle connection is kept; most servers keep theirs longer."""

VERSIONS = (b"1.0", b"1.1")
"""HTTP versions whose connections can be reused; h11 cannot frame the responses of others."""


class HTTP1(httpcore2.AsyncHTTP11Connection):
    """An HTTP/1.1 connection that reports whether the last response ended exactly."""

    @property
    def ends_exactly(self) -> bool:
        """Whether the last response had a known version and no byte after its end.

        The parser (`h11.Connection`) knows both.
        """
        left_over, _is_closed = self._h11_state.trailing_data
        return self._h11_state.their_http_version in VERSIONS and not left_over


Speaker: TypeAlias = HTTP1 | httpcore2.AsyncHTTP2Connection
Way: TypeAlias = tuple[Proxy | None, str]
"""The proxy, if any, and the origin."""


@attrs.define(eq=False)
class PooledConnection:
    """An open connection.

    Attributes:
        way: its proxy and origin.
        is_used: whether it has carried an exchange; the server can have closed it since.
        idle_since_s: when it became idle, on trio's clock.
    """

    way: Way
    _wire: Wire
    _speaker: Speaker
    is_used: bool = False
    idle_since_s: float = 0.0

    async def send(self, message: RequestMessage) -> httpcore2.Response:
        """Send a request and return the response head; the body is not read yet."""
        target, proxy = message.target, self.way[0]
        is_forwarded = proxy is not None and not is_tunnelled(target, proxy)
        request = httpcore2.Request(
            message.method,
            httpcore2.URL(
                scheme=target.scheme,
                host=target.host,
                port=target.port,
                target=target.url if is_forwarded else target.path,
            ),
            headers=message.lines,
            content=message.body,
        )
        return await self._speaker.handle_async_request(request)

    @property
    def is_reusable(self) -> bool:
        """Whether the last exchange ended exactly, so that another can follow."""
        if isinstance(self._speaker, HTTP1) and not self._speaker.ends_exactly:
            return False
        return self._speaker.is_idle() and self._speaker.is_available()

    @property
    def is_expired(self) -> bool:
        """Whether an idle connection was closed or received unrequested bytes."""
        return isinstance(self._speaker, HTTP1) and self._speaker.has_expired()

    async def aclose(self) -> None:
        """Close at once, even if cancelled."""
        await self._wire.aclose()


class ConnectionPool:
    """The connections of one client.

    Attributes:
        proxy_choice: the proxy for new connections, and the hosts that bypass it.
    """

    def __init__(self, dialer: Connector, proxy_choice: ProxyChoice) -> None:
        self.proxy_choice = proxy_choice
        self._dialer = dialer
        self._idle: list[PooledConnection] = []
        self._all = set[PooledConnection]()

    async def take(self, target: Target, *, fresh: bool) -> PooledConnection:
        """Return a connection to `target`; the caller gives it back or drops it.

        Args:
            target: the server.
            fresh: whether the connection must be new.

        Raises:
            BadInput, NotConnected: see `Connector.dial`.
        """
        await self._drop_old()
        is_direct = is_bypassed(target, self.proxy_choice.bypass)
        way = None if is_direct else self.proxy_choice.proxy, target.origin
        while not fresh and (kept := self._kept(way)):
            if not kept.is_expired:
                return kept
            await self.drop(kept)
        stream = await self._dialer.dial(target, way[0])
        wire = Wire(stream)
        origin = httpcore2.Origin(target.scheme.encode(), target.host.encode(), target.port)
        if wire.speaks_http2:
            connection = PooledConnection(way, wire, httpcore2.AsyncHTTP2Connection(origin, wire))
        else:
            connection = PooledConnection(way, wire, HTTP1(origin, wire))
        self._all.add(connection)
        return connection

    async def give_back(self, connection: PooledConnection) -> None:
        """Return a connection to the pool, or close it if it is not reusable."""
        if not connection.is_reusable:
            await self.drop(connection)
            return
        connection.is_used = True
        connection.idle_since_s = trio.current_time()
        self._idle.append(connection)
        await self._drop_old()

    async def drop(self, connection: PooledConnection) -> None:
        """Close a connection."""
        self._all.discard(connection)
        await connection.aclose()

    async def aclose(self) -> None:
        """Close all connections, including those in use."""
        self._idle.clear()
        while self._all:
            await self._all.pop().aclose()

    def _kept(self, way: Way) -> PooledConnection | None:
        """Return the most recently used idle connection, which is the least likely to be closed."""
        for connection in reversed(self._idle):
            if connection.way == way:
                self._idle.remove(connection)
                return connection
        return None

    async def _drop_old(self) -> None:
        """Close expired and surplus connections; the list is in the order of idle time."""
        latest_s = trio.current_time() - IDLE_S
        while self._idle and (self._idle[0].idle_since_s < latest_s or len(self._idle) > IDLE_MAX):
            await self.drop(self._idle.pop(0))
