"""An HTTP/1.1 server whose handlers may also break the rules.

h11 (RFC 9112) keeps the protocol, trio the sockets. A handler is given an `Exchange`: it answers
with a whole `ServerResponse`, streams a body piece by piece, or takes the bare connection and
misbehaves. Client and server share the fate of one exchange only: if one breaks it off, the
server lives on.
"""

import socket
import ssl
import struct
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeAlias
from urllib.parse import parse_qsl, urlsplit

import attrs
import h11
import trio

_READ_BYTES = 65536
_HOST = "127.0.0.1"
_LINGER_NOT = struct.pack("ii", 1, 0)  # on, for no time: close sends RST
_BROKEN_OFF = (
    trio.BrokenResourceError,
    trio.ClosedResourceError,
    h11.RemoteProtocolError,
)


Connection: TypeAlias = trio.SSLStream[trio.SocketStream] | trio.SocketStream


@attrs.frozen
class Seen:
    """A request in the log.

    Attributes:
        method: in upper case.
        host: the name the client asked for, without a port.
        path: with its query.
        cookie: the header of that name, as are the next two; empty where it was not sent.
        hints: the header ``Sec-CH-UA``.
        at_s: when its head had come, on trio's clock.
        headers: all of them, by their names in lower case.
    """

    method: str
    host: str
    path: str
    cookie: str = ""
    accept_language: str = ""
    user_agent: str = ""
    hints: str = ""
    at_s: float = 0.0
    headers: Mapping[str, str] = attrs.field(factory=dict[str, str], eq=False, repr=False)


@attrs.frozen
class ServerResponse:
    """A whole response; its Content-Length is added when it is sent."""

    body: bytes = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()


def redirect(url: str, *, status: int = 302, cookie: str = "") -> ServerResponse:
    """Redirect the client to `url`, optionally with a cookie."""
    return ServerResponse(status=status, headers=(("Location", url), *_set_cookie(cookie)))


def html(text: str, *, status: int = 200, cookie: str = "") -> ServerResponse:
    """Return a page of HTML, optionally with a cookie."""
    return ServerResponse(text.encode(), status=status, headers=_set_cookie(cookie))


def _set_cookie(cookie: str) -> tuple[tuple[str, str], ...]:
    return (("Set-Cookie", cookie),) if cookie else ()


class Exchange:
    """One request, and the means to answer it.

    Every sending method waits until the socket took the bytes; it raises
    `trio.BrokenResourceError` when the client is gone, which ends this exchange alone.

    Attributes:
        seen: the request.
        body: its body, whole.
        stream: the connection underneath, for handlers that break the rules.
    """

    def __init__(self, seen: Seen, body: bytes, stream: Connection, http: h11.Connection) -> None:
        self.seen = seen
        self.body = body
        self.stream = stream
        self._http = http

    @property
    def path(self) -> str:
        """The path without its query."""
        return urlsplit(self.seen.path).path

    @property
    def query(self) -> Mapping[str, str]:
        """The parameters of the URL; the last one of a name counts."""
        return dict(parse_qsl(urlsplit(self.seen.path).query, keep_blank_values=True))

    @property
    def form(self) -> Mapping[str, str]:
        """The fields of a URL-encoded form in the body."""
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))

    @property
    def cookies(self) -> Mapping[str, str]:
        """The cookies of the request by name."""
        pairs = (pair.partition("=") for pair in self.seen.cookie.split("; "))
        return {name: value for name, _, value in pairs if name}

    async def answer(self, response: ServerResponse) -> None:
        """Send a whole response."""
        length = ("Content-Length", str(len(response.body)))
        kind = ("Content-Type", response.content_type)
        bodiless = response.status in {204, 304}
        headers = response.headers if bodiless else (length, kind, *response.headers)
        await self.begin(response.status, headers)
        if self.seen.method != "HEAD" and not bodiless:
            await self.send(response.body)
        await self.end()

    async def begin(self, status: int, headers: tuple[tuple[str, str], ...]) -> None:
        """Send the head of a response; without a Content-Length its body goes in chunks."""
        await self._put(h11.Response(status_code=status, headers=list(headers)))

    async def send(self, data: bytes) -> None:
        """Send a piece of the body now."""
        if data:
            await self._put(h11.Data(data=data))

    async def end(self) -> None:
        """Finish the response."""
        await self._put(h11.EndOfMessage())

    async def _put(self, event: h11.Event) -> None:
        data = self._http.send(event)
        if data:
            await self.stream.send_all(data)

    async def hang_up(self) -> None:
        """Close the connection with FIN, even if the response is incomplete."""
        await self.stream.aclose()

    async def reset(self) -> None:
        """Reset the connection (RST); sent data may be lost."""
        stream = self.stream
        raw = stream.transport_stream if isinstance(stream, trio.SSLStream) else stream
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
        await raw.aclose()


