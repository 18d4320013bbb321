"""The real network backend, as far as it can be tested on this machine."""

import socket
import ssl
import struct
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest
import trio
import trio.testing
import trustme

from tabwright.actors.fetcher_actor import open_fetcher
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.loader import override, settings_from
from tabwright.config.settings import Settings
from tabwright.http.net import (
    LOOKUPS_MAX,
    SystemResolver,
    as_the_system_does,
    connect,
    system_network,
)
from tabwright.protocol.errors import BadInput, NavigationFailed, SettingsError
from tabwright.protocol.fetch import Fetch
from tabwright.testing.determinism import inline

WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage"
HALF = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npa"
RESET = struct.pack("ii", 1, 0)

Serve = Callable[[bytes, bool], Awaitable[int]]


@pytest.fixture
async def serve() -> AsyncGenerator[Serve]:
    """Yield a function that starts a server: it sends fixed bytes, and may then reset."""
    async with background_nursery() as nursery:

        async def start(answer: bytes, resets: bool) -> int:
            async def handle(stream: trio.SocketStream) -> None:
                while await stream.receive_some():
                    await stream.send_all(answer)
                    if resets:
                        await trio.sleep(0.05)  # for the client to read what there is
                        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                        return

            listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
            await nursery.start(trio.serve_listeners, handle, listeners)
            port: int = listeners[0].socket.getsockname()[1]
            return port

        yield start


def settings(*switches: str, **network: object) -> Settings:
    careless = {"allow_private": True, "proxy": "none", "robots": False, "retries": 0}
    values = {f"network__{name}": value for name, value in {**careless, **network}.items()}
    return settings_from(override(browser__extra_args=switches, **values))


def mapped_to(port: int) -> str:
    return f"--host-resolver-rules=MAP *.example 127.0.0.1:{port}"


async def test_fetcher_fetches_a_page_over_real_sockets(serve: Serve) -> None:
    port = await serve(WHOLE, False)
    async with open_fetcher(settings(), inline, ActorSystem(), time.time)() as fetcher:
        for _ in range(2):
            fetched = await fetcher.fetch(Fetch(f"http://127.0.0.1:{port}/"))
            assert (fetched.body, fetched.cut) == (b"page", None)
        with pytest.raises(BadInput):
            await fetcher.fetch(Fetch("file:///etc/passwd"))


async def test_late_bytes_after_a_response_are_not_used_for_the_next_request() -> None:
    sent = trio.Event()
    answers = iter([WHOLE, WHOLE.replace(b"page", b"next")])

    async def handle(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        await stream.send_all(next(answers))
        await trio.testing.wait_all_tasks_blocked(0.05)
        with suppress(trio.BrokenResourceError):
            await stream.send_all(WHOLE.replace(b"page", b"evil"))
        sent.set()
        await trio.sleep_forever()

    async with background_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        await nursery.start(trio.serve_listeners, handle, listeners)
        url = f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}/"
        async with open_fetcher(settings(), inline, ActorSystem(), time.time)() as fetcher:
            assert (await fetcher.fetch(Fetch(url))).body == b"page"
            await sent.wait()
            assert (await fetcher.fetch(Fetch(url))).body == b"next"


async def test_loopback_server_is_refused_unless_allowed(serve: Serve) -> None:
    port = await serve(WHOLE, False)
    real = open_fetcher(settings(allow_private=False), inline, ActorSystem(), time.time)
    async with real() as fetcher:
        for host in ("127.0.0.1", "localhost"):
            with pytest.raises(BadInput, match="private"):
                await fetcher.fetch(Fetch(f"http://{host}:{port}/"))


async def test_reset_connection_returns_the_received_part(serve: Serve) -> None:
    port = await serve(HALF, True)
    async with open_fetcher(settings(), inline, ActorSystem(), time.time)() as fetcher:
        fetched = await fetcher.fetch(Fetch(f"http://127.0.0.1:{port}/"))
    assert (fetched.body, fetched.cut) == (b"pa", "broken_off")


async def test_a_reset_before_the_answer_is_reported(serve: Serve) -> None:
    port = await serve(b"HTTP/1.1 2", True)
    async with open_fetcher(settings(), inline, ActorSystem(), time.time)() as fetcher:
        with pytest.raises(NavigationFailed, match="closed the connection"):
            await fetcher.fetch(Fetch(f"http://127.0.0.1:{port}/"))


async def test_refused_connection_error_names_host_and_port() -> None:
    with trio.socket.socket() as ignored:
        await ignored.bind(("127.0.0.1", 0))
        port = ignored.getsockname()[1]
        async with open_fetcher(settings(), inline, ActorSystem(), time.time)() as fetcher:
            with pytest.raises(NavigationFailed, match=f"127.0.0.1:{port} refuses connections"):
                await fetcher.fetch(Fetch(f"http://127.0.0.1:{port}/"))


async def test_connect_accepts_ip_addresses_but_no_host_names(serve: Serve) -> None:
    port = await serve(WHOLE, False)
    async with await connect("127.0.0.1", port) as stream:
        assert stream.socket.getpeername() == ("127.0.0.1", port)
    with pytest.raises(socket.gaierror):
        await connect("localhost", port)


async def test_system_resolver_resolves_names_and_addresses() -> None:
    assert "127.0.0.1" in await SystemResolver()("localhost")
    assert await SystemResolver()("127.0.0.1") == ("127.0.0.1",)


def test_system_network_uses_system_resolver_and_trust_store() -> None:
    net = system_network(settings().network)
    assert isinstance(net.resolve, SystemResolver)
    assert (net.connect, net.trust) == (connect, as_the_system_does)


async def test_names_lead_where_the_host_rules_of_the_browser_say(serve: Serve) -> None:
    port = await serve(WHOLE, False)
    mapped = settings(mapped_to(port), allow_private=False)
    async with open_fetcher(mapped, inline, ActorSystem(), time.time)() as fetcher:
        assert (await fetcher.fetch(Fetch("http://a.example/"))).body == b"page"
        with pytest.raises(BadInput, match="private"):
            await fetcher.fetch(Fetch(f"http://127.0.0.1:{port}/"))


async def test_certificates_of_the_ca_file_are_trusted(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("a.example").configure_cert(context)

    async def handle(stream: trio.SSLStream[trio.SocketStream]) -> None:
        await stream.receive_some()
        await stream.send_all(WHOLE)

    listeners = await trio.open_ssl_over_tcp_listeners(
        0, context, host="127.0.0.1", https_compatible=True
    )
    port = listeners[0].transport_listener.socket.getsockname()[1]
    trusting = settings(mapped_to(port), ca_file=str(tmp_path / "ca.pem"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, handle, listeners)
        async with open_fetcher(trusting, inline, ActorSystem(), time.time)() as fetcher:
            assert (await fetcher.fetch(Fetch("https://a.example/"))).body == b"page"
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("content", [None, b"", b"nothing"])
def test_ca_file_without_certificates_is_refused(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError, match=r"network\.ca_file"):
        open_fetcher(settings(ca_file=str(file)), inline, ActorSystem(), time.time)


async def test_slow_name_lookups_do_not_exhaust_the_worker_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answered = threading.Event()

    def slow(*_: object, **__: object) -> list[object]:
        answered.wait()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    resolve = SystemResolver()
    try:
        async with trio.open_nursery() as nursery:
            for _ in range(10 * LOOKUPS_MAX):
                nursery.start_soon(resolve, "slow.example")
            await trio.testing.wait_all_tasks_blocked()
            with trio.fail_after(30):
                assert await trio.to_thread.run_sync(int, "7") == 7
            answered.set()
    finally:
        answered.set()
