"""Shutdown of a server while calls are running."""

import json
import signal
import socket
from urllib.parse import urlsplit

import httpx2
import pytest
import trio

from tabwright.testing.replica.server import html, open_server
from tests.support.hanging_site import HangingSite

from .conftest import ACCEPTED, INFO, post

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO}


async def asked_for(server, url, answers):
    opened = await post(server, "", "initialize", HELLO)
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
    page = {"name": "browse", "arguments": {"url": url, "max_tier": 1}}
    try:
        answers.append((await post(server, "", "tools/call", page, **session)).text)
    except httpx2.HTTPError:
        answers.append("")


@pytest.mark.smoke
async def test_sigterm_lets_the_running_call_finish_and_refuses_new_ones(open_http_server):
    answers = list[str]()
    async with HangingSite() as site, trio.open_nursery() as nursery:
        async with open_http_server() as server:
            nursery.start_soon(asked_for, server, site.url, answers)
            await site.asked.wait()
            server.process.send_signal(signal.SIGTERM)
            async with httpx2.AsyncClient() as http:
                with trio.fail_after(45):
                    while (await http.get(f"{server.origin}/ready")).status_code == 200:
                        await trio.sleep(0.05)
                assert (await http.get(f"{server.origin}/health")).status_code == 200
            late = await post(server, "", "initialize", HELLO)
            assert late.status_code == 503
            assert int(late.headers["retry-after"]) >= 1
            site.answers.set()
            with trio.fail_after(60):
                assert await server.process.wait() == 128 + signal.SIGTERM
    assert "At last" in answers[0]


@pytest.mark.parametrize("again", [False, True])
async def test_endless_call_is_aborted_after_drain_time_or_second_signal(open_http_server, again):
    """End the call after the configured time, or at once by a second signal."""
    answers = list[str]()
    async with HangingSite() as site, trio.open_nursery() as nursery:
        async with open_http_server(server={"drain_s": 60 if again else 1}) as server:
            nursery.start_soon(asked_for, server, site.url, answers)
            await site.asked.wait()
            server.process.send_signal(signal.SIGTERM)
            if again:
                await trio.sleep(0.5)
                server.process.send_signal(signal.SIGTERM)
            with trio.fail_after(60):
                assert await server.process.wait() == 128 + signal.SIGTERM
    assert "At last" not in answers[0]


async def test_client_that_does_not_read_its_response_does_not_delay_shutdown(open_http_server):
    page = html("<title>T</title>" + "<p>A line of a long page.</p>" * 200_000)

    async def answer(exchange):
        await exchange.answer(page)

    async with open_server(answer, []) as port:
        async with open_http_server(server={"drain_s": 1}) as server:
            opened = await post(server, "", "initialize", HELLO)
            given = {"url": f"http://127.0.0.1:{port}/", "max_tier": 1, "max_tokens": 10_000_000}
            call = {"name": "browse", "arguments": given}
            asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
            body = json.dumps(asked)
            async with trio.SocketStream(trio.socket.socket()) as stream:
                # Small segments and a small window: the system takes 100 kB of the answer.
                stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                await stream.socket.connect(("127.0.0.1", urlsplit(server.url).port))
                head = (
                    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    f"Accept: {ACCEPTED}\r\nContent-Length: {len(body)}\r\n"
                    f"Mcp-Session-Id: {opened.headers['mcp-session-id']}\r\n\r\n"
                )
                await stream.send_all((head + body).encode())
                assert await stream.receive_some(1)
                await trio.sleep(2)
                server.process.send_signal(signal.SIGTERM)
                with trio.fail_after(60):
                    assert await server.process.wait() == 128 + signal.SIGTERM
