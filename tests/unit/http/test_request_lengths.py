"""The length of a request is certain, so that no second request is hidden in it."""

from collections.abc import AsyncGenerator
from functools import partial
from urllib.parse import urlsplit

import pytest
import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tabwright.concurrency.nursery import background_nursery
from tabwright.http.asgi import serve_application

SECOND = "GET /second HTTP/1.1\r\nHost: localhost\r\n\r\n"
CHUNKS = f"0\r\n\r\n{SECOND}"
WHOLE_CHUNK = f"{len(SECOND):x}\r\n{SECOND}\r\n0\r\n\r\n"


class Site:
    """A served application that notes the paths of its requests."""

    def __init__(self) -> None:
        self.paths = list[str]()
        self.port = 0

    async def respond(self, request: Request) -> Response:
        self.paths.append(request.url.path)
        await request.body()
        return Response()

    async def exchange(self, text: str) -> tuple[list[str], bool]:
        """Send a text; return the status codes, and whether the server closed the connection."""
        received, closed = b"", False
        with trio.fail_after(20):
            async with await trio.open_tcp_stream("127.0.0.1", self.port) as stream:
                await stream.send_all(text.encode())
                with trio.move_on_after(0.5):
                    while data := await stream.receive_some():
                        received += data
                    closed = True
        lines = received.decode().splitlines()
        return [one.split()[1] for one in lines if one.startswith("HTTP/")], closed


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    own, closed = Site(), trio.Event()
    app = Starlette(routes=[Route("/{path}", own.respond, methods=["GET", "POST"])])
    serving = partial(serve_application, app, "127.0.0.1:0", closed)
    async with background_nursery() as background:
        (url,) = await background.start(serving)
        own.port = urlsplit(url).port or 0
        yield own
        closed.set()


def request(*headers: str, body: str = "", version: str = "1.1") -> str:
    lines = [f"POST /first HTTP/{version}", "Host: localhost", *headers, "", body]
    return "\r\n".join(lines)


@pytest.mark.parametrize("chunked", ["Transfer-Encoding: chunked", "TRANSFER-encoding:\tChunked "])
@pytest.mark.parametrize("length", [0, 5, len(CHUNKS), 10_000])
@pytest.mark.parametrize("turned", [False, True])
async def test_request_with_length_and_chunks_is_refused_and_the_connection_closed(
    site: Site, chunked: str, length: int, turned: bool
) -> None:
    headers = [f"Content-Length: {length}", chunked]
    sent = request(*(reversed(headers) if turned else headers), body=CHUNKS)
    assert await site.exchange(sent) == (["400"], True)
    assert site.paths == []


@pytest.mark.parametrize(
    "headers",
    [
        ("Content-Length: 0", f"Content-Length: {len(SECOND)}"),
        (f"Content-Length: 0, {len(SECOND)}",),
        ("Content-Length: +0",),
        ("Content-Length: 0x0",),
        ("Content-Length: -1",),
        ("Content-Length: 0", "Transfer-Encoding : chunked"),
        ("Content-Length: 0", "Transfer-Encoding: xchunked"),
        ("Content-Length: 0", "Transfer-Encoding: chunked, identity"),
        ("Content-Length: 0", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
        ("Content-Length: 0", "Transfer-Encoding:\r\n chunked"),
    ],
)
async def test_request_with_faulty_length_is_refused_and_the_connection_closed(
    site: Site, headers: tuple[str, ...]
) -> None:
    statuses, closed = await site.exchange(request(*headers, body=SECOND))
    assert statuses in (["400"], ["501"])
    assert closed
    assert site.paths == []


async def test_old_request_with_chunks_is_refused(site: Site) -> None:
    sent = request("Transfer-Encoding: chunked", body=CHUNKS, version="1.0")
    assert await site.exchange(sent) == (["400"], True)
    assert site.paths == []


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (("Transfer-Encoding: chunked",), WHOLE_CHUNK),
        (("Transfer-Encoding: Chunked",), "0\r\n\r\n"),
        ((f"Content-Length: {len(SECOND)}",), SECOND),
        ((f"Content-Length: {len(SECOND)}", f"content-length: {len(SECOND)}"), SECOND),
        ((), ""),
    ],
)
async def test_requests_of_certain_length_share_a_connection(
    site: Site, headers: tuple[str, ...], body: str
) -> None:
    sent = request(*headers, body=body) * 2
    assert await site.exchange(sent) == (["200", "200"], False)
    assert site.paths == ["/first", "/first"]
