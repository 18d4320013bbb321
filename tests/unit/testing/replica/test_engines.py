import re
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from itertools import combinations, count
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import httpx2
import msgspec
import pytest
import trio
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.testing.replica import ENGINES, Engine, EngineScenario, Replica, Scenario
from tabwright.testing.replica.engines.forms import fresh_code, has_duck
from tabwright.testing.replica.engines.results import PAGES, Result, truth

Visit: TypeAlias = Callable[..., Awaitable[httpx2.Response]]
Shown: TypeAlias = list[tuple[str, str, str]]

QUERY: Final = "why <so> & not “so”?"
DUCK: Final = "https://html.duckduckgo.com/html/"
STARTPAGE: Final = "https://www.startpage.com/sp/search"
SEARCH: Final[dict[Engine, str]] = {
    "duckduckgo": DUCK,
    "bing": "https://www.bing.com/search",
    "brave": "https://search.brave.com/search",
    "mojeek": "https://www.mojeek.com/search",
    "startpage": STARTPAGE,
    "ecosia": "https://www.ecosia.org/search",
    "google": "https://www.google.com/search",
}
WITH_REDIRECTS: Final[tuple[Engine, ...]] = ("duckduckgo", "bing", "google")


@pytest.fixture
def replica(replica: Replica) -> Replica:
    """A replica whose Google is a plain search engine like the others."""
    replica.engines.play("google", EngineScenario())
    return replica


def vqd(query: str) -> str:
    return f"4-{int(sha256(query.encode()).hexdigest()[:32], 16)}"


def parameters(engine: Engine, page: int, query: str = QUERY) -> dict[str, str]:
    """Return the URL or form parameters of a page, as the real engine expects them."""
    later = page > 1
    match engine:
        case "duckduckgo":
            paging = {"s": str(10 + 15 * (page - 2)), "vqd": vqd(query)} if later else {}
        case "bing":
            paging = {"first": str(10 * (page - 1) + 1), "FORM": "PERE"} if later else {}
        case "brave":
            paging = {"offset": str(page - 1)} if later else {}
        case "mojeek":
            paging = {"s": str(10 * (page - 1))} if later else {}
        case "startpage":
            return {"query": query, "page": str(page), "sc": fresh_code(), "cat": "web"}
        case "ecosia":
            paging = {"p": str(page - 1)}
        case "google":
            paging = {"start": str(10 * (page - 1))}
    return {"q": query, **paging}


async def searched(visit: Visit, engine: Engine, page: int = 1, **more: str) -> httpx2.Response:
    asked = parameters(engine, page)
    if engine in {"duckduckgo", "startpage"}:
        return await visit(SEARCH[engine], method="POST", form=asked, **more)
    return await visit(f"{SEARCH[engine]}?{urlencode(asked)}", **more)


def text(node: LexborNode | None) -> str:
    return " ".join(node.text().split()) if node else ""


def href(node: LexborNode | None) -> str:
    return str(node.attributes["href"]) if node else ""


def row(result: LexborNode, title: str, link: str, snippet: str) -> tuple[str, str, str]:
    for noise in result.css("style, .algoSlug_icon, .LEwnzc"):
        noise.decompose()
    found = result.css_first(title)
    return text(found), href(result.css_first(link)), text(result.css_first(snippet))


