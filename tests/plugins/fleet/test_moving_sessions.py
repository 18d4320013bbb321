"""Sessions move with their state between two servers of a fleet."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from random import Random

import pytest
import trio

from tabwright.plugins.fleet.redis import Script, open_redis
from tabwright.plugins.fleet.settings import FleetSettings
from tabwright.testing.demo import text_of
from tests.plugins.server.conftest import ANN, BOB, LEAVES_ITS_STREAMS

pytestmark = LEAVES_ITS_STREAMS

WAIT_S = 60.0
"""A busy machine is slow; what must be quick is measured by the simulation."""

READ = Script("read", "return redis.call('HGET', KEYS[1], ARGV[1]) or ''", "3" * 40)


@pytest.fixture
def open_member(open_http_server, fleet_settings: FleetSettings):
    """Start a server of the fleet by its name, with options."""

    @asynccontextmanager
    async def opened(worker: str, *options: str, **how):
        fleet = {"redis": fleet_settings.redis, "name": fleet_settings.name, "worker": worker}
        async with open_http_server(*options, fleet=fleet, **how) as server:
            yield server

    return opened


@pytest.fixture
async def stored(fleet_settings: FleetSettings) -> AsyncGenerator:
    """Wait until a field of a session in Redis contains a text."""
    async with open_redis(fleet_settings, Random(1)) as redis:

        async def wait(field: str, text: str, user: str = "", session: str = "shop") -> None:
            key = redis.key("session", user, session)
            with trio.fail_after(WAIT_S):
                while text not in await redis.run(READ, [key], [field], reply=str):
                    await trio.sleep(0.1)

        yield wait


async def called(client, tool: str, **arguments) -> str:
    """Call a tool until it succeeds, and return its text; errors must be retryable."""
    with trio.fail_after(WAIT_S):
        while True:
            result = await client.call_tool(tool, {"session": "shop", **arguments})
            if not result.is_error:
                return text_of(result)
            assert result.meta["tabwright/error"]["retryable"], text_of(result)


async def shown(client, url: str, **way) -> str:
    """Navigate the session to a URL, and return the page's text."""
    return await called(client, "navigate", url=url, **{"max_tier": 1, **way})


async def test_killed_server_leaves_its_session_to_another(open_member, site, stored):
    async with open_member("b") as second, second.open_client() as other:
        async with open_member("a", dies=True) as first:
            async with first.open_client() as client:
                await shown(client, f"{site}?cookie=a=1")
            await stored("live", "a=1")
            first.process.kill()
            await first.process.wait()
            text = await shown(other, site)
    assert "Cookie: a=1" in text
    assert "moved here from a" in text


@pytest.mark.smoke
async def test_server_that_ends_hands_its_sessions_over(open_member, site, stored):
    async with open_member("b") as second, second.open_client() as other:
        async with open_member("a") as first, first.open_client() as client:
            await shown(client, f"{site}?cookie=a=1")
            await stored("live", "a=1")  # a busy machine can be too slow to save it at the end
        await called(other, "snapshot", format="links")
        text = await shown(other, "reload")
    assert "Cookie: a=1" in text
    assert "moved here from a" in text


async def test_session_is_handed_over_while_both_servers_live(open_member, site):
    async with (
        open_member("a") as first,
        open_member("b") as second,
        first.open_client() as client,
        second.open_client() as other,
    ):
        await shown(client, f"{site}?cookie=a=1")
        assert "Cookie: a=1" in await shown(other, site)
        await shown(other, f"{site}?cookie=b=2")
        assert "a=1; b=2" in await shown(client, site)


async def test_session_of_another_user_does_not_move(open_member, site, tokens, stored):
    way = ("--token-file", tokens)
    async with (
        open_member("a", *way) as first,
        open_member("b", *way) as second,
        first.open_client(ANN) as ann,
        second.open_client(BOB) as bob,
    ):
        await shown(ann, f"{site}?cookie=a=1")
        await stored("live", "a=1", user="ann")
        assert "Cookie: none" in await shown(bob, site)
        assert "Cookie: a=1" in await shown(ann, site)


@pytest.mark.chromium
async def test_open_page_of_a_killed_server_is_reloaded_on_another(open_member, site, stored):
    async with open_member("b") as second, second.open_client() as other:
        async with open_member("a", dies=True) as first:
            async with first.open_client() as client:
                await shown(client, f"{site}?cookie=a=1", format="outline", max_tier=3)
            await stored("live", '"page":{')
            await stored("live", "a=1")
            first.process.kill()
            await first.process.wait()
            text = await called(other, "snapshot")
            again = await called(other, "snapshot", format="outline")
    assert "Cookie: a=1" in text
    assert "moved here from a" in text
    assert "lost: form fields" in text
    assert "form fields" not in again


@pytest.mark.chromium
async def test_moved_session_keeps_tabs_and_typed_text_but_no_passwords(open_member, site):
    async with (
        open_member("a") as first,
        open_member("b") as second,
        first.open_client() as client,
        second.open_client() as other,
    ):
        await shown(client, f"{site}?number=1", format="outline", max_tier=3)
        await called(client, "type", ref="label=City", text="Graz")
        await called(client, "type", ref="css=[name=pin]", text="4711")
        await called(client, "tabs", action="open", url=f"{site}?number=2")
        await called(client, "tabs", action="switch", tab=1)
        outline = await called(other, "snapshot")
        tabs = await called(other, "tabs", action="list")
    assert "moved here from a" in outline
    assert "Graz" in outline
    assert "4711" not in outline
    assert "number=1" in tabs
    assert "number=2" in tabs
