"""Servers on local ports: working proxies, broken proxies and other servers."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TypeAlias

import trio

Handler: TypeAlias = Callable[[trio.SocketStream], Awaitable[None]]

ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
AGREED = b"\x05\x00"
READ_BYTES = 65536


async def head(stream: trio.SocketStream, data: bytes = b"") -> bytes:
    while b"\r\n\r\n" not in data:
        more = await stream.receive_some(READ_BYTES)
        data += more
        if not more or not data.startswith(b"CONNECT "):
            raise trio.BrokenResourceError
    return data


async def pump(source: trio.SocketStream, sink: trio.SocketStream) -> None:
    async for data in source:
        await sink.send_all(data)
    await sink.send_eof()


async def join(stream: trio.SocketStream, other: trio.SocketStream) -> None:
    async with other, trio.open_nursery() as nursery:
        nursery.start_soon(pump, stream, other)
        nursery.start_soon(pump, other, stream)


async def http_proxy(stream: trio.SocketStream, data: bytes = b"") -> None:
    """Open the requested tunnel, then confirm it."""
    target = (await head(stream, data)).split()[1].decode()
    host, _, port = target.partition(":")
    other = await trio.open_tcp_stream(host, int(port))
    await stream.send_all(ESTABLISHED)
    await join(stream, other)


async def eager_proxy(stream: trio.SocketStream) -> None:
    """Confirm the tunnel first, then close the connection as if the target were down."""
    await head(stream)
    await stream.send_all(b"HTTP/1.0 200 OK\r\nProxy-Agent: eager\r\n\r\n")


async def far_proxy(stream: trio.SocketStream) -> None:
    """Confirm a tunnel to a server that waits for its client to speak first."""
    await head(stream)
    await stream.send_all(ESTABLISHED)
    await trio.sleep_forever()


async def odd_proxy(stream: trio.SocketStream) -> None:
    """Answer byte by byte, with a needless ``Content-Length: 0`` after a 100 response."""
    port = int((await head(stream)).split()[1].rpartition(b":")[2])
    other = await trio.open_tcp_stream("127.0.0.1", port)
    for byte in b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n":
        await stream.send_all(bytes([byte]))
    await join(stream, other)


async def socks5_proxy(stream: trio.SocketStream) -> None:
    if not bytes(await stream.receive_some(READ_BYTES)).startswith(b"\x05"):
        return
    for byte in AGREED:
        await stream.send_all(bytes([byte]))
    await trio.sleep_forever()


async def mixed_proxy(stream: trio.SocketStream) -> None:
    data = bytes(await stream.receive_some(READ_BYTES))
    if data.startswith(b"\x05"):
        await stream.send_all(AGREED)
        await trio.sleep_forever()
    await http_proxy(stream, data)


async def answer_with(answer: bytes, stream: trio.SocketStream) -> None:
    await stream.receive_some(READ_BYTES)
    await stream.send_all(answer)


async def greets(answer: bytes, stream: trio.SocketStream) -> None:
    await stream.send_all(answer)
    await stream.receive_some(READ_BYTES)


async def says_later(stream: trio.SocketStream) -> None:
    """Act as a web server that accepts every request, then sends its page."""
    await head(stream)
    await stream.send_all(b"HTTP/1.0 200 OK\r\n\r\n")
    await trio.sleep(0.05)
    await stream.send_all(b"<h1>Welcome</h1>")


async def echo(stream: trio.SocketStream) -> None:
    async for data in stream:
        await stream.send_all(data)


async def silent(stream: trio.SocketStream) -> None:
    await trio.sleep_forever()


async def closes(stream: trio.SocketStream) -> None:
    await stream.aclose()


async def floods(data: bytes, stream: trio.SocketStream) -> None:
    while True:
        await stream.send_all(data * 1000)


SERVERS: Mapping[str, Handler] = {
    "http": http_proxy,
    "eager": eager_proxy,
    "far": far_proxy,
    "odd": odd_proxy,
    "socks5": socks5_proxy,
    "mixed": mixed_proxy,
    "http with password": partial(
        answer_with, b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
    ),
    "http with rules": partial(
        answer_with, b"HTTP/1.1 403 Forbidden\r\nVia: 1.1 proxy\r\nContent-Length: 0\r\n\r\n"
    ),
    "socks5 with password": partial(answer_with, b"\x05\xff"),
    "socks4": partial(answer_with, b"\x00\x5b\x00\x00\x00\x00\x00\x00"),
    "web server": partial(
        answer_with, b"HTTP/1.1 405 Method Not Allowed\r\nAllow: GET\r\nContent-Length: 0\r\n\r\n"
    ),
    "old web server": partial(answer_with, b"HTTP/1.0 400 Bad Request\r\n\r\n<h1>400</h1>"),
    "obliging web server": partial(answer_with, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"),
    "obliging old web server": partial(answer_with, b"HTTP/1.0 200 OK\r\n\r\n<h1>Welcome</h1>"),
    "obliging slow web server": says_later,
    "redirecting web server": partial(answer_with, b"HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n"),
    "redis": partial(answer_with, b"-ERR unknown command 'CONNECT'\r\n"),
    "mysql": partial(greets, b"\x4a\x00\x00\x00\x0a8.4.0\x00\x05\x00"),
    "ssh": partial(greets, b"SSH-2.0-OpenSSH_9.6\r\n"),
    "tls": partial(answer_with, b"\x15\x03\x01\x00\x02\x02\x32"),
    "echo": echo,
    "silent": silent,
    "closes": closes,
    "garbage": partial(answer_with, bytes(range(256))),
    "almost http": partial(answer_with, b"HTTP/9.9 yes\r\n\r\n"),
    "floods": partial(floods, b"x"),
    "floods with lines": partial(floods, b"HTTP/1.1 200 OK\r\n"),
    "floods with heads": partial(floods, b"HTTP/1.1 100 Continue\r\n\r\n"),
    "floods with socks5": partial(floods, AGREED),
}


async def serve(name: str, stream: trio.SocketStream) -> None:
    try:
        await SERVERS[name](stream)
    except* (trio.BrokenResourceError, trio.ClosedResourceError, OSError):
        pass  # the client left, or what it wanted is not there
