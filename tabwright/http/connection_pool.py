"""The connection pool: connections that are kept open from one request to the next.

Each carries one exchange at a time, with HTTP/2 too: what is given up in the midst of an answer
takes its connection with it, and nobody else's. Only a connection whose last answer ended exactly
where its frame says is kept: bytes behind it would pass for the answer to the next request.
"""

import selectors
from typing import TypeAlias, cast

import attrs
import httpcore2
import trio

from tabwright.http.connect import Connector, is_tunnelled
from tabwright.http.messages import RequestMessage, Target
from tabwright.http.proxy_discovery import is_bypassed
from tabwright.protocol.proxy import Proxy, ProxyChoice

# A trio stream behind the interface of httpcore2.

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


IDLE_MAX = 16
"""Idle connections that are kept, over all sites; of more, the oldest go."""

IDLE_S = 30.0
"""For which one is kept: less than most servers keep theirs."""

VERSIONS = (b"1.0", b"1.1")
"""Of an answer whose connection may carry another one: h11 cannot tell how other versions end."""


class HTTP1(httpcore2.AsyncHTTP11Connection):
    """HTTP/1.1, and whether the last answer ended where its frame says."""

    @property
    def ends_exactly(self) -> bool:
        """Whether the last answer was of a known version, with no byte behind it.

        Both are known to the parser (`h11.Connection`).
        """
        left_over, _is_closed = self._h11_state.trailing_data
        return self._h11_state.their_http_version in VERSIONS and not left_over


Speaker: TypeAlias = HTTP1 | httpcore2.AsyncHTTP2Connection
Way: TypeAlias = tuple[Proxy | None, str]
"""By which proxy, and to which origin."""


@attrs.define(eq=False)
class PooledConnection:
    """An open connection.

    Attributes:
        way: where it leads.
        is_used: whether it has carried an exchange: its other end may have gone away since.
        idle_since_s: on trio's clock.
    """

    way: Way
    _wire: Wire
    _speaker: Speaker
    is_used: bool = False
    idle_since_s: float = 0.0

    async def send(self, message: RequestMessage) -> httpcore2.Response:
        """The head of the answer; its body is yet to come."""
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
        """Whether it can carry another exchange: the last one is over on both sides, exactly."""
        if isinstance(self._speaker, HTTP1) and not self._speaker.ends_exactly:
            return False
        return self._speaker.is_idle() and self._speaker.is_available()

    @property
    def is_expired(self) -> bool:
        """Whether an idle connection was closed by the server, or has heard what nobody asked."""
        return isinstance(self._speaker, HTTP1) and self._speaker.has_expired()

    async def aclose(self) -> None:
        """Closes it at once, cancelled or not."""
        await self._wire.aclose()


class ConnectionPool:
    """All connections of one life of the fetcher.

    Attributes:
        way_out: by which proxy new ones go, and to which hosts without it.
    """

    def __init__(self, dialer: Connector, way_out: ProxyChoice) -> None:
        self.way_out = way_out
        self._dialer = dialer
        self._idle: list[PooledConnection] = []
        self._all = set[PooledConnection]()

    async def take(self, target: Target, *, fresh: bool) -> PooledConnection:
        """A connection to `target` for the taker alone, who gives it back or drops it.

        Args:
            target: whom to.
            fresh: one that has carried nothing yet.

        Raises:
            BadInput, NotConnected: see `Connector.dial`.
        """
        await self._drop_old()
        is_direct = is_bypassed(target, self.way_out.bypass)
        way = None if is_direct else self.way_out.proxy, target.origin
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
        """Keeps it for the next one; a connection that is not reusable is dropped."""
        if not connection.is_reusable:
            await self.drop(connection)
            return
        connection.is_used = True
        connection.idle_since_s = trio.current_time()
        self._idle.append(connection)
        await self._drop_old()

    async def drop(self, connection: PooledConnection) -> None:
        """Closes it."""
        self._all.discard(connection)
        await connection.aclose()

    async def aclose(self) -> None:
        """Closes all, those that are in use too."""
        self._idle.clear()
        while self._all:
            await self._all.pop().aclose()

    def _kept(self, way: Way) -> PooledConnection | None:
        """The one that was used last: the likeliest to be there still."""
        for connection in reversed(self._idle):
            if connection.way == way:
                self._idle.remove(connection)
                return connection
        return None

    async def _drop_old(self) -> None:
        """They are in the order in which they fell idle."""
        latest_s = trio.current_time() - IDLE_S
        while self._idle and (self._idle[0].idle_since_s < latest_s or len(self._idle) > IDLE_MAX):
            await self.drop(self._idle.pop(0))
