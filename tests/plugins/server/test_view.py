"""The live view of a server over HTTP: the tabs that a link shows, and access to it."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx2
import pytest
import trio
import trio_websocket

from .conftest import ANN, BOB, LEAVES_ITS_STREAMS, RunningServer, connected, exchange

pytestmark = [pytest.mark.chromium, LEAVES_ITS_STREAMS]

UPGRADE = (
    "GET /view/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{origin}\r\n"
)


@asynccontextmanager
async def http() -> AsyncGenerator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(timeout=60) as client:
        yield client


async def new_link(server: RunningServer, token: str) -> httpx2.Response:
    async with http() as client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return await client.post(f"{server.origin}/view/links", headers=headers)


async def redeemed(server: RunningServer, link: str, **headers: str) -> httpx2.Response:
    async with http() as client:
        token = link.partition("#")[2]
        return await client.post(f"{server.origin}/view/session", content=token, headers=headers)


async def tabs_shown(server: RunningServer, session: str) -> list[str]:
    """Return the URLs of the tabs that the view lists, or ``refused``."""
    host = urlsplit(server.origin).netloc
    origin = [("Origin", server.origin)]
    async with await connected(server) as stream, trio.open_nursery() as nursery:
        socket = await trio_websocket.wrap_client_stream(
            nursery, stream, host, "/view/stream", extra_headers=origin
        )
        try:
            await socket.send_message(json.dumps({"t": "hello", "session": session}))
            with trio.fail_after(45):
                while True:
                    message = await socket.get_message()
                    if isinstance(message, str) and (listed := json.loads(message))["t"] == "tabs":
                        return [tab["url"] for tab in listed["tabs"]]
        except trio_websocket.ConnectionClosed:
            return ["refused"]
        finally:
            nursery.cancel_scope.cancel()
    return []


@pytest.mark.smoke
async def test_link_of_a_user_shows_only_the_tabs_of_that_user(open_http_server, tokens, site):
    async with open_http_server("--token-file", tokens) as server:
        for token, path in ((ANN, "ann"), (BOB, "bob")):
            async with server.open_client(token) as client:
                url = f"{site}{path}"
                opened = {"url": url, "session": "s", "format": "outline"}
                assert not (await client.call_tool("navigate", opened)).is_error
        assert (await new_link(server, "")).status_code == 401
        link = (await new_link(server, ANN)).json()["url"]
        assert link.startswith(f"{server.origin}/view#")
        session = (await redeemed(server, link)).json()["session"]
        assert await tabs_shown(server, session) == [f"{site}ann"]
        assert (await redeemed(server, link)).status_code == 403


async def test_view_rejects_missing_session_and_foreign_origin(open_http_server):
    async with open_http_server() as server:
        link = (await new_link(server, "")).json()["url"]
        foreign = {"Origin": "https://evil.example"}
        assert (await redeemed(server, link, **foreign)).status_code == 403
        assert (await redeemed(server, link, Host="evil.example")).status_code == 421
        for origin in ("", "Origin: https://evil.example\r\n", "Origin: null\r\n"):
            answer = await exchange(server, UPGRADE.format(origin=origin))
            assert answer.startswith(b"HTTP/1.1 403")
        assert await tabs_shown(server, "guessed") == ["refused"]
        assert (await redeemed(server, link)).status_code == 200  # it was not used up
        async with http() as client:
            page = await client.get(f"{server.origin}/view")
            other = await client.get(f"{server.origin}/view/../mcp")
            missing = await client.get(f"{server.origin}/view/secrets.env")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert page.headers["cache-control"] == "no-store"
    assert missing.status_code == 404
    assert other.status_code != 200


async def test_view_that_is_switched_off_is_not_served(open_http_server):
    async with open_http_server(view={"address": None}) as server:
        async with http() as client:
            assert (await client.get(f"{server.origin}/view")).status_code == 404
        assert (await new_link(server, "")).status_code == 404
