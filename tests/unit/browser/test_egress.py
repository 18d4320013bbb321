"""The browser's egress proxy, without a browser."""

import socket
from collections.abc import Sequence
from contextlib import suppress

import pytest
import trio
from trio.testing import memory_stream_pair

from tabwright.browser.egress_proxy import (
    FAILURES_MAX,
    HEAD_BYTES_MAX,
    Egress,
    EgressRules,
    open_egress,
)
from tabwright.http.host_rules import HostRules
from tabwright.http.net import NetworkBackend, connect
from tabwright.http.proxy_tunnel import SocksReply
from tabwright.protocol.errors import BadInput, NavigationFailed
from tabwright.protocol.proxy import Proxy, ProxyChoice
from tabwright.protocol.urls import Bounds

SUCCEEDED = bytes([5, SocksReply.SUCCEEDED, 0, 1, 0, 0, 0, 0, 0, 0])


async def resolve(host: str) -> Sequence[str]:
    if host == "nowhere.test":
        raise socket.gaierror(socket.EAI_NONAME, "unknown")
    return {"public.test": ["93.184.215.14"], "inside.test": ["10.0.0.1"]}.get(host, [host])


async def asked(port: int, host: str) -> tuple[trio.abc.Stream, bytes]:
    """Return a connection to the proxy, and the proxy's reply."""
    stream = await connect("127.0.0.1", port)
    name = host.encode()
    await stream.send_all(b"\x05\x01\x00\x05\x01\x00\x03" + bytes([len(name)]) + name + b"\0\x50")
    output = b""
    while len(output) < 2 + len(SUCCEEDED) and (piece := await stream.receive_some()):
        output += bytes(piece)
    return stream, output[2:]


async def test_egress_relays_both_ways_until_browser_closes() -> None:
    ours, theirs = memory_stream_pair()

    async def connected(address: str, port: int) -> trio.abc.Stream:
        assert (address, port) == ("93.184.215.14", 80)
        return ours

    async with open_egress(NetworkBackend(resolve=resolve, connect=connected)) as egress:
        browser, reply = await asked(egress.proxy.port, "public.test")
        assert reply == SUCCEEDED
        await browser.send_all(b"question")
        assert await theirs.receive_some() == b"question"
        await theirs.send_all(b"answer")
        assert await browser.receive_some() == b"answer"
        await browser.aclose()
        assert await theirs.receive_some() == b""
        with pytest.raises(trio.BrokenResourceError):
            await theirs.send_all(b"something that nobody will hear")


async def test_egress_relays_end_of_stream_of_the_site_first() -> None:
    ours, theirs = memory_stream_pair()

    async def connected(_address: str, _port: int) -> trio.abc.Stream:
        return ours

    async with open_egress(NetworkBackend(resolve=resolve, connect=connected)) as egress:
        browser, _ = await asked(egress.proxy.port, "public.test")
        await theirs.send_all(b"enough")
        await theirs.send_eof()
        assert await browser.receive_some() == b"enough"
        assert await browser.receive_some() == b""
        await browser.send_all(b"one thing more")
        assert await theirs.receive_some() == b"one thing more"
        await browser.aclose()


@pytest.mark.parametrize(
    ("host", "reply", "error"),
    [
        ("inside.test", SocksReply.NOT_ALLOWED, BadInput),
        ("127.0.0.1", SocksReply.NOT_ALLOWED, BadInput),
        ("nowhere.test", SocksReply.HOST_UNREACHABLE, NavigationFailed),
    ],
)
async def test_refused_connection_reports_its_reason(
    host: str, reply: SocksReply, error: type
) -> None:
    async with open_egress(NetworkBackend(resolve=resolve)) as egress:
        stream, output = await asked(egress.proxy.port, host)
        await stream.aclose()
        assert output[1] == reply
        assert isinstance(egress.failure(f"http://{host}/page"), error)
        assert egress.failure(f"https://{host}/") is None  # that is another port


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".test", ""])
async def test_invalid_host_name_does_not_affect_later_connections(host: str) -> None:
    async with open_egress(NetworkBackend()) as egress:
        stream, output = await asked(egress.proxy.port, host)
        await stream.aclose()
        assert output[1:2] != bytes([SocksReply.SUCCEEDED])
        stream, output = await asked(egress.proxy.port, "127.0.0.1")
        await stream.aclose()
        assert output[1] == SocksReply.NOT_ALLOWED


async def test_oldest_failure_reasons_are_dropped() -> None:
    async with open_egress(NetworkBackend(resolve=resolve)) as egress:
        for number in range(FAILURES_MAX + 1):
            stream, _ = await asked(egress.proxy.port, f"127.0.{number // 256}.{number % 256}")
            await stream.aclose()
        assert egress.failure("http://127.0.0.0/") is None
        assert egress.failure("http://127.0.0.1/") is not None


async def test_egress_shutdown_closes_connections_and_port() -> None:
    ours, theirs = memory_stream_pair()

    async def connected(_address: str, _port: int) -> trio.abc.Stream:
        return ours

    async with open_egress(NetworkBackend(resolve=resolve, connect=connected)) as egress:
        browser, _ = await asked(egress.proxy.port, "public.test")
    assert await browser.receive_some() == b""
    assert await theirs.receive_some() == b""
    with pytest.raises(ConnectionRefusedError):
        await connect("127.0.0.1", egress.proxy.port)
    await browser.aclose()


LISTS = Bounds(private=True, allow=("ok.test", "paths.test/a/*"), deny=("ok.test:81",))
UPSTREAM = ProxyChoice(Proxy("http", "10.0.0.9", 3128), "a test", (".direct.test",))


@pytest.mark.parametrize(
    ("host", "port", "reply"),
    [
        ("ok.test", 80, SocksReply.SUCCEEDED),
        ("OK.test.", 80, SocksReply.SUCCEEDED),
        ("ok.test", 81, SocksReply.NOT_ALLOWED),
        ("paths.test", 80, SocksReply.SUCCEEDED),
        ("evil.test", 80, SocksReply.NOT_ALLOWED),
        ("10.0.0.1", 80, SocksReply.NOT_ALLOWED),
    ],
)
async def test_connection_outside_url_lists_is_refused(
    host: str, port: int, reply: SocksReply
) -> None:
    ours, _theirs = memory_stream_pair()
    connected: list[tuple[str, int]] = []

    async def noted(address: str, at: int) -> trio.abc.Stream:
        connected.append((address, at))
        return ours

    net = NetworkBackend(
        resolve=resolve, connect=noted, hosts=HostRules.read("MAP * 127.0.0.1:8080")
    )
    async with open_egress(net, EgressRules(bounds=LISTS)) as egress:
        stream = await connect("127.0.0.1", egress.proxy.port)
        name = host.encode()
        asking = b"\x05\x01\x00\x05\x01\x00\x03" + bytes([len(name)]) + name + port.to_bytes(2)
        await stream.send_all(asking)
        output = b""
        while len(output) < 2 + len(SUCCEEDED) and (piece := await stream.receive_some()):
            output += bytes(piece)
        await stream.aclose()
        assert output[3] == reply
        refused = reply is not SocksReply.SUCCEEDED
        assert isinstance(egress.failure(f"http://{host}:{port}/"), BadInput) is refused
    assert connected == ([] if refused else [("127.0.0.1", 8080)])


async def said_by(egress: Egress, asked: bytes) -> bytes:
    """Return all that the egress sends in response, up to the end of the connection."""
    stream = await connect("127.0.0.1", egress.proxy.port)
    async with stream:
        await stream.send_all(asked)
        await stream.send_eof()
        output = b""
        with suppress(trio.BrokenResourceError):
            while piece := await stream.receive_some():
                output += bytes(piece)
    return output


@pytest.mark.parametrize(
    ("asked", "sent", "place"),
    [
        (
            b"GET http://ok.test/a?b HTTP/1.1\r\nHost: a\r\nProxy-Connection: keep-alive\r\n\r\n",
            b"GET http://ok.test/a?b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            ("10.0.0.9", 3128),
        ),
        (
            b"POST http://www.direct.test/a HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi",
            b"POST /a HTTP/1.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
            ("93.184.215.14", 80),
        ),
    ],
)
async def test_plain_http_request_is_forwarded_on_its_own_connection(
    asked: bytes, sent: bytes, place: tuple[str, int]
) -> None:
    ours, theirs = memory_stream_pair()
    connected: list[tuple[str, int]] = []

    async def noted(address: str, port: int) -> trio.abc.Stream:
        connected.append((address, port))
        return ours

    async def public(host: str) -> Sequence[str]:
        return ["10.0.0.9"] if host == "10.0.0.9" else ["93.184.215.14"]

    bounds = Bounds(private=True, allow=("ok.test", "*.direct.test"))
    rules = EgressRules(bounds=bounds, proxy_choice=UPSTREAM)
    async with (
        open_egress(NetworkBackend(resolve=public, connect=noted), rules) as egress,
        trio.open_nursery() as nursery,
    ):
        assert egress.proxy.kind == "http"
        nursery.start_soon(said_by, egress, asked)
        got = b""
        while len(got) < len(sent):
            got += bytes(await theirs.receive_some())
        await theirs.aclose()
    assert (got, connected) == (sent, [place])


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (b"GET http://evil.test/ HTTP/1.1\r\n\r\n", b"403"),
        (b"GET http://paths.test/a/../b HTTP/1.1\r\n\r\n", b"403"),
        (b"CONNECT evil.test:443 HTTP/1.1\r\n\r\n", b"403"),
        (b"CONNECT ok.test:81 HTTP/1.1\r\n\r\n", b"403"),
        (b"GET / HTTP/1.1\r\n\r\n", b""),
        (b"nonsense\r\n\r\n", b""),
        (b"GET http://ok.test/ HTTP/1.1\r\na: " + b"x" * 2 * HEAD_BYTES_MAX, b""),
    ],
)
async def test_request_outside_url_lists_never_reaches_the_proxy(
    asked: bytes, status: bytes
) -> None:
    async def nobody(_address: str, _port: int) -> trio.abc.Stream:
        raise AssertionError

    rules = EgressRules(bounds=LISTS, proxy_choice=UPSTREAM)
    async with open_egress(NetworkBackend(resolve=resolve, connect=nobody), rules) as egress:
        with suppress(trio.BrokenResourceError):
            assert (await said_by(egress, asked))[9:12] == status
