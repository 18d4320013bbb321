"""Requests to the APIs of engines, and unexpected answers."""

from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.config.search_parsers import load_apis
from tabwright.protocol.errors import BadInput
from tabwright.protocol.web_search import ResultPageStatus, WebQuery
from tabwright.search.serp.api_answer import api_url, read_answer, read_ids

APIS = load_apis()
NOW = datetime(2024, 3, 31, 12, tzinfo=UTC)


def asked(engine: str, query: WebQuery) -> dict[str, str]:
    url = api_url(APIS[engine], query, NOW, "http://searx.example/")
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


@pytest.mark.parametrize("engine", APIS)
def test_api_url_contains_query_and_no_placeholder(engine):
    url = api_url(APIS[engine], WebQuery("a & b"), NOW, "http://searx.example/")
    assert "a+%26+b" in url
    assert "{" not in url
    assert urlsplit(url).scheme in {"http", "https"}


def test_wikipedia_is_queried_in_the_language_of_the_query():
    query = WebQuery("q", language="zh-TW")
    assert api_url(APIS["wikipedia"], query, NOW, "").startswith("https://zh.wikipedia.org/")


@pytest.mark.parametrize(
    ("engine", "field", "value"),
    [
        ("crossref", "filter", "from-pub-date:2024-03-24"),
        ("hackernews", "numericFilters", f"created_at_i>{int(NOW.timestamp()) - 7 * 86400}"),
        ("pubmed", "reldate", "7"),
        ("gdelt", "timespan", "1w"),
        ("searxng", "time_range", "week"),
    ],
)
def test_time_range_is_converted_to_the_engine_format(engine, field, value):
    assert asked(engine, WebQuery("q", time_range="week"))[field] == value


@pytest.mark.parametrize(
    ("engine", "query"),
    [
        ("arxiv", WebQuery("q", time_range="day")),
        ("gdelt", WebQuery("q", time_range="year")),
        ("wikipedia", WebQuery("q", category="news")),
        ("wikipedia", WebQuery("q", safe="strict")),
        ("arxiv", WebQuery("q", limits=(("filetype", "pdf"),))),
    ],
)
def test_option_that_engine_lacks_is_refused(engine, query):
    with pytest.raises(BadInput):
        asked(engine, query)


def test_engine_without_safe_search_accepts_safe_off():
    assert "safe" not in str(asked("wikipedia", WebQuery("q", safe="off")))


@pytest.mark.parametrize("engine", APIS)
@pytest.mark.parametrize(
    "body", [b"", b"{", b"<html>Sorry</html>", b"[]", b"null", b'{"error": {"code": 1}}']
)
def test_answer_of_unexpected_form_is_reported_as_changed(engine, body):
    page = read_answer(APIS[engine], body, "en", 1)
    expected = {ResultPageStatus.CHANGED}
    if APIS[engine].is_xml and body.startswith(b"<html"):
        expected = {ResultPageStatus.NO_RESULTS}  # an element without entries
    assert page.verdict in expected


@pytest.mark.parametrize("declaration", ['<!ENTITY a "b">', '<!ATTLIST entry a CDATA "b">'])
def test_xml_with_entities_or_default_attributes_is_not_read(declaration):
    bomb = f"<!DOCTYPE feed [{declaration}]><feed><entry><title>A</title></entry></feed>".encode()
    assert read_answer(APIS["arxiv"], bomb, "en", 1).verdict is ResultPageStatus.CHANGED


@pytest.mark.parametrize("encoding", ["none", "shift_jis"])
def test_xml_in_an_unsupported_encoding_is_not_read(encoding):
    xml = f'<?xml version="1.0" encoding="{encoding}"?><feed/>'.encode()
    assert read_answer(APIS["arxiv"], xml, "en", 1).verdict is ResultPageStatus.CHANGED


def test_rows_without_link_or_title_are_counted():
    body = b'{"results": [{"url": "https://a.example/", "title": "A"}, {"title": "B"}, {"url": 1}]}'
    page = read_answer(APIS["searxng"], body, "en", 1)
    assert [entry.url for entry in page.found] == ["https://a.example/"]
    assert [(one.unread, one.rows) for one in page.notices] == [(2, 3)]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "//a.example", "x"])
def test_link_with_a_non_web_url_is_not_a_result(url):
    body = b'{"results": [{"url": "%s", "title": "A"}]}' % url.encode()
    assert read_answer(APIS["searxng"], body, "en", 1).verdict is ResultPageStatus.CHANGED


@given(st.binary() | st.text().map(str.encode))
def test_no_answer_crashes_the_reader(body):
    for api in APIS.values():
        read_answer(api, body, "en", 1)
        read_ids(api, body)