def shown(engine: Engine, page: LexborHTMLParser) -> Shown:  # noqa: PLR0911  one for each engine
    """Return the results of a page, found by the real page's markup, without ads."""
    match engine:
        case "duckduckgo":
            nodes = page.css("#links > div.web-result:not(.result--ad)")
            return [row(n, "h2 a", "a.result__a", "a.result__snippet") for n in nodes]
        case "bing":
            nodes = page.css("#b_results > li.b_algo:not(.b_ad)")
            return [
                row(n, "h2 a", "h2 a", ".b_caption p")
                if n.css_first("h2 a")
                else row(n, ".b_tpcn .tptt", ".b_tpcn a", ".b_caption p")
                for n in nodes
            ]
        case "brave":
            nodes = page.css('.snippet[data-type="web"]')
            rows = [
                row(n, ".title[title]", "a.l1, a.h", ".content, .snippet-description")
                for n in nodes
            ]
            return [found for found in rows if urlsplit(found[1]).netloc]
        case "mojeek":
            nodes = page.css("ul.results-standard > li")
            return [row(n, "h2 a", "a.ob", "p.s") for n in nodes]
        case "startpage":
            nodes = page.css("div.result, div.a-gl")
            link = "a.result-title.result-link"
            rows = [row(n, link, link, "p.description") for n in nodes]
            ads = ("/do/search?", "https://www.google.com/aclk")
            return [found for found in rows if not found[1].startswith(ads)]
        case "ecosia":
            nodes = page.css('[data-test-id="mainline-result-web"]')
            link = 'a[data-test-id="result-link"]'
            return [row(n, ".result-title__heading", link, ".result__description") for n in nodes]
        case "google":
            nodes = page.css("#rso > .g, #rso > .MjjYud:has(a > h3)")
            return [row(n, "a > h3", "a:has(> h3)", "[data-sncf], .VwiC3b") for n in nodes]


def expected(results: tuple[Result, ...]) -> Shown:
    return [(result.title, result.url, result.snippet) for result in results]


async def listed(visit: Visit, engine: Engine, response: httpx2.Response) -> Shown:
    """Return the results of a page, with their redirects resolved."""
    assert response.status_code == 200
    rows = shown(engine, LexborHTMLParser(response.text))
    if engine not in WITH_REDIRECTS:
        return rows
    return [(title, await target(visit, engine, url), snippet) for title, url, snippet in rows]


async def target(visit: Visit, engine: Engine, url: str) -> str:
    where = urljoin(SEARCH[engine], url)
    if urlsplit(where).hostname not in {"duckduckgo.com", "www.bing.com", "www.google.com"}:
        return where
    response = await visit(where)
    assert response.status_code == 302
    return str(response.headers["location"])


def form_of(form: LexborNode) -> dict[str, str]:
    fields = form.css("input[name]")
    return {str(f.attributes["name"]): str(f.attributes.get("value") or "") for f in fields}


@pytest.mark.parametrize("page", range(1, PAGES + 1))
@pytest.mark.parametrize("engine", ENGINES)
async def test_result_page_lists_the_expected_results(
    visit: Visit, engine: Engine, page: int
) -> None:
    response = await searched(visit, engine, page)
    assert await listed(visit, engine, response) == expected(truth(engine, QUERY, page))


@pytest.mark.parametrize("engine", ENGINES)
async def test_page_after_the_last_is_empty_except_for_bing(visit: Visit, engine: Engine) -> None:
    response = await searched(visit, engine, PAGES + 1)
    first = expected(truth("bing", QUERY, 1)) if engine == "bing" else []
    assert truth(engine, QUERY, PAGES + 1) == ()
    assert await listed(visit, engine, response) == first


NEXT: Final[dict[Engine, str]] = {
    "duckduckgo": ".nav-link:last-of-type form:has([value=Next])",
    "bing": "a.sb_pagN",
    "brave": "#pagination a",
    "mojeek": ".pagination a",
    "startpage": "form.pagination__form",
    "ecosia": "[data-test-id=next-button]",
    "google": "a#pnnext",
}


@pytest.mark.parametrize("engine", ENGINES)
async def test_next_page_controls_reach_every_page(visit: Visit, engine: Engine) -> None:
    response, found = await searched(visit, engine), Shown()
    for page in range(1, PAGES + 1):
        found += await listed(visit, engine, response)
        way = LexborHTMLParser(response.text).css_first(NEXT[engine])
        if page < PAGES:
            assert way is not None
            response = await followed(visit, engine, way)
    everything = [truth(engine, QUERY, page) for page in range(1, PAGES + 1)]
    assert found == [line for results in everything for line in expected(results)]
    if engine != "bing":  # which shows a page 5 that is page 1
        assert way is None


