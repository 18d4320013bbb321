from collections.abc import Callable

import attrs
import pytest

from tabwright.protocol.ai_search import SearchSource
from tabwright.search.ai_mode.answer import read_answer
from tabwright.search.ai_mode.completion import Phase
from tabwright.search.ai_mode.google_urls import (
    AIModeQuery,
    is_google,
    is_opaque,
    same_page_key,
    unwrap,
)
from tabwright.search.ai_mode.page_state import Card, ContentNode, PageState, ThreadTurn
from tabwright.search.ai_mode.result import result_of
from tabwright.search.ai_mode.sources import (
    are_sources_missing,
    chips_in,
    clean_sources,
    numbered_sources,
    source_of,
    sources_seen,
    sources_shortfall,
    unresolved,
)

GOTO = "https://www.google.com/goto?url=CAESabc_123"


def page(*cards: Card, column: tuple[ContentNode, ...] = ()) -> PageState:
    return PageState("u", turns=1, turn=ThreadTurn(column=column, cards=cards))


@pytest.mark.parametrize(
    ("url", "target"),
    [
        (
            "https://www.google.com/url?q=https%3A%2F%2Fa.example%2F%3Fx%3D1&sa=U",
            "https://a.example/?x=1",
        ),
        ("https://www.google.co.jp/url?sa=t&url=https://a.example/", "https://a.example/"),
        ("https://www.google.com/goto?url=https://a.example/", "https://a.example/"),
        ("https://translate.google.com/translate?sl=de&u=https://a.example/", "https://a.example/"),
        (
            "https://www.google.com/url?q=https%3A%2F%2Fwww.google.de%2Furl%3Fq%3Dhttps%3A%2F%2Fa.example%2F",
            "https://a.example/",
        ),
        (
            "https://a.example/url?q=https://b.example/",
            "https://a.example/url?q=https://b.example/",
        ),
        (
            "https://www.google.com/url?q=javascript:alert(1)",
            "https://www.google.com/url?q=javascript:alert(1)",
        ),
        (GOTO, GOTO),
        ("https://[bad/url?q=x", "https://[bad/url?q=x"),
    ],
)
def test_redirect_urls_are_unwrapped(url: str, target: str) -> None:
    assert unwrap(url) == target


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("https://google.com", True),
        ("https://GOOGLE.com./x", True),
        ("http://a.google.com:8080/", True),
        ("https://google\u3002com/", True),
        ("https://goog%6ce.com/", True),
        ("https://user@google.com/", True),
        ("https://google.com@evil.example/", False),
        ("https://notgoogle.com/", False),
        ("https://google.com.evil.example/", False),
        ("ftp://google.com/", False),
    ],
)
def test_google_hosts_are_recognised(url: str, *, own: bool) -> None:
    assert is_google(url) is own


def test_page_key_ignores_fragment_default_port_and_host_case() -> None:
    assert same_page_key("https://A.example:443#x") == same_page_key("https://a.example/")
    assert same_page_key("https://a.example/A") != same_page_key("https://a.example/a")
    assert same_page_key("https://a.example:8443/") != same_page_key("https://a.example/")
    assert same_page_key("https://a.example:x/") == "https://a.example:x/"


def test_opaque_links_are_listed_and_replaced_once_resolved() -> None:
    link = ContentNode("link", href=f"{GOTO}_3", kids=(ContentNode("text", "there"),))
    cards = [Card(GOTO, "A", ("A",)), Card("https://b.example/", "B"), Card(f"{GOTO}_2", "C")]
    state = page(*cards, cards[0], column=(link,))
    assert is_opaque(GOTO)
    assert unresolved(state) == (GOTO, f"{GOTO}_2", f"{GOTO}_3")
    assert [source.url for source in numbered_sources(state)] == ["https://b.example/"]
    resolved = {GOTO: "https://a.example/", f"{GOTO}_2": "https://www.google.com/x"}
    assert [source.title for source in numbered_sources(state, resolved=resolved)] == ["A", "B"]


def test_sources_seen_counts_distinct_possible_sources() -> None:
    cards = ["https://a.example/", "https://a.example/#x", "https://www.google.com/x", GOTO]
    assert sources_seen(page(*map(Card, cards))) == 2
    assert sources_seen(PageState("u")) == 0


def test_duplicate_source_fills_gaps_of_the_first() -> None:
    found = [
        SearchSource("A", "https://a.example/"),
        SearchSource("B", "https://b.example/"),
        SearchSource("Other", "https://a.example/#x", "snippet", "site"),
    ]
    assert clean_sources(found) == (
        SearchSource("A", "https://a.example/", "snippet", "site"),
        SearchSource("B", "https://b.example/"),
    )


@pytest.mark.parametrize(
    ("card", "source"),
    [
        (
            Card(
                "u",
                "T. x. Opens in new tab.",
                ("T. x", "5 Mar 2025 \u2014 A long excerpt.", "Site"),
            ),
            ("T. x", "5 Mar 2025 \u2014 A long excerpt.", "Site"),
        ),
        (
            Card("u", "标题。在新标签页中打开。", ("Site", "标题", "这里的摘录比网站的名字长。")),
            ("标题", "这里的摘录比网站的名字长。", "Site"),
        ),
        (Card("u", "Title. Opens in new tab."), ("Title", "", "")),
        (Card("u", "", ("Title", "Site")), ("Title", "", "Site")),
        (
            Card("https://docs.example/", "T", ("T", "docs.example", "Short excerpt")),
            ("T", "Short excerpt", "docs.example"),
        ),
        (
            Card("u", "T", ("T", "An excerpt without a site.")),
            ("T", "An excerpt without a site.", ""),
        ),
        (Card("u"), ("", "", "")),
    ],
)
def test_card_lines_are_split_into_title_snippet_and_site(
    card: Card, source: tuple[str, str, str]
) -> None:
    read = source_of(card)
    assert (read.title, read.snippet, read.site) == source


