"""The replica's search engines, as shown in a real Chromium."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import attrs
import pytest
import trio

from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.finding import PREFERENCE, SHELL, find_browser
from tabwright.cdp.chromium.process import launch
from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.domains import page, runtime, target
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.pipe import PipeLink
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.testing.replica import ENGINES, Engine, EngineScenario, Replica, open_replica
from tabwright.testing.replica.engines.forms import has_duck
from tabwright.testing.replica.engines.results import Check, truth

pytestmark = pytest.mark.chromium

QUERY: Final = "why so?"
DUCK: Final = "https://html.duckduckgo.com/html/"
STARTPAGE: Final = "https://www.startpage.com/"
SEARCH: Final[dict[Engine, str]] = {
    "duckduckgo": f"{DUCK}?q=why+so%3F",
    "bing": "https://www.bing.com/search?q=why+so%3F",
    "brave": "https://search.brave.com/search?q=why+so%3F",
    "mojeek": "https://www.mojeek.com/search?q=why+so%3F",
    "startpage": STARTPAGE,
    "ecosia": "https://www.ecosia.org/search?q=why+so%3F",
    "google": "https://www.google.com/search?q=why+so%3F",
}
TITLES: Final[dict[Engine, str]] = {
    "duckduckgo": "#links > .web-result:not(.result--ad) h2 a",
    "bing": "#b_results > .b_algo:not(.b_ad) h2 a, #b_results > .b_rc_gb_template .tptt",
    "brave": '[data-type="web"] a[href^="http"] .title',
    "mojeek": "ul.results-standard h2 a",
    "startpage": ".result a.result-link[target] h2",
    "ecosia": '[data-test-id="mainline-result-web"] h2',
    "google": "#rso a > h3",
}


@attrs.frozen
class Tab:
    session: CDPSession
    replica: Replica

    async def open(self, url: str) -> None:
        await self.session.execute(page.navigate(url))
        await self.until("document.readyState === 'complete'")

    async def value(self, expression: str) -> object:
        reply = await self.session.execute(runtime.evaluate(expression))
        assert reply.exception_details is None, reply.exception_details
        return reply.result.value

    async def until(self, expression: str) -> None:
        guarded = f"(() => {{ try {{ return {expression}; }} catch {{ return false; }} }})()"
        with trio.fail_after(60):
            while not await self.holds(guarded):
                await trio.sleep(0.02)

    async def holds(self, expression: str) -> bool:
        try:
            return bool(await self.value(expression))
        except CommandFailed:  # the document is just being replaced
            return False

    async def click(self, selector: str) -> None:
        """Click an element with real mouse events."""
        await self.until(f"document.querySelector({json.dumps(selector)}).offsetWidth > 0")
        place = await self.value(
            f"""(() => {{
                const element = document.querySelector({json.dumps(selector)});
                element.scrollIntoView({{ block: "center" }});
                const {{ x, y, width, height }} = element.getBoundingClientRect();
                return JSON.stringify([x + Math.min(width / 2, 24), y + height / 2]);
            }})()"""
        )
        x, y = json.loads(str(place))
        for kind in ("mousePressed", "mouseReleased"):
            at = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            await self.session.execute(CDPCommand("Input.dispatchMouseEvent", at, Nothing))

    async def search(self, engine: Engine) -> None:
        await self.open(SEARCH[engine])
        if engine == "startpage":
            await self.submit("query")

    async def submit(self, field: str) -> None:
        """Fill in and submit the form of a start page."""
        await self.value(f"document.querySelector('[name={field}]').value = {json.dumps(QUERY)}")
        await self.click(f"form:has([name={field}]) [type=submit]")

    async def shows(self, engine: Engine, number: int = 1) -> None:
        """Wait until the page lists the expected results."""
        selector = json.dumps(TITLES[engine])
        text = f"[...document.querySelectorAll({selector})].map((title) => title.innerText.trim())"
        titles = [result.title for result in truth(engine, QUERY, number)]
        await self.until(f"{text}.join('|') === {json.dumps('|'.join(titles))}")


@pytest.fixture
async def tab() -> AsyncGenerator[Tab]:
    async with open_replica() as replica, browsing(replica) as session:
        replica.engines.play("google", EngineScenario())
        yield Tab(session, replica)


@asynccontextmanager
async def browsing(replica: Replica) -> AsyncGenerator[CDPSession]:
    path = find_browser((SHELL, *PREFERENCE)).path
    plan = LaunchPlan(path=path, extra_args=replica.chromium_args)
    async with launch(plan) as chromium, trio.open_nursery() as nursery:
        assert chromium.pipe is not None
        link = PipeLink(*chromium.pipe.take())
        connection = CDPConnection(link)
        nursery.start_soon(connection.run)
        created = await connection.root.execute(target.create_target(None))
        attached = await connection.root.execute(target.attach_to_target(created.target_id))
        yield connection.session(attached.session_id)
        nursery.cancel_scope.cancel()
        await link.aclose()


async def test_every_engine_shows_its_results(tab: Tab) -> None:
    for engine in ENGINES:
        await tab.search(engine)
        await tab.shows(engine)


async def test_duckduckgo_is_searched_by_its_forms(tab: Tab) -> None:
    await tab.open(DUCK)
    await tab.submit("q")
    await tab.shows("duckduckgo", 1)
    for number in (2, 3, 4):
        await tab.click(".nav-link [value=Next]")
        await tab.shows("duckduckgo", number)
    assert not await tab.value("!!document.querySelector('.nav-link [value=Next]')")
    assert [asked.page for asked in tab.replica.engines.asked] == [1, 1, 2, 3, 4]
    assert {seen.method for seen in tab.replica.log if "html/" in seen.path} == {"GET", "POST"}


async def test_startpage_is_searched_by_its_forms(tab: Tab) -> None:
    await tab.open(STARTPAGE)
    await tab.submit("query")
    await tab.shows("startpage", 1)
    await tab.click("button.pagination__next-button")
    await tab.shows("startpage", 2)
    codes = [asked.parameters["sc"] for asked in tab.replica.engines.asked if asked.query]
    assert len(set(codes)) == len(codes) == 2


@pytest.mark.parametrize("engine", ["duckduckgo", "bing", "google"])
async def test_a_wrapped_link_leads_to_its_page(tab: Tab, engine: Engine) -> None:
    await tab.search(engine)
    await tab.shows(engine)
    results = truth(engine, QUERY, 1)
    number = next(n for n, r in enumerate(results) if r.url.startswith("https://") and n % 2 == 0)
    await tab.value(
        f"location.href = document.querySelectorAll({json.dumps(TITLES[engine])})[{number}]"
        ".closest('a').href"
    )
    await tab.until(f"location.href === {json.dumps(results[number].url)}")
    await tab.until("!!document.querySelector('article, main')")


async def challenged(tab: Tab, engine: Engine, check: Check = "captcha") -> None:
    tab.replica.engines.play(engine, EngineScenario(captcha=True, startpage_check=check))
    await tab.search(engine)


async def test_duckduckgo_image_challenge_can_be_solved(tab: Tab) -> None:
    await challenged(tab, "duckduckgo")
    await tab.until("document.querySelectorAll('#challenge-form img').length === 9")
    await tab.until("[...document.images].every((image) => image.naturalWidth > 0)")
    names = await tab.value(
        "[...document.querySelectorAll('[type=checkbox]')].map((box) => box.name).join()"
    )
    for name in filter(has_duck, str(names).split(",")):
        await tab.click(f'input[name="{name}"]')
    await tab.click("#send")
    await tab.shows("duckduckgo")


async def test_bing_checkbox_in_a_cross_site_frame_can_be_ticked(tab: Tab) -> None:
    await challenged(tab, "bing")
    await tab.until("document.readyState === 'complete' && frames.length === 1")
    with trio.fail_after(60):
        while await tab.holds("!!document.querySelector('.cf-turnstile')"):
            await tab.click("iframe")
            await trio.sleep(0.1)
    await tab.shows("bing")


async def test_brave_proof_of_work_starts_only_on_a_real_click(tab: Tab) -> None:
    await challenged(tab, "brave")
    await tab.value("document.querySelector('#start').click()")  # of a script: not heard
    assert await tab.value("!!document.querySelector('#pow-captcha')")
    await tab.click("#start")
    await tab.shows("brave")


async def test_startpage_captcha_checkbox_can_be_ticked(tab: Tab) -> None:
    await challenged(tab, "startpage")
    await tab.until("location.pathname === '/sp/captcha'")
    await tab.click("#box")
    await tab.shows("startpage")


@pytest.mark.parametrize("check", ["anubis", "interstitial"])
async def test_startpage_automatic_checks_pass_without_interaction(tab: Tab, check: Check) -> None:
    await challenged(tab, "startpage", check)
    await tab.shows("startpage")


async def test_solved_google_captcha_leads_back_to_the_results(tab: Tab) -> None:
    await challenged(tab, "google")
    await tab.until("!!frames[0]?.document.querySelector('#recaptcha-anchor')")
    await tab.click("iframe")
    await tab.shows("google")
