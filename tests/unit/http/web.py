"""A small fake internet in memory: names, machines, sites, and a record of requests."""

import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeAlias, TypeVar

import attrs
import h2.config
import h2.connection
import h2.events
import h11
import trio
import trustme
from trio.testing import memory_stream_pair

from tabwright.http.client import Client
from tabwright.http.net import NetworkBackend

PUBLIC = "93.184.216.34"
NO_NAME = socket.gaierror(socket.EAI_NONAME, "Name or service not known")

START_S = 1_800_000_000.0
"""When the tests begin, in seconds since 1970 UTC."""

ResultT = TypeVar("ResultT")

GONE = (trio.BrokenResourceError, trio.ClosedResourceError, h11.RemoteProtocolError)


@attrs.frozen
class Reply:
    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    is_framed: bool = True

    @property
    def lines(self) -> list[tuple[bytes, bytes]]:
        length = (("Content-Length", str(len(self.body))),) if self.is_framed else ()
        return [(name.encode(), value.encode()) for name, value in (*self.headers, *length)]


@attrs.frozen(eq=False)
class Asked:
    """A request that a site received."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    stream: trio.abc.Stream
    at_s: float
    connection: int
    version: str = "1.1"


Handler: TypeAlias = Callable[[Asked], Awaitable[Reply | None]]
"""Gives a reply, or has sent what it likes on the stream itself."""

Machine: TypeAlias = Callable[[trio.abc.Stream], Awaitable[None]]
"""Whatever answers at a port of an address."""


@attrs.define(eq=False)
class Watched(trio.abc.Stream):
    """A client stream that records whether it was closed."""

    _stream: trio.abc.Stream
    is_closed: bool = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        return await self._stream.receive_some(max_bytes)

    async def aclose(self) -> None:
        self.is_closed = True
        await self._stream.aclose()


class Web:
    """A fake internet: each address serves every site unless it has its own machine."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self.names: dict[str, list[Sequence[str] | OSError]] = {}
        self.sites: dict[str, Handler] = {}
        self.machines: dict[tuple[str, int], Machine] = {}
        self.dead: dict[str, OSError] = {}
        self.slow: dict[str, float] = {}
        self.asked: list[Asked] = []
        self.resolved: list[str] = []
        self.connected: list[tuple[str, int]] = []
        self.streams: list[Watched] = []
        self.protocols = ["http/1.1"]
        self.authority = trustme.CA()
        self.certified = self.authority

    def site(self, host: str, handler: Handler | Reply, *addresses: str) -> None:
        self.names[host] = [addresses or (PUBLIC,)]
        self.sites[host] = handler if callable(handler) else always(handler)

    @property
    def net(self) -> NetworkBackend:
        return NetworkBackend(resolve=self.resolve, connect=self.connect, trust=self.trust)

    @property
    def open_streams(self) -> int:
        return sum(not stream.is_closed for stream in self.streams)

    @property
    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]

    async def resolve(self, host: str) -> Sequence[str]:
        await trio.lowlevel.checkpoint()
        self.resolved.append(host)
        answers = self.names.get(host) or [(host,) if host[0].isdigit() or ":" in host else NO_NAME]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, OSError):
            raise answer
        return answer

    async def connect(self, address: str, port: int) -> trio.abc.Stream:
        self.connected.append((address, port))
        await trio.sleep(self.slow.get(address, 0))
        if error := self.dead.get(address):
            raise error
        stream = Watched(self.reach(self.machines.get((address, port)), port))
        self.streams.append(stream)
        return stream

    def reach(self, machine: Machine | None, port: int) -> trio.abc.Stream:
        """Return a stream to `machine`, or by default to a server of all sites."""
        ours, theirs = memory_stream_pair()
        machine = machine or (self.secure if port == 443 else self.serve)
        self._nursery.start_soon(_attended, machine, theirs)
        return ours

    def trust(self, context: ssl.SSLContext) -> None:
        self.authority.configure_trust(context)

    def context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        names = [host.strip("[]") for host in self.sites]
        self.certified.issue_cert(*names).configure_cert(context)
        context.set_alpn_protocols(self.protocols)
        return context

    async def secure(self, stream: trio.abc.Stream) -> None:
        secured = trio.SSLStream(stream, self.context(), server_side=True, https_compatible=True)
        await secured.do_handshake()
        if secured.selected_alpn_protocol() == "h2":
            await self.serve_http2(secured)
        else:
            await self.serve(secured)

    async def serve(self, stream: trio.abc.Stream) -> None:
        http = h11.Connection(h11.SERVER)
        number = len(self.streams)
        while (asked := await _received(http, stream, number)) is not None:
            reply = await self._handled(asked)
            if reply is None:
                return
            head = h11.Response(status_code=reply.status, headers=reply.lines)
            await stream.send_all(
                (http.send(head) or b"") + (http.send(h11.Data(reply.body)) or b"")
            )
            await stream.send_all(http.send(h11.EndOfMessage()) or b"")
            if http.our_state is not h11.DONE:
                return
            http.start_next_cycle()

    async def serve_http2(self, stream: trio.abc.Stream) -> None:
        http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        http.initiate_connection()
        await stream.send_all(http.data_to_send())
        number = len(self.streams)
        while data := await stream.receive_some():
            for event in http.receive_data(bytes(data)):
                if isinstance(event, h2.events.RequestReceived):
                    headers = {name.decode(): value.decode() for name, value in event.headers or ()}
                    path, method = headers[":path"], headers[":method"]
                    headers["host"] = headers[":authority"]
                    now = trio.current_time()
                    asked = Asked(method, path, headers, b"", stream, now, number, "2")
                    reply = await self._handled(asked)
                    if reply is None:
                        return
                    lines = [(name.lower(), value) for name, value in reply.lines]
                    http.send_headers(event.stream_id, [(b":status", b"%d" % reply.status), *lines])
                    for start in range(0, len(reply.body), http.max_outbound_frame_size):
                        piece = reply.body[start : start + http.max_outbound_frame_size]
                        http.send_data(event.stream_id, piece)
                    http.end_stream(event.stream_id)
            await stream.send_all(http.data_to_send())

    async def _handled(self, asked: Asked) -> Reply | None:
        self.asked.append(asked)
        host = asked.headers["host"].rpartition(":")[0] or asked.headers["host"]
        return await self.sites[host](asked)


