"""Connecting to a target: DNS, happy eyeballs (RFC 8305), the proxy, TLS."""

import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import attrs
import httpcore2
import trio

from tabwright.http.errors import (
    NotConnected,
    too_slow,
    unconnected,
    unresolved,
    untrusted,
    without_proxy,
)
from tabwright.http.messages import Target
from tabwright.http.net import Connect, NetworkBackend
from tabwright.http.proxy_tunnel import open_tunnel
from tabwright.protocol.errors import BadInput
from tabwright.protocol.proxy import Proxy
from tabwright.protocol.urls import is_private

# Which addresses can be connected to, whatever name resolved to them.
#
# A name is resolved once, all its addresses are judged, and the connection goes to one of just
# those: a name that turns private between a check and its use (DNS rebinding) finds no gap.


def checked_addresses(
    host: str, addresses: Sequence[str], *, allow_private: bool
) -> tuple[str, ...]:
    """The addresses of `host`, if all may be connected to.

    Raises:
        BadInput: one is loopback, private, link-local, multicast, reserved, or the metadata of a
            cloud, and there is no leave for that.
    """
    closed = () if allow_private else tuple(filter(is_private, addresses))
    if closed:
        leads = "is" if closed[0] == host else f"resolves to {closed[0]},"
        raise BadInput(
            f"{host} {leads} a private address.",
            advice="The user can allow that: --set network.allow_private=true.",
        )
    return tuple(addresses)


# Connecting to the first address of a host that answers (RFC 8305).

HEAD_START_S = 0.25
"""By which each address is ahead of the next, unless it has failed (section 5)."""


async def connect_happy_eyeballs(
    connect: Connect, addresses: Sequence[str], port: int
) -> trio.abc.Stream:
    """A stream to one of the addresses. Cancelled, it leaves none open.

    Raises:
        OSError: what the last of them failed with.
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
        """Tries them all, each a head start after the one before, until one is connected."""
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
"""For a whole connection: the name, the address, the proxy, TLS."""

TO_SITES = ("h2", "http/1.1")
TO_PROXIES = ("http/1.1",)
"""The protocols that we offer (RFC 7301)."""


class Connector:
    """Opens streams; each resolves its name anew, and goes to an address that was checked.

    Args:
        net: where they lead.
        allow_private: whether that may be a private address.
    """

    def __init__(self, net: NetworkBackend, *, allow_private: bool) -> None:
        self._net = net
        self._allow_private = allow_private
        self._contexts: dict[tuple[str, ...], ssl.SSLContext] = {}

    async def dial(self, target: Target, proxy: Proxy | None) -> trio.abc.Stream:
        """A stream to `target`, or to the proxy that is asked for it.

        Cancelled, it leaves no connection.

        Raises:
            BadInput: the name leads to a private address.
            NotConnected: there is no connection, and why.
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
        """A stream to a port of a host, through a proxy; whatever is spoken there.

        Cancelled, it leaves no connection.

        Raises:
            NotConnected: there is no connection, and why.
        """
        target = Target("http", host, port, "/")
        try:
            with trio.fail_after(CONNECT_S):
                return await self._tunnelled(proxy, target)
        except trio.TooSlowError as error:
            raise too_slow(target.authority, CONNECT_S) from error

    async def _direct(self, target: Target) -> trio.abc.Stream:
        try:
            found = await self._net.resolve(target.host)
        except (OSError, UnicodeError) as error:  # no name has an empty part, or one of 64 letters
            raise unresolved(target.host, error) from error
        addresses = checked_addresses(target.host, found, allow_private=self._allow_private)
        try:
            stream = await connect_happy_eyeballs(self._net.connect, addresses, target.port)
        except OSError as error:
            raise unconnected(target.authority, error) from error
        return await self._towards(target, stream)

    async def _tunnelled(self, proxy: Proxy, target: Target) -> trio.abc.Stream:
        stream = await self._to(proxy)
        async with _unless_broken(stream):
            await open_tunnel(stream, proxy, target)
        return stream

    async def _to(self, proxy: Proxy) -> trio.abc.Stream:
        """A stream to the proxy, which the user has named: it may be anywhere."""
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
    """Whether the proxy only connects; else it is asked for the URL itself."""
    return proxy.kind == "socks5" or target.scheme == "https"


@asynccontextmanager
async def _unless_broken(stream: trio.abc.Stream) -> AsyncGenerator[None]:
    """Closes the stream where the block fails."""
    try:
        yield
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise
