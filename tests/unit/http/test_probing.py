from collections.abc import Awaitable, Callable
from typing import Literal

import pytest
import trio

from tabwright.http.proxy_discovery import open_listener, probe
from tabwright.protocol.proxy import Proxy, ProxyAnswer

Serve = Callable[[str], Awaitable[int]]
SetPatience = Callable[[float], None]

QUIET = {"far", "silent", "floods with heads"}
"""Servers that make a probe wait for as long as it can."""

SERVES = {
    "http": ["http", "eager", "far", "odd", "mixed"],
    "socks5": ["socks5", "mixed"],
}
REFUSES = {
    "http": ["http with password", "http with rules"],
    "socks5": ["socks5 with password"],
}
OTHERS = [
    "socks4",
    "web server",
    "old web server",
    "obliging web server",
    "obliging old web server",
    "obliging slow web server",
    "redirecting web server",
    "redis",
    "mysql",
    "ssh",
    "tls",
    "echo",
    "silent",
    "closes",
    "garbage",
    "almost http",
    "floods",
    "floods with lines",
    "floods with heads",
    "floods with socks5",
]
ABSENT = {
    "http": ["socks5", "socks5 with password", *OTHERS],
    "socks5": ["http", "eager", "far", "http with password", *OTHERS],
}


async def asked(kind: Literal["http", "socks5"], port: int) -> ProxyAnswer:
    async with open_listener() as listener_port:
        return await probe(Proxy(kind, "127.0.0.1", port), listener_port)


@pytest.mark.parametrize(
    ("kind", "server", "answer"),
    [
        (kind, server, answer)
        for answer, servers in (
            (ProxyAnswer.SERVES, SERVES),
            (ProxyAnswer.REFUSES, REFUSES),
            (ProxyAnswer.ABSENT, ABSENT),
        )
        for kind in ("http", "socks5")
        for server in servers[kind]
    ],
)
async def test_probe_distinguishes_proxies_from_other_servers(
    serve: Serve,
    patience: SetPatience,
    kind: Literal["http", "socks5"],
    server: str,
    answer: ProxyAnswer,
) -> None:
    patience(1 if server in QUIET else 10)
    assert await asked(kind, await serve(server)) is answer


async def test_port_without_a_listener_is_probed_as_absent_proxy() -> None:
    with trio.socket.socket() as ignored:
        await ignored.bind(("127.0.0.1", 0))
        port = ignored.getsockname()[1]
        assert await asked("http", port) is await asked("socks5", port) is ProxyAnswer.ABSENT


@pytest.mark.parametrize(
    "proxy",
    [
        Proxy("http", "proxy.example", 80),
        Proxy("socks5", "192.0.2.1", 1080),
        Proxy("https", "127.0.0.1", 443),
    ],
)
async def test_remote_or_https_proxy_is_not_probed(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_arguments: object) -> None:
        raise AssertionError

    monkeypatch.setattr(trio, "open_tcp_stream", refuse)
    assert await probe(proxy, 1) is ProxyAnswer.UNASKED


@pytest.mark.parametrize("kind", ["http", "socks5"])
async def test_probe_asks_the_proxy_only_for_a_local_target(
    kind: Literal["http", "socks5"],
) -> None:
    received: list[bytes] = []

    async def listen(stream: trio.SocketStream) -> None:
        received.append(bytes(await stream.receive_some(65536)))

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with trio.open_nursery() as nursery:
        await nursery.start(trio.serve_listeners, listen, listeners)
        async with open_listener() as ours:
            await probe(Proxy(kind, "localhost", listeners[0].socket.getsockname()[1]), ours)
        nursery.cancel_scope.cancel()
    target = f"127.0.0.1:{ours}"
    connect = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode()
    assert received == [connect if kind == "http" else b"\x05\x01\x00"]


async def test_listener_survives_clients_that_disconnect_immediately() -> None:
    async with open_listener() as port:
        for _ in range(3):
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            await stream.aclose()
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            assert await stream.receive_some()