async def followed(visit: Visit, engine: Engine, way: LexborNode) -> httpx2.Response:
    if way.tag == "a":
        return await visit(urljoin(SEARCH[engine], href(way)))
    action = urljoin(SEARCH[engine], str(way.attributes["action"]))
    return await visit(action, method="POST", form=form_of(way))


def test_expected_results_are_stable_and_differ_for_each_query() -> None:
    for engine in ENGINES:
        assert truth(engine, "a", 2) == truth(engine, "a", 2)
        assert {r.url for r in truth(engine, "a", 1)}.isdisjoint(
            r.url for r in truth(engine, "b", 1)
        )
        ranks = [r.rank for page in range(1, PAGES + 1) for r in truth(engine, "a", page)]
        assert ranks == list(range(1, len(ranks) + 1))


def test_engines_share_documents_under_different_urls_and_ranks() -> None:
    first = {engine: truth(engine, "a", 1) for engine in ENGINES}
    for one, other in combinations(ENGINES, 2):
        documents = [{r.document for r in first[engine]} for engine in (one, other)]
        assert documents[0] & documents[1]
        assert [r.document for r in first[one]] != [r.document for r in first[other]]
    urls = [r.url for engine in ENGINES for page in (1, 2, 3, 4) for r in truth(engine, "a", page)]
    for mark in ("http://", "https://www.", "utm_source=bing", "fbclid=", "part=a%20b", "%26"):
        assert [url for url in urls if mark in url]


def test_no_engine_lists_a_document_twice() -> None:
    for engine in ENGINES:
        all_pages = [r for page in range(1, PAGES + 1) for r in truth(engine, "a", page)]
        assert len({r.document for r in all_pages}) == len({r.url for r in all_pages})
        assert len({r.document for r in all_pages}) == len(all_pages)


async def test_duckduckgo_start_page_form_leads_to_results(visit: Visit) -> None:
    page = LexborHTMLParser((await visit(DUCK)).text)
    form = page.css('form[action="/html/"][method="post"]')[0]
    assert form_of(form) == {"q": "", "b": ""}
    response = await visit(DUCK, method="POST", form={"q": QUERY, "b": ""})
    assert await listed(visit, "duckduckgo", response) == expected(truth("duckduckgo", QUERY, 1))


async def test_duckduckgo_html_path_redirects_to_the_start_page(visit: Visit) -> None:
    assert (await visit("https://duckduckgo.com/html")).headers["location"] == DUCK


@pytest.mark.parametrize("token", [{}, {"vqd": "4-0"}])
async def test_duckduckgo_blocks_a_second_page_without_its_token(
    visit: Visit, token: dict[str, str]
) -> None:
    form = {"q": QUERY, "s": "10", "dc": "11", **token}
    response = await visit(DUCK, method="POST", form=form)
    assert LexborHTMLParser(response.text).css("form#challenge-form")


async def test_duckduckgo_has_no_second_page_in_chinese(visit: Visit) -> None:
    first = await visit(DUCK, method="POST", form={"q": QUERY, "kl": "cn-zh"})
    assert LexborHTMLParser(first.text).css(".nav-link") == []
    form = {**parameters("duckduckgo", 2), "kl": "cn-zh"}
    assert (await visit(DUCK, method="POST", form=form)).status_code == 403


async def test_duckduckgo_query_limit_is_499_characters(visit: Visit) -> None:
    assert (await visit(DUCK, method="POST", form={"q": "x" * 499})).status_code == 200
    assert (await visit(DUCK, method="POST", form={"q": "x" * 500})).status_code == 303


