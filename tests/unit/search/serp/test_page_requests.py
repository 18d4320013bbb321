from datetime import date
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.config.search_parsers import load_parsers
from tabwright.protocol.errors import BadInput, EmptyQuery
from tabwright.protocol.web_search import TIME_RANGES, SerpRequest, TimeRange, WebQuery
from tabwright.search.serp.page_requests import PAGES_MAX, page_request

PARSERS = load_parsers()
TODAY = date(2025, 3, 31)
TEXTS = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=200)


def asked(
    engine: str,
    query: str = "bread",
    *,
    page: int = 1,
    language: str | None = None,
    time_range: TimeRange | None = None,
) -> SerpRequest:
    return page_request(PARSERS[engine], WebQuery(query, page, language, time_range), TODAY)


def fields(request: SerpRequest) -> dict[str, str]:
    """Return the parameters that reach the engine, from the query or from the form."""
    if request.form is not None:
        return dict(request.form.fields)
    query = parse_qs(urlsplit(request.url).query, keep_blank_values=True)
    return {name: value for name, (value,) in query.items()}


@pytest.mark.parametrize(
    ("engine", "page", "place"),
    [
        ("mojeek", 1, {}),
        ("mojeek", 2, {"s": "10"}),
        ("mojeek", 10, {"s": "90"}),
        ("brave", 1, {}),
        ("brave", 2, {"offset": "1"}),
        ("brave", 10, {"offset": "9"}),
        ("ecosia", 1, {}),
        ("ecosia", 3, {"p": "2"}),
        ("google", 1, {}),
        ("google", 3, {"start": "20"}),
        ("bing", 1, {}),
        ("bing", 2, {"first": "11", "FORM": "PERE"}),
        ("bing", 3, {"first": "21", "FORM": "PERE1"}),
        ("bing", 10, {"first": "91", "FORM": "PERE8"}),
    ],
)
def test_page_number_is_sent_in_the_parameters_of_each_engine(
    engine: str, page: int, place: dict[str, str]
) -> None:
    ways = {"s", "offset", "p", "start", "first", "FORM"}
    got = fields(asked(engine, page=page))
    assert {name: value for name, value in got.items() if name in ways} == place


@pytest.mark.parametrize("engine", ["duckduckgo", "startpage"])
def test_form_based_engine_is_entered_through_its_start_page(engine: str) -> None:
    request = asked(engine)
    assert request.url == PARSERS[engine].url
    assert "?" not in request.url
    assert request.form is not None
    assert request.form.fields[{"duckduckgo": "q", "startpage": "query"}[engine]] == "bread"
    assert not {"sc", "vqd", "s", "page"} & set(request.form.fields)
    assert request.next_forms == ()


def test_form_based_engine_reaches_further_pages_by_successive_forms() -> None:
    first, second = asked("duckduckgo", page=3).next_forms
    assert '[name="s"][value="10"]' in first
    assert '[name="s"][value="25"]' in second
    for number, form in enumerate(asked("startpage", page=10).next_forms, 2):
        assert f'[name="page"][value="{number}"]' in form
    assert asked("duckduckgo", page=3).form == asked("duckduckgo").form


@pytest.mark.parametrize(
    ("engine", "day", "week", "year"),
    [
        ("mojeek", ("since", "20250330"), ("since", "20250324"), ("since", "20240331")),
        ("duckduckgo", ("df", "d"), ("df", "w"), ("df", "y")),
        ("startpage", ("with_date", "d"), ("with_date", "w"), ("with_date", "y")),
        ("brave", ("tf", "pd"), ("tf", "pw"), ("tf", "py")),
        ("google", ("tbs", "qdr:d"), ("tbs", "qdr:w"), ("tbs", "qdr:y")),
        (
            "bing",
            ("filters", 'ex1:"ez1"'),
            ("filters", 'ex1:"ez2"'),
            ("filters", 'ex1:"ez5_19813_20178"'),
        ),
    ],
)
def test_time_range_is_sent_in_the_notation_of_each_engine(
    engine: str, day: tuple[str, str], week: tuple[str, str], year: tuple[str, str]
) -> None:
    assert day in fields(asked(engine, time_range="day")).items()
    assert week in fields(asked(engine, time_range="week")).items()
    assert year in fields(asked(engine, time_range="year")).items()
    assert day[0] not in fields(asked(engine))


def test_time_range_is_rejected_by_an_engine_without_support() -> None:
    with pytest.raises(BadInput, match="Ecosia cannot limit results to the last week"):
        asked("ecosia", time_range="week")


