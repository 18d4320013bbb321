from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.readability.dom_shapes import group_similar_elements
from tabwright.content.readability.main_content import (
    ContentScore,
    content,
    main_content,
    shipped_score,
    words_of,
)
from tabwright.content.readability.signals import PageHead

PAGES = sorted((Path(__file__).parent / "main_content").glob("*.html"))


def text_of(roots: tuple[LexborNode, ...]) -> str:
    return " ".join(" ".join(root.text(separator=" ") for root in roots).split())


def labelled(html: str, label: str) -> list[str]:
    nodes = LexborHTMLParser(html).css(f"[data-label={label}]")
    return [" ".join(node.text(separator=" ").split()) for node in nodes]


def kept(html: str) -> str:
    return text_of(main_content(LexborHTMLParser(html)))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_labelled_content_is_kept_and_boilerplate_removed(path):
    html = path.read_text()
    found = kept(html)
    assert [passage for passage in labelled(html, "content") if passage not in found] == []
    assert [passage for passage in labelled(html, "furniture") if passage in found] == []


def test_images_links_and_tables_stay_with_surrounding_text():
    document = LexborHTMLParser((Path(__file__).parent / "main_content/article.html").read_text())
    (root,) = main_content(document)
    assert root.css_first("img[alt]") is not None
    assert root.css_first("a[href='/metre']") is not None
    assert len(root.css("table tr")) == 3


def test_short_page_text_is_kept():
    assert kept("<p>Gone fishing.</p>") == "Gone fishing."


def test_a_page_of_nothing_but_boilerplate_keeps_some_of_it():
    menu = "".join(f"<li><a href=/{n}>Chapter {n}</a></li>" for n in range(20))
    assert "Chapter 7" in kept(f"<nav><ul>{menu}</ul></nav>")


def test_main_content_of_page_without_text_is_body():
    document = LexborHTMLParser("<img src=a.png>")
    (root,) = main_content(document)
    assert root.tag == "body"
    assert root.css_first("img") is not None


def test_link_beside_kept_paragraphs_is_dropped():
    advice = "Water the plant twice a week, but never in the midday sun. It likes the shade."
    html = f"<div class=entry-content>{f'<p>{advice}</p>' * 6}<a href=/x>Share</a></div>"
    assert kept(html) == " ".join([advice] * 6)


def test_noscript_fallback_does_not_duplicate_text():
    story = "<p>The parcel came on a Tuesday, and nobody knew who had sent it or why.</p>" * 5
    page = f"<main>{story}<noscript><p>Switch on scripts.</p></noscript></main>"
    (root,) = main_content(LexborHTMLParser(page))
    root.strip_tags(["noscript"])
    assert "Switch on" not in root.text()
    assert root.text().count("parcel") == 5


def test_text_of_links_around_whole_blocks_is_kept():
    card = (
        "<a class=card href=/{0}>More <div><h3>Card {0}</h3><p>It tells of a journey.</p></div></a>"
    )
    assert "journey" in kept("".join(map(card.format, range(50))))


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 9_000 + "deep",
        "<div class=a>text" * 5_000,
        "<b>" * 2_000 + "bold",
        "<a>x<p>" * 3_000,
        "<p>" + "word " * 200_000,
        "<p>" + "a. " * 100_000,
        "<p>one</p>" * 20_000,
        "<div id={}>one</div>".format("x" * 1_000_000),
        "".join(f"<div class=c{n}>one</div>" for n in range(20_000)),
        "<frameset><frame src=a>",
        "\x00<p>\ud800</p>".encode("utf-8", "replace").decode(),
        "",
    ],
    ids=[
        "deep",
        "deep with text",
        "bold",
        "unclosed links",
        "one long text",
        "many sentences",
        "many paragraphs",
        "long name",
        "many kinds",
        "frames",
        "no characters",
        "nothing",
    ],
)
def test_hostile_page_keeps_content_if_it_has_text(html):
    document = LexborHTMLParser(html)
    output = text_of((document.body,)) if document.body else ""
    assert bool(kept(html)) == bool(output)


