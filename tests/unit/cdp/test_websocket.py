"""CDP links over WebSockets, and servers that do not speak WebSocket."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
import trio_websocket
from trio_websocket import ConnectionClosed, WebSocketConnection, WebSocketRequest

from tabwright.cdp.errors import LinkLost
from tabwright.cdp.websocket import open_websocket_link, websocket_url
from tabwright.concurrency.nursery import background_nursery
from tabwright.testing.replica.server import Exchange, Seen, ServerResponse, open_server

LARGE = b"x" * (3 << 20)


@asynccontextmanager
async def serving(
    talk: Callable[[WebSocketConnection], Awaitable[object]],
    seen: Callable[[WebSocketRequest], object] = bool,
) -> AsyncGenerator[str]:
    async def accept(request: WebSocketRequest) -> None:
        assert request.path == "/devtools/browser/b?token=t"
        seen(request)
        socket = await request.accept()
        await talk(socket)

    async with background_nursery() as nursery:
        serve = partial(trio_websocket.serve_websocket, max_message_size=1 << 24)
        server = await nursery.start(serve, accept, "127.0.0.1", 0, None)
        yield f"ws://127.0.0.1:{server.port}/devtools/browser/b?token=t"


async def echo(socket: WebSocketConnection) -> None:
    try:
        while True:
            message = await socket.get_message()
            assert isinstance(message, str), "Chromium hangs up on a binary frame"
            await socket.send_message(message)
    except ConnectionClosed:
        pass


async def test_websocket_link_sends_and_receives_large_frames() -> None:
    with trio.fail_after(20):
        async with serving(echo) as url, open_websocket_link(url) as link:
            for frame in (b'{"a":"\xc3\xa4"}', LARGE, b"{}"):
                assert not link.send_nowait(frame)
                await link.send(frame)
                assert await link.receive() == [frame]


async def test_headers_are_sent_with_the_upgrade() -> None:
    requests = list[WebSocketRequest]()
    headers = [("Authorization", "Bearer t"), ("X-Empty", "")]
    async with serving(echo, requests.append) as url, open_websocket_link(url, headers):
        sent = {name.lower(): value for name, value in requests[0].headers}
    assert (sent[b"authorization"], sent[b"x-empty"]) == (b"Bearer t", b"")


async def test_endpoint_lookup_sends_headers_and_query() -> None:
    seen = list[Seen]()

    async def answer(exchange: Exchange) -> None:
        text = b'{"webSocketDebuggerUrl": "ws://there/b"}'
        await exchange.answer(ServerResponse(text, content_type="application/json"))

    async with open_server(answer, seen) as port:
        endpoint = f"http://127.0.0.1:{port}/hub/?token=t"
        assert await websocket_url(endpoint, [("X-Token", "a:b")]) == "ws://there/b"
    assert seen[0].path == "/hub/json/version?token=t"
    assert seen[0].headers["x-token"] == "a:b"


async def test_send_and_receive_fail_after_peer_closes_websocket() -> None:
    async with serving(WebSocketConnection.aclose) as url, open_websocket_link(url) as link:
        with pytest.raises(LinkLost, match="closed with code 1000"):
            await link.receive()
        with pytest.raises(LinkLost):
            await link.send(b"{}")


async def test_closing_link_does_not_wait_for_unresponsive_peer() -> None:
    async def frozen(_socket: WebSocketConnection) -> None:
        await trio.sleep_forever()

    with trio.fail_after(20):
        async with serving(frozen) as url, open_websocket_link(url) as link:
            await link.aclose()
            await link.aclose()
            with pytest.raises(LinkLost):
                await link.receive()


async def test_exception_in_link_body_propagates_unchanged() -> None:
    async with serving(echo) as url:
        with pytest.raises(LookupError, match="mine"):
            async with open_websocket_link(url):
                raise LookupError("mine")


@pytest.mark.parametrize("url", ["ws://127.0.0.1:1/", "ws://127.0.0.1:port/", "wss://127.0.0.1:1/"])
async def test_failed_connection_raises_link_lost(url: str) -> None:
    with pytest.raises(LinkLost, match="could not connect"):
        async with open_websocket_link(url):
            pytest.fail("nothing listens there")


async def test_server_without_websocket_support_raises_link_lost() -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.answer(ServerResponse(b"Hello"))

    async with open_server(answer, []) as port:
        with pytest.raises(LinkLost, match="does not speak WebSocket"):
            async with open_websocket_link(f"ws://127.0.0.1:{port}/"):
                pytest.fail("it does not speak WebSocket")
