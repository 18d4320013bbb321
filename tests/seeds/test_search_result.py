import json
import re
import string

from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.answers import SearchResult, SearchSource
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
    Rule,
    Table,
    Text,
)
from tabwright.protocol.errors import (
    BadInput,
    BrowserUnavailable,
    NavigationFailed,
    PageFailed,
    SearchBlocked,
    TabwrightError,
    TimeOut,
)
from tabwright.searching.failures import failure_text
from tabwright.searching.formatting import document, failure, read_document
from tabwright.searching.languages import LANGUAGES
from tabwright.searching.markdown import markdown_of
from tabwright.searching.records import from_record, to_record

ANY_TEXT = st.text(max_size=30)
AWKWARD = st.text(st.sampled_from("ab |[]()`*_<>#\\!~1.-\n国\u00a0"), max_size=20)
LINES: st.SearchStrategy[Inlines] = st.lists(
    st.one_of(
        st.builds(
            Text,
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
    st.builds(Table, st.lists(st.lists(LINES, max_size=3).map(tuple), max_size=3).map(tuple)),
    st.builds(Code, ANY_TEXT, ANY_TEXT),
    st.builds(Rule),
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
RESULTS = st.builds(
    SearchResult,
    success=st.just(value=True),
    query=st.text(min_size=1, max_size=40).filter(str.strip),
    ai_answer=st.one_of(st.just(""), st.lists(BLOCKS, max_size=3).map(tuple).map(markdown_of)),
    sources=SOURCES.map(tuple),
    language=st.sampled_from([*LANGUAGES, "pt-BR", ""]),
    warning=st.one_of(st.just(""), st.just("回答可能不完整")),
)


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
def test_a_result_comes_back_from_json(result: SearchResult) -> None:
    assert from_record(json.loads(json.dumps(to_record(result)))) == result


# Feature: nodriver-migration, Property 8: Markdown Formatting Correctness
@given(result=RESULTS, follow_up=st.booleans())
def test_a_document_can_be_read_back(result: SearchResult, *, follow_up: bool) -> None:
    text = document(result, follow_up=follow_up)
    read = read_document(text)
    assert read is not None
    assert read.query == " ".join(result.query.split())
    assert read.has_answer == bool(result.ai_answer)
    assert read.sources == len(result.sources)
    assert result.ai_answer in text


def unescaped(text: str) -> str:
    return re.sub(r"\\([\\`*\[\]<_~&])", r"\1", text)


# Feature: google-ai-search-mcp, Property 4: 输出格式正确性
@given(result=RESULTS)
def test_a_document_shows_query_answer_titles_and_urls(result: SearchResult) -> None:
    text = document(result)
    listed = text.splitlines()[-len(result.sources) :] if result.sources else []
    assert " ".join(result.query.split()) in text
    assert result.ai_answer in text
    for number, (line, source) in enumerate(zip(listed, result.sources, strict=True), start=1):
        assert line.startswith(f"{number}. [")
        assert (" ".join(source.title.split()) or source.url) in unescaped(line)
        assert source.url.replace("<", "%3C").replace(">", "%3E") in line


def test_the_document_is_the_one_of_the_seed() -> None:
    sources = (
        SearchSource("标题一", "https://a.example/"),
        SearchSource("二", "https://b.example/"),
    )
    result = SearchResult(
        success=True, query="什么是 trio", ai_answer="回答。[1]", sources=sources, language="zh-CN"
    )
    assert document(result) == (
        "## Google AI 搜索结果\n\n**查询**: 什么是 trio\n\n### AI 回答\n\n回答。[1]\n\n"
        "### 来源 (2 个)\n\n1. [标题一](https://a.example/)\n2. [二](https://b.example/)"
    )
    assert failure("网络错误", "zh-CN") == "搜索失败: 网络错误"


# Feature: nodriver-migration, Property 9: Error Result Format
@given(
    kind=st.sampled_from(
        [BadInput, BrowserUnavailable, NavigationFailed, PageFailed, SearchBlocked, TimeOut]
    ),
    message=st.text(min_size=1, max_size=40).filter(str.strip),
    language=st.sampled_from([*LANGUAGES, "pt-BR"]),
)
def test_a_failed_search_says_why(kind: type[TabwrightError], message: str, language: str) -> None:
    result = SearchResult(
        success=False, query="q", error=failure_text(kind(message), language), language=language
    )
    assert message.strip() in result.error
    assert document(result) == failure(result.error, language)
    assert result.error in document(result)
    assert read_document(document(result)) is None


# Feature: google-ai-search-mcp, Property 5: SearchResult 默认初始化
@given(success=st.booleans(), query=ANY_TEXT, ai_answer=ANY_TEXT, error=ANY_TEXT)
def test_a_result_without_sources_has_an_empty_tuple(
    *, success: bool, query: str, ai_answer: str, error: str
) -> None:
    result = SearchResult(success=success, query=query, ai_answer=ai_answer, error=error)
    assert result.sources == ()
    assert SearchResult(success=success, query=query).sources == ()
