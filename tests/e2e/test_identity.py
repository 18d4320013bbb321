"""A profile has one identity in all tabs, with and without a window, in every run."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.browser_pool import BrowserPool, LeaseTab, TabUse
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.tab import Tab
from tabwright.protocol.web_search import WebSearch
from tabwright.testing.replica import Replica, Scenario, open_replica
from tabwright.testing.replica.engines.results import EngineScenario
from tabwright.testing.replica.server import Exchange, Seen, html, open_server
from tabwright.text.languages import accept_language

IN_TAB = ReadOptions(min_tier=2)
pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]


def identities(replica: Replica) -> set[tuple[str, str]]:
    """Return the pairs of user agent and client hints in the requests of pages."""
    return {(seen.user_agent, seen.hints) for seen in replica.log if seen.hints}


async def test_identity_is_the_same_in_every_tab_of_a_profile(client_on, profile):
    async with (
        open_replica(Scenario(step_s=0.01)) as replica,
        client_on(replica, profile) as tabwright,
    ):
        replica.engines.play("google", EngineScenario())
        await tabwright.search("Q?", language="en-US")
        await tabwright.search("Q?", language="ja-JP")
        await tabwright.web_search(WebSearch("q", ("google",)))
        await tabwright.read("https://news.example/", IN_TAB)
    ((agent, hints),) = identities(replica)
    assert "HeadlessChrome/" in agent  # we say what we are
    assert "Chromium" in hints


async def test_browser_without_a_profile_sends_client_hints(client_on, profile):
    without = {"browser__profile": None}
    async with (
        open_replica(Scenario(step_s=0.01)) as replica,
        client_on(replica, profile, **without) as tabwright,
    ):
        await tabwright.read("https://news.example/", IN_TAB)
    ((_, hints),) = identities(replica)
    assert "Chromium" in hints


@pytest.mark.usefixtures("screen")
async def test_profile_keeps_one_identity_in_headless_and_headed_mode(client_on, profile):
    async with open_replica(Scenario(step_s=0.01)) as replica:
        for headless in (True, False):
            async with client_on(replica, profile, browser__headless=headless) as tabwright:
                await tabwright.read("https://news.example/", IN_TAB)
                await tabwright.search("Q?", language="en-US")
    assert len(identities(replica)) == 1


@pytest.mark.nightly
@pytest.mark.usefixtures("screen")
async def test_headed_profile_has_no_headless_mark_in_its_user_agent(client_on, profile):
    async with open_replica(Scenario(step_s=0.01)) as replica:
        for _ in range(2):
            async with client_on(replica, profile, browser__headless=False) as tabwright:
                await tabwright.search("Q?", language="en-US")
    ((agent, _hints),) = identities(replica)
    assert "Headless" not in agent


LANGUAGES = "function f() { return JSON.stringify(navigator.languages) }"


@pytest.mark.parametrize(
    ("language", "header", "languages"),
    [
        ("ja-JP", "ja-JP,ja;q=0.9,en;q=0.8", ["ja-JP", "ja", "en"]),
        ("en-US", "en-US,en;q=0.9", ["en-US", "en"]),
    ],
)
async def test_language_is_set_in_the_header_and_for_scripts_like_browsers_do(
    client_on, profile, language, header, languages
):
    async with open_replica() as replica, client_on(replica, profile) as tabwright:
        over = trio.Event()
        lease = await tabwright.parts.supervisor.ask(
            BrowserPool.lease_tab, LeaseTab(over, TabUse.READING, "x")
        )
        await lease.tab.ask(Tab.navigate, "https://news.example/", accept_language(language))
        reported = await lease.tab.ask(Tab.run_script, LANGUAGES)
        over.set()
    assert {seen.accept_language for seen in replica.log if seen.host == "news.example"} == {header}
    assert json.loads(reported) == languages


async def test_ai_mode_search_sends_its_language_in_accept_language(client_on, profile):
    async with (
        open_replica(Scenario(step_s=0.01)) as replica,
        client_on(replica, profile) as tabwright,
    ):
        await tabwright.search("Q?", language="ja-JP")
    asked = {seen.accept_language for seen in replica.log if seen.path.startswith("/search")}
    assert asked == {"ja-JP,ja;q=0.9,en;q=0.8"}


SAID = """async function said() {
  const worker = new Worker(URL.createObjectURL(new Blob(["postMessage(navigator.userAgent)"])));
  const inWorker = await new Promise((done) => { worker.onmessage = ({ data }) => done(data) });
  return JSON.stringify({
    agent: navigator.userAgent, inWorker, webdriver: navigator.webdriver,
    plugins: navigator.plugins.length, brands: navigator.userAgentData?.brands ?? [],
    hover: matchMedia("(hover: hover)").matches,
  });
}"""


async def said_by(client_on, profile, **settings):
    """Return what a page's script can see of its browser."""
    async with open_replica() as replica, client_on(replica, profile, **settings) as tabwright:
        over = trio.Event()
        lease = await tabwright.parts.supervisor.ask(
            BrowserPool.lease_tab, LeaseTab(over, TabUse.READING, "x")
        )
        await lease.tab.ask(Tab.navigate, "https://news.example/")
        reported = json.loads(await lease.tab.ask(Tab.run_script, SAID))
        over.set()
    return reported


