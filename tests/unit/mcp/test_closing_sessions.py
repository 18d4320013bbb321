"""``session_close`` over MCP, for one session or for all of them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import trio
from mcp.client.client import Client

from tabwright import Tabwright
from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.testing.demo import text_of
from tabwright.testing.determinism import simulated_environment
from tabwright.testing.fake import FakePage, FakeSite, fake_launcher

URL = "https://a.example/"
NAMES = ("one", "two", "three")


@asynccontextmanager
async def sessions(folder: Path) -> AsyncGenerator[tuple[Tabwright, Client]]:
    random = Random(0)
    site = FakeSite(pages={URL: FakePage("<html><body><p>Page</p></body></html>")})
    environment = simulated_environment(fake_launcher(site, random), random)
    settings = settings_from(override(session__dir=str(folder), acting__downloads=None))
    async with open_tabwright(settings, environment) as tabwright, trio.open_nursery() as nursery:
        async with Client(MCPGateway(tabwright, nursery).server) as client:
            for name in NAMES:
                await client.call_tool("navigate", {"url": URL, "session": name})
            yield tabwright, client


async def test_close_one_session_leaves_the_others_open(tmp_path, autojump_clock):
    async with sessions(tmp_path) as (tabwright, client):
        await client.call_tool("session_close", {"session": "two"})
        assert {state.name for state in await tabwright.list_sessions()} == {"one", "three"}


async def test_close_all_sessions_leaves_none_open(tmp_path, autojump_clock):
    async with sessions(tmp_path) as (tabwright, client):
        result = await client.call_tool("session_close", {"all": True})
        assert all(name in text_of(result) for name in NAMES)
        assert await tabwright.list_sessions() == ()
        again = await client.call_tool("session_close", {"all": True})
        assert not again.is_error


async def test_close_without_a_session_is_refused_and_closes_none(tmp_path, autojump_clock):
    async with sessions(tmp_path) as (tabwright, client):
        result = await client.call_tool("session_close", {})
        assert result.meta["tabwright/error"]["kind"] == "bad_input"
        assert len(await tabwright.list_sessions()) == len(NAMES)
