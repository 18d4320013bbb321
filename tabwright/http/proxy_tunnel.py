"""SOCKS5 (RFC 1928) as far as browsers and their proxies need it: CONNECT, no password."""

import ipaddress
from enum import IntEnum

import trio

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


class Reply(IntEnum):
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
        await stream.send_all(reply_line(Reply.COMMAND_NOT_SUPPORTED))
        raise NotSocks
    host = await _host(stream, kind)
    return host, int.from_bytes(await received(stream, 2))


def connect_line(host: str, port: int) -> bytes:
    """The bytes by which a client asks for a connection (section 4)."""
    return bytes([VERSION, CONNECT, 0]) + _address(host) + port.to_bytes(2)


def reply_line(reply: Reply) -> bytes:
    """The bytes of a reply; where we connect from is nobody's business."""
    return bytes([VERSION, reply, 0, 1, *bytes(4), *bytes(2)])


def _address(host: str) -> bytes:
    try:
        packed = ipaddress.ip_address(host).packed
    except ValueError:
        return bytes([BY_NAME, len(host)]) + host.encode()
    return bytes([1 if len(packed) == IP_BYTES[1] else 4]) + packed


async def _host(stream: trio.abc.Stream, kind: int) -> str:
    if kind in IP_BYTES:
        return str(ipaddress.ip_address(await received(stream, IP_BYTES[kind])))
    if kind != BY_NAME:
        raise NotSocks
    (length,) = await received(stream, 1)
    try:
        return (await received(stream, length)).decode("ascii")
    except UnicodeDecodeError as error:
        raise NotSocks from error


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
