"""The end of a server, with calls that are running."""

import signal

import httpx2
import pytest
import trio

from .conftest import INFO, HangingSite, post

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO}


async def asked_for(server, url, answers):
    opened = await post(server, "", "initialize", HELLO)
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
    page = {"name": "browse", "arguments": {"url": url, "max_tier": 1}}
    try:
        answers.append((await post(server, "", "tools/call", page, **session)).text)
    except httpx2.HTTPError:
        answers.append("")


async def test_a_running_call_is_finished_and_no_other_is_begun(open_http_server):
    answers = list[str]()
    async with HangingSite() as site, trio.open_nursery() as nursery:
        async with open_http_server() as server:
            nursery.start_soon(asked_for, server, site.url, answers)
            await site.asked.wait()
            server.process.send_signal(signal.SIGTERM)
            async with httpx2.AsyncClient() as http:
                with trio.fail_after(10):
                    while (await http.get(f"{server.origin}/ready")).status_code == 200:
                        await trio.sleep(0.05)
                assert (await http.get(f"{server.origin}/health")).status_code == 200
            late = await post(server, "", "initialize", HELLO)
            assert late.status_code == 503
            assert int(late.headers["retry-after"]) >= 1
            site.answers.set()
            with trio.fail_after(20):
                assert await server.process.wait() == 128 + signal.SIGTERM
    assert "At last" in answers[0]


@pytest.mark.parametrize("again", [False, True])
async def test_a_call_that_never_ends_is_given_up(open_http_server, again):
    """After the time of the settings, or at once by a second signal."""
    answers = list[str]()
    async with HangingSite() as site, trio.open_nursery() as nursery:
        async with open_http_server(server={"drain_s": 60 if again else 1}) as server:
            nursery.start_soon(asked_for, server, site.url, answers)
            await site.asked.wait()
            server.process.send_signal(signal.SIGTERM)
            if again:
                await trio.sleep(0.5)
                server.process.send_signal(signal.SIGTERM)
            with trio.fail_after(20):
                assert await server.process.wait() == 128 + signal.SIGTERM
    assert "At last" not in answers[0]
