"""Requests of a page, its frames and its WebSockets, in a real Chromium."""

from functools import partial

import pytest
import trio
from trio_websocket import ConnectionClosed, WebSocketRequest, serve_websocket

from tabwright.protocol.actions import WaitFor
from tabwright.protocol.inspection import ListRequests, ReadBody, ReadRequest
from tabwright.testing.replica.server import ServerResponse

pytestmark = pytest.mark.chromium


async def echo(request: WebSocketRequest) -> None:
    """Echo each message, then send as many zero bytes; reject `/no` with 403."""
    if request.path == "/no":
        await request.reject(403)
        return
    socket = await request.accept()
    try:
        while True:
            output = await socket.get_message()
            await socket.send_message(f"echo {output}")
            await socket.send_message(bytes(len(output)))
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
    """Return both WebSockets of the page once they are closed."""
    with trio.fail_after(60):
        while True:
            listed = await agent.ask(ListRequests(kind="WebSocket"))
            if len(listed) == 2 and all(one.ms is not None for one in listed):
                return listed
            await trio.sleep(0.05)


async def test_websocket_is_listed_as_request_with_its_frames_as_body(agent, socket_url):
    put_talk(agent, socket_url)
    await agent.go("/")
    await agent.ask(WaitFor(text="All said"))
    talk, refused = await sockets(agent)
    output = (await agent.ask(ReadBody(talk.number))).decode().split("\n")
    nothing = (await agent.ask(ReadBody(refused.number))).decode()
    kinds = [line.partition(" at ")[0] for line in output]
    texts = [line.partition(" ms: ")[2] for line in output]
    assert (talk.url, talk.status, talk.frames) == (f"{socket_url}/talk", 101, 6)
    assert talk.size_bytes == len("echo one") + 3 + 5005 + 5000
    assert sorted(kinds) == ["received"] * 4 + ["sent"] * 2
    assert {"one", "echo one", "(3 bytes)", "(5000 bytes)"} < set(texts)
    assert max(map(len, texts)) < 2100
    assert "403" in refused.failure
    assert nothing == "(No messages.)"


async def test_requests_and_sockets_of_out_of_process_frames_can_be_read(agent, socket_url):
    put_talk(agent, socket_url, "/inner")
    agent.stand.put("/asking", "<p>Asking</p><script>fetch('/data')</script>")
    agent.stand.pages["/data"] = ServerResponse(b'{"a": 1}', content_type="application/json")
    hosts = [agent.stand.url(path, "localhost") for path in ("/inner", "/asking")]
    await agent.show("".join(f"<iframe src={url}></iframe>" for url in hosts))
    await agent.ask(WaitFor(idle=True))
    await sockets(agent)
    bodies = {}
    for one in await agent.ask(ListRequests(filter="localhost")):
        bodies[one.url.rpartition("/")[2]] = (await agent.ask(ReadBody(one.number))).decode()
    output = await agent.ask(ReadBody((await sockets(agent))[0].number))
    assert bodies["data"] == '{"a": 1}'
    assert "<p>Asking</p>" in bodies["asking"]
    assert b"echo one" in output


async def test_reading_response_body_of_a_removed_frame_is_refused(agent):
    agent.stand.put("/inner", "<script>fetch('/data')</script>")
    agent.stand.pages["/data"] = ServerResponse(b"data")
    await agent.show(f"<iframe src={agent.stand.url('/inner', 'localhost')}></iframe>")
    await agent.ask(WaitFor(idle=True))
    (data,) = await agent.ask(ListRequests(filter="/data"))
    await agent.value("document.querySelector('iframe').remove()")
    refused = await agent.refused(ReadBody(data.number))
    assert "not available" in refused.message
    assert "There is no request 999" in (await agent.refused(ReadBody(999))).message


SENDING = """<script>
document.cookie = 'theme=dark-s3cr3t';
(async () => {
  const headers = {Authorization: 'Bearer s3cr3t'};
  const post = body => fetch('/post', {method: 'POST', body, headers});
  await post('a=1'); await post('x'.repeat(100000)); await post(new Uint8Array([0, 255, 128]));
  await fetch('/old', {method: 'POST', body: 'old=1'});
  await fetch('/bytes');
  document.title = 'ready';
})()</script>"""


@pytest.fixture
async def sending(agent):
    """Requests of a page that sends bodies and is redirected, by URL ending."""
    agent.stand.pages["/post"] = ServerResponse(b"ok", content_type="text/plain")
    moved = (("Location", "/new"), ("Set-Cookie", "sid=s3cr3t; Path=/"))
    agent.stand.pages["/old"] = ServerResponse(b"", status=302, headers=moved)
    agent.stand.pages["/new"] = ServerResponse(b"new", content_type="text/plain")
    agent.stand.pages["/bytes"] = ServerResponse(bytes(range(256)), content_type="image/x-own")
    await agent.show(SENDING)
    with trio.fail_after(60):
        while await agent.value("document.title") != "ready":
            await trio.sleep(0.05)
    listed = await agent.ask(ListRequests(kind="Fetch"))
    return [(one.url.rpartition("/")[2], one) for one in listed]


async def test_each_hop_of_a_redirect_is_a_request_with_its_headers(agent, sending):
    old, new = dict(sending)["old"], dict(sending)["new"]
    first = await agent.ask(ReadRequest(old.number))
    second = await agent.ask(ReadRequest(new.number))
    assert (old.method, old.status, old.location) == ("POST", 302, "/new")
    assert (new.method, new.status, new.location) == ("GET", 200, "")
    assert new.number == old.number + 1
    assert dict(first.sent)["Cookie"] == "theme=(hidden)"
    assert dict(first.received)["Set-Cookie"] == "sid=(hidden); Path=/"
    assert dict(second.sent)["Cookie"] == "theme=(hidden); sid=(hidden)"
    assert await agent.ask(ReadBody(new.number)) == b"new"
    assert await agent.ask(ReadBody(old.number, sent=True)) == b"old=1"
    assert "redirected" in (await agent.refused(ReadBody(old.number))).message
    assert "without a body" in (await agent.refused(ReadBody(new.number, sent=True))).message


async def test_request_bodies_can_be_read_in_full(agent, sending):
    numbers = [one.number for name, one in sending if name == "post"]
    sent = [await agent.ask(ReadBody(number, sent=True)) for number in numbers]
    details = [await agent.ask(ReadRequest(number)) for number in numbers]
    assert sent == [b"a=1", b"x" * 100_000, bytes([0, 255, 128])]
    assert [one.has_body for one in details] == [True] * 3
    assert dict(details[0].sent)["Authorization"] == "Bearer (hidden)"


async def test_only_short_request_bodies_are_kept_in_full_after_navigation(agent, sending):
    short, long, _ = [one.number for name, one in sending if name == "post"]
    await agent.show("<p>Elsewhere")
    assert await agent.ask(ReadBody(short, sent=True)) == b"a=1"
    assert "not available" in (await agent.refused(ReadBody(long, sent=True))).message
    assert (await agent.ask(ReadRequest(long))).body == b"x" * 4000


async def test_binary_response_body_is_returned_unchanged(agent, sending):
    assert await agent.ask(ReadBody(dict(sending)["bytes"].number)) == bytes(range(256))