async def test_advertisement_links_redirect_to_the_shop(visit: Visit) -> None:
    for ad in ("https://duckduckgo.com/y.js?u3=x", "https://www.bing.com/aclick?ld=e8"):
        assert urlsplit((await visit(ad)).headers["location"]).hostname == "shop.example"


async def test_bing_shows_the_result_counter_of_each_page(visit: Visit) -> None:
    counts = [
        text(LexborHTMLParser((await searched(visit, "bing", page)).text).css_first(".sb_count"))
        for page in (1, 2, 4, 5)
    ]
    assert counts == [
        "About 36 results",
        "11-20 of 36 results",
        "31-36 of 36 results",
        "About 36 results",
    ]


async def test_bing_shows_captcha_if_first_result_of_page_1_is_requested(visit: Visit) -> None:
    page = LexborHTMLParser((await visit(f"{SEARCH['bing']}?q=a&first=1")).text)
    assert page.css(".cf-turnstile iframe")


async def test_brave_shows_captcha_past_the_tenth_page(visit: Visit) -> None:
    assert "pow-captcha" not in (await visit(f"{SEARCH['brave']}?q=a&offset=9")).text
    assert "pow-captcha" in (await visit(f"{SEARCH['brave']}?q=a&offset=10")).text


async def test_brave_mentions_captcha_on_normal_pages(visit: Visit) -> None:
    assert "captchacookiename" in (await searched(visit, "brave")).text


@pytest.mark.parametrize("start", ["0", "1", "100"])
async def test_mojeek_refuses_explicit_first_page_or_excessive_start(
    visit: Visit, start: str
) -> None:
    assert (await visit(f"{SEARCH['mojeek']}?q=a&s={start}")).status_code == 403


async def test_startpage_form_has_a_new_code_on_each_visit(visit: Visit) -> None:
    pages = [await visit("https://www.startpage.com/") for _ in range(2)]
    forms = [form_of(LexborHTMLParser(p.text).css_first("form#search")) for p in pages]  # type: ignore[arg-type]
    assert forms[0]["sc"] != forms[1]["sc"]
    response = await visit(STARTPAGE, method="POST", form={**forms[0], "query": QUERY})
    assert await listed(visit, "startpage", response) == expected(truth("startpage", QUERY, 1))


@pytest.mark.parametrize("age_s", [15.0, 31.0])
async def test_startpage_takes_a_code_for_half_a_minute(visit: Visit, age_s: float) -> None:
    form = {"query": QUERY, "sc": fresh_code(age_s)}
    response = await visit(STARTPAGE, method="POST", form=form)
    assert response.status_code == (200 if age_s < 30 else 302)


@pytest.mark.parametrize("code", [{}, {"sc": "made-up"}])
async def test_startpage_redirects_search_without_valid_code_to_captcha(
    visit: Visit, code: dict[str, str]
) -> None:
    response = await visit(STARTPAGE, method="POST", form={"query": QUERY, **code})
    assert urlsplit(response.headers["location"]).path == "/sp/captcha"


async def test_startpage_embeds_its_results_as_data(visit: Visit) -> None:
    page = (await searched(visit, "startpage")).text
    script = re.search(r"React\.createElement\(UIStartpage\.AppSerpWeb, (.+)\)</script>", page)
    assert script
    data: Any = msgspec.json.decode(script[1])
    groups = data["render"]["presenter"]["regions"]["mainline"]
    (web,) = [group for group in groups if group["display_type"].startswith("web-")]
    found = [(entry["title"], entry["clickUrl"], entry["description"]) for entry in web["results"]]
    assert found == expected(truth("startpage", QUERY, 1))


async def test_google_shows_dates_and_three_result_layouts(visit: Visit) -> None:
    page = LexborHTMLParser((await searched(visit, "google")).text)
    dates = [text(date) for date in page.css("#rso .LEwnzc > span")]
    assert dates == [r.date for r in truth("google", QUERY, 1) if r.date]
    assert page.css("#rso > .g .r > a > h3")
    assert page.css("#rso > .MjjYud .g[jscontroller*=SC7lYd] a[jsname=UWckNb] > h3")
    assert page.css("#rso > .MjjYud div[jscontroller*=SC7lYd]:not(.g) [data-sncf]")


