from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tabwright.protocol.errors import BadInput
from tabwright.search.ai_mode.google_urls import (
    URL_BYTES_MAX,
    ai_mode_url,
    read_ai_mode_url,
)
from tabwright.search.urls import QUERY_CHARS_MAX, checked_query
from tabwright.text.languages import LANGUAGES

CONTROLS = "".join(map(chr, range(32))) + "\x7f"
TYPED = st.text(
    st.one_of(
        st.characters(exclude_categories=("Cc", "Cs")), st.sampled_from("\t\n\r%+&=#?/ 😀é国")
    ),
    min_size=1,
    max_size=300,
).filter(str.strip)
CODES = st.one_of(st.sampled_from(LANGUAGES), st.sampled_from(["pt-BR", "es-419", "fil", "zh-TW"]))


# Feature: nodriver-migration, Property 1: URL Construction Correctness
@given(query=TYPED, language=CODES)
@example(query="100% of C++ & 'quotes' #1?\nline two", language="de-DE")
def test_ai_mode_url_round_trips_query_and_language(query: str, language: str) -> None:
    url = ai_mode_url(query, language)
    assert url.isascii()
    asked = read_ai_mode_url(url)
    assert asked.query == query
    assert asked.language == language


# Feature: google-ai-search-mcp, Property 1: URL 构造正确性
@given(query=TYPED, language=CODES)
def test_a_url_asks_for_ai_mode_in_the_language(query: str, language: str) -> None:
    parts = urlsplit(ai_mode_url(query, language))
    assert (parts.scheme, parts.hostname, parts.path) == ("https", "www.google.com", "/search")
    assert parse_qs(parts.query) == {"udm": ["50"], "q": [query], "hl": [language]}


@given(space=st.text(st.sampled_from(" \t\r\n\u3000\u00a0")))
def test_a_blank_query_is_refused(space: str) -> None:
    with pytest.raises(BadInput, match="empty"):
        ai_mode_url(space, "zh-CN")


@given(
    before=TYPED,
    wrong=st.one_of(st.sampled_from(CONTROLS), st.characters(categories=("Cs",))),
    after=TYPED,
)
def test_control_characters_and_broken_surrogates_are_refused(
    before: str, wrong: str, after: str
) -> None:
    if wrong in "\t\n\r":
        assert checked_query(before + wrong + after) == before + wrong + after
        return
    with pytest.raises(BadInput, match=rf"U\+{ord(wrong):04X} at position {len(before) + 1}"):
        ai_mode_url(before + wrong + after, "en-US")


@given(character=st.sampled_from("a国😀"), over=st.integers(1, 5000))
def test_a_query_past_the_limit_is_refused_and_the_limit_named(character: str, over: int) -> None:
    with pytest.raises(BadInput, match="1,000"):
        ai_mode_url(character * (QUERY_CHARS_MAX + over), "en-US")


def test_a_url_past_the_limit_of_the_engine_is_refused() -> None:
    with pytest.raises(BadInput, match=f"{URL_BYTES_MAX:,} bytes|the limit is {URL_BYTES_MAX:,}"):
        ai_mode_url("国" * QUERY_CHARS_MAX, "zh-CN")


@pytest.mark.parametrize(
    "url",
    [
        "https://www.google.com/search?q=a",
        "https://www.google.com/search?q=a&udm=2",
        "https://www.google.com/maps?q=a&udm=50",
        "https://www.google.com.evil.example/search?q=a&udm=50",
        "http://[broken/search?q=a&udm=50",
        "",
    ],
)
def test_other_urls_are_refused_as_ai_mode_urls(url: str) -> None:
    with pytest.raises(BadInput, match="is not an AI Mode search URL"):
        read_ai_mode_url(url)
