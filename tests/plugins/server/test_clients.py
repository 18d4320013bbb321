"""Real clients of a server over HTTP, several at the same time, in a real browser."""

import pytest
import trio
from mcp.shared.exceptions import MCPError

from tabwright.testing.demo import text_of
from tabwright.testing.replica.server import Exchange, html, open_server
from tests.support.hanging_site import HangingSite

from .conftest import ANN, BOB, INFO, LEAVES_ITS_STREAMS, post

pytestmark = [pytest.mark.chromium, LEAVES_ITS_STREAMS]

OUTLINE = {"format": "outline"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_clients_of_both_protocol_eras_can_navigate(open_http_server, site, mode):
    async with open_http_server() as server, server.open_client(mode=mode) as client:
        assert "browse" in {tool.name for tool in (await client.list_tools()).tools}
        shown = await client.call_tool("navigate", {"url": site, **OUTLINE})
        assert "Cookie: none" in text_of(shown)
        assert not shown.is_error


async def test_clients_of_one_user_share_its_sessions(open_http_server, site):
    async with open_http_server() as server:
        async with server.open_client() as first:
            await first.call_tool("navigate", {"url": f"{site}?cookie=a=1", **OUTLINE})
        async with server.open_client() as second:
            shown = await second.call_tool("navigate", {"url": site, **OUTLINE})
        assert "Cookie: a=1" in text_of(shown)


@pytest.mark.smoke
async def test_sessions_of_different_users_are_isolated(open_http_server, site, tokens):
    async with (
        open_http_server("--token-file", tokens) as server,
        server.open_client(ANN) as ann,
        server.open_client(BOB) as bob,
    ):
        for way in (OUTLINE, {"max_tier": 1}):
            await ann.call_tool("navigate", {"url": f"{site}?cookie=a=1", **way})
            mine = await ann.call_tool("navigate", {"url": site, **way})
            theirs = await bob.call_tool("navigate", {"url": site, **way})
            assert "Cookie: a=1" in text_of(mine)
            assert "Cookie: none" in text_of(theirs)
        await bob.call_tool("session_close", {"session": "default"})
        assert not (await ann.call_tool("snapshot", {})).is_error
        assert (await bob.call_tool("snapshot", {})).is_error
        with pytest.raises(MCPError):
            await bob.read_resource("browser://sessions/default/state")


async def test_downloads_of_different_users_are_in_folders_of_their_own(
    open_http_server, tokens, tmp_path
):
    async def answer(exchange: Exchange) -> None:
        page = "<a href='data:text/plain,x' download=notes.txt>Get</a><input type=file id=pick>"
        await exchange.answer(html(page))

    folder = tmp_path / "downloads"
    async with (
        open_server(answer, []) as port,
        open_http_server("--token-file", tokens, acting={"downloads": str(folder)}) as server,
        server.open_client(ANN) as ann,
        server.open_client(BOB) as bob,
    ):
        for client in (ann, bob):
            await client.call_tool("navigate", {"url": f"http://127.0.0.1:{port}/", **OUTLINE})
            await client.call_tool("click", {"ref": "role=link[name=Get]"})
            await client.call_tool("download", {})
        paths = sorted(folder.rglob("notes*.txt"))
        assert [path.name for path in paths] == ["notes.txt", "notes.txt"]
        assert {path.parent.parent for path in paths} == {folder / "users"}
        anns, bobs = sorted(paths, key=lambda path: "bob" in path.parent.name)
        upload = {"ref": "css=#pick", "paths": [str(anns)]}
        assert not (await ann.call_tool("upload", upload)).is_error
        assert (await ann.call_tool("upload", {**upload, "paths": [str(bobs)]})).is_error


async def test_a_saved_session_is_found_by_its_user_alone(open_http_server, site, tokens):
    way = {"max_tier": 1, "session": "kept"}
    async with open_http_server("--token-file", tokens) as server:
        async with server.open_client(ANN) as ann:
            await ann.call_tool("navigate", {"url": f"{site}?cookie=a=1;max-age=999", **way})
            await ann.call_tool("session_save", {"session": "kept"})
    async with (
        open_http_server("--token-file", tokens) as server,
        server.open_client(ANN) as ann,
        server.open_client(BOB) as bob,
    ):
        for client, cookie in ((ann, "a=1"), (bob, "none")):
            shown = await client.call_tool("navigate", {"url": site, **way})
            assert f"Cookie: {cookie}" in text_of(shown)


async def test_a_session_of_another_user_cannot_be_continued(open_http_server, tokens):
    """Check the token, as the id of an MCP session is not a secret."""
    async with open_http_server("--token-file", tokens) as server:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO}
        opened = await post(server, ANN, "initialize", hello)
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        assert (await post(server, ANN, "tools/list", {}, **session)).status_code == 200
        assert (await post(server, BOB, "tools/list", {}, **session)).status_code == 404


async def test_twenty_clients_at_once_are_all_answered(open_http_server, site):
    done = list[str]()

    async def use(server, name):
        async with server.open_client() as client:
            page = {"url": f"{site}?cookie=n={name}", "session": name, "max_tier": 1}
            await client.call_tool("navigate", page)
            shown = await client.call_tool("navigate", {**page, "url": site})
            done.append(text_of(shown).partition("Cookie: ")[2].split()[0])

    async with open_http_server() as server, trio.open_nursery() as nursery:
        for number in range(20):
            nursery.start_soon(use, server, f"s{number}")
    assert sorted(done) == sorted(f"n=s{number}" for number in range(20))


async def test_call_beyond_the_rate_limit_gets_429_and_later_ones_pass(open_http_server):
    page = {"max_tier": 1}

    async def browse(status, url, seen):
        call = {"name": "browse", "arguments": {"url": url, **page}}
        answer = await post(server, "", "tools/call", call, **{"Mcp-Session-Id": session})
        assert answer.status_code == status
        seen.append(answer.headers.get("retry-after"))

    seen = list[str | None]()
    async with HangingSite() as site, open_http_server(server={"user_calls_max": 1}) as server:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO}
        session = (await post(server, "", "initialize", hello)).headers["mcp-session-id"]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(browse, 200, site.url, seen)
            await site.asked.wait()
            await browse(429, site.url + "other", seen)
            site.answers.set()
        for _ in range(5):  # each at once after the answer to the one before
            await browse(200, site.url + "other", seen)
    assert seen == ["1", *[None] * 6]
