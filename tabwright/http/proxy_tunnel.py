"""Tunnels through proxies: SOCKS5 (RFC 1928) without passwords, and HTTP CONNECT."""

import ipaddress
from enum import IntEnum
from http import HTTPStatus

import h11
import trio

from tabwright.http.errors import refused_by_proxy, without_proxy
from tabwright.http.request import Target
from tabwright.protocol.proxy import Proxy

VERSION = 5
CONNECT = 1
NO_PASSWORD = 0

IP_BYTES = {1: 4, 4: 16}
"""Length by address type: IPv4 and IPv6."""

BY_NAME = 3

GREETING = bytes([VERSION, 1, NO_PASSWORD])
"""The greeting of a client that offers no password (section 3)."""

AGREED = bytes([VERSION, NO_PASSWORD])
NONE_ACCEPTABLE = bytes([VERSION, 0xFF])


class SocksReply(IntEnum):
    """The reply code of a SOCKS5 server (section 6)."""

    SUCCEEDED = 0
    NOT_ALLOWED = 2
    HOST_UNREACHABLE = 4
    COMMAND_NOT_SUPPORTED = 7


class NotSocks(Exception):
    """The bytes are not SOCKS5, or request an unsupported feature."""


async def asked_place(stream: trio.abc.Stream) -> tuple[str, int]:
    """Read the host, a name or an address, and the port that the client requests.

    Raises:
        NotSocks: the request is not a supported SOCKS5 request.
        trio.BrokenResourceError: the client closed the connection.
    """
    version, methods = await received(stream, 2)
    if version != VERSION or NO_PASSWORD not in await received(stream, methods):
        raise NotSocks
    await stream.send_all(AGREED)
    version, command, _reserved, kind = await received(stream, 4)
    if version != VERSION or command != CONNECT:
        await stream.send_all(reply_line(SocksReply.COMMAND_NOT_SUPPORTED))
        raise NotSocks
    if kind in IP_BYTES:
        host = str(ipaddress.ip_address(await received(stream, IP_BYTES[kind])))
    else:
        if kind != BY_NAME:
            raise NotSocks
        (length,) = await received(stream, 1)
        try:
            host = (await received(stream, length)).decode("ascii")
        except UnicodeDecodeError as error:
            raise NotSocks from error
    return host, int.from_bytes(await received(stream, 2))


def connect_line(host: str, port: int) -> bytes:
    """Return the bytes of a connection request (section 4)."""
    return bytes([VERSION, CONNECT, 0]) + _address(host) + port.to_bytes(2)


def reply_line(reply: SocksReply) -> bytes:
    """Return the bytes of a reply; the bound address is left empty."""
    return bytes([VERSION, reply, 0, 1, *bytes(4), *bytes(2)])


def _address(host: str) -> bytes:
    try:
        packed = ipaddress.ip_address(host).packed
    except ValueError:
        return bytes([BY_NAME, len(host)]) + host.encode()
    return bytes([1 if len(packed) == IP_BYTES[1] else 4]) + packed


async def received(stream: trio.abc.Stream, length: int) -> bytes:
    """Read exactly `length` bytes; later ones belong to the tunnel.

    Raises:
        trio.BrokenResourceError: the stream ended early.
    """
    data = b""
    while len(data) < length:
        piece = await stream.receive_some(length - len(data))
        if not piece:
            raise trio.BrokenResourceError
        data += piece
    return data


# The client side of CONNECT (RFC 9110, section 9.3.6).


async def connect_through(stream: trio.abc.Stream, where: str) -> tuple[h11.Response, bytes]:
    """Request a tunnel from the proxy at the other end of `stream`.

    Args:
        stream: the connection to the proxy.
        where: the end of the tunnel, as ``host:port``.

    Returns:
        The response, and the bytes that followed it.

    Raises:
        trio.BrokenResourceError: the proxy closed the connection.
        h11.RemoteProtocolError: the reply is not valid HTTP.
    """
    http = h11.Connection(h11.CLIENT)
    request = h11.Request(method="CONNECT", target=where, headers=[("Host", where)])
    await stream.send_all(http.send(request) or b"")
    http.send(h11.EndOfMessage())
    while not isinstance(event := http.next_event(), h11.Response):
        if event is h11.NEED_DATA:
            http.receive_data(bytes(await stream.receive_some()))
    return event, http.trailing_data[0]


# Opening a tunnel by CONNECT or SOCKS5.
#
# The proxy receives the name and resolves it itself. So only the spelling of the name can be
# checked before (`checked_url`); the proxy must protect the network behind it.

_REPLIES = {
    1: "it failed",
    2: "its rules forbid it",
    3: "network unreachable",
    4: "host unreachable",
    5: "connection refused",
    6: "too many hops",
    7: "it cannot connect",
    8: "address type not supported",
}
"""Reply codes as text (RFC 1928, section 6)."""


async def open_tunnel(stream: trio.abc.Stream, proxy: Proxy, target: Target) -> None:
    """Open a tunnel to `target` through the proxy at the other end of `stream`.

    Raises:
        NotConnected: the proxy does not behave as a proxy or cannot reach the target.
    """
    try:
        if proxy.kind == "socks5":
            await stream.send_all(GREETING)
            if await received(stream, len(AGREED)) != AGREED:
                raise without_proxy(proxy, "requires a password, or is not a SOCKS5 proxy")
            await stream.send_all(connect_line(target.host, target.port))
            version, reply, _reserved, kind = await received(stream, 4)
            if version != VERSION:
                raise without_proxy(proxy, "does not speak SOCKS5")
            if reply != SocksReply.SUCCEEDED:
                raise refused_by_proxy(proxy, target, _REPLIES.get(reply, f"reply {reply}"))
            length = IP_BYTES.get(kind) or (await received(stream, 1))[0]
            await received(stream, length + 2)  # the bound address and port
        else:
            host = f"[{target.host}]" if ":" in target.host else target.host
            where = f"{host}:{target.port}"
            response, _ = await connect_through(stream, where)
            if response.status_code == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
                raise without_proxy(proxy, "requires a password")
            if response.status_code // 100 != 2:  # noqa: PLR2004
                raise refused_by_proxy(proxy, target, f"HTTP status {response.status_code}")
    except (trio.BrokenResourceError, h11.RemoteProtocolError) as error:
        raise without_proxy(proxy, "closed the connection") from error
