"""Fixtures for HTTP servers in their own processes, and their real clients."""

import os
import signal
import subprocess
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import attrs
import httpx2
import pytest
import trio
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tabwright.concurrency.lines import LineReader
from tabwright.testing.replica.server import Exchange, Seen, html, open_server

START_S = 60
END_S = 30
ANN, BOB = "ann-has-a-long-token-of-her-own", "bob-has-a-long-token-of-his-own"


LEAVES_ITS_STREAMS = pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <async_generator:pytest.PytestUnraisableExceptionWarning"
)
"""The SDK's client does not close the generators of streams: of the standing one in the older
protocols, and in all of an answer that takes the server more than a moment."""


@attrs.frozen(eq=False)
class RunningServer:
    """A running server and the URL that it printed."""

    url: str
    process: trio.Process

    @property
    def origin(self) -> str:
        return self.url.removesuffix("/mcp")

    @asynccontextmanager
    async def open_client(self, token: str = "", mode: str = "auto") -> AsyncGenerator[Client]:
        """Connect with the client of the SDK."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, mode=mode) as client:
                yield client


OpenHTTPServer = Callable[..., AbstractAsyncContextManager[RunningServer]]


@pytest.fixture
def open_http_server(write_config, tmp_path: Path, quick_tabwright: list[str]) -> OpenHTTPServer:
    """Start `tabwright serve --http` with options and settings; end it by SIGTERM."""

    @asynccontextmanager
    async def opened(
        *options: str,
        bind: str = "127.0.0.1:0",
        dies: bool = False,
        **groups: dict[str, object],
    ) -> AsyncGenerator[RunningServer]:
        kept = {"session": {"dir": str(tmp_path / "sessions")}, "log": {"dir": None}}
        config = write_config(**{**kept, **groups})
        command = [*quick_tabwright, "serve", "--http", bind, *options]
        command += ["--config", str(config)]
        async with trio.open_nursery() as nursery:
            run = partial(
                trio.run_process, stdout=subprocess.PIPE, check=False, env=dict(os.environ)
            )
            process = await nursery.start(run, command)
            with trio.fail_after(START_S):
                line = await LineReader(process.stdout).receive()
            assert line is not None, "the server did not start"
            try:
                yield RunningServer(line.decode().split()[-1], process)
            finally:
                with trio.CancelScope(shield=True), trio.fail_after(END_S):
                    if process.returncode is None:
                        process.send_signal(signal.SIGTERM)
                    ended = -signal.SIGKILL if dies else 128 + signal.SIGTERM
                    assert await process.wait() == ended

    return opened


@pytest.fixture
def tokens(tmp_path: Path) -> str:
    """The path of a file with the tokens of two users."""
    path = tmp_path / "tokens"
    path.write_text(f"# of the test\nann {ANN}\nbob {BOB}\n")
    return str(path)


@pytest.fixture
async def site() -> AsyncGenerator[str]:
    """The URL of a page that shows its cookie, sets one by query, and has a form."""
    log = list[Seen]()

    async def answer(exchange: Exchange) -> None:
        cookie = exchange.query.get("cookie", "")
        text = f"<title>T</title><p>Cookie: {exchange.seen.cookie or 'none'}</p>"
        text += "<form><input name=city aria-label=City><input name=pin type=password></form>"
        await exchange.answer(html(text, cookie=cookie))

    async with open_server(answer, log) as port:
        yield f"http://127.0.0.1:{port}/"


INFO = {"name": "test", "version": "1"}
ACCEPTED = "application/json, text/event-stream"


async def post(
    server: RunningServer, token: str, method: str, params: Mapping[str, object], **headers: str
) -> httpx2.Response:
    """Send one JSON-RPC request without the SDK, and return the response."""
    given = {"Accept": ACCEPTED, **headers}
    if token:
        given["Authorization"] = f"Bearer {token}"
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    async with httpx2.AsyncClient(timeout=60) as http:
        return await http.post(server.url, json=body, headers=given)


async def connected(server: RunningServer) -> trio.SocketStream:
    """Open a TCP connection to a server."""
    return await trio.open_tcp_stream("127.0.0.1", urlsplit(server.url).port)


async def exchange(server: RunningServer, request: str) -> bytes:
    """Send a raw request, and return the beginning of the answer."""
    async with await connected(server) as stream:
        with suppress(trio.BrokenResourceError):  # it has answered before it read all
            await stream.send_all(request.encode())
        with trio.fail_after(START_S):
            return bytes(await stream.receive_some(1 << 16))


@pytest.fixture
def run_tabwright(
    tmp_path: Path, quick_tabwright: list[str]
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a `tabwright` command to completion."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*quick_tabwright, *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=START_S, check=False, cwd=tmp_path
        )

    return run
