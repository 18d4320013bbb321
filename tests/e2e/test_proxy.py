"""A real Chromium behind proxies, with the replica of AI Mode."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import TypeAlias

import attrs
import mcp_types as mcp
import pytest
import trio

from tabwright import Environment, Settings
from tabwright.app import open_tabwright
from tabwright.browser.launch import open_browser
from tabwright.browser.running import BrowserLink, LaunchOptions
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.loader import override, settings_from
from tabwright.content.render.markdown import markdown_of
from tabwright.http.net import NetworkBackend
from tabwright.http.proxy_discovery import ProxyFinder
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.proxy import ProxyChoice, ProxyReport
from tabwright.testing.demo import record_of
from tabwright.testing.replica import Replica, open_replica, open_site

IN_TAB = ReadOptions(min_tier=2)
pytestmark = pytest.mark.chromium

TRUSTING = ("--ignore-certificate-errors",)
READ_BYTES = 65536


@pytest.fixture
def write_config(write_config):
    """Write settings of a server that returns structured content."""
    return partial(write_config, mcp={"structured_content": True})


@attrs.frozen
class Proxy:
    """A proxy that connects every request to one port of this machine.

    Attributes:
        asked: the hosts and ports that were requested.
        die: ends it, and every connection through it.
    """

    url: str
    port: int
    asked: list[str]
    die: Callable[[], None]


Handshake: TypeAlias = Callable[[trio.SocketStream], Awaitable[str]]


async def http(stream: trio.SocketStream) -> str:
    """Accept a CONNECT request (RFC 9110, section 9.3.6) and return its target."""
    head = b""
    while b"\r\n\r\n" not in head:
        head += await received(stream)
    await stream.send_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
    return head.split()[1].decode()


async def socks5(stream: trio.SocketStream) -> str:
    """Accept a SOCKS5 request (RFC 1928) and return its target; hosts are names."""
    await received(stream)
    await stream.send_all(b"\x05\x00")
    request = await received(stream)
    await stream.send_all(b"\x05\x00\x00\x01" + bytes(6))
    return f"{request[5:-2].decode()}:{int.from_bytes(request[-2:], 'big')}"


async def received(stream: trio.SocketStream) -> bytes:
    data = bytes(await stream.receive_some(READ_BYTES))
    if not data:
        raise trio.BrokenResourceError
    return data


async def pump(source: trio.SocketStream, sink: trio.SocketStream) -> None:
    async for data in source:
        await sink.send_all(data)
    await sink.send_eof()


@asynccontextmanager
async def open_proxy(handshake: Handshake, target_port: int) -> AsyncGenerator[Proxy]:
    asked: list[str] = []
    life = trio.CancelScope()

    async def serve(stream: trio.SocketStream) -> None:
        try:
            asked.append(await handshake(stream))
            target = await trio.open_tcp_stream("127.0.0.1", target_port)
            async with target, trio.open_nursery() as nursery:
                nursery.start_soon(pump, stream, target)
                nursery.start_soon(pump, target, stream)
        except* (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # one of the two has left

    async def live(task_status: trio.TaskStatus[list[trio.SocketListener]]) -> None:
        with life:
            await trio.serve_listeners(serve, listeners, task_status=task_status)

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port: int = listeners[0].socket.getsockname()[1]
    async with background_nursery() as nursery:
        await nursery.start(live)
        yield Proxy(f"{handshake.__name__}://127.0.0.1:{port}", port, asked, life.cancel)


@attrs.frozen
class Launcher:
    """Launches browsers with a proxy finder of the test."""

    settings: Settings
    proxies: ProxyFinder

    def open(self, options: LaunchOptions, /) -> AbstractAsyncContextManager[BrowserLink]:
        assert not options.visible
        return open_browser(self.settings, self.proxies, NetworkBackend(), options.worker)

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        return await self.proxies.check(used)

    def require_screen(self) -> None:
        raise AssertionError


async def searches(
    replica: Replica, settings: Settings, proxies: ProxyFinder | None = None
) -> None:
    """Search, and compare the answer with the replica's truth."""
    finder = proxies or ProxyFinder(settings.network.proxy, {}, ())
    async with open_tabwright(
        settings, Environment(launcher=Launcher(settings, finder))
    ) as tabwright:
        result = await tabwright.search("Q?", language="en-US")
    assert result.ai_answer == markdown_of(replica.truth().blocks)


