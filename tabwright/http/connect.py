"""Connections to a target: DNS, happy eyeballs (RFC 8305), the proxy, TLS."""

import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import attrs
import trio

from tabwright.http.errors import (
    NotConnected,
    too_slow,
    unconnected,
    unresolved,
    untrusted,
    without_proxy,
)
from tabwright.http.net import Connect, NetworkBackend
from tabwright.http.proxy_tunnel import open_tunnel
from tabwright.http.request import Target
from tabwright.protocol.errors import BadInput, Hint, HintKind
from tabwright.protocol.proxy import Proxy
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.urls import ALLOW_PRIVATE, is_private

# Address checks that a host name cannot bypass.
#
# A name is resolved once, all its addresses are checked, and the connection goes to one of them.
# A name that becomes private between the check and the connection (DNS rebinding) is harmless.


def checked_addresses(
    host: str, addresses: Sequence[str], *, allow_private: bool
) -> tuple[str, ...]:
    """Return the addresses of `host` if all of them are allowed.

    Raises:
        BadInput: an address is loopback, private, link-local, multicast, reserved, or a cloud
            metadata service, and `allow_private` is not set.
    """
    closed = () if allow_private else tuple(filter(is_private, addresses))
    if closed:
        leads = " is" if closed[0] == host else f" resolves to {closed[0]},"
        raise BadInput(
            (Quoted(host), f"{leads} a private address."),
            advice=ALLOW_PRIVATE,
            hints=(Hint(HintKind.ALLOW_PRIVATE),),
        )
    return tuple(addresses)


# Connecting to the first address of a host that answers (RFC 8305).

HEAD_START_S = 0.25
"""Delay before the next address is tried, unless an attempt fails earlier (section 5)."""


async def connect_happy_eyeballs(
    connect: Connect, addresses: Sequence[str], port: int
) -> trio.abc.Stream:
    """Connect to the first address that accepts. Cancellation closes all attempts.

    Raises:
        OSError: the error of the last attempt.
    """
    race = _HappyEyeballs(connect, port)
    try:
        await race.run(addresses)
    except BaseException:
        if race.winner is not None:
            await trio.aclose_forcefully(race.winner)
        raise
    if race.winner is None:
        raise race.failure
    return race.winner


@attrs.define(eq=False)
class _HappyEyeballs:
    connect: Connect
    port: int
    winner: trio.abc.Stream | None = None
    failure: OSError = attrs.field(factory=lambda: OSError("no address"))

    async def run(self, addresses: Sequence[str]) -> None:
        """Try the addresses, each a short delay after the previous, until one connects."""
        async with trio.open_nursery() as nursery:
            for address in addresses:
                failed = trio.Event()
                nursery.start_soon(self._try, address, failed, nursery.cancel_scope)
                with trio.move_on_after(HEAD_START_S):
                    await failed.wait()

    async def _try(self, address: str, failed: trio.Event, race: trio.CancelScope) -> None:
        try:
            stream = await self.connect(address, self.port)
        except OSError as error:
            self.failure = error
            failed.set()
            return
        if self.winner is None:
            self.winner = stream
            race.cancel()
        else:
            await trio.aclose_forcefully(stream)


CONNECT_S = 10.0
"""Timeout for a whole connection: DNS, TCP, proxy and TLS."""

TO_SITES = ("h2", "http/1.1")
TO_PROXIES = ("http/1.1",)
"""Protocols that are offered by ALPN (RFC 7301)."""


class Connector:
    """Opens streams; each resolves its host again and connects to a checked address.

    Args:
        net: the network.
        allow_private: whether private addresses are allowed.
    """

    def __init__(self, net: NetworkBackend, *, allow_private: bool) -> None:
        self._net = net
        self._allow_private = allow_private
        self._contexts: dict[tuple[str, ...], ssl.SSLContext] = {}

    async def dial(self, target: Target, proxy: Proxy | None) -> trio.abc.Stream:
        """Connect to `target`, directly or through a proxy.

        Cancellation closes the connection.

        Raises:
            BadInput: the host resolves to a private address.
            NotConnected: the connection failed; the message has the reason.
        """
        try:
            with trio.fail_after(CONNECT_S):
                if proxy is None:
                    return await self._direct(target)
                if not is_tunnelled(target, proxy):
                    return await self._to(proxy)
                return await self._towards(target, await self._tunnelled(proxy, target))
        except trio.TooSlowError as error:
            raise too_slow(target.authority, CONNECT_S) from error

    async def tunnel(self, host: str, port: int, proxy: Proxy) -> trio.abc.Stream:
        """Open a raw stream to a port of a host through a proxy.

        Cancellation closes the connection.

        Raises:
            NotConnected: the connection failed; the message has the reason.
        """
        target = Target("http", host, port, "/")
        try:
            with trio.fail_after(CONNECT_S):
                return await self._tunnelled(proxy, target)
        except trio.TooSlowError as error:
            raise too_slow(target.authority, CONNECT_S) from error

    async def _direct(self, target: Target) -> trio.abc.Stream:
        host, port = self._net.hosts.place(target.host, target.port)
        allow_private = self._allow_private or (host, port) != (target.host, target.port)
        try:
            found = await self._net.resolve(host)
        except (OSError, UnicodeError) as error:  # an empty label, or one over 63 letters
            raise unresolved(target.host, error) from error
        addresses = checked_addresses(target.host, found, allow_private=allow_private)
        try:
            stream = await connect_happy_eyeballs(self._net.connect, addresses, port)
        except OSError as error:
            raise unconnected(target.authority, error) from error
        return await self._towards(target, stream)

    async def _tunnelled(self, proxy: Proxy, target: Target) -> trio.abc.Stream:
        stream = await self._to(proxy)
        async with _unless_broken(stream):
            await open_tunnel(stream, proxy, target)
        return stream

    async def _to(self, proxy: Proxy) -> trio.abc.Stream:
        """Connect to the proxy; the user chose it, so every address is allowed."""
        try:
            addresses = await self._net.resolve(proxy.host)
            stream = await connect_happy_eyeballs(self._net.connect, addresses, proxy.port)
            if proxy.kind == "https":
                return await self._secured(stream, proxy.host, TO_PROXIES)
        except (OSError, NotConnected) as error:
            raise without_proxy(proxy, "cannot be reached") from error
        return stream

    async def _towards(self, target: Target, stream: trio.abc.Stream) -> trio.abc.Stream:
        if target.scheme == "https":
            return await self._secured(stream, target.host, TO_SITES)
        return stream

    async def _secured(
        self, stream: trio.abc.Stream, host: str, protocols: tuple[str, ...]
    ) -> trio.abc.Stream:
        async with _unless_broken(stream):
            if protocols not in self._contexts:
                import httpcore2  # noqa: PLC0415  (not light; the egress proxy needs none of it)

                context = httpcore2.default_ssl_context()
                context.set_alpn_protocols(list(protocols))
                self._net.trust(context)
                self._contexts[protocols] = context
            secured = trio.SSLStream(
                stream, self._contexts[protocols], server_hostname=host, https_compatible=True
            )
            try:
                await secured.do_handshake()
            except trio.BrokenResourceError as error:
                raise untrusted(host, error.__cause__ or error) from error
        return secured


def is_tunnelled(target: Target, proxy: Proxy) -> bool:
    """Return whether the proxy opens a tunnel rather than forwarding the request."""
    return proxy.kind == "socks5" or target.scheme == "https"


@asynccontextmanager
async def _unless_broken(stream: trio.abc.Stream) -> AsyncGenerator[None]:
    """Close the stream if the block fails."""
    try:
        yield
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise
