"""A browser's way out: a proxy of our own on loopback, which judges every connection.

Whatever a page asks for by itself (pictures, frames, sockets, where a redirect leads), the browser
names a host to us; the name is resolved once, all its addresses are judged, and the connection
goes to one of just those. A URL that was judged by its spelling alone finds no gap.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from copy import copy

import attrs
import trio

from tabwright.cdp.background import open_background
from tabwright.fetching.dialing import Dialer
from tabwright.fetching.net import Net
from tabwright.fetching.socks5 import NotSocks, Reply, asked_place, reply_line
from tabwright.fetching.targets import Target, target_of
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.proxies import Proxy

LOOPBACK = "127.0.0.1"

ASKING_S = 10.0
"""For a client to say where it wants to go."""

RELAY_BYTES = 1 << 16

FAILURES_MAX = 256
"""Places that could not be connected to, of which is known why."""

_log = logging.getLogger("tabwright.egress")


@attrs.define(eq=False)
class Egress:
    """The proxy, while it serves.

    Attributes:
        proxy: where a browser finds it.
    """

    proxy: Proxy
    _dialer: Dialer
    _failures: dict[tuple[str, int], TabwrightError] = attrs.field(
        factory=dict[tuple[str, int], TabwrightError], init=False
    )

    def failure(self, url: str) -> TabwrightError | None:
        """Why the latest connection to where a URL leads did not come about; None where it did."""
        target = target_of(url)
        return copy(self._failures.get((target.host, target.port)))

    async def serve(self, browser: trio.abc.Stream) -> None:
        """Serves one connection of the browser's, until either side ends it."""
        async with browser:
            try:
                await self._serve(browser)
            except (NotSocks, trio.BrokenResourceError, trio.TooSlowError):
                pass  # whoever is there has gone, or is no browser
            except Exception:  # noqa: BLE001  (a bug in one connection must not end the browser)
                _log.exception("A connection of the browser's failed")

    async def _serve(self, browser: trio.abc.Stream) -> None:
        with trio.fail_after(ASKING_S):
            host, port = await asked_place(browser)
        site = await self._connected(browser, host.rstrip("."), port)
        if site is not None:
            async with site:
                await browser.send_all(reply_line(Reply.SUCCEEDED))
                await _relay(browser, site)

    async def _connected(
        self, browser: trio.abc.Stream, host: str, port: int
    ) -> trio.abc.Stream | None:
        self._failures.pop((host, port), None)
        try:
            return await self._dialer.dial(Target("http", host, port, "/"), None)
        except BadInput as error:
            _log.info("A page asked for a private address, in vain.")
            await self._refuse(browser, host, port, error, Reply.NOT_ALLOWED)
        except TabwrightError as error:
            await self._refuse(browser, host, port, error, Reply.HOST_UNREACHABLE)
        return None

    async def _refuse(
        self, browser: trio.abc.Stream, host: str, port: int, error: TabwrightError, reply: Reply
    ) -> None:
        self._failures[host, port] = error
        if len(self._failures) > FAILURES_MAX:
            del self._failures[next(iter(self._failures))]
        await browser.send_all(reply_line(reply))


@asynccontextmanager
async def open_egress(net: Net) -> AsyncGenerator[Egress]:
    """A way out to public addresses, for as long as the block runs; then all of it is closed.

    Args:
        net: the network.
    """
    (listener,) = await trio.open_tcp_listeners(0, host=LOOPBACK)
    async with open_background() as serving:
        port: int = listener.socket.getsockname()[1]
        egress = Egress(Proxy("socks5", LOOPBACK, port), Dialer(net, allow_private=False))
        serving.start_soon(trio.serve_listeners, egress.serve, [listener])
        yield egress


async def _relay(browser: trio.abc.Stream, site: trio.abc.Stream) -> None:
    """Carries bytes both ways, until the browser has ended or either breaks off.

    A browser never ends just what it sends: then nobody is left to hear the site.
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
    while data := await source.receive_some(RELAY_BYTES):
        await drain.send_all(data)