@pytest.mark.parametrize(
    ("engine", "language", "sent"),
    [
        ("duckduckgo", "de-AT", {"kl": "at-de"}),
        ("duckduckgo", "de-LU", {"kl": "de-de"}),
        ("duckduckgo", "zh-cn", {"kl": "cn-zh"}),
        ("duckduckgo", "sw", {}),
        ("startpage", "fr-FR", {"language": "francais", "lui": "francais"}),
        ("google", "ja-JP", {"hl": "ja-JP", "lr": "lang_ja"}),
        ("google", "zh-TW", {"hl": "zh-TW", "lr": "lang_zh-TW"}),
        ("google", "sw", {"hl": "sw"}),
        ("bing", "pt-BR", {"setlang": "pt-BR"}),
        ("mojeek", "de", {}),
    ],
)
def test_language_is_sent_in_the_notation_of_each_engine(
    engine: str, language: str, sent: dict[str, str]
) -> None:
    more = fields(asked(engine, language=language)).items() - fields(asked(engine)).items()
    assert dict(more) == sent


def test_invalid_language_code_is_rejected() -> None:
    with pytest.raises(BadInput, match="not a language code"):
        asked("bing", language="german!")


@pytest.mark.parametrize("page", [-1, 0, PAGES_MAX + 1])
def test_page_number_out_of_range_is_refused(page: int) -> None:
    with pytest.raises(BadInput, match=f"no page {page} of results"):
        asked("brave", page=page)


def test_query_over_the_engine_limit_is_refused_naming_the_engine() -> None:
    assert fields(asked("duckduckgo", "x" * 499))["q"] == "x" * 499
    with pytest.raises(BadInput, match="500 characters; the limit of DuckDuckGo is 499"):
        asked("duckduckgo", "x" * 500)
    assert fields(asked("mojeek", "x" * 500))["q"] == "x" * 500


def test_an_empty_query_is_refused() -> None:
    with pytest.raises(EmptyQuery):
        asked("mojeek", " ")


@given(
    engine=st.sampled_from(sorted(PARSERS)),
    query=TEXTS.filter(str.strip),
    page=st.integers(1, PAGES_MAX),
    time_range=st.none() | st.sampled_from(TIME_RANGES),
)
def test_any_query_is_sent_unchanged(
    engine: str, query: str, page: int, time_range: TimeRange | None
) -> None:
    when = time_range if PARSERS[engine].times else None
    request = asked(engine, query, page=page, time_range=when)
    assert query in (fields(request).get("q"), fields(request).get("query"))
    assert request.url.isascii()
    assert len(request.next_forms) == (page - 1 if request.form else 0)


@pytest.mark.parametrize(
    ("engine", "query", "field", "value"),
    [
        ("mojeek", WebQuery("q", limits=(("site", "a.example"),)), "q", "q site:a.example"),
        ("bing", WebQuery("q", limits=(("filetype", "pdf"),)), "q", "q filetype:pdf"),
        ("duckduckgo", WebQuery("q", safe="strict"), "kp", "1"),
        ("duckduckgo", WebQuery("q", language="de-DE", region="at"), "kl", "at-de"),
        ("duckduckgo", WebQuery("q", region="AT"), "kl", "at-de"),
        ("google", WebQuery("q", language="de", region="AT"), "gl", "at"),
        ("google", WebQuery("q", language="de", region="AT"), "hl", "de-AT"),
        ("google", WebQuery("q", safe="moderate"), "safe", "active"),
        ("bing", WebQuery("q", region="FR"), "cc", "fr"),
        ("brave", WebQuery("q", region="JP", safe="off"), "country", "jp"),
        ("sogou", WebQuery("q", time_range="week"), "s_from", "inttime_week"),
    ],
)
def test_options_are_in_the_notation_of_the_engine(engine, query, field, value) -> None:
    request = page_request(load_parsers()[engine], query, date(2025, 3, 31))
    assert fields(request)[field] == value


@pytest.mark.parametrize(
    ("engine", "query"),
    [
        ("mojeek", WebQuery("q", limits=(("filetype", "pdf"),))),
        ("ecosia", WebQuery("q", safe="strict")),
        ("brave", WebQuery("q", category="news")),
    ],
)
def test_option_that_engine_lacks_is_refused(engine, query) -> None:
    with pytest.raises(BadInput):
        page_request(load_parsers()[engine], query, date(2025, 3, 31))