async def test_google_shows_notice_for_query_over_32_words(visit: Visit) -> None:
    notice = "because we limit queries to 32 words"
    for words, says in ((32, False), (33, True)):
        query = "+".join(["word"] * words)
        assert (notice in (await visit(f"{SEARCH['google']}?q={query}")).text) is says


async def test_ai_mode_and_classic_google_scenarios_are_independent(
    replica: Replica, visit: Visit
) -> None:
    ai_mode = f"{SEARCH['google']}?q=a&udm=50"
    replica.engines.play("google", EngineScenario(status=503))
    assert "aim-mars" in (await visit(ai_mode)).text
    replica.engines.play("google", EngineScenario())
    replica.scenario = Scenario(captcha=True)
    assert (await visit(ai_mode)).status_code == 302
    assert (await searched(visit, "google")).status_code == 200


@pytest.mark.parametrize("engine", ENGINES)
async def test_a_start_page_has_a_field_for_the_query(visit: Visit, engine: Engine) -> None:
    page = await visit(SEARCH[engine])
    assert LexborHTMLParser(page.text).css("form input[name=q], form input[name=query]")


# Scenarios


CHECKS: Final[dict[Engine, tuple[int, str]]] = {
    "duckduckgo": (202, "Unfortunately, bots use DuckDuckGo too."),
    "bing": (200, 'class="cf-turnstile"'),
    "brave": (200, "confirm you're a human"),
    "mojeek": (403, "automated queries"),
    "startpage": (302, ""),
    "ecosia": (403, "unusual activity"),
    "google": (302, ""),
}


@pytest.mark.parametrize("engine", ENGINES)
async def test_captcha_scenario_shows_the_check_of_the_engine(
    replica: Replica, visit: Visit, engine: Engine
) -> None:
    replica.engines.play(engine, EngineScenario(captcha=True))
    response = await searched(visit, engine)
    status, mark = CHECKS[engine]
    assert response.status_code == status
    assert mark in response.text
    assert shown(engine, LexborHTMLParser(response.text)) == []
    assert (await visit(SEARCH[engine])).status_code == 200  # the start page is open to all


@pytest.mark.parametrize(("engine", "path"), [("startpage", "/sp/captcha"), ("google", "/sorry")])
async def test_startpage_and_google_redirect_to_their_captcha_page(
    replica: Replica, visit: Visit, engine: Engine, path: str
) -> None:
    replica.engines.play(engine, EngineScenario(captcha=True))
    response = await searched(visit, engine)
    assert urlsplit(response.headers["location"]).path.startswith(path)
    assert "captcha" in (await visit(response.headers["location"])).text


async def solved(visit: Visit, engine: Engine, *, well: bool = True) -> httpx2.Response:
    """Search, then answer the check that the engine shows, as a person would."""
    response = await searched(visit, engine)
    address = f"{SEARCH[engine]}?{urlencode(parameters(engine, 1))}"
    if response.status_code == 302:
        address = str(response.headers["location"])
        response = await visit(address)
    page = LexborHTMLParser(response.text)
    form = page.css("form")[-1]
    action = urljoin(address, str(form.attributes["action"]))
    return await visit(action, method="POST", form=answered(engine, form, well=well))


def answered(engine: Engine, form: LexborNode, *, well: bool) -> dict[str, str]:
    match engine, form_of(form):
        case "duckduckgo", fields:
            tiles = [name for name in fields if name not in {"task", "continue"}]
            ticked = {tile: "on" for tile in tiles if has_duck(tile) is well}
            return {"task": fields["task"], "continue": fields["continue"], **ticked}
        case "bing", fields:
            return {**fields, "cf-turnstile-response": "x" if well else ""}
        case "brave", fields:
            return {**fields, "nonce": nonce_for(fields["task"], opens=well)}
        case "startpage", fields:
            opening = str(form.css("[name=solved]")[0].attributes["data-opening"])
            return {**fields, "solved": opening if well else ""}
        case _, fields:
            return {**fields, "g-recaptcha-response": "x" if well else ""}


