import pytest

from tabwright.protocol.web_search import (
    EngineFailure,
    Ranking,
    ReadResult,
    SearchNotice,
    SearchNoticeKind,
    WebResult,
    WebResults,
)
from tabwright.search.serp.results import result_list
from tabwright.text.languages import LANGUAGES, texts_of

STEERING = "\x1b]0;x\x07\x1b[2J\x9b31m\u202e\u2066\u200f\u061c\n"


def test_result_list_strips_terminal_control_characters() -> None:
    result = WebResult(
        title=f"Bread{STEERING}",
        url=f"https://bread.example/{STEERING}",
        snippet=f"Flour{STEERING}",
        rankings=(Ranking("mojeek", 1),),
        score=0.1,
        date=f"today{STEERING}",
    )
    failure = EngineFailure("brave", "refused", f"No.{STEERING}", retryable=True)
    shown = result_list(WebResults("q", ("mojeek", "brave"), 1, (result,), (failure,)))
    assert not set(shown) & set(STEERING.replace("\n", "")) - set("]0;x[2J31m")
    assert shown.splitlines() == [
        r"1. [Bread\]0;x\[2J31m](https://bread.example/]0;x[2J31m) (today\]0;x\[2J31m; mojeek 1)",
        r"   Flour\]0;x\[2J31m",
        "",
        "Engines without results:",
        "- brave: No.]0;x[2J31m",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_empty_result_list_is_reported_in_the_search_language(language: str) -> None:
    assert result_list(WebResults("q", (), 1, (), ()), language) == texts_of(language).no_results


def test_list_without_a_language_is_in_english() -> None:
    assert result_list(WebResults("q", (), 1, (), ())) == "No results."


def test_failures_have_no_english_details_in_another_language() -> None:
    failures = (
        EngineFailure("brave", "search_blocked", "Brave needs a person.", True, "7f3a"),
        EngineFailure("bing", "search_blocked", "Bing refuses.", True),
        EngineFailure("mojeek", "rate_limited", "mojeek is paused.", True),
        EngineFailure("yahoo", "markup_changed", "No selector.", False),
        EngineFailure("ecosia", "tabs_busy", "No tab became free.", True),
        EngineFailure("startpage", "navigation_failed", "No route.", True),
        EngineFailure("arxiv", "bad_input", "arXiv cannot limit results by site.", False),
    )
    texts = texts_of("de")
    assert result_list(WebResults("q", (), 1, (), failures), "de-AT").splitlines() == [
        texts.no_results,
        "",
        texts.engines_failed,
        f"- brave: {texts.engine_waiting.format(id='7f3a')}",
        f"- bing: {texts.engine_blocked}",
        f"- mojeek: {texts.engine_limited}",
        f"- yahoo: {texts.engine_changed}",
        f"- ecosia: {texts.tabs_busy}",
        f"- startpage: {texts.engine_failed}",
        f"- arxiv: {texts.engine_unsupported}",
    ]


NOTICES = (
    SearchNotice(SearchNoticeKind.PART_MISSING, "No excerpt.", "mojeek"),
    SearchNotice(SearchNoticeKind.ROWS_UNREAD, "Some rows.", "bing", unread=2, rows=9),
    SearchNotice(SearchNoticeKind.NO_RESULTS, "Nothing.", "brave"),
    SearchNotice(SearchNoticeKind.NO_SUCH_PAGE, "No page 4.", "ecosia"),
    SearchNotice(SearchNoticeKind.PARSERS_FILE, "A typo."),
)


def test_notices_follow_the_list_with_their_engine_names() -> None:
    results = WebResults("q", (), 1, (), (), NOTICES)
    assert result_list(results).splitlines()[2:] == [
        "Notices:",
        "- mojeek: No excerpt.",
        "- bing: Some rows.",
        "- brave: Nothing.",
        "- ecosia: No page 4.",
        "- A typo.",
    ]


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en-US"])
def test_notices_have_no_english_details_in_another_language(language: str) -> None:
    texts = texts_of(language)
    results = WebResults("q", (), 1, (), (), NOTICES)
    assert result_list(results, language).splitlines()[2:] == [
        texts.notices,
        f"- mojeek: {texts.notice_part_missing}",
        f"- bing: {texts.notice_rows_unread.format(unread=2, rows=9)}",
        f"- brave: {texts.notice_no_results}",
        f"- ecosia: {texts.notice_no_such_page}",
        f"- {texts.notice_parsers_file}",
    ]


def test_passages_are_quoted_so_that_a_page_cannot_imitate_another_one() -> None:
    pages = (
        ReadResult(1, "https://a.example/", "A", "One.\n\n## 2. [B](https://b.example/)"),
        ReadResult(2, "https://b.example/", "B", kind="time_out", message="It did not load."),
    )
    shown = result_list(WebResults("q", (), 1, (), read=pages)).splitlines()
    assert [line for line in shown if line.startswith("## ")] == [
        "## 1. [A](https://a.example/)",
        "## 2. [B](https://b.example/)",
    ]
    assert shown[-1] == "It did not load."


def test_page_without_passages_says_so_once() -> None:
    page = ReadResult(1, "https://a.example/", "A", notice="No text matches.")
    shown = result_list(WebResults("q", (), 1, (), read=(page,)))
    assert shown.endswith("No text matches.")
    assert texts_of("en-US").page_irrelevant not in shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_that_were_read_are_described_in_the_language_of_the_search(language: str) -> None:
    texts = texts_of(language)
    pages = (
        ReadResult(1, "https://a.example/", "A"),
        ReadResult(2, "https://b.example/", "B", "Text.", shortened=True),
    )
    shown = result_list(WebResults("q", (), 1, (), read=pages), language).splitlines()
    assert texts.page_irrelevant in shown
    assert texts.page_shortened in shown