def test_chips_supply_sources_when_cards_are_missing() -> None:
    chip = ContentNode(
        "chip",
        hrefs=("https://a.example/#:~:text=x",),
        label="Site (+1) - Its title. Related results",
        site="Site +1",
    )
    state = page(column=(ContentNode("box", kids=(ContentNode("text", "a"), chip)),))
    (source,) = read_answer(state).sources
    assert (source.title, source.site) == ("Its title", "Site")
    assert same_page_key(source.url) == same_page_key("https://a.example/")


def test_chip_label_of_unknown_form_becomes_source_title() -> None:
    chip = ContentNode("chip", hrefs=("https://a.example/",), label="Site: Its title")
    (source,) = read_answer(page(column=(chip,))).sources
    assert source.title == "Site: Its title"


def test_chips_with_text_of_their_own_are_not_source_hints() -> None:
    plain = ContentNode("chip", site="Berlin", kids=(ContentNode("text", "Berlin"),))
    named = ContentNode("chip", site="Site", label="Site - Title")
    assert list(chips_in((ContentNode("box", kids=(plain, named)),))) == [named]


def test_cards_of_recorded_page_become_sources(recorded: Callable[[str], PageState]) -> None:
    sources = read_answer(recorded("marked")).sources
    assert len(sources) == 5
    assert sources[4] == SearchSource(
        "Title 5. More here",
        "https://s5.example/x",
        "5 Mar 2025 \u2014 Snippet number 5 that is quite a bit longer.",
        "Site5",
    )


def test_page_cited_only_by_a_chip_is_listed_after_the_cards() -> None:
    chip = ContentNode("chip", hrefs=("https://b.example/",), label="B - Its title")
    card = Card("https://a.example/", "A. Opens in new tab.", ("A", "Its excerpt is longer."))
    found = numbered_sources(page(card, column=(chip,)))
    assert [(one.title, one.url) for one in found] == [
        ("A", "https://a.example/"),
        ("Its title", "https://b.example/"),
    ]


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({}, False),
        ({"sources_pending": True}, True),
        ({"column": (ContentNode("chip", site="Site +1"),)}, True),
        ({"column": (ContentNode("chip", hrefs=("https://a.example/",)),)}, False),
        ({"sources_pending": True, "cards": (Card("https://a.example/", "A"),)}, False),
    ],
)
def test_sources_cited_or_pending_but_unread_count_as_missing(
    changes: dict[str, object], missing: bool
) -> None:
    turn = attrs.evolve(ThreadTurn(), **changes)
    assert are_sources_missing(PageState("u", turns=1, turn=turn), {}) == missing


def test_opaque_source_is_missing_when_its_target_is_unresolved() -> None:
    state = page(Card(GOTO, "A"), Card("https://b.example/", "B"))
    chip = ContentNode("chip", site="Site +1")
    only = page(Card(GOTO, "A"), column=(chip,))
    target = {GOTO: "https://a.example/"}
    assert sources_shortfall(state) == (2, 2)
    assert sources_shortfall(state, target) == (2, 2)
    assert sources_shortfall(state, {}) == (1, 2)
    assert not are_sources_missing(only, target)
    assert are_sources_missing(only, {})


def test_sources_beyond_the_maximum_are_reported() -> None:
    state = page(*(Card(f"https://{name}.example/", name) for name in "abc"))
    question = AIModeQuery("q", "en-US")
    cut, whole = (
        result_of(question, state, Phase.COMPLETE, resolved={}, limit=limit) for limit in (2, 3)
    )
    assert len(cut.sources) == 2
    assert cut.warning == question.texts.sources_cut.format(limit=2, count=3)
    assert whole.warning == ""


def test_source_behind_a_viewer_keeps_title_and_site() -> None:
    card = Card(
        href="https://www.google.com/searchviewer/abc",
        label="A title. Opens in new tab.",
        units=("A title", "An excerpt of the page that says a little more.", "News"),
    )
    other = Card(href="https://www.google.com/search?q=x", label="B", units=("B",))
    (source,) = numbered_sources(page(card, card, other))
    assert (source.title, source.url, source.site) == ("A title", "", "News")
    assert sources_seen(page(card)) == 1


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (("3 sites",), (1, 3)),
        (("5 个网站",), (1, 5)),
        (("12 Quellen",), (1, 12)),
        (("12 siti",), (1, 12)),
        (("1 site", "9 people like this"), (1, 1)),
        ((), (1, 1)),
    ],
)
def test_sources_shortfall_is_measured_against_the_page_count(
    counts: tuple[str, ...], expected: tuple[int, int]
) -> None:
    turn = ThreadTurn(cards=(Card(href="https://a.example/", label="A"),), counts=counts)
    assert sources_shortfall(PageState("u", turns=1, turn=turn)) == expected