def nonce_for(task: str, *, opens: bool) -> str:
    """Return a nonce that solves the task, or one that does not (chance: 1 in 256)."""
    return next(
        str(n) for n in count() if (sha256(f"{task}{n}".encode()).digest()[0] == 0) is opens
    )


SOLVABLE: Final[tuple[Engine, ...]] = ("duckduckgo", "bing", "brave", "startpage", "google")


@pytest.mark.parametrize("engine", SOLVABLE)
async def test_solved_captcha_leads_to_results_without_another_captcha(
    replica: Replica, visit: Visit, engine: Engine
) -> None:
    replica.engines.play(engine, EngineScenario(captcha=True))
    opened = await solved(visit, engine)
    cookie = str(opened.headers["set-cookie"]).partition(";")[0]
    response = await visit(opened.headers["location"], cookie=cookie)
    assert await listed(visit, engine, response) == expected(truth(engine, QUERY, 1))
    assert (await searched(visit, engine, 2, cookie=cookie)).status_code == 200


@pytest.mark.parametrize("engine", [e for e in SOLVABLE if e != "startpage"])
async def test_failed_captcha_redirects_back_to_the_captcha(
    replica: Replica, visit: Visit, engine: Engine
) -> None:
    replica.engines.play(engine, EngineScenario(captcha=True))
    refused = await solved(visit, engine, well=False)
    assert "set-cookie" not in refused.headers
    again = await visit(refused.headers["location"])
    assert shown(engine, LexborHTMLParser(again.text)) == []


async def test_startpage_shows_captcha_again_after_wrong_solution(
    replica: Replica, visit: Visit
) -> None:
    replica.engines.play("startpage", EngineScenario(captcha=True))
    again = await solved(visit, "startpage", well=False)
    assert LexborHTMLParser(again.text).css("form#captcha")


async def test_captcha_pass_is_invalid_under_the_next_scenario(
    replica: Replica, visit: Visit
) -> None:
    for _ in range(2):
        replica.engines.play("bing", EngineScenario(captcha=True))
        opened = await solved(visit, "bing")
    stale = str(opened.headers["set-cookie"]).partition(";")[0]
    assert "b_algo" in (await searched(visit, "bing", cookie=stale)).text
    replica.engines.play("bing", EngineScenario(captcha=True))
    assert "cf-turnstile" in (await searched(visit, "bing", cookie=stale)).text


async def test_startpage_can_require_proof_of_work(replica: Replica, visit: Visit) -> None:
    scenario = EngineScenario(captcha=True, startpage_check="anubis")
    replica.engines.play("startpage", scenario)
    page = LexborHTMLParser((await searched(visit, "startpage")).text)
    task: Any = msgspec.json.decode(page.css("script#anubis_challenge")[0].text())
    redir = href(page.css_first("a#back"))
    door = "https://www.startpage.com/.within.website/x/cmd/anubis/api/pass-challenge?"
    for opens in (False, True):
        nonce = nonce_for(task["challenge"], opens=opens)
        asked = {"challenge": task["challenge"], "nonce": nonce, "redir": redir}
        opened = await visit(door + urlencode(asked))
        assert ("set-cookie" in opened.headers) is opens
        assert opened.headers["location"] == redir


