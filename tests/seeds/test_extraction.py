from urllib.parse import quote, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.ai_search import SearchSource
from tabwright.search.ai_mode.google_urls import same_page_key
from tabwright.search.ai_mode.page_state import all_page_words
from tabwright.search.ai_mode.sources import SOURCES_MAX, clean_sources
from tabwright.text.languages import LANGUAGES

from .plain_text import cleaned, is_boilerplate, new_part

SITES = {
    "zh-CN": "{} 个网站",
    "en-US": "{} sites",
    "ja-JP": "{} 件のサイト",
    "ko-KR": "사이트 {}개",
    "de-DE": "{} Websites",
    "fr-FR": "{} sites",
}
ANSWERS = [
    "Help, privacy and terms of the service are not touched by it.",
    "Search results rank pages; the AI Mode tab is another thing.",
    "Das Hilfesystem und die Nutzungsbedingungen bleiben.",
    "帮助和隐私权条款都在下面。",
    "ヘルプとプライバシーは下にあります。",
    "도움말은 아래에 있습니다.",
    "def f():\n    return 1  # Help",
]
BOILERPLATE = {
    code: [words.tab, *words.labels, *words.notices] for code, words in all_page_words().items()
}
LANGUAGE = st.sampled_from(LANGUAGES)


@st.composite
def boilerplate(draw: st.DrawFn, *, language: str = "") -> list[str]:
    code = language or draw(LANGUAGE)
    fixed = st.sampled_from(BOILERPLATE[code])
    counted = st.integers(1, 99).map(SITES[code].format)
    return draw(st.lists(st.one_of(fixed, counted, st.just("")), max_size=5))


@st.composite
def answers(draw: st.DrawFn) -> str:
    inner = draw(st.lists(st.one_of(st.sampled_from(ANSWERS), st.just("Help"), st.just(""))))
    ends = [draw(st.sampled_from(ANSWERS)), draw(st.sampled_from(ANSWERS))]
    return "\n".join([ends[0], *inner, ends[1]])


# Feature: nodriver-migration, Property 3: Navigation Text Cleaning
@given(head=boilerplate(), answer=answers(), foot=boilerplate())
def test_cleaning_removes_boilerplate_and_keeps_answer(
    head: list[str], answer: str, foot: list[str]
) -> None:
    page = "\n".join([*head, answer, *foot])
    assert cleaned(page).strip("\n") == answer


@given(answer=answers())
def test_cleaning_a_clean_answer_changes_nothing(answer: str) -> None:
    assert cleaned(answer) == answer


@given(text=st.text(st.sampled_from("Help\n 帮助"), max_size=30))
def test_cleaning_is_idempotent(text: str) -> None:
    assert cleaned(cleaned(text)) == cleaned(text)


# Feature: google-ai-search-mcp, Property 2: 文本清理正确性
@given(lines=boilerplate(language="zh-CN"), answer=st.sampled_from(ANSWERS))
def test_no_boilerplate_line_is_left_in_cleaned_answer(lines: list[str], answer: str) -> None:
    left = cleaned("\n".join([*lines, answer, *reversed(lines)])).splitlines()
    assert not {line for line in lines if line} & set(left)
    assert "\n".join(left).strip("\n") == answer
    assert cleaned("\n".join(lines)).strip() == ""


# Feature: nodriver-migration, Property 4: Multi-Language Label Recognition
@given(language=LANGUAGE, sites=st.integers(1, 10_000), data=st.data())
def test_labels_of_each_language_are_recognised(
    language: str, sites: int, data: st.DataObject
) -> None:
    line = data.draw(st.sampled_from(BOILERPLATE[language]))
    assert is_boilerplate(line)
    assert is_boilerplate(f"  {line.upper()} ")
    assert is_boilerplate(SITES[language].format(sites))
    assert not is_boilerplate(f"{line} {ANSWERS[0]}")


