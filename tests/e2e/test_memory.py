"""Pages and browsers that use too much memory, in a real Chromium."""

import pytest
import trio

from tabwright import Environment
from tabwright.actors.kit.tracing import ActorStopped, ActorSystem, TraceRecord
from tabwright.app import open_tabwright
from tabwright.browser import watchdogs
from tabwright.config.loader import override, settings_from
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import Evaluate, TakeOutline
from tabwright.testing.replica.site import open_site

pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

IN_TAB = ReadOptions(min_tier=2)
BROWSER = "page-browser-0"
LEAVE = {"network__allow_private": True, "network__proxy": "none", "browser__profile": None}

HOARD = """
globalThis.hoard = [];
const take = () => { hoard.push(new Uint8Array(50e6).fill(1)); setTimeout(take, 20); };
take();
"""


async def test_page_exceeding_its_memory_limit_is_ended_and_no_other(monkeypatch):
    monkeypatch.setattr(watchdogs, "PAGE_BYTES_MAX", 500_000_000)
    settings = settings_from(override(acting__scripts=True, **LEAVE))
    async with open_site() as site, open_tabwright(settings) as tabwright:
        for session in ("good", "bad"):
            await tabwright.session(session).enter(site.url("/article"))
        before = await tabwright.session("good").inspect(TakeOutline())
        await tabwright.session("bad").inspect(Evaluate(HOARD))
        with trio.fail_after(60), pytest.raises(PageFailed, match=r"lost|crashed"):
            while True:
                await tabwright.session("bad").inspect(TakeOutline())
                await trio.sleep(0.2)
        assert await tabwright.session("good").inspect(TakeOutline()) == before
        after = await tabwright.session("bad").inspect(TakeOutline())
        assert after.title == before.title


async def test_browser_over_its_memory_limit_is_replaced_between_jobs():
    settings = settings_from(override(browser__memory_bytes_max=1_000_000, **LEAVE))
    trace: list[TraceRecord] = []
    environment = Environment(system=ActorSystem(tracer=trace.append))
    async with open_site() as site, open_tabwright(settings, environment) as tabwright:
        await tabwright.read(site.url("/article"), IN_TAB)
        with trio.fail_after(60):
            while not any(one.memory_bytes for one in (await tabwright.pool()).workers):
                await trio.sleep(0.1)
        assert "nurseries" in (await tabwright.read(site.url("/article"), IN_TAB)).title
    ended = [one for one in trace if isinstance(one, ActorStopped) and one.actor == BROWSER]
    assert len(ended) == 2  # the second one with the client


async def test_session_keeps_its_page_when_its_browser_exceeds_the_memory_limit():
    settings = settings_from(override(browser__memory_bytes_max=1_000_000, **LEAVE))
    async with open_site() as site, open_tabwright(settings) as tabwright:
        await tabwright.session("kept").enter(site.url("/article"))
        with trio.fail_after(60):
            while not any(one.memory_bytes for one in (await tabwright.pool()).workers):
                await trio.sleep(0.1)
        await tabwright.read(site.url("/article"), IN_TAB)
        assert "nurseries" in (await tabwright.session("kept").inspect(TakeOutline())).title
