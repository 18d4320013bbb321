"""Settings of sessions and calls over MCP, with a fake browser and a fake web."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from random import Random

import pytest
import trio
from mcp.client.client import Client

from tabwright import Tabwright
from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import open_tabwright
from tabwright.config.loader import LayerRank, override, settings_from
from tabwright.mcp.tool import call_settings, request_layer
from tabwright.mcp.tools.browse import BrowseArguments
from tabwright.mcp.tools.navigation import NavigateArguments
from tabwright.protocol.errors import BadInput
from tabwright.testing.demo import text_of
from tabwright.testing.determinism import simulated_environment
from tabwright.testing.fake import FakePage, FakeSite, fake_launcher

WORDS = "Every task has a parent that waits for it. "
SHELL = '<html><body><div id="root"></div><script>build()</script></body></html>'
APP, LONG, LINKS = "https://app.example/", "https://long.example/", "https://links.example/"
SLOW = "https://slow.example/"
SITE = FakeSite(
    pages={
        APP: FakePage(f"<html><body><p>{WORDS * 30}</p></body></html>", static_html=SHELL),
        LONG: FakePage(f"<html><body><p>{WORDS * 300}</p></body></html>"),
        SLOW: FakePage(f"<html><body><p>{WORDS * 30}</p></body></html>", load_s=20),
        LINKS: FakePage(f"<html><body><p>{WORDS * 30}<a href='/next'>Next</a></p></body></html>"),
    }
)


@asynccontextmanager
async def opened(**settings: object) -> AsyncGenerator[tuple[Tabwright, Client]]:
    random = Random(0)
    environment = simulated_environment(fake_launcher(SITE, random), random)
    chosen = settings_from(override(acting__downloads=None, **settings))  # no real files
    async with open_tabwright(chosen, environment) as tabwright, trio.open_nursery() as nursery:
        async with Client(MCPGateway(tabwright, nursery).server) as client:
            yield tabwright, client


async def navigate(client: Client, url: str, **arguments: object) -> str:
    answer = await client.call_tool("navigate", {"url": url, **arguments})
    assert not answer.is_error, text_of(answer)
    return text_of(answer)


async def refusal(client: Client, tool: str, **arguments: object) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    assert answer.meta["tabwright/error"]["kind"] == "bad_input"
    return text_of(answer)


async def test_session_keeps_its_max_tier_for_later_calls(autojump_clock):
    async with opened() as (tabwright, client):
        await navigate(client, APP, session="s", settings={"reading.max_tier": 1})
        await navigate(client, APP, session="t")
        tiers = {one.name: one.tier for one in await tabwright.list_sessions()}
        assert tiers == {"s": 1, "t": 2}
        await navigate(client, APP, session="s")
        await navigate(client, APP, session="t", max_tier=1)
        tiers = {one.name: one.tier for one in await tabwright.list_sessions()}
        assert tiers == {"s": 1, "t": 1}


async def test_session_list_shows_the_settings_that_a_session_was_opened_with(autojump_clock):
    async with opened() as (_tabwright, client):
        await navigate(client, APP, session="s", settings={"reading.max_tier": 1})
        await navigate(client, APP, session="t")
        reported = text_of(await client.call_tool("session_list", {}))
    lines = {line.split(":")[0]: line for line in reported.splitlines()}
    assert "reading.max_tier=1" in lines["- s"]
    assert "reading" not in lines["- t"]


async def test_argument_of_a_call_overrides_its_session(autojump_clock):
    async with opened() as (tabwright, client):
        await navigate(client, APP, settings={"reading.max_tier": 1}, max_tier=2)
        [state] = await tabwright.list_sessions()
        assert state.tier == 2


async def test_session_limits_the_tokens_of_texts(autojump_clock):
    async with opened() as (_, client):
        short = await navigate(client, LONG, session="s", settings={"reading.max_tokens": 300})
        whole = await navigate(client, LONG, session="t")
        text = {"session": "s", "format": "markdown"}
        again = text_of(await client.call_tool("snapshot", text))
        more = text_of(await client.call_tool("snapshot", {**text, "max_tokens": 2000}))
    assert len(short) < 2000 < len(whole)
    assert len(again) < 2000 < len(more)


async def test_session_writes_links_in_its_own_style(autojump_clock):
    async with opened(reading__links="numbered") as (_, client):
        inline = await navigate(client, LINKS, session="s", settings={"reading.links": "inline"})
        call = {"session": "s", "links": "numbered"}
        numbered = text_of(await client.call_tool("snapshot", call))
    assert "[Next](https://links.example/next)" in inline
    assert "[Next](https://links.example/next)" not in numbered


async def test_session_limits_the_tokens_of_outlines(autojump_clock):
    async with opened() as (tabwright, client):
        own = {"reading.max_tokens": 1234}
        await navigate(client, LINKS, session="s", format="outline", settings=own)
        settings = await tabwright.session("s").settings()
    assert settings.reading.outline_tokens_max == 1234


async def test_session_can_forbid_scripts(autojump_clock):
    async with opened(acting__scripts=True) as (_, client):
        own = {"acting.scripts": False}
        await navigate(client, LINKS, session="s", format="outline", settings=own)
        reported = await refusal(client, "evaluate", script="1", session="s")
    assert "not allowed" in reported


async def test_session_cannot_allow_scripts(autojump_clock):
    async with opened() as (tabwright, client):
        own = {"acting.scripts": True}
        reported = await refusal(client, "navigate", url=LINKS, session="s", settings=own)
        assert await tabwright.list_sessions() == ()
    assert "cannot allow scripts" in reported


@pytest.mark.parametrize("form", ["markdown", "outline"])
async def test_session_has_its_own_time_out(form: str, autojump_clock):
    async with opened(network__page_timeout_s=30) as (tabwright, client):
        call = {"url": SLOW, "format": form, "min_tier": 2, "session": "s"}
        begun_s = trio.current_time()
        own = {"network.page_timeout_s": 5}
        late = await client.call_tool("navigate", {**call, "settings": own})
        took_s = trio.current_time() - begun_s
        assert late.meta["tabwright/error"]["kind"] == "timeout"
        assert 5 <= took_s < 15
        await navigate(client, SLOW, session="t", format=form, min_tier=2)
        assert (await tabwright.session("s").settings()).network.page_timeout_s == 5


async def test_settings_of_an_open_session_are_refused(autojump_clock):
    async with opened() as (_, client):
        await navigate(client, LINKS)
        for form in ("markdown", "outline"):
            own = {"reading.max_tier": 1}
            reported = await refusal(client, "navigate", url=LINKS, settings=own, format=form)
            assert "Session 'default' is already open" in reported
        await client.call_tool("session_close", {"session": "default"})
        await navigate(client, APP, settings={"reading.max_tier": 1})


@pytest.mark.parametrize(
    ("settings", "reported"),
    [
        ({"reading.max_tire": 1}, "Did you mean 'reading.max_tier'?"),
        ({"network.proxy": "none"}, "A session can set network.page_timeout_s, reading.max_tier"),
        ({"reading.max_tier": 7}, "reading.max_tier: "),
        ({"reading.max_tier": "1", "reading.max_tokens": 10**6}, "over the limit"),
    ],
)
async def test_wrong_session_settings_are_refused(
    settings: Mapping[str, object], reported: str, autojump_clock
):
    async with opened() as (tabwright, client):
        assert reported in await refusal(client, "navigate", url=LINKS, settings=settings)
        assert await tabwright.list_sessions() == ()


async def test_settings_are_forgotten_when_the_session_is_closed(autojump_clock):
    async with opened() as (tabwright, client):
        await navigate(client, LINKS, session="s", settings={"reading.max_tier": 1})
        await tabwright.session("s").close()
        assert await tabwright.session("s").settings() == tabwright.settings


async def test_program_opens_a_session_with_settings(autojump_clock):
    async with opened() as (tabwright, _):
        own = {"reading.max_tier": 1, "reading.max_tokens": 300}
        page = await tabwright.session("s").navigate(APP, settings=own)
        again = await tabwright.session("s").navigate(LONG)
        assert page.tier == 1
        assert again.truncation is not None
        await tabwright.session("s").enter(LINKS, settings=own)
        with pytest.raises(BadInput, match="already open"):
            await tabwright.session("s").enter(LINKS, settings={**own, "reading.max_tokens": 400})
        await tabwright.session("t").enter(LINKS, settings=own)
        assert (await tabwright.session("t").settings()).reading.max_tier == 1


async def test_settings_argument_is_not_listed(autojump_clock):
    async with opened() as (_, client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert "settings" not in tools["navigate"].input_schema["properties"]


# The order of the layers of a call.


async def test_call_overrides_session_and_session_overrides_user_settings(autojump_clock):
    async with opened(reading__max_tokens=900, reading__links="inline") as (tabwright, client):
        own = {"reading.max_tokens": 600, "reading.max_tier": 2}
        await navigate(client, LINKS, session="s", settings=own)
        reading = (
            await call_settings(tabwright, BrowseArguments(url=LINKS, session="s", max_tokens=300))
        ).reading
        assert (reading.max_tokens, reading.max_tier, reading.links) == (300, 2, "inline")
        plain = (await call_settings(tabwright, BrowseArguments(url=LINKS))).reading
        assert (plain.max_tokens, plain.max_tier, plain.links) == (900, 3, "inline")


def test_arguments_that_are_left_out_set_nothing() -> None:
    layer = request_layer(NavigateArguments(url=LINKS))
    assert (layer.rank, layer.entries) == (LayerRank.REQUEST, {})
