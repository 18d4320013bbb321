"""The shipped parsers on the replica's engines, without a browser."""

from collections.abc import AsyncGenerator
from datetime import date
from urllib.parse import urljoin, urlsplit

import httpx2
import pytest
from selectolax.lexbor import LexborHTMLParser

from tabwright.config.search_parsers import load_parsers
from tabwright.protocol.web_search import ResultPage, ResultPageStatus, SerpEntry, WebQuery
from tabwright.search.serp.page_requests import page_request
from tabwright.search.serp.parser import read_result_page
from tabwright.testing.replica import (
    ENGINES,
    Engine,
    EngineScenario,
    Replica,
    Scenario,
    open_replica,
)
from tabwright.testing.replica.engines.results import PAGES, Check, truth

PARSERS = load_parsers()
QUERY = "is unusual activity a captcha?"
TODAY = date(2025, 3, 31)


class Visitor:
    """A client that follows page requests, redirects and forms as a browser would."""

    def __init__(self, replica: Replica, client: httpx2.AsyncClient) -> None:
        self.replica = replica
        self._client = client

    async def read(self, engine: Engine, page: int = 1, query: str = QUERY) -> ResultPage:
        request = page_request(PARSERS[engine], WebQuery(query, page), TODAY)
        shown = await self._load(request.url)
        if request.form is not None:
            shown = await self._submit(shown, request.form.selector, dict(request.form.fields))
        for selector in request.next_forms:
            shown = await self._submit(shown, selector, {})
        url, response = shown
        parser = PARSERS[engine]
        return read_result_page(parser, response.text, url, response.status_code, page)

    async def _load(
        self, url: str, form: dict[str, str] | None = None
    ) -> tuple[str, httpx2.Response]:
        parts = urlsplit(url)
        here = parts._replace(netloc=f"127.0.0.1:{self.replica.port}").geturl()
        method = "GET" if form is None else "POST"
        headers = {"Host": parts.netloc}
        response = await self._client.request(method, here, headers=headers, data=form)
        if location := response.headers.get("location"):
            return await self._load(urljoin(url, location))
        return url, response

    async def _submit(
        self, shown: tuple[str, httpx2.Response], selector: str, fields: dict[str, str]
    ) -> tuple[str, httpx2.Response]:
        url, response = shown
        form = LexborHTMLParser(response.text).css_first(selector)
        if form is None:
            return shown
        there = {
            str(field.attributes["name"]): field.attributes.get("value") or ""
            for field in form.css("input[name]")
        }
        return await self._load(urljoin(url, form.attributes["action"]), {**there, **fields})


@pytest.fixture
async def visitor() -> AsyncGenerator[Visitor]:
    async with open_replica(Scenario(step_s=0)) as replica:
        async with httpx2.AsyncClient(verify=False) as client:
            replica.engines.play("google", EngineScenario())
            yield Visitor(replica, client)


@pytest.mark.parametrize("engine", ENGINES)
async def test_every_page_of_every_engine_is_read(visitor: Visitor, engine: Engine) -> None:
    for page in range(1, PAGES + 1):
        read = await visitor.read(engine, page)
        expected = [
            SerpEntry(r.title, r.url, r.snippet, r.date) for r in truth(engine, QUERY, page)
        ]
        assert list(read.found) == expected
        assert read.verdict is ResultPageStatus.RESULTS
        assert not read.message


@pytest.mark.parametrize("engine", sorted(set(ENGINES) - {"duckduckgo", "startpage"}))
async def test_page_after_the_last_has_no_results(visitor: Visitor, engine: Engine) -> None:
    assert (await visitor.read(engine, PAGES + 1)).verdict is ResultPageStatus.NO_RESULTS


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("scenario", "verdict"),
    [
        (EngineScenario(no_results=True), ResultPageStatus.NO_RESULTS),
        (EngineScenario(drift=True), ResultPageStatus.CHANGED),
        (EngineScenario(status=403), ResultPageStatus.REFUSED),
        (EngineScenario(status=429), ResultPageStatus.REFUSED),
        (EngineScenario(status=503), ResultPageStatus.REFUSED),
    ],
)
async def test_engine_scenario_gives_the_expected_verdict(
    visitor: Visitor, engine: Engine, scenario: EngineScenario, verdict: ResultPageStatus
) -> None:
    visitor.replica.engines.play(engine, scenario)
    assert (await visitor.read(engine)).verdict is verdict


@pytest.mark.parametrize(
    ("engine", "verdict"),
    [
        ("duckduckgo", ResultPageStatus.CAPTCHA),
        ("brave", ResultPageStatus.CAPTCHA),
        ("google", ResultPageStatus.CAPTCHA),
        ("startpage", ResultPageStatus.CAPTCHA),
        ("mojeek", ResultPageStatus.REFUSED),
        ("ecosia", ResultPageStatus.REFUSED),
    ],
)
async def test_engine_check_is_reported_as_captcha_or_refusal(
    visitor: Visitor, engine: Engine, verdict: ResultPageStatus
) -> None:
    visitor.replica.engines.play(engine, EngineScenario(captcha=True))
    assert (await visitor.read(engine)).verdict is verdict


@pytest.mark.parametrize(
    ("check", "verdict"),
    [
        ("captcha", ResultPageStatus.CAPTCHA),
        ("anubis", ResultPageStatus.CAPTCHA),
        ("interstitial", ResultPageStatus.CHANGED),  # it submits itself, and is gone
        ("denied", ResultPageStatus.REFUSED),
    ],
)
async def test_each_startpage_check_has_its_own_verdict(
    visitor: Visitor, check: Check, verdict: ResultPageStatus
) -> None:
    scenario = EngineScenario(captcha=True, startpage_check=check)
    visitor.replica.engines.play("startpage", scenario)
    assert (await visitor.read("startpage")).verdict is verdict