TAGS = st.sampled_from(["div", "p", "a href=x", "span", "nav", "ul", "li", "noscript", "h1", "br"])
PIECES = st.one_of(
    TAGS.map("<{}>".format),
    TAGS.map(lambda tag: f"</{tag.split()[0]}>"),
    st.sampled_from(
        ["word", "A whole sentence of some length, which ends here. ", " ", "<!-- -->"]
    ),
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_main_content_keeps_some_text_of_any_page_and_invents_none(html):
    body = LexborHTMLParser(html).body
    output = text_of((body,)) if body else ""
    found = kept(html)
    assert bool(found) == bool(output)
    assert set(found.split()) <= set(output.split())


def test_similar_sibling_elements_are_grouped_into_one_kind():
    body = LexborHTMLParser("<ul class=a><li>1<li>2<li>3</ul><ul class=b><li>4</ul>").body
    page = group_similar_elements(body)
    assert [(kind.tag, len(kind.nodes)) for kind in page.kinds] == [
        ("body", 1),
        ("ul", 1),
        ("li", 3),
        ("ul", 1),
        ("li", 1),
    ]
    assert [strand.tally.chars for strand in page.strands] == [3, 1]


def test_selection_with_highest_total_score_is_kept():
    html = "".join(f"<p class=p{n}>{'x' * 100}</p>" for n in range(4))
    page = group_similar_elements(LexborHTMLParser(html).body)
    odds = iter([3.0, 0.0, -1.0, -3.0])
    score = ContentScore(lambda _label: 0.0, lambda *_signals: next(odds))
    assert [strand.kind.label for strand in content(page, PageHead(), score)] == ["<p p0", "<p p1"]


def test_element_label_is_scored_by_its_words():
    score = shipped_score(is_article=False)
    assert words_of("<li sidebarItem post-list") == ["<li", "sidebar", "item", "post", "list"]
    assert score.worth("<div entry-content") > 0 > score.worth("<div related-comments")


@pytest.mark.parametrize("is_article", [False, True])
def test_page_type_selects_content_score_weights(is_article: bool, monkeypatch):
    asked: list[bool] = []

    def score(*, is_article: bool) -> ContentScore:
        asked.append(is_article)
        return shipped_score(is_article=is_article)

    monkeypatch.setattr("tabwright.content.readability.main_content.shipped_score", score)
    kind = "article" if is_article else "website"
    html = f"<head><meta property='og:type' content={kind}></head><p>The text of the page."
    assert kept(html) == "The text of the page."
    assert asked == [is_article]
    own, other = (shipped_score(is_article=kind) for kind in (is_article, not is_article))
    signals = [0.0] * 37
    assert own.likelihood(signals) != other.likelihood(signals)


def test_decision_tree_takes_low_branch_up_to_threshold():
    score = ContentScore.of(b'{"words": {}, "trees": [["linked", 0.5, -1.0, 1.0], 0.25]}')
    assert score.likelihood((0.0, 0.0, 0.0, 0.5, *[0.0] * 33)) < 0.5
    assert score.likelihood((0.0, 0.0, 0.0, 0.6, *[0.0] * 33)) > 0.5


@pytest.mark.parametrize(
    ("cards", "head", "keeps"),
    [
        (4, PageHead(), True),
        (3, PageHead(), False),
        (4, PageHead(is_article=True), False),
    ],
    ids=["list of records", "too few records", "article"],
)
def test_doubtful_text_in_record_list_is_kept(cards: int, head: PageHead, keeps: bool):
    card = "<li class=card><p>The lamp gives a warm light of any color.</p><div class=new>New</div>"
    body = LexborHTMLParser(f"<ul>{card * cards}</ul>").body
    assert body is not None
    doubtful = ContentScore(lambda _: 0.0, lambda tag, *_: 3.0 if tag == 0 else -0.3)
    kept_runs = content(group_similar_elements(body), head, doubtful)
    assert [run.kind.tag for run in kept_runs] == (["p", "div"] if keeps else ["p"])