async def test_startpage_interstitial_leads_to_results(replica: Replica, visit: Visit) -> None:
    scenario = EngineScenario(captcha=True, startpage_check="interstitial")
    replica.engines.play("startpage", scenario)
    text_of_page = (await searched(visit, "startpage")).text
    sgt = re.search(r'var data = {"sgt": "([^"]+)"', text_of_page)
    assert sgt
    form = form_of(LexborHTMLParser(text_of_page).css("form#go")[0])
    door = "https://www.startpage.com/do/search"
    opened = await visit(door, method="POST", form={**form, "sgt": sgt[1]})
    cookie = str(opened.headers["set-cookie"]).partition(";")[0]
    response = await visit(opened.headers["location"], cookie=cookie)
    assert await listed(visit, "startpage", response) == expected(truth("startpage", QUERY, 1))
    assert "set-cookie" not in (await visit(door, method="POST", form={**form})).headers


async def test_startpage_denied_check_shows_access_denied(replica: Replica, visit: Visit) -> None:
    replica.engines.play("startpage", EngineScenario(captcha=True, startpage_check="denied"))
    assert "<title>Access Denied</title>" in (await searched(visit, "startpage")).text


@pytest.mark.parametrize("engine", ENGINES)
async def test_captcha_after_scenario_shows_check_after_some_pages(
    replica: Replica, visit: Visit, engine: Engine
) -> None:
    replica.engines.play(engine, EngineScenario(captcha_after=2))
    found = [
        len(shown(engine, LexborHTMLParser((await searched(visit, engine, page)).text)))
        for page in (1, 2, 3)
    ]
    assert found == [len(truth(engine, QUERY, page)) for page in (1, 2)] + [0]


@pytest.mark.parametrize("status", [403, 429, 503])
@pytest.mark.parametrize("engine", ENGINES)
async def test_status_scenario_makes_engine_refuse_with_that_status(
    replica: Replica, visit: Visit, engine: Engine, status: Any
) -> None:
    replica.engines.play(engine, EngineScenario(status=status, retry_after_s=7))
    response = await searched(visit, engine)
    assert response.status_code == status
    assert response.headers.get("retry-after") == ("7" if status == 429 else None)


NOTHING: Final[dict[Engine, str]] = {
    "duckduckgo": ".no-results",
    "bing": "li.b_no",
    "brave": "#no-results",
    "mojeek": "p.no-results",
    "startpage": ".no-results",
    "ecosia": "[data-test-id=no-results]",
    "google": '.card-section [role="heading"]',
}


@pytest.mark.parametrize("engine", ENGINES)
async def test_no_results_scenario_shows_an_empty_result_page(
    replica: Replica, visit: Visit, engine: Engine
) -> None:
    replica.engines.play(engine, EngineScenario(no_results=True))
    response = await searched(visit, engine)
    page = LexborHTMLParser(response.text)
    assert response.status_code == 200
    assert shown(engine, page) == []
    assert page.css(NOTHING[engine])
    if engine == "google":
        output = text(page.css_first(NOTHING[engine]))
        assert output == f"Your search - {QUERY} - did not match any documents."


@pytest.mark.parametrize("engine", ENGINES)
async def test_drift_scenario_renames_markup_but_keeps_content(
    replica: Replica, visit: Visit, engine: Engine
) -> None:
    before = (await searched(visit, engine)).text
    replica.engines.play(engine, EngineScenario(drift=True))
    after = (await searched(visit, engine)).text
    assert shown(engine, LexborHTMLParser(before)) != []
    assert shown(engine, LexborHTMLParser(after)) == []
    assert "AppSerpWeb" not in after
    for result in truth(engine, QUERY, 1):
        assert f"({result.document})" in after
    assert LexborHTMLParser(after).css("form input[name], form textarea[name]")


@pytest.mark.parametrize("engine", ENGINES)
async def test_garbage_scenario_sends_a_truncated_page(
    replica: Replica, visit: Visit, engine: Engine
) -> None:
    replica.engines.play(engine, EngineScenario(garbage=True))
    half = (await searched(visit, engine)).content
    assert half
    assert b"</html>" not in half