@pytest.mark.usefixtures("screen")
@pytest.mark.parametrize("kept", [pytest.param(True, marks=pytest.mark.nightly), False])
async def test_ordinary_identity_matches_that_of_a_headed_browser(client_on, profile, kept):
    where = {} if kept else {"browser__profile": None}
    shown = await said_by(
        client_on, profile, browser__identity="ordinary", browser__headless=False, **where
    )
    hidden = await said_by(client_on, profile, browser__identity="ordinary", **where)
    assert hidden == shown
    assert "Headless" not in json.dumps(hidden)
    assert hidden["webdriver"] is False
    assert hidden["agent"] == hidden["inWorker"]


async def test_default_identity_says_that_it_is_automated(client_on, profile):
    reported = await said_by(client_on, profile)
    assert reported["webdriver"] is True
    assert "HeadlessChrome/" in reported["agent"]


REPORTED = "JSON.stringify([navigator.doNotTrack, navigator.globalPrivacyControl])"
PRIVACY_PAGE = f"""<!doctype html><link rel=icon href=data:,>
<main><p>{"A page of this length is not waited for. " * 9}</p>Told: <span id=told></span></main>
<img src=/picture><iframe src="http://other.test/frame"></iframe><script>
  fetch("http://other.test/fetch").catch(() => {{ told.textContent = {REPORTED} }});
</script>"""


@asynccontextmanager
async def private_web(
    tmp_path: Path, **settings: object
) -> AsyncGenerator[tuple[Tabwright, list[Seen]]]:
    """Open a client on a site whose page requests content from other sites."""
    log: list[Seen] = []

    async def answer(exchange: Exchange) -> None:
        await exchange.answer(html(PRIVACY_PAGE if exchange.path == "/" else "<p>Other</p>"))

    async with open_server(answer, log) as port:
        chosen: dict[str, object] = {
            "browser__profile": None,
            "browser__extra_args": [f"--host-resolver-rules=MAP *.test 127.0.0.1:{port}"],
            "network__allow_private": True,
            "network__proxy": "none",
            "session__dir": str(tmp_path / "sessions"),
            **settings,
        }
        async with open_tabwright(settings_from(override(**chosen))) as tabwright:
            yield tabwright, log


@pytest.mark.parametrize(
    ("settings", "asks"),
    [
        ({}, True),
        ({"network__do_not_track": False}, False),
        ({"browser__identity": "ordinary"}, False),
    ],
    ids=["by default", "not asked for", "ordinary"],
)
async def test_privacy_signals_are_sent_in_headers_and_visible_to_scripts(settings, asks, tmp_path):
    async with private_web(tmp_path, **settings) as (tabwright, log):
        page = await tabwright.read("http://site.test/", ReadOptions(min_tier=3))
    reported = ["1", True] if asks else [None, None]
    assert f"Told: {json.dumps(reported, separators=(',', ':'))}" in page.text.replace("\\", "")
    assert {seen.path for seen in log} == {"/", "/picture", "/frame", "/fetch"}
    sent = {(seen.headers.get("dnt"), seen.headers.get("sec-gpc")) for seen in log}
    assert sent == {("1", "1") if asks else (None, None)}
    assert {seen.method for seen in log} == {"GET"}, "the headers need no preflight"
