from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
import trio

from tabwright.testing.replica.server import Exchange, Seen, ServerResponse, html, open_server

REQUEST = b"GET /%s HTTP/1.1\r\nHost: a.example:80\r\nCookie: a=1; b=2=3\r\n\r\n"


async def echo(exchange: Exchange) -> None:
    await exchange.answer(html(f"<{exchange.seen.path}>"))


@asynccontextmanager
async def connected(port: int) -> AsyncGenerator[trio.SocketStream]:
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        yield stream


async def received(stream: trio.SocketStream, until: bytes) -> bytes:
    data = b""
    while until not in data:
        piece = await stream.receive_some()
        if not piece:
            break
        data += piece
    return data


async def test_connection_serves_several_requests() -> None:
    log: list[Seen] = []
    async with open_server(echo, log) as port, connected(port) as stream:
        for name in (b"one", b"two"):
            await stream.send_all(REQUEST % name)
            assert await received(stream, b"</" + name + b">")
    assert [(seen.host, seen.path, seen.cookie) for seen in log] == [
        ("a.example", "/one", "a=1; b=2=3"),
        ("a.example", "/two", "a=1; b=2=3"),
    ]


async def test_pipelined_requests_are_answered_in_order() -> None:
    async with open_server(echo, []) as port, connected(port) as stream:
        await stream.send_all(REQUEST % b"one" + REQUEST % b"two")
        data = await received(stream, b"</two>")
    assert data.index(b"</one>") < data.index(b"</two>")


async def test_a_head_request_gets_no_body() -> None:
    async with open_server(echo, []) as port, connected(port) as stream:
        await stream.send_all(b"HEAD /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        data = b"".join([piece async for piece in stream])
    assert b"Content-Length: 4" in data
    assert data.endswith(b"\r\n\r\n")


async def test_form_cookies_query_and_path_are_parsed() -> None:
    seen: list[object] = []

    async def handle(exchange: Exchange) -> None:
        seen.extend([exchange.form, exchange.cookies, exchange.query, exchange.path])
        await exchange.answer(ServerResponse(status=204))

    async with open_server(handle, []) as port, connected(port) as stream:
        await stream.send_all(
            b"POST /x?y=%20z&e= HTTP/1.1\r\nHost: a\r\nCookie: a=1; b=2=3\r\n"
            b"Content-Length: 9\r\n\r\nq=a+b&c=d"
        )
        await received(stream, b"\r\n\r\n")
    assert seen == [{"q": "a b", "c": "d"}, {"a": "1", "b": "2=3"}, {"y": " z", "e": ""}, "/x"]


async def test_client_disconnect_cancels_only_its_exchange() -> None:
    began, ended = trio.Event(), trio.Event()

    async def handle(exchange: Exchange) -> None:
        if exchange.path == "/one":
            began.set()
            try:
                await trio.sleep_forever()
            finally:
                ended.set()
        await echo(exchange)

    with trio.fail_after(5):
        async with open_server(handle, []) as port:
            async with connected(port) as stream:
                await stream.send_all(REQUEST % b"one")
                await began.wait()
            await ended.wait()
            async with connected(port) as stream:
                await stream.send_all(REQUEST % b"two")
                assert await received(stream, b"</two>")


@pytest.mark.parametrize("nonsense", [b"", b"\x16\x03\x01", b"hello\r\n\r\n", REQUEST[:20]])
async def test_invalid_request_closes_only_its_connection(nonsense: bytes) -> None:
    async with open_server(echo, []) as port:
        async with connected(port) as stream:
            await stream.send_all(nonsense)
            await stream.send_eof()
            await received(stream, b"never")
        async with connected(port) as stream:
            await stream.send_all(REQUEST % b"two")
            assert await received(stream, b"</two>")


async def test_cancelling_closes_every_connection() -> None:
    async def handle(_: Exchange) -> None:
        began.set()
        await trio.sleep_forever()

    began = trio.Event()
    ports: list[int] = []

    async def serve(*, task_status: trio.TaskStatus[trio.CancelScope]) -> None:
        with trio.CancelScope() as scope:
            async with open_server(handle, []) as port:
                ports.append(port)
                task_status.started(scope)
                await trio.sleep_forever()

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            scope = await nursery.start(serve)
            async with connected(ports[0]) as stream:
                await stream.send_all(REQUEST % b"one")
                await began.wait()
                scope.cancel()
                with suppress(trio.BrokenResourceError):
                    assert await stream.receive_some() == b""
    with pytest.raises(OSError, match="connect"):
        await trio.open_tcp_stream("127.0.0.1", ports[0])


async def test_error_in_server_block_is_raised_unwrapped() -> None:
    with pytest.raises(LookupError, match="mine"):
        async with open_server(echo, []):
            raise LookupError("mine")


async def test_handler_error_is_raised_from_the_server() -> None:
    async def handle(_: Exchange) -> None:
        raise LookupError("handler")

    with pytest.RaisesGroup(LookupError, flatten_subgroups=True):
        async with open_server(handle, []) as port, connected(port) as stream:
            await stream.send_all(REQUEST % b"one")
            await trio.sleep_forever()


async def test_two_servers_use_different_ports() -> None:
    async with open_server(echo, []) as one, open_server(partial(echo), []) as two:
        assert one != two
