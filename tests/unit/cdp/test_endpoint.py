"""From an address that a user knows to a WebSocket."""

from urllib.parse import urlsplit

import pytest
import trio

from tabwright.cdp.websocket import (
    EndpointUnreachable,
    public_part,
    seen_from_here,
    websocket_url,
)
from tabwright.testing.replica.server import Exchange, ServerResponse, open_server

ADDRESS = "ws://127.0.0.1:9222/devtools/browser/b"


@pytest.mark.parametrize("address", [ADDRESS, "wss://browser.example/b?token=t"])
async def test_websocket_url_is_returned_unchanged(address: str) -> None:
    assert await websocket_url(address) == address


@pytest.mark.parametrize("end", ["", "/"])
async def test_websocket_url_is_read_from_version_endpoint(end: str) -> None:
    async def answer(exchange: Exchange) -> None:
        assert exchange.path == "/json/version"
        body = b'{"Browser":"Chrome/1","webSocketDebuggerUrl":"%s"}' % ADDRESS.encode()
        await exchange.answer(ServerResponse(body, content_type="application/json"))

    async with open_server(answer, []) as port:
        found = await websocket_url(f"http://127.0.0.1:{port}{end}")
    assert found == f"ws://127.0.0.1:{port}/devtools/browser/b"


@pytest.mark.parametrize(
    "response",
    [
        ServerResponse(b"<h1>Hello</h1>"),
        ServerResponse(b"{}"),
        ServerResponse(b"\xff"),
        ServerResponse(status=404),
    ],
)
async def test_response_of_server_that_is_not_a_browser_is_refused(
    response: ServerResponse,
) -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.answer(response)

    async with open_server(answer, []) as port:
        with pytest.raises(EndpointUnreachable, match=f"127.0.0.1:{port}"):
            await websocket_url(f"http://127.0.0.1:{port}")


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:1", "http://", "9222", "http://a:b"])
async def test_unreachable_or_invalid_endpoint_is_refused(endpoint: str) -> None:
    with trio.fail_after(10), pytest.raises(EndpointUnreachable):
        await websocket_url(endpoint)


@pytest.mark.parametrize("scheme", ["", "ws://"])
async def test_address_without_path_is_looked_up_whatever_its_scheme(scheme: str) -> None:
    async def answer(exchange: Exchange) -> None:
        body = b'{"Browser":"Chrome/1","webSocketDebuggerUrl":"%s"}' % ADDRESS.encode()
        await exchange.answer(ServerResponse(body, content_type="application/json"))

    async with open_server(answer, []) as port:
        found = await websocket_url(f"{scheme}127.0.0.1:{port}")
    assert found == f"ws://127.0.0.1:{port}/devtools/browser/b"


@pytest.mark.parametrize(
    ("named", "endpoint", "reached"),
    [
        (
            "ws://127.0.0.1/b",
            "https://me:pw@proxy.example:8443",
            "wss://me:pw@proxy.example:8443/b",
        ),
        ("ws://0.0.0.0:3000/b?x=1", "http://steel.example:3001", "ws://steel.example:3001/b?x=1"),
        ("ws://proxy.example/b", "https://proxy.example", "wss://proxy.example/b"),
        ("wss://connect.example/b", "https://api.example", "wss://connect.example/b"),
    ],
)
def test_unreachable_advertised_address_is_replaced_by_endpoint(named, endpoint, reached) -> None:
    assert seen_from_here(named, urlsplit(endpoint)) == reached


@pytest.mark.parametrize(
    ("endpoint", "public"),
    [
        ("127.0.0.1:9222", "http://127.0.0.1:9222"),
        ("ws://me:secret@a.example:1/b?token=t", "ws://a.example:1"),
        ("http://a.example/?token=t", "http://a.example"),
    ],
)
def test_only_the_public_part_of_an_endpoint_is_shown(endpoint: str, public: str) -> None:
    assert public_part(endpoint) == public
