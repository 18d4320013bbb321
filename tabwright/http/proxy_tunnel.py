"""Tunnels through proxies: SOCKS5 (RFC 1928) without passwords, and CONNECT of HTTP."""

import ipaddress
from enum import IntEnum

import h11
import trio

from tabwright.http.errors import refused_by_proxy, without_proxy
from tabwright.http.messages import Target
from tabwright.protocol.proxy import Proxy

VERSION = 5
CONNECT = 1
NO_PASSWORD = 0

IP_BYTES = {1: 4, 4: 16}
"""Of the kinds of addresses: IPv4 and IPv6."""

BY_NAME = 3

GREETING = bytes([VERSION, 1, NO_PASSWORD])
"""Of a client that offers to go on without a password (section 3)."""

AGREED = bytes([VERSION, NO_PASSWORD])
NONE_ACCEPTABLE = bytes([VERSION, 0xFF])


class SocksReply(IntEnum):
    """What came of it (section 6)."""

    SUCCEEDED = 0
    NOT_ALLOWED = 2
    HOST_UNREACHABLE = 4
    COMMAND_NOT_SUPPORTED = 7


class NotSocks(Exception):
    """What came is not SOCKS5, or asks for what we do not do."""


async def asked_place(stream: trio.abc.Stream) -> tuple[str, int]:
    """The host, by name or address, and the port that the client at the other end wants.

    Raises:
        NotSocks: it wants nothing of that kind.
        trio.BrokenResourceError: it is gone.
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
    """The bytes by which a client asks for a connection (section 4)."""
    return bytes([VERSION, CONNECT, 0]) + _address(host) + port.to_bytes(2)


def reply_line(reply: SocksReply) -> bytes:
    """The bytes of a reply; where we connect from is nobody's business."""
    return bytes([VERSION, reply, 0, 1, *bytes(4), *bytes(2)])


def _address(host: str) -> bytes:
    try:
        packed = ipaddress.ip_address(host).packed
    except ValueError:
        return bytes([BY_NAME, len(host)]) + host.encode()
    return bytes([1 if len(packed) == IP_BYTES[1] else 4]) + packed


async def received(stream: trio.abc.Stream, length: int) -> bytes:
    """Exactly as many bytes: those behind them are meant for somebody else.

    Raises:
        trio.BrokenResourceError: the other end closed before.
    """
    data = b""
    while len(data) < length:
        piece = await stream.receive_some(length - len(data))
        if not piece:
            raise trio.BrokenResourceError
        data += piece
    return data


# The client side of CONNECT (RFC 9110, section 9.3.6).

PASSWORD_WANTED = 407
"""The status of a proxy that does not know who asks."""

RECEIVE_BYTES = 4096

_HEAD_BYTES_MAX = 65536


async def connect_through(stream: trio.abc.Stream, where: str) -> tuple[h11.Response, bytes]:
    """Asks the proxy at the other end of `stream` for a tunnel.

    Args:
        stream: to a proxy.
        where: the tunnel's end, as ``host:port``.

    Returns:
        The response, and the bytes that came right behind it.

    Raises:
        trio.BrokenResourceError: it hung up.
        h11.RemoteProtocolError: what it says is no HTTP.
    """
    http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD_BYTES_MAX)
    request = h11.Request(method="CONNECT", target=where, headers=[("Host", where)])
    await stream.send_all(http.send(request) or b"")
    http.send(h11.EndOfMessage())
    while not isinstance(event := http.next_event(), h11.Response):
        if event is h11.NEED_DATA:
            http.receive_data(bytes(await stream.receive_some(RECEIVE_BYTES)))
    return event, http.trailing_data[0]


# Opening a tunnel by CONNECT or SOCKS5.
#
# The proxy is given the name and finds the address by itself, so that of a name only the spelling
# could be judged before (`checked_url`): what is behind the proxy is the proxy's to guard.

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
"""RFC 1928, section 6."""


async def open_tunnel(stream: trio.abc.Stream, proxy: Proxy, target: Target) -> None:
    """Has the proxy at the other end of `stream` connect it to `target`.

    Raises:
        NotConnected: it does not do what a proxy does, or does not get there.
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
            await received(stream, length + 2)  # the address that it connects from, and its port
        else:
            host = f"[{target.host}]" if ":" in target.host else target.host
            where = f"{host}:{target.port}"
            response, _ = await connect_through(stream, where)
            if response.status_code == PASSWORD_WANTED:
                raise without_proxy(proxy, "requires a password")
            if response.status_code // 100 != 2:  # noqa: PLR2004
                raise refused_by_proxy(proxy, target, f"HTTP status {response.status_code}")
    except (trio.BrokenResourceError, h11.RemoteProtocolError) as error:
        raise without_proxy(proxy, "closed the connection") from error