def settings_of(proxy: str, *extra_args: str) -> Settings:
    return settings_from(
        override(
            browser__profile=None,
            browser__extra_args=[*TRUSTING, *extra_args],
            network__proxy=proxy,
        )
    )


@pytest.mark.parametrize("handshake", [http, socks5])
async def test_a_search_is_answered_through_the_proxy_of_the_settings(handshake: Handshake) -> None:
    async with open_replica() as replica, open_proxy(handshake, replica.port) as proxy:
        await searches(replica, settings_of(proxy.url))
        assert "www.google.com:443" in proxy.asked


@pytest.mark.parametrize("handshake", [http, socks5])
async def test_a_search_is_answered_through_the_proxy_of_the_environment(
    handshake: Handshake,
) -> None:
    async with open_replica() as replica, open_proxy(handshake, replica.port) as proxy:
        finder = ProxyFinder("auto", {"HTTPS_PROXY": proxy.url}, ())
        await searches(replica, settings_of("auto"), finder)
        assert "www.google.com:443" in proxy.asked


async def test_search_uses_the_preferred_proxy_of_those_found() -> None:
    async with (
        open_replica() as replica,
        open_site() as web_server,
        open_proxy(socks5, replica.port) as worse,
        open_proxy(http, replica.port) as better,
    ):
        finder = ProxyFinder("auto", {}, (web_server.port, worse.port, better.port))
        await searches(replica, settings_of("auto"), finder)
        assert "www.google.com:443" in better.asked
        assert not any("google" in asked for asked in worse.asked)


async def test_search_switches_to_another_proxy_when_one_is_gone() -> None:
    async with (
        open_replica() as replica,
        open_proxy(http, replica.port) as better,
        open_proxy(socks5, replica.port) as worse,
    ):
        settings = settings_of("auto")
        finder = ProxyFinder("auto", {}, (better.port, worse.port))
        environment = Environment(launcher=Launcher(settings, finder))
        async with open_tabwright(settings, environment) as tabwright:
            await tabwright.search("First?", language="en-US")
            assert not any("google" in asked for asked in worse.asked)
            better.die()
            result = await tabwright.search("Second?", language="en-US")
        assert result.ai_answer == markdown_of(replica.truth(-1).blocks)
        assert "www.google.com:443" in worse.asked


async def test_mcp_search_tool_uses_the_configured_proxy(write_config, open_client) -> None:
    async with open_replica() as replica, open_proxy(http, replica.port) as proxy:
        config = write_config(browser={"extra_args": list(TRUSTING)}, network={"proxy": proxy.url})
        async with open_client(config) as client:
            arguments = {"query": "Q?", "language": "en-US"}
            result: mcp.CallToolResult = await client.call_tool("google_ai_search", arguments)
        assert not result.is_error
        assert record_of(result)["ai_answer"] == markdown_of(replica.truth().blocks)
        assert "www.google.com:443" in proxy.asked


async def test_no_proxy_hosts_bypass_proxy() -> None:
    async with open_replica() as replica, open_proxy(http, replica.port) as proxy:
        rule = f"--host-resolver-rules=MAP *.past.example 127.0.0.1:{replica.port}"
        settings = settings_of("auto", rule)
        finder = ProxyFinder("auto", {"HTTPS_PROXY": proxy.url, "NO_PROXY": "past.example"}, ())
        environment = Environment(launcher=Launcher(settings, finder))
        async with open_tabwright(settings, environment) as tabwright:
            past = await tabwright.read("https://a.past.example/article", IN_TAB)
            through = await tabwright.read("https://through.example/article", IN_TAB)
        assert past.title == through.title != ""
        assert [host for host in proxy.asked if ".example:" in host] == ["through.example:443"]


async def test_chromium_ignores_environment_proxy_if_proxy_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY")
    async with open_replica() as replica:
        await searches(replica, settings_of("none", *replica.chromium_args))
