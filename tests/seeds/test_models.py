import json
import string

from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.ai_search import SearchResult, SearchSource
from tabwright.protocol.blocks import (
    Block,
    Citation,
    Code,
    Heading,
    Inlines,
    Item,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
    ThematicBreak,
)
from tabwright.search.ai_mode.result import to_record
from tabwright.text.languages import LANGUAGES

from .reading_back import from_record

ANY_TEXT = st.text(max_size=30)
AWKWARD = st.text(st.sampled_from("ab |[]()`*_<>#\\!~1.-\n国\u00a0"), max_size=20)
LINES: st.SearchStrategy[Inlines] = st.lists(
    st.one_of(
        st.builds(
            TextSpan,
            AWKWARD,
            st.booleans(),
            st.booleans(),
            st.booleans(),
            st.sampled_from(["", "https://e.example/a(b)"]),
        ),
        st.builds(Citation, st.lists(st.integers(1, 10), min_size=1, max_size=3).map(tuple)),
    ),
    max_size=4,
).map(tuple)
PLAIN_BLOCKS: st.SearchStrategy[Block] = st.one_of(
    st.builds(Paragraph, LINES),
    st.builds(Heading, st.integers(1, 6), LINES),
    st.builds(TableBlock, st.lists(st.lists(LINES, max_size=3).map(tuple), max_size=3).map(tuple)),
    st.builds(Code, ANY_TEXT, ANY_TEXT),
    st.builds(ThematicBreak),
)
BLOCKS: st.SearchStrategy[Block] = st.recursive(
    PLAIN_BLOCKS,
    lambda inner: st.one_of(
        st.builds(Quote, st.lists(inner, max_size=2).map(tuple)),
        st.builds(
            ItemList,
            st.booleans(),
            st.lists(
                st.builds(Item, LINES, st.lists(inner, max_size=2).map(tuple)), max_size=3
            ).map(tuple),
        ),
    ),
    max_leaves=5,
)
URLS = st.text(string.ascii_letters + "()<> ?&=#%[]*_", max_size=12).map(
    lambda tail: f"https://e.example/{tail.strip()}"
)
TITLES = st.one_of(AWKWARD, ANY_TEXT)
SOURCES = st.lists(st.builds(SearchSource, TITLES, URLS, ANY_TEXT, ANY_TEXT), max_size=10)


# Feature: nodriver-migration, Property 2: SearchResult Serialization Round-Trip
@given(
    result=st.builds(
        SearchResult,
        success=st.booleans(),
        query=ANY_TEXT,
        ai_answer=ANY_TEXT,
        sources=SOURCES.map(tuple),
        error=ANY_TEXT,
        language=st.sampled_from(LANGUAGES),
        warning=ANY_TEXT,
        blocks=st.lists(BLOCKS, max_size=4).map(tuple),
    )
)
def test_search_result_survives_json_round_trip(result: SearchResult) -> None:
    assert from_record(json.loads(json.dumps(to_record(result)))) == result


# Feature: google-ai-search-mcp, Property 5: SearchResult 默认初始化
@given(success=st.booleans(), query=ANY_TEXT, ai_answer=ANY_TEXT, error=ANY_TEXT)
def test_a_result_without_sources_has_an_empty_tuple(
    *, success: bool, query: str, ai_answer: str, error: str
) -> None:
    result = SearchResult(success=success, query=query, ai_answer=ai_answer, error=error)
    assert result.sources == ()
    assert SearchResult(success=success, query=query).sources == ()
