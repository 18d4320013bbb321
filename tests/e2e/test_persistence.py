"""A kept profile of a real Chromium: what lasts, and two servers that want it."""

from functools import partial
from pathlib import Path
from subprocess import DEVNULL

import mcp_types as mcp
import pytest
import trio

from tabwright import Settings
from tabwright.actors.browser_actor import RESTART_POLICY, browser_actor
from tabwright.actors.kit.supervision import supervise
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.browser.launch import chosen_browser, open_browser
from tabwright.browser.running import BrowserRole
from tabwright.browser.worker import LastStart
from tabwright.cdp.domains import page
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.loader import override, settings_from
from tabwright.http.net import NetworkBackend
from tabwright.http.proxy_discovery import ProxyFinder
from tabwright.page.open_page import PageOptions, open_page
from tabwright.testing.demo import record_of
from tabwright.testing.replica import open_replica
from tabwright.testing.replica.server import Exchange, Seen, ServerResponse, open_server
from tabwright.text.languages import texts_of

pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

TOOL = "google_ai_search"
QUESTION = {"query": "Q?", "language": "en-US"}
DIRECT = ProxyFinder("none")
NOT_KEPT = texts_of("en-US").profile_in_use
ONE_HOUR = (("Set-Cookie", "visited=yes; Max-Age=3600"),)


@pytest.fixture
def write_config(write_config):
    """Write settings of a server that returns structured content."""
    return partial(write_config, mcp={"structured_content": True})


async def welcome(exchange: Exchange) -> None:
    """Set a cookie that lasts an hour."""
    await exchange.answer(ServerResponse(b"<h1>Welcome</h1>", headers=ONE_HOUR))


async def visit(settings: Settings, port: int, worker: int = 0) -> None:
    """Start a browser, open a page in its default context, and stop the browser."""
    opening = partial(open_browser, settings, DIRECT, NetworkBackend(), worker)
    life = partial(browser_actor, opening, LastStart().see, settings.browser, None, None)
    async with supervise(ActorSystem(), "browser", life, RESTART_POLICY) as address:
        running = await address.ask(BrowserRole.running)
        async with open_page(running, PageOptions(context="")) as opened:
            await opened.session.execute(page.navigate(f"http://127.0.0.1:{port}/"))


@pytest.mark.parametrize("port_base", [None, 0], ids=["pipe", "websocket"])
async def test_a_cookie_outlives_the_browser(profile: Path, port_base: int | None) -> None:
    log: list[Seen] = []
    chosen = override(
        network__allow_private=True, browser__profile=str(profile), browser__port_base=port_base
    )
    async with open_server(welcome, log) as port:
        for _ in range(3):
            await visit(settings_from(chosen), port)
    assert [seen.cookie for seen in log if seen.path == "/"] == ["", "visited=yes", "visited=yes"]


async def test_workers_do_not_share_their_cookies(profile: Path) -> None:
    log: list[Seen] = []
    settings = settings_from(override(network__allow_private=True, browser__profile=str(profile)))
    async with open_server(welcome, log) as port:
        for worker in (0, 1, 0, 1):
            await visit(settings, port, worker)
    seen = [seen.cookie for seen in log if seen.path == "/"]
    assert seen == ["", "", "visited=yes", "visited=yes"]


async def test_temporary_profile_keeps_no_cookies() -> None:
    log: list[Seen] = []
    chosen = override(network__allow_private=True, browser__profile=None)
    async with open_server(welcome, log) as port:
        for _ in range(2):
            await visit(settings_from(chosen), port)
    assert [seen.cookie for seen in log if seen.path == "/"] == ["", ""]


async def test_second_client_on_a_profile_answers_with_a_notice(
    profile, write_config, open_client
) -> None:
    async with open_replica() as replica:
        config = write_config(replica, browser={"profile": str(profile)})
        async with open_client(config) as first, open_client(config) as second:
            owner = sound_record_of(await first.call_tool(TOOL, QUESTION))
            other = sound_record_of(await second.call_tool(TOOL, QUESTION))
        async with open_client(config) as client:
            after = sound_record_of(await client.call_tool(TOOL, QUESTION))
    assert owner["ai_answer"]
    assert other["ai_answer"]
    assert after["ai_answer"]
    assert [owner["warning"], other["warning"], after["warning"]] == ["", NOT_KEPT, ""]


@pytest.mark.nightly
async def test_a_profile_whose_owner_was_killed_is_taken_over(
    profile, write_config, open_client, processes
) -> None:
    async with open_replica() as replica:
        config = write_config(replica, browser={"profile": str(profile)})
        async with open_client(config) as client:
            await client.call_tool(TOOL, QUESTION)
            browsers = processes.browsers(config)
            processes.kill(processes.servers(config) | browsers)
            assert await processes.gone(browsers)
        assert (profile / "tabwright-00" / "SingletonLock").is_symlink()
        async with open_client(config) as client:
            record = sound_record_of(await client.call_tool(TOOL, QUESTION))
    assert record["ai_answer"]
    assert record["warning"] == ""


async def test_profile_in_use_by_the_users_browser_is_left_alone(profile: Path) -> None:
    chosen = settings_from(override(network__allow_private=True, browser__profile=str(profile)))
    taken = profile / "tabwright-00"
    command = [
        str(chosen_browser(chosen.browser).path),
        "--headless=new",
        "--no-sandbox",
        f"--user-data-dir={taken}",
        "about:blank",
    ]
    async with background_nursery() as nursery:
        theirs = await nursery.start(
            partial(trio.run_process, command, check=False, stderr=DEVNULL)
        )
        with trio.fail_after(60):
            while not (taken / "SingletonSocket").exists():
                await trio.sleep(0.02)
        async with open_browser(chosen, DIRECT, NetworkBackend(), 0) as opened:
            assert opened.notice.startswith(f"The profile {taken} is in use by process ")
        assert theirs.returncode is None


def sound_record_of(result: mcp.CallToolResult) -> dict[str, object]:
    assert not result.is_error, result.content
    assert record_of(result) is not None
    return record_of(result)