async def _attended(machine: Machine, stream: trio.abc.Stream) -> None:
    async with stream:
        with suppress(*GONE):
            await machine(stream)


async def _received(http: h11.Connection, stream: trio.abc.Stream, number: int) -> Asked | None:
    head, body = None, b""
    while not isinstance(event := http.next_event(), h11.EndOfMessage):
        match event:
            case h11.Request():
                head = event
            case h11.Data():
                body += event.data
            case h11.ConnectionClosed():
                return None
            case _:
                http.receive_data(bytes(await stream.receive_some()))
    assert head is not None
    headers = {name.decode(): value.decode() for name, value in head.headers}
    path = head.target.decode()
    return Asked(head.method.decode(), path, headers, body, stream, trio.current_time(), number)


def always(reply: Reply) -> Handler:
    async def handler(asked: Asked) -> Reply:
        return reply

    return handler


def by_path(**replies: Reply | Handler) -> Handler:
    """Return a handler that chooses the reply by path without slashes, or answers 404."""

    async def handler(asked: Asked) -> Reply | None:
        reply = replies.get(asked.path.strip("/") or "index", Reply(status=404))
        return await reply(asked) if callable(reply) else reply

    return handler


def redirect(location: str, status: int = 302, **headers: str) -> Reply:
    more = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(b"moved", status, (("Location", location), *more))


@attrs.define
class Clock:
    """A fake wall clock that the tests set."""

    now_s: float = START_S

    def __call__(self) -> float:
        return self.now_s


Open: TypeAlias = Callable[..., Client]
"""Makes a client; see the fixture of that name."""