WORDS = st.text(st.sampled_from("abc de国。?"), min_size=1, max_size=12).map(
    lambda text: " ".join(text.split())
)
PARAGRAPHS = st.lists(WORDS.filter(bool), min_size=1, max_size=5)


# Feature: nodriver-migration, Property 5: Incremental Content Extraction
@given(
    earlier=PARAGRAPHS,
    previous=PARAGRAPHS,
    query=WORDS.filter(bool),
    new=PARAGRAPHS,
    gap=st.sampled_from(["\n", "\n\n", "\n \n"]),
)
def test_new_part_of_thread_is_only_the_new_answer(
    earlier: list[str], previous: list[str], query: str, new: list[str], gap: str
) -> None:
    marked = [f"new: {line}" for line in new]
    thread = gap.join([*earlier, *previous, query, *marked])
    part = new_part(thread, previous="\n".join(previous), query=query)
    assert [line for line in part.splitlines() if line.strip()] == marked


@given(previous=PARAGRAPHS, query=WORDS.filter(bool), new=PARAGRAPHS)
def test_text_without_earlier_answer_only_loses_the_question(
    previous: list[str], query: str, new: list[str]
) -> None:
    marked = "\n".join(f"new: {line}" for line in new)
    assert new_part(marked, previous="\n".join(previous), query=query) == marked
    assert new_part(f"{query}\n{marked}", previous="\n".join(previous), query=query) == marked


OWN_HOSTS = [
    "google.com",
    "www.google.com",
    "WWW.GOOGLE.COM",
    "support.google.com",
    "google.com.",
    "a.b.google.com:443",
    "goog%6Ce.com",
]
OTHER_HOSTS = [
    "notgoogle.com",
    "google.com.evil.example",
    "example.com",
    "EXAMPLE.com",
    "google.example",
    "mygoogle.community",
]
PATHS = ["", "/", "/a", "/a#part", "/a#:~:text=x", "/a?b=1", "/a?b=1#c"]
WRAPPINGS = ["{}", "https://www.google.com/url?q={}&sa=U", "https://google.de/url?sa=t&url={}"]


@st.composite
def links(draw: st.DrawFn) -> str:
    scheme = draw(st.sampled_from(["http", "https", "https", "ftp", "javascript"]))
    host = draw(st.sampled_from(OWN_HOSTS + OTHER_HOSTS))
    url = f"{scheme}://{host}{draw(st.sampled_from(PATHS))}"
    wrapping = draw(st.sampled_from(WRAPPINGS))
    return wrapping.format(url if wrapping == "{}" else quote(url, safe=""))


FOUND = st.lists(st.builds(SearchSource, title=st.text(max_size=5), url=links()), max_size=40)


# Feature: google-ai-search-mcp, Property 3: 链接处理正确性
@given(found=FOUND)
def test_sources_are_external_unique_and_limited(found: list[SearchSource]) -> None:
    urls = [source.url for source in clean_sources(found)]
    hosts = [(urlsplit(url).hostname or "").rstrip(".") for url in urls]
    assert len(urls) <= SOURCES_MAX
    assert len({same_page_key(url) for url in urls}) == len(urls)
    assert {urlsplit(url).scheme for url in urls} <= {"http", "https"}
    assert not any(host == "google.com" or host.endswith(".google.com") for host in hosts)


@given(found=FOUND)
def test_no_external_source_is_lost_below_the_limit(found: list[SearchSource]) -> None:
    kept = {same_page_key(source.url) for source in clean_sources(found, limit=len(found))}
    foreign = {
        same_page_key(source.url)
        for source in found
        if source.url.startswith("http") and "/url?" not in source.url
    }
    wanted = {key for key in foreign if urlsplit(key).hostname in {h.lower() for h in OTHER_HOSTS}}
    assert wanted <= kept


@given(found=FOUND, limit=st.integers(0, 50))
def test_cleaning_clean_sources_changes_nothing(found: list[SearchSource], limit: int) -> None:
    once = clean_sources(found, limit=limit)
    assert len(once) <= limit
    assert clean_sources(once, limit=limit) == once
