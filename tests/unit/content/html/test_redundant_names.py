"""Redundant names of images and of icon links."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.html.blocks import blocks_of
from tabwright.content.html.redundant_names import remove_decoration, remove_redundant_names
from tabwright.content.html.tree import Addresses
from tabwright.content.render.markdown import markdown_of, text_of
from tabwright.protocol.blocks import Blocks

HOME = "https://a.example/"
LONG = "The bridge was opened in the spring of 1901, and the town is proud of it. " * 9


def read(html: str) -> Blocks:
    body = LexborHTMLParser(html).body
    assert body is not None
    remove_redundant_names((body,))
    return blocks_of((body,), Addresses(HOME, HOME))


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            "<figure><img src=a.png alt='The bridge'><figcaption>The bridge at night</figure>",
            "The bridge at night",
        ),
        (
            "<figure><img src=a.png alt='A ship'><figcaption>The bridge at night</figure>",
            "[A ship]|The bridge at night",
        ),
        (f"<img src=a.png alt='The bridge'><p>{LONG}", f"[The bridge]|{LONG.strip()}"),
        ("<p>Done <img src=a.png alt='\U0001f600'>", "Done [\U0001f600]"),
        (
            "<table><tr><th>a<th>b<tr><td>yes<td><img src=a.png alt=yes></table>",
            "a\tb\nyes\t[yes]",
        ),
        ("<ul><li>Lamp<li><img src=a.png alt=Lamp></ul>", "- Lamp\n- [Lamp]"),
        ("<a href=/1><img src=a.png alt=Lamp></a> <p><a href=/1>Lamp, 60 W</a>", "Lamp, 60 W"),
        ("<a href=/1 title=Lamp><img src=a.png></a> <p><a href=/1>Lamp, 60 W</a>", "Lamp, 60 W"),
        ("<a href=/1><img src=a.png alt=Lamp></a> <p><a href=/1>Buy</a>", "Lamp|Buy"),
        ("<a href=/1><img src=a.png alt=Lamp></a> <p>Lamp, 60 W", "Lamp|Lamp, 60 W"),
    ],
)
def test_picture_name_repeated_in_adjacent_text_is_dropped(html: str, text: str) -> None:
    assert text_of(read(html)).replace("\n\n", "|") == text


def test_picture_stays_in_markdown_when_its_name_is_dropped() -> None:
    html = "<div><img src=a.png alt=Lamp><p>Lamp, 60 W</div>"
    assert markdown_of(read(html)) == f"![]({HOME}a.png)\n\nLamp, 60 W"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<a href=/s aria-label=Share><svg></svg></a> Story", "Story"),
        ("<a href=/s title=Share><i class=icon></i></a> Story", "Story"),
        ("<a href=/s aria-label='A story'></a> <h3>A story</h3>", "A story A story"),
        (
            "<a href=/s title='A story'></a> <h3><a href=/s>A story</a></h3>",
            "A story",
        ),
        ("<a href=/s aria-label='Share this'>Share</a> Story", "Share Story"),
        ("<a href=/s><span role=img aria-label='4 of 5'></span></a> Story", "4 of 5 Story"),
        ("<a href=/s title=Film><img src=a.png></a> Story", "Film Story"),
    ],
)
def test_icon_link_name_is_dropped(html: str, text: str) -> None:
    assert " ".join(text_of(read(html)).split()) == text


def test_many_pictures_without_text_are_read_in_linear_time() -> None:
    pictures = "<div>" * 300 + "<img src=a.png alt=a>" * 20_000
    assert text_of(read(pictures)).count("[a]") == 20_000


def test_names_that_main_content_drops_stay_in_links_and_media(snap) -> None:
    html = f"""<article><p>{LONG}<a href=/s aria-label=Share><svg></svg></a>
    <figure><img src=a.png alt=Bridge></figure><p>{LONG}</article>"""
    page = snap(html, readability=True)
    assert "Share" not in text_of(page.content)
    assert {link.url: link.text for link in page.links} == {"https://a.example/s": "Share"}
    assert [medium.alt for medium in page.media] == ["Bridge"]
    assert "Share" in text_of(snap(html).content)


@pytest.mark.parametrize(
    ("title", "headings", "headline"),
    [
        ("The bridge of 1901 - Town news", "<h1>Town news</h1>", "Town news"),
        (
            "The bridge of 1901 - The Herald",
            "<h1>Welcome!</h1><h2>The bridge of 1901</h2>",
            "The bridge of 1901",
        ),
        (
            "The bridge of 1901 - The Herald",
            "<h1>That bridge of 1901</h1><h2>The Herald</h2>",
            "That bridge of 1901",
        ),
        ("Bridges", "<h1>Welcome!</h1><h2>News</h2>", "Welcome!"),
    ],
    ids=["named by the title", "name of the site", "worded otherwise", "no heading of the title"],
)
def test_headline_is_heading_that_matches_title(
    snap, title: str, headings: str, headline: str
) -> None:
    html = f"<title>{title}</title><header>{headings}</header><article><p>{LONG}</article>"
    text = text_of(snap(html, readability=True).content)
    assert text.startswith(f"{headline}\n\n")
    assert text.count(headline) == 1


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<svg><text>0:00</text></svg>Story", "Story"),
        ("<svg><title>Sales</title><text>55</text></svg>", "Sales: 55"),
        ("<svg aria-label=Sales><text>55</text></svg>", "Sales: 55"),
        ("<figure><svg><g><svg><text>55</text></svg></g></svg></figure>", "55"),
    ],
)
def test_drawing_without_a_name_is_content_only_in_a_figure(html: str, text: str) -> None:
    body = LexborHTMLParser(html).body
    assert body is not None
    remove_decoration((body,))
    assert text_of(blocks_of((body,), Addresses(HOME, HOME))) == text
