import re
import string

from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.ai_search import SearchResult, SearchSource
from tabwright.search.ai_mode.result import document, failure
from tabwright.text.languages import LANGUAGES

from .reading_back import read_document

ANY_TEXT = st.text(max_size=30)
AWKWARD = st.text(st.sampled_from("ab |[]()`*_<>#\\!~1.-\n国\u00a0"), max_size=20)
URLS = st.text(string.ascii_letters + "()<> ?&=#%[]*_", max_size=12).map(
    lambda tail: f"https://e.example/{tail.strip()}"
)
TITLES = st.one_of(AWKWARD, ANY_TEXT)
SOURCES = st.lists(st.builds(SearchSource, TITLES, URLS, ANY_TEXT, ANY_TEXT), max_size=10)
ANSWER_BLOCKS = st.one_of(
    AWKWARD.map(str.strip).filter(bool),
    st.sampled_from(["### 来源 (3 个)", "### Sources (2)", "1. [a](https://a.example/)", "---"]),
    st.sampled_from(["```python\n### AI 回答\n```", "> quoted", "| a | b |\n| --- | --- |"]),
)
ANSWERS = st.lists(ANSWER_BLOCKS, max_size=4).map("\n\n".join)
RESULTS = st.builds(
    SearchResult,
    success=st.just(value=True),
    query=st.text(min_size=1, max_size=40).filter(str.strip),
    ai_answer=ANSWERS,
    sources=SOURCES.map(tuple),
    language=st.sampled_from([*LANGUAGES, "pt-BR", ""]),
    warning=st.one_of(st.just(""), st.just("回答可能不完整")),
)


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


def test_document_matches_the_seed_format() -> None:
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
