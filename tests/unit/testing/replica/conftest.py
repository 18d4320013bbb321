import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from urllib.parse import urlsplit

import attrs
import httpx2
import msgspec
import pytest
import trio
from selectolax.lexbor import LexborHTMLParser

from tabwright.testing.replica import Replica, Scenario, Site, open_replica, open_site


@pytest.fixture
async def replica() -> AsyncGenerator[Replica]:
    async with open_replica(Scenario(step_s=0)) as running:
        yield running


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with open_site() as running:
        yield running


@pytest.fixture
async def client() -> AsyncGenerator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(verify=False) as running:
        yield running


@pytest.fixture
def visit(
    replica: Replica, client: httpx2.AsyncClient
) -> Callable[..., Awaitable[httpx2.Response]]:
    """Return a function that requests a URL of any host from the replica."""

    async def visit(
        url: str, *, method: str = "GET", cookie: str = "", form: dict[str, str] | None = None
    ) -> httpx2.Response:
        parts = urlsplit(url)
        here = parts._replace(netloc=f"127.0.0.1:{replica.port}").geturl()
        headers = {"Host": parts.netloc, "Cookie": cookie}
        return await client.request(method, here, headers=headers, data=form)

    return visit


@pytest.fixture
def shell(
    visit: Callable[..., Awaitable[httpx2.Response]],
) -> Callable[..., Awaitable[LexborHTMLParser]]:
    """Return a function that loads a page and checks that its status is 200."""

    async def shell(url: str) -> LexborHTMLParser:
        response = await visit(url)
        assert response.status_code == 200
        return LexborHTMLParser(response.text)

    return shell


@pytest.fixture
def watch(
    visit: Callable[..., Awaitable[httpx2.Response]],
) -> Callable[..., Awaitable[list[dict[str, object]]]]:
    """Return a function that reads an answer stream to its end and returns its frames."""

    async def watch(url: str) -> list[dict[str, object]]:
        return frames_in((await visit(url)).content)

    return watch


def frames_in(data: bytes) -> list[dict[str, object]]:
    guard, _, data = data.partition(b"\n")
    assert guard == b")]}'"
    frames = []
    while data:
        length, _, data = data.partition(b";")
        frames.append(msgspec.json.decode(data[: int(length, 16)], type=dict[str, object]))
        data = data[int(length, 16) :]
    return frames


@attrs.frozen
class Listener:
    """A connection with a sent request, whose response is read piece by piece."""

    stream: trio.SSLStream[trio.SocketStream]

    async def until(self, mark: bytes) -> bytes:
        data = b""
        while mark not in data:
            piece = await self.stream.receive_some()
            assert piece, f"closed without {mark!r}"
            data += piece
        return data

    async def hears_nothing(self) -> bool:
        """Return whether neither data nor the end of the stream arrives within 0.05 s."""
        with trio.move_on_after(0.05) as patience:
            await self.stream.receive_some()
        return patience.cancelled_caught


@pytest.fixture
def listen(replica: Replica) -> Callable[[str], AbstractAsyncContextManager[Listener]]:
    """Return a context manager that requests a path of Google from the replica."""

    @asynccontextmanager
    async def listen(path: str) -> AsyncGenerator[Listener]:
        trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        async with await trio.open_ssl_over_tcp_stream(
            "127.0.0.1", replica.port, ssl_context=trusting, https_compatible=True
        ) as stream:
            request = f"GET {path} HTTP/1.1\r\nHost: www.google.com\r\n\r\n"
            await stream.send_all(request.encode())
            yield Listener(stream)

    return listen
