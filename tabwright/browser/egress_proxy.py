"""An egress proxy for a browser, on loopback, which checks every connection.

For every request of a page (pictures, frames, sockets, redirects), the browser sends the proxy a
host name. The proxy compares the name with the lists, resolves it once, checks all its addresses
and connects to one of these addresses only. So no name that changes its address leads to a private
network (SSRF by DNS rebinding). With an upstream proxy, that proxy resolves the name, and only the
lists are enforced.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from copy import copy

import attrs
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.http.connect import Connector
from tabwright.http.net import NetworkBackend
from tabwright.http.proxy_discovery import is_bypassed
from tabwright.http.proxy_tunnel import NotSocks, SocksReply, asked_place, reply_line
from tabwright.http.request import Target, target_of
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.proxy import Proxy, ProxyChoice, ProxyKind
from tabwright.protocol.urls import Bounds
from tabwright.protocol.web_urls import WebUrl

# Parsing the requests of a browser to an HTTP proxy (RFC 9110, sections 7.6 and 9.3.6).

HEAD_BYTES_MAX = 262144

ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
FORBIDDEN = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
UNREACHABLE = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

_OF_THE_CONNECTION = (b"connection:", b"proxy-connection:", b"keep-alive:")


class NotAsked(Exception):
    """The received bytes are not a request to a proxy."""


@attrs.frozen
class ProxyRequest:
    """A request to a proxy.

    Attributes:
        url: the requested URL; None for a tunnel.
        host: the host, without brackets.
        head: the request line and the headers, without the empty line.
        rest: the bytes after the head.
    """

    url: WebUrl | None
    host: str
    port: int
    head: bytes
    rest: bytes

    def handed_on(self, *, to_proxy: bool) -> bytes:
        """Return the request for the next server, which must close the connection after it.

        So each request uses its own connection, and each one is checked.
        """
        line, *headers = self.head.split(b"\r\n")
        if self.url is not None and not to_proxy:
            method, _, version = line.split(b" ")
            line = b" ".join((method, f"{self.url.path}{self.url.query}".encode(), version))
        kept = [one for one in headers if not one.lower().startswith(_OF_THE_CONNECTION)]
        return b"\r\n".join((line, *kept, b"Connection: close", b"", self.rest))


async def asked_by_http(stream: trio.abc.Stream) -> ProxyRequest:
    """Return the request of the client at the other end.

    Raises:
        NotAsked: it is not a request to a proxy.
        trio.BrokenResourceError: the client is gone.
    """
    data = b""
    while (end := data.find(b"\r\n\r\n")) < 0:
        if len(data) > HEAD_BYTES_MAX:
            raise NotAsked
        piece = await stream.receive_some()
        if not piece:
            raise trio.BrokenResourceError
        data += piece
    head, rest = data[:end], data[end + 4 :]
    try:
        method, target, _version = head.partition(b"\r\n")[0].decode("ascii").split(" ")
        url = WebUrl.read(f"https://{target}/" if method == "CONNECT" else target)
    except (ValueError, BadInput) as error:
        raise NotAsked from error
    return ProxyRequest(None if method == "CONNECT" else url, url.host, url.port, head, rest)


LOOPBACK = "127.0.0.1"

ASKING_S = 10.0
"""Seconds for a client to send its request."""

FAILURES_MAX = 256
"""Maximum number of failed targets whose reason is remembered."""

_log = logging.getLogger("tabwright.egress")


@attrs.frozen(kw_only=True)
class EgressRules:
    """The rules for connections.

    Attributes:
        bounds: the lists, and whether addresses are not checked (`Bounds.private`).
        proxy_choice: the upstream proxy.
    """

    bounds: Bounds = attrs.field(factory=Bounds)
    proxy_choice: ProxyChoice = attrs.field(factory=ProxyChoice)

    @property
    def kind(self) -> ProxyKind:
        """Return the browser's protocol to us: HTTP proxy if the upstream proxy is one.

        Most HTTP proxies tunnel only to TLS ports, and expect the URL of a page without TLS.
        """
        proxy = self.proxy_choice.proxy
        return "socks5" if proxy is None or proxy.kind == "socks5" else "http"

    def proxy_to(self, target: Target) -> Proxy | None:
        """Return the proxy on the way to `target`, or None for a direct connection."""
        return None if is_bypassed(target, self.proxy_choice.bypass) else self.proxy_choice.proxy


@attrs.define(eq=False)
class Egress:
    """The proxy while it serves.

    Attributes:
        proxy: its address for a browser.
    """

    proxy: Proxy
    _dialer: Connector
    _rules: EgressRules
    _failures: dict[tuple[str, int], TabwrightError] = attrs.field(
        factory=dict[tuple[str, int], TabwrightError], init=False
    )

    def failure(self, url: str) -> TabwrightError | None:
        """Return why the latest connection for a URL failed, or None if it succeeded."""
        target = target_of(url)
        return copy(self._failures.get((target.host, target.port)))

    async def serve(self, browser: trio.abc.Stream) -> None:
        """Serve one connection of the browser, until either side closes it."""
        serve = self._serve_socks if self.proxy.kind == "socks5" else self._serve_http
        async with browser:
            try:
                await serve(browser)
            except (NotSocks, NotAsked, trio.BrokenResourceError, trio.TooSlowError):
                pass  # the client has gone, or is not a browser
            except Exception:  # noqa: BLE001  (a bug in one connection must not end the browser)
                _log.exception("A connection of the browser failed")

    async def _serve_socks(self, browser: trio.abc.Stream) -> None:
        with trio.fail_after(ASKING_S):
            host, port = await asked_place(browser)
        target = Target("http", host.rstrip("."), port, "/")
        try:
            site = await self._connected(target)
        except TabwrightError as error:
            refused = isinstance(error, BadInput)
            reply = SocksReply.NOT_ALLOWED if refused else SocksReply.HOST_UNREACHABLE
            await browser.send_all(reply_line(reply))
            return
        async with site:
            await browser.send_all(reply_line(SocksReply.SUCCEEDED))
            await _relay(browser, site)

    async def _serve_http(self, browser: trio.abc.Stream) -> None:
        with trio.fail_after(ASKING_S):
            asked = await asked_by_http(browser)
        url = asked.url
        target = Target("http" if url else "https", asked.host, asked.port, "/")
        try:
            if url is not None:
                attrs.evolve(self._rules.bounds, private=True).check(url)
            site = await self._connected(target, by_url=url is not None)
        except TabwrightError as error:
            self._note(target, error)
            refused = isinstance(error, BadInput)
            await browser.send_all(FORBIDDEN if refused else UNREACHABLE)
            return
        async with site:
            if url is None:
                await browser.send_all(ESTABLISHED)
            else:
                await site.send_all(
                    asked.handed_on(to_proxy=self._rules.proxy_to(target) is not None)
                )
            await _relay(browser, site)

    async def _connected(self, target: Target, *, by_url: bool = False) -> trio.abc.Stream:
        """Return a stream to the target, or to a proxy that receives the request `by_url`.

        Raises:
            BadInput: the target is out of bounds.
            NotConnected: the connection failed.
        """
        self._failures.pop((target.host, target.port), None)
        try:
            self._rules.bounds.check_connection(target.host, target.port)
            proxy = self._rules.proxy_to(target)
            if proxy is not None and by_url:
                return await self._dialer.dial(target, proxy)
            if proxy is not None:
                return await self._dialer.tunnel(target.host, target.port, proxy)
            return await self._dialer.dial(attrs.evolve(target, scheme="http"), None)
        except BadInput as error:
            _log.info("A page tried to reach a blocked host; the connection was refused.")
            self._note(target, error)
            raise
        except TabwrightError as error:
            self._note(target, error)
            raise

    def _note(self, target: Target, error: TabwrightError) -> None:
        self._failures[target.host, target.port] = error
        if len(self._failures) > FAILURES_MAX:
            del self._failures[next(iter(self._failures))]


@asynccontextmanager
async def open_egress(
    net: NetworkBackend, rules: EgressRules | None = None
) -> AsyncGenerator[Egress]:
    """Run an egress proxy while the block runs, then close all its connections.

    Args:
        net: the network.
        rules: the rules for connections; public addresses only if omitted.
    """
    kept = rules or EgressRules()
    (listener,) = await trio.open_tcp_listeners(0, host=LOOPBACK)
    async with background_nursery() as serving:
        port: int = listener.socket.getsockname()[1]
        dialer = Connector(net, allow_private=kept.bounds.private)
        egress = Egress(Proxy(kept.kind, LOOPBACK, port), dialer, kept)
        serving.start_soon(trio.serve_listeners, egress.serve, [listener])
        yield egress


async def _relay(browser: trio.abc.Stream, site: trio.abc.Stream) -> None:
    """Relay bytes both ways, until the browser closes the connection or either side breaks it.

    A browser never closes only its sending side: once it closes, nothing reads the site's bytes.
    """
    try:
        async with trio.open_nursery() as ways:
            ways.start_soon(_answer, site, browser)
            await _carry(browser, site)
            ways.cancel_scope.cancel()
    except* trio.BrokenResourceError:
        pass


async def _answer(site: trio.abc.Stream, browser: trio.abc.Stream) -> None:
    await _carry(site, browser)
    if isinstance(browser, trio.abc.HalfCloseableStream):
        await browser.send_eof()


async def _carry(source: trio.abc.Stream, drain: trio.abc.Stream) -> None:
    while data := await source.receive_some():
        await drain.send_all(data)