Handler: TypeAlias = Callable[[Exchange], Awaitable[None]]


@asynccontextmanager
async def open_server(
    handler: Handler, log: list[Seen], *, tls: ssl.SSLContext | None = None
) -> AsyncGenerator[int]:
    """Listen on a free port of 127.0.0.1 for the length of the block, and yield the port.

    Args:
        handler: answers every request.
        log: gets every request, as it comes in.
        tls: the context to wrap connections in; plain HTTP without one.

    Leaving the block, or cancelling it, closes the listener and every connection. A fault of the
    handler ends the block with that fault; a fault of the block itself leaves it unwrapped.
    """
    listeners = await trio.open_tcp_listeners(0, host=_HOST)
    port: int = listeners[0].socket.getsockname()[1]
    fault: Exception | None = None
    async with trio.open_nursery() as nursery:
        serve = partial(_serve, handler, log, tls)
        await nursery.start(trio.serve_listeners, serve, listeners)
        try:
            yield port
        except Exception as caught:  # noqa: BLE001  raised again below, outside the nursery
            fault = caught
        nursery.cancel_scope.cancel()
    if fault is not None:
        raise fault


async def _serve(
    handler: Handler, log: list[Seen], tls: ssl.SSLContext | None, raw: trio.SocketStream
) -> None:
    """Serve one connection until either side ends it."""
    stream = trio.SSLStream(raw, tls, server_side=True, https_compatible=True) if tls else raw
    http = h11.Connection(h11.SERVER)
    try:
        while (exchange := await _receive(stream, http)) is not None:
            log.append(exchange.seen)
            # Lets the handler work for as long as the client stays on the line.
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_listen, exchange.stream, http, nursery.cancel_scope)
                await handler(exchange)
                nursery.cancel_scope.cancel()
            if set(http.states.values()) != {h11.DONE}:
                return
            http.start_next_cycle()
    except* _BROKEN_OFF:
        pass  # the client left, or does not speak HTTP: its connection ends, nothing else


async def _receive(stream: Connection, http: h11.Connection) -> Exchange | None:
    """Wait for the next complete request; None if the client closes the connection."""
    seen, body = None, bytearray()
    while True:
        event = http.next_event()
        if event is h11.NEED_DATA:
            http.receive_data(bytes(await stream.receive_some(_READ_BYTES)))
        elif isinstance(event, h11.Request):
            headers = {
                name.decode("ascii"): value.decode("latin-1") for name, value in event.headers
            }
            seen = Seen(
                method=event.method.decode("ascii"),
                host=headers.get("host", "").partition(":")[0],
                path=event.target.decode("ascii"),
                cookie=headers.get("cookie", ""),
                accept_language=headers.get("accept-language", ""),
                user_agent=headers.get("user-agent", ""),
                hints=headers.get("sec-ch-ua", ""),
                at_s=trio.current_time(),
                headers=headers,
            )
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage) and seen is not None:
            return Exchange(seen, bytes(body), stream, http)
        else:
            return None


async def _listen(stream: Connection, http: h11.Connection, work: trio.CancelScope) -> None:
    """Keep early bytes of the next request; cancel the handler when the client disconnects."""
    while data := await stream.receive_some(_READ_BYTES):
        http.receive_data(bytes(data))
    work.cancel()
