"""Pages that no author writes: each of them can be read, in every format."""

from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content import extract
from tabwright.content.extract import extract_snapshot
from tabwright.content.render.write import write
from tabwright.protocol.page_text import PageFormat, RenderOptions
from tabwright.protocol.snapshot import FrameSource, LoadedPage, PageSource, Selection, Tier

PAGE = LoadedPage("https://a.example/", 200, "text/html")

SELECTIONS = (
    Selection(tree=True),
    Selection(tree=True, readability=True),
    Selection(tree=True, selectors=("a", "svg *", "p"), exclude_selectors=("i",)),
)

PROSE = "<p>A sentence that is long enough to count as prose, with an end. Another such sentence."

TAGS = (
    *("a", "area", "article", "aside", "b", "blockquote", "button", "caption", "code", "desc"),
    *("details", "dialog", "div", "dl", "dt", "figure", "footer", "foreignobject", "form", "g"),
    *("h1", "h2", "header", "iframe", "img", "input", "label", "li", "main", "math", "mi"),
    *("mjx-container", "nav", "noscript", "object", "option", "p", "pre", "script", "section"),
    *("select", "slot", "span", "style", "svg", "table", "td", "template", "title", "tr", "ul"),
    *("use", "video", "x-part"),
)
NAMES = (
    *("alt", "aria-controls", "aria-hidden", "aria-label", "aria-labelledby", "class", "colspan"),
    *("content", "data-latex", "for", "headers", "hidden", "href", "id", "itemprop", "itemref"),
    *("itemscope", "name", "onclick", "open", "property", "role", "rowspan", "shadowrootmode"),
    *("slot", "src", "srcdoc", "style", "title", "type", "xlink:href", "xlink:role"),
    *("xlink:title", "xml:lang"),
)
VALUES = (
    *("", "x", "#x", "0", "-1", "99999999999", "S:0", "B:0", "P:0", "pl-x", "af0", "afph0"),
    *("true", "none", "open", "http://[", "data:image/png;base64,x", "javascript:x", "/y"),
    *("display:none", "visibility:hidden", "visibility:visible", "table", "row", "cell", "grid"),
    *("img", "tab", "tabpanel", "dialog", "navigation", "heading", "radio", "math/tex"),
    *("application/ld+json", "cloned", "slide", "collapse", "sr-only", "invisible", "<b>y</b>"),
)
TEXTS = (
    *("x", " ", "\n", "$x$", "&#0;", "&#xD800;", "<", "<!--/$-->", "<![CDATA[x]]>", "12 €", PROSE),
    *('{"@type": "Product", "name": [null]}', "$RC('B:0', 'S:0')"),
)

ATTRIBUTES = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=3)


def element(tag: str, attributes: Sequence[tuple[str, str]], inner: Sequence[str]) -> str:
    named = "".join(f" {name}='{value}'" for name, value in attributes)
    return f"<{tag}{named}>{''.join(inner)}</{tag}>"


HTML = st.recursive(
    st.sampled_from(TEXTS),
    lambda inner: st.builds(element, st.sampled_from(TAGS), ATTRIBUTES, st.lists(inner)),
)
PAGES = st.lists(HTML, max_size=4).map("".join)


@pytest.fixture(autouse=True)
def unguarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let errors of single steps fail a test, although they do not fail the page."""
    monkeypatch.setattr(extract, "plain_snapshot", None)


def read_all(source: PageSource) -> None:
    tier: Tier = 3 if source.is_laid_out else 1
    for selection in SELECTIONS:
        page = extract_snapshot(source, selection, tier).snapshot
        for format_ in get_args(PageFormat):
            write(page, RenderOptions(format=format_))


@given(PAGES, st.lists(PAGES, max_size=2), st.booleans())
def test_odd_page_is_read_in_every_format(html: str, frames: list[str], laid_out: bool) -> None:
    inner = tuple(map(FrameSource, frames))
    read_all(PageSource(PAGE, f"{html}{PROSE}", frames=inner, is_laid_out=laid_out))


@pytest.mark.parametrize(
    "html",
    [
        "<svg><a xlink:href='#x'>x</a></svg>",
        "<svg><g xlink:role=row>x</g></svg>",
        "<svg><g role=img xlink:role=row>x</g></svg>",
        "<math><mi xlink:role=table>x</mi></math>",
        "<div hidden id=S:0><template id=B:0></template><p>x</p></div>",
        "<div hidden id=S:0><p>x<template id=B:0></template></p></div>",
    ],
)
def test_page_with_element_out_of_place_is_read(html: str) -> None:
    read_all(PageSource(PAGE, f"<p>text</p>{html}"))


def test_link_of_a_drawing_is_a_link_of_the_page() -> None:
    html = "<svg><a xlink:href=/old><text>x</text></a><a xlink:href=/no href=/new>y</a></svg>"
    page = extract_snapshot(PageSource(PAGE, html), Selection(), 1).snapshot
    assert [link.url for link in page.links] == ["https://a.example/old", "https://a.example/new"]
