"""CDP links over WebSockets, and servers that do not speak WebSocket."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
import trio_websocket
from trio_websocket import ConnectionClosed, WebSocketConnection, WebSocketRequest
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, TextMessage

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


async def reader(
    reads: trio.Event, received: list[str | bytes], socket: WebSocketConnection
) -> None:
    """Receive what has been sent, from an event on."""
    await reads.wait()
    try:
        while True:
            received.append(await socket.get_message())
    except ConnectionClosed:
        pass


async def test_websocket_link_sends_and_receives_large_frames() -> None:
    with trio.fail_after(20):
        async with serving(echo) as url, open_websocket_link(url) as link:
            for frame in (b'{"a":"\xc3\xa4"}', LARGE, b"{}"):
                await link.send(frame)
                assert await link.receive() == [frame]


async def test_frames_are_sent_whole_and_once_when_the_socket_is_full() -> None:
    reads, received = trio.Event(), list[str | bytes]()
    frames = [b'{"number":%d,"text":"%s"}' % (number, b"x" * 50_000) for number in range(400)]
    left = iter(frames)
    with trio.fail_after(60):
        async with (
            serving(partial(reader, reads, received)) as url,
            open_websocket_link(url) as link,
        ):
            for begun in left:
                if not link.send_nowait(begun):
                    assert not link.send_nowait(b"{}")
                    reads.set()
                    await link.send(begun)
                    break
            for frame in left:
                await link.send(frame)
                if frame is frames[-1]:
                    break
            while len(received) < len(frames):
                await trio.sleep(0.01)
    assert received == [frame.decode() for frame in frames]


async def test_frame_begun_by_a_cancelled_caller_is_completed_by_the_next() -> None:
    reads, received = trio.Event(), list[str | bytes]()
    with trio.fail_after(60):
        async with (
            serving(partial(reader, reads, received)) as url,
            open_websocket_link(url) as link,
        ):
            sent = [str(number).encode() * 50_000 for number in range(10)]
            while all(map(link.send_nowait, sent)):
                pass
            reads.set()
            await link.send(b"another")
            while not received or received[-1] != "another":
                await trio.sleep(0.01)
    assert {str(message) for message in received} <= {one.decode() for one in (*sent, b"another")}


async def test_pings_are_answered() -> None:
    answered = trio.Event()

    async def ping(socket: WebSocketConnection) -> None:
        await socket.ping(b"1")
        answered.set()
        await socket.send_message("{}")
        await trio.sleep_forever()

    with trio.fail_after(20):
        async with serving(ping) as url, open_websocket_link(url) as link:
            assert await link.receive() == [b"{}"]
    assert answered.is_set()


async def test_messages_before_the_end_are_received() -> None:
    async def last(socket: WebSocketConnection) -> None:
        for word in ("{}", "[]"):
            await socket.send_message(word)
        await socket.aclose(1001)

    received: list[bytes] = []
    with trio.fail_after(20):
        async with serving(last) as url, open_websocket_link(url) as link:
            with pytest.raises(LinkLost, match="1001"):
                while True:
                    received += await link.receive()
    assert received == [b"{}", b"[]"]


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


@asynccontextmanager
async def serving_bytes(reply: Callable[[bytes], bytes]) -> AsyncGenerator[str]:
    """Serve one reply to each request, and disconnect."""

    async def answer(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.send_all(reply(bytes(await stream.receive_some())))

    async with background_nursery() as nursery:
        serve = partial(trio.serve_tcp, answer, 0, host="127.0.0.1")
        listeners: list[trio.SocketListener] = await nursery.start(serve)
        yield f"ws://127.0.0.1:{listeners[0].socket.getsockname()[1]}/"


@pytest.mark.parametrize("reply", [b"", b"HTTP/1.1 101", b"garbage\r\n\r\n"])
async def test_server_that_disconnects_during_the_handshake_raises_link_lost(reply: bytes) -> None:
    with trio.fail_after(20), pytest.raises(LinkLost):
        async with serving_bytes(lambda _: reply) as url, open_websocket_link(url):
            pytest.fail("it does not speak WebSocket")


async def test_message_sent_together_with_the_handshake_is_received() -> None:
    def accept(request: bytes) -> bytes:
        server = WSConnection(ConnectionType.SERVER)
        server.receive_data(request)
        next(server.events())
        return server.send(AcceptConnection()) + server.send(TextMessage("{}"))

    with trio.fail_after(20):
        async with serving_bytes(accept) as url, open_websocket_link(url) as link:
            assert await link.receive() == [b"{}"]
            with pytest.raises(LinkLost):
                await link.receive()
