"""What a page asks for, by whatever way: requests of its frames, WebSockets. In a real Chromium."""

from functools import partial

import pytest
import trio
from trio_websocket import ConnectionClosed, WebSocketRequest, serve_websocket

from tabwright.protocol.actions import WaitFor
from tabwright.protocol.inspecting import ListRequests, ReadBody
from tabwright.testing.replica.server import Response

pytestmark = pytest.mark.chromium


async def echo(request: WebSocketRequest) -> None:
    """Says what it is told, and then so many bytes; refuses `/no`."""
    if request.path == "/no":
        await request.reject(403)
        return
    socket = await request.accept()
    try:
        while True:
            said = await socket.get_message()
            await socket.send_message(f"echo {said}")
            await socket.send_message(bytes(len(said)))
    except ConnectionClosed:
        pass


@pytest.fixture
async def socket_url():
    async with trio.open_nursery() as nursery:
        serve = partial(serve_websocket, echo, "127.0.0.1", 0, ssl_context=None)
        server = await nursery.start(serve)
        yield f"ws://127.0.0.1:{server.port}"
        nursery.cancel_scope.cancel()


def put_talk(agent, url: str, path: str = "/") -> None:
    agent.stand.put(
        path,
        f"<p id=log></p><script>const socket = new WebSocket('{url}/talk');"
        "socket.onopen = () => { socket.send('one'); socket.send('x'.repeat(5000)) };"
        "let count = 0; socket.onmessage = () => {"
        " if (++count === 4) { socket.close(); log.textContent = 'All said' } };"
        f"new WebSocket('{url}/no')</script>",
    )


async def sockets(agent):
    """The WebSockets of the page, once each is over."""
    with trio.fail_after(60):
        while True:
            listed = await agent.ask(ListRequests(kind="WebSocket"))
            if len(listed) == 2 and all(one.ms is not None for one in listed):
                return listed
            await trio.sleep(0.05)


async def test_websockets_are_requests_and_their_frames_are_read_like_bodies(agent, socket_url):
    put_talk(agent, socket_url)
    await agent.go("/")
    await agent.ask(WaitFor(text="All said"))
    talk, refused = await sockets(agent)
    said = (await agent.ask(ReadBody(talk.number))).decode().split("\n")
    nothing = (await agent.ask(ReadBody(refused.number))).decode()
    kinds = [line.partition(" at ")[0] for line in said]
    texts = [line.partition(" ms: ")[2] for line in said]
    assert (talk.url, talk.status, talk.frames) == (f"{socket_url}/talk", 101, 6)
    assert talk.size_bytes == len("echo one") + 3 + 5005 + 5000
    assert sorted(kinds) == ["received"] * 4 + ["sent"] * 2
    assert {"one", "echo one", "(3 bytes)", "(5000 bytes)"} < set(texts)
    assert max(map(len, texts)) < 2100
    assert "403" in refused.failure
    assert nothing == "(Nothing was said.)"


async def test_what_frames_of_other_processes_ask_for_and_say_can_be_read(agent, socket_url):
    put_talk(agent, socket_url, "/inner")
    agent.stand.put("/asking", "<p>Asking</p><script>fetch('/data')</script>")
    agent.stand.pages["/data"] = Response(b'{"a": 1}', content_type="application/json")
    hosts = [agent.stand.url(path, "localhost") for path in ("/inner", "/asking")]
    await agent.show("".join(f"<iframe src={url}></iframe>" for url in hosts))
    await agent.ask(WaitFor(idle=True))
    await sockets(agent)
    bodies = {}
    for one in await agent.ask(ListRequests(filter="localhost")):
        bodies[one.url.rpartition("/")[2]] = (await agent.ask(ReadBody(one.number))).decode()
    said = await agent.ask(ReadBody((await sockets(agent))[0].number))
    assert bodies["data"] == '{"a": 1}'
    assert "<p>Asking</p>" in bodies["asking"]
    assert b"echo one" in said


async def test_a_body_that_went_with_its_frame_is_refused(agent):
    agent.stand.put("/inner", "<script>fetch('/data')</script>")
    agent.stand.pages["/data"] = Response(b"data")
    await agent.show(f"<iframe src={agent.stand.url('/inner', 'localhost')}></iframe>")
    await agent.ask(WaitFor(idle=True))
    (data,) = await agent.ask(ListRequests(filter="/data"))
    await agent.value("document.querySelector('iframe').remove()")
    refused = await agent.refused(ReadBody(data.number))
    assert "not kept" in refused.message
    assert "There is no request 999" in (await agent.refused(ReadBody(999))).message
