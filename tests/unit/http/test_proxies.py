from contextlib import suppress

import pytest
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.protocol.errors import BadInput, ErrorCode, NavigationFailed
from tabwright.protocol.fetch import Fetch
from tabwright.protocol.proxy import Proxy, ProxyChoice

from .web import GONE, Machine, Open, Reply, Web

HTTP = Proxy("http", "proxy.internal", 3128)
HTTPS = Proxy("https", "proxy.internal", 3129)
SOCKS = Proxy("socks5", "127.0.0.1", 1080)
INSIDE = "10.0.0.9"


class Proxies:
    """Fake proxies of each kind, which resolve the names of the fake web themselves."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.wanted: list[str] = []
        web.names["proxy.internal"] = [(INSIDE,)]
        web.machines[INSIDE, 3128] = self.http
        web.machines[INSIDE, 3129] = self.https
        web.machines["127.0.0.1", 1080] = self.socks

    async def http(self, stream: trio.abc.Stream) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += await received(stream, 1)
        method, target, _ = head.split(b"\r\n")[0].split()
        self.wanted.append(f"{method.decode()} {target.decode()}")
        if method == b"CONNECT":
            await stream.send_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await self.join(stream, 443)
        else:
            await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nforwarded")
            await self.http(stream)

    async def https(self, stream: trio.abc.Stream) -> None:
        tls = trio.SSLStream(stream, self.web.context(), server_side=True, https_compatible=True)
        await tls.do_handshake()
        await self.http(tls)

    async def socks(self, stream: trio.abc.Stream) -> None:
        assert await received(stream, 3) == b"\5\1\0"
        await drop_by_drop(stream, b"\5\0")
        *_, kind = await received(stream, 4)
        length = (await received(stream, 1))[0] if kind == 3 else {1: 4, 4: 16}[kind]
        host = await received(stream, length)
        port = int.from_bytes(await received(stream, 2))
        self.wanted.append(f"{host.decode() if kind == 3 else host.hex()}:{port}")
        await drop_by_drop(stream, b"\5\0\0\3\4host\0\1")
        await self.join(stream, port)

    async def join(self, stream: trio.abc.Stream, port: int) -> None:
        async with self.web.reach(None, port) as other, background_nursery() as nursery:
            nursery.start_soon(pump, stream, other)
            await pump(other, stream)


async def received(stream: trio.abc.Stream, length: int) -> bytes:
    data = b""
    while len(data) < length:
        piece = await stream.receive_some(length - len(data))
        if not piece:
            raise trio.BrokenResourceError
        data += piece
    return data


async def drop_by_drop(stream: trio.abc.Stream, data: bytes) -> None:
    for byte in data:
        await stream.send_all(bytes([byte]))


async def pump(source: trio.abc.Stream, sink: trio.abc.Stream) -> None:
    with suppress(*GONE):
        async for data in source:
            await sink.send_all(data)


@pytest.fixture
def proxies(web: Web) -> Proxies:
    for host in ("a.example", "proxy.internal", "93.184.216.34", "[2606:4700::1111]"):
        web.site(host, Reply(b"page"))
    return Proxies(web)


@pytest.mark.parametrize(
    ("proxy", "url", "wanted"),
    [
        (HTTP, "http://a.example/x?y", "GET http://a.example/x?y"),
        (HTTP, "http://a.example:81/", "GET http://a.example:81/"),
        (HTTP, "https://a.example/x", "CONNECT a.example:443"),
        (HTTPS, "http://a.example/x", "GET http://a.example/x"),
        (HTTPS, "https://a.example/x", "CONNECT a.example:443"),
        (SOCKS, "http://a.example/x", "a.example:80"),
        (SOCKS, "https://a.example/x", "a.example:443"),
        (SOCKS, "http://93.184.216.34/x", "5db8d822:80"),
        (SOCKS, "http://[2606:4700::1111]:81/", "26064700000000000000000000001111:81"),
    ],
)
async def test_proxy_receives_the_host_name_unresolved(
    proxies: Proxies, open_client: Open, proxy: Proxy, url: str, wanted: str
) -> None:
    client = open_client(proxy_choice=ProxyChoice(proxy))
    is_forwarded = wanted.startswith("GET")
    for _ in range(2):
        fetched = await client.fetch(Fetch(url))
        assert fetched.body == (b"forwarded" if is_forwarded else b"page")
    assert proxies.wanted == [wanted] * (2 if is_forwarded else 1)
    assert proxies.web.resolved == [proxy.host]  # the site's name is the proxy's to know


async def test_bypassed_host_is_reached_without_the_proxy(
    web: Web, proxies: Proxies, open_client: Open
) -> None:
    client = open_client(proxy_choice=ProxyChoice(SOCKS, bypass=("a.example",)))
    assert (await client.fetch(Fetch("http://a.example/"))).body == b"page"
    assert not proxies.wanted


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "http://localhost/", "http://2130706433/"])
async def test_private_url_is_refused_even_through_a_proxy(
    proxies: Proxies, open_client: Open, url: str
) -> None:
    with pytest.raises(BadInput):
        await open_client(proxy_choice=ProxyChoice(SOCKS)).fetch(Fetch(url))
    assert not proxies.wanted


def reply_with(*pieces: bytes) -> Machine:
    async def machine(stream: trio.abc.Stream) -> None:
        for piece in pieces:
            await stream.receive_some()
            await stream.send_all(piece)

    return machine


@pytest.mark.parametrize(
    ("proxy", "machine", "words"),
    [
        (
            HTTP,
            reply_with(b"HTTP/1.1 407 Password\r\n\r\n"),
            "proxy.internal:3128 requires a password",
        ),
        (
            HTTP,
            reply_with(b"HTTP/1.1 502 Bad\r\n\r\n"),
            "does not connect to a.example .HTTP status 502",
        ),
        (
            HTTP,
            reply_with(b"HTTP/1.1 403 No\r\n\r\n"),
            "does not connect to a.example .HTTP status 403",
        ),
        (HTTP, reply_with(b"SSH-2.0\r\n\r\n"), "closed the connection"),
        (HTTP, reply_with(b""), "closed the connection"),
        (SOCKS, reply_with(b"\5\xff"), "requires a password"),
        (SOCKS, reply_with(b"\4\0"), "requires a password, or is not"),
        (
            SOCKS,
            reply_with(b"\5\0", b"\5\5\0\1"),
            "does not connect to a.example .connection refused",
        ),
        (SOCKS, reply_with(b"\5\0", b"\5\x63\0\1"), "does not connect to a.example .reply 99"),
        (SOCKS, reply_with(b"\5\0", b"\4\0\0\1"), "does not speak SOCKS5"),
        (SOCKS, reply_with(b"\5\0", b"\5\0\0\1abc"), "closed the connection"),
        (SOCKS, reply_with(b"\5"), "closed the connection"),
    ],
)
async def test_proxy_failure_is_reported_with_its_reason(
    proxies: Proxies, open_client: Open, proxy: Proxy, machine: Machine, words: str
) -> None:
    address = "127.0.0.1" if proxy is SOCKS else INSIDE
    proxies.web.machines[address, proxy.port] = machine
    with pytest.raises(NavigationFailed, match=words) as caught:
        await open_client(proxy_choice=ProxyChoice(proxy)).fetch(Fetch("https://a.example/"))
    assert caught.value.code is ErrorCode.NETWORK
    assert proxies.web.open_streams == 0


async def test_a_proxy_that_is_not_there_is_reported(
    web: Web, proxies: Proxies, open_client: Open
) -> None:
    web.dead["127.0.0.1"] = ConnectionRefusedError()
    with pytest.raises(NavigationFailed, match=r"127\.0\.0\.1:1080 cannot be reached"):
        await open_client(proxy_choice=ProxyChoice(SOCKS)).fetch(Fetch("https://a.example/"))


@pytest.mark.parametrize("proxy", [HTTP, HTTPS, SOCKS])
@pytest.mark.parametrize("checkpoints", range(0, 40, 3))
async def test_tunnel_cancelled_at_any_point_leaves_no_open_stream(
    web: Web, proxies: Proxies, open_client: Open, proxy: Proxy, checkpoints: int
) -> None:
    client = open_client(proxy_choice=ProxyChoice(proxy))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.fetch, Fetch("https://a.example/"))
        for _ in range(checkpoints):
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    assert web.open_streams == len(client.connections._idle)