@pytest.mark.parametrize("engine", ENGINES)
async def test_hang_scenario_blocks_only_its_engine(
    replica: Replica, visit: Visit, engine: Engine
) -> None:
    replica.engines.play(engine, EngineScenario(hang=True))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(searched, visit, engine)
        while not replica.log:  # not before: a handshake that is cancelled leaves its socket
            await trio.sleep(0.01)
        await trio.sleep(0.1)
        assert nursery.child_tasks
        nursery.cancel_scope.cancel()
    other: Engine = "mojeek" if engine == "bing" else "bing"
    assert (await searched(visit, other)).status_code == 200
    replica.engines.play(engine, EngineScenario())
    assert (await searched(visit, engine)).status_code == 200


async def test_slow_scenario_delays_the_response(replica: Replica, visit: Visit) -> None:
    replica.engines.play("bing", EngineScenario(slow_s=0.2))
    started = trio.current_time()
    assert (await searched(visit, "bing")).status_code == 200
    assert trio.current_time() - started >= 0.2


async def test_engine_log_records_each_request_and_its_time(replica: Replica, visit: Visit) -> None:
    before = trio.current_time()
    await visit("https://www.startpage.com/")
    await searched(visit, "mojeek", 2)
    await visit("https://www.bing.com/aclick")  # no page of an engine
    start, search = replica.engines.asked
    assert (start.engine, start.query, start.page) == ("startpage", "", 1)
    assert (search.engine, search.query, search.page) == ("mojeek", QUERY, 2)
    assert search.parameters == {"q": QUERY, "s": "10"}
    assert before <= start.at_s <= search.at_s <= trio.current_time()
    assert [seen.at_s for seen in replica.log][:2] == [start.at_s, search.at_s]


async def test_engine_log_and_scenarios_are_available_over_http(
    replica: Replica, visit: Visit
) -> None:
    there = f"https://127.0.0.1:{replica.port}/__engines"
    scenarios = b'{"ecosia": {"status": 503}, "google": {"captcha": true}}'
    async with httpx2.AsyncClient(verify=False) as client:
        assert (await client.post(there, content=scenarios)).status_code == 204
        for wrong in (b'{"altavista": {}}', b'{"bing": {"captcha_after": 0}}', b"{"):
            assert (await client.post(there, content=wrong)).status_code == 400
        assert (await searched(visit, "ecosia")).status_code == 503
        assert (await searched(visit, "google")).status_code == 302
        asked: Any = (await client.get(there)).json()
    assert [(one["engine"], one["page"]) for one in asked] == [("ecosia", 1), ("google", 1)]


@pytest.mark.parametrize(
    "url",
    [
        "https://www.mojeek.com/search?q=a&s=many",
        "https://www.bing.com/ck/a?u=a1%FF",
        "https://duckduckgo.com/l/",
        "https://www.startpage.com/.within.website/x/cmd/anubis/api/pass-challenge",
    ],
)
async def test_malformed_engine_request_gets_400(visit: Visit, url: str) -> None:
    assert (await visit(url)).status_code == 400


async def test_unknown_engine_path_gets_404(visit: Visit) -> None:
    assert (await visit("https://www.ecosia.org/images")).status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [{"captcha_after": 0}, {"status": 500}, {"slow_s": -1.0}, {"startpage_check": "riddle"}],
)
def test_invalid_engine_scenario_raises_value_error(wrong: Mapping[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  attrs words it
        EngineScenario(**wrong)


async def test_captcha_form_carries_the_search_parameters(replica: Replica, visit: Visit) -> None:
    replica.engines.play("duckduckgo", EngineScenario(captcha=True))
    form = parameters("duckduckgo", 2)
    page = LexborHTMLParser((await visit(DUCK, method="POST", form=form)).text)
    address = form_of(page.css("form#challenge-form")[0])["continue"]
    assert {name: value for name, (value,) in parse_qs(urlsplit(address).query).items()} == form
