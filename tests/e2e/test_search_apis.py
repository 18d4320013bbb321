"""Search engines with an API: real HTTP, the replica of their answers, no browser."""

import pytest

from tabwright.config.engines import load_engines
from tabwright.config.search_parsers import load_apis
from tabwright.protocol.errors import BadInput
from tabwright.protocol.web_search import SearchNoticeKind, WebSearch
from tabwright.testing.demo import text_of
from tabwright.testing.replica import open_replica
from tabwright.testing.replica.engines.apis import APIS, NOTHING, api_truth
from tabwright.text.languages import texts_of

QUERY = "structured concurrency"
SEARXNG = {"engines__searxng": "https://searxng.example/", "engines__counts": None}


def test_replica_covers_every_search_api():
    assert set(APIS) == set(load_apis()), "Add the API to APIS in testing/replica/engines/apis.py."


ASKED = [
    (engine, page) for engine in load_apis() for page in (1, 2) if (engine, page) != ("gdelt", 2)
]
"""Each engine and page; the API of GDELT has a single page."""


@pytest.mark.parametrize(("engine", "page"), ASKED)
async def test_results_of_api_are_those_of_its_answer(engine, page, client_on, profile):
    async with open_replica() as replica, client_on(replica, profile, **SEARXNG) as tabwright:
        found = await tabwright.web_search(WebSearch(QUERY, (engine,), page=page))
        browsers = (await tabwright.pool()).workers
    truth = api_truth(engine, QUERY, page)
    assert [(one.title, one.url, one.snippet, one.date) for one in found.results] == [
        (one.title, one.url, one.snippet, one.date) for one in truth
    ]
    assert len(truth) == (10 if page == 1 else 4)
    assert found.failures == found.notices == ()
    assert not any(browser.product for browser in browsers)
    assert not any(seen.path == "/robots.txt" for seen in replica.log)


@pytest.mark.parametrize("engine", load_apis())
async def test_api_that_lists_nothing_is_reported_in_a_notice(engine, client_on, profile):
    async with open_replica() as replica, client_on(replica, profile, **SEARXNG) as tabwright:
        found = await tabwright.web_search(WebSearch(NOTHING, (engine,)))
    assert (found.results, found.failures) == ((), ())
    (notice,) = found.notices
    assert (notice.kind, notice.engine) == (SearchNoticeKind.NO_RESULTS, engine)


@pytest.mark.parametrize("category", ["news", "images", "science"])
async def test_category_asks_its_engines(category, client_on, profile):
    async with open_replica() as replica, client_on(replica, profile, **SEARXNG) as tabwright:
        found = await tabwright.web_search(WebSearch(QUERY, category=category))
    assert set(found.engines) == set(load_engines().categories[category])
    assert found.failures == ()
    assert len(found.results) == 10


async def test_searxng_is_asked_with_all_options(client_on, profile):
    request = WebSearch(
        QUERY,
        ("searxng",),
        language="de",
        region="at",
        category="news",
        safe_search="strict",
        site="example.org",
        time_range="week",
    )
    async with open_replica() as replica, client_on(replica, profile, **SEARXNG) as tabwright:
        await tabwright.web_search(request)
    (asked,) = [seen.path for seen in replica.log if seen.host == "searxng.example"]
    for part in ("language=de-AT", "categories=news", "safesearch=2", "time_range=week"):
        assert part in asked
    assert "site%3Aexample.org" in asked


async def test_page_after_the_last_is_not_requested(client_on, profile):
    async with open_replica() as replica, client_on(replica, profile, **SEARXNG) as tabwright:
        found = await tabwright.web_search(WebSearch(QUERY, ("gdelt",), page=2))
        assert replica.log == []
    (notice,) = found.notices
    assert notice.kind is SearchNoticeKind.NO_SUCH_PAGE


async def test_searxng_without_its_setting_is_unknown(client_on, profile):
    async with open_replica() as replica, client_on(replica, profile) as tabwright:
        with pytest.raises(BadInput):
            await tabwright.web_search(WebSearch(QUERY, ("searxng",)))


async def test_engine_without_site_filter_fails_without_failing_the_others(client_on, profile):
    request = WebSearch(QUERY, ("gdelt", "arxiv"), site="news101.example")
    async with open_replica() as replica, client_on(replica, profile, **SEARXNG) as tabwright:
        found = await tabwright.web_search(request)
    (failure,) = found.failures
    assert (failure.engine, failure.kind) == ("arxiv", "bad_input")
    assert [one.url for one in found.results] == ["https://news101.example/101.html"]


@pytest.mark.parametrize(("given", "setting"), [("de", None), (None, "de"), ("de", "fr")])
async def test_result_list_uses_the_language_of_the_search_or_the_settings(
    given, setting, write_config, open_client
):
    async with open_replica() as replica:
        config = write_config(replica, search={"language": setting})
        async with open_client(config) as client:
            arguments = {"query": NOTHING, "engines": ["crossref"], "language": given}
            result = await client.call_tool("web_search", arguments)
    assert texts_of("de").no_results in text_of(result)
    assert texts_of("de").notices in text_of(result)
