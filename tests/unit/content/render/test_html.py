"""The content of a page as plain HTML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.html.snapshot import take_snapshot
from tabwright.content.render.html import html_of
from tabwright.content.render.write import write
from tabwright.protocol.blocks import (
    Code,
    Formula,
    Heading,
    Image,
    Item,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
)
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.snapshot import LoadedPage, PageSource, Selection


def snapshot(html):
    page = LoadedPage("https://a.example/", 200, "text/html")
    return take_snapshot(PageSource(page, html), Selection())


def test_html_output_has_no_scripts_styles_or_foreign_attributes():
    page = snapshot(
        "<h1 class=x>T</h1><p onclick=x()>A <b>b</b> <a href=/c>d</a><script>x()</script>"
        "<table><tr><th>e<th>e<tr><td>f<td>f</table><pre>g\n h</pre><ul><li>i</ul>"
    )
    text = write(page, RenderOptions(format="html")).text
    assert "<h1>T</h1>" in text
    assert '<p>A <strong>b</strong> <a href="https://a.example/c">d</a></p>' in text
    assert "<td>f</td>" in text
    assert "g\n h" in text
    assert "<li>i</li>" in text
    assert "onclick" not in text
    assert "x()" not in text


@pytest.mark.parametrize(
    ("page", "written"),
    [
        ("<p>H<sub>2</sub>O, m<sup>2</sup>", "<p>H<sub>2</sub>O, m<sup>2</sup></p>"),
        ("<p>a<br>b <s>c</s> <code>d</code>", "<p>a<br>b <del>c</del> <code>d</code></p>"),
        ("<ol><li>a<li value=9>b</ol>", '<ol>\n<li>a</li>\n<li value="9">b</li>\n</ol>'),
        ("<ol start=4><li>a<ul><li>b</ul></ol>", '<ol start="4">\n<li>a\n<ul>\n<li>b</li>'),
        ("<blockquote>q</blockquote><hr>x", "<blockquote>\n<p>q</p>\n</blockquote>\n<hr>"),
        ('<p><img src=/i.png alt="a\'b">x', '<img src="https://a.example/i.png" alt="a&#x27;b">'),
    ],
)
def test_html_output_preserves_meaning_of_each_element(page, written):
    assert written in html_of(snapshot(page).content)


def test_items_of_a_descending_list_keep_their_numbers():
    tree = LexborHTMLParser(html_of(snapshot("<ol reversed><li>a<li>b<li>c</ol>").content))
    start = int(tree.css("ol")[0].attributes.get("start") or 1)
    values = [one.attributes.get("value") for one in tree.css("li")]
    assert [int(values[0] or start), *map(int, values[1:])] == [3, 2, 1]


def test_table_cell_keeps_line_breaks():
    page = "<table><tr><th>h<th>k<tr><td>l1<br>l2<td>m</table>"
    assert "<td>l1<br>l2</td>" in html_of(snapshot(page).content)


def test_table_without_header_is_written_without_th():
    written = html_of(snapshot("<table><tr><td>a<td>b<tr><td>c<td>d</table>").content)
    assert "<th>" not in written
    assert written.count("<td>") == 4


@pytest.mark.parametrize("url", ["javascript:x()", "data:text/html,x", "vbscript:x"])
def test_unsafe_addresses_of_links_and_images_are_omitted(url):
    content = (Paragraph((TextSpan("a", url=url), Image(url, "b"))),)
    assert html_of(content) == "<p>ab</p>"


ELEMENTS = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "table", "thead", "tbody", "tr"}
    | {"th", "td", "pre", "code", "blockquote", "hr", "br", "a", "img", "em", "strong", "del"}
    | {"sub", "sup"}
)
ATTRIBUTES = frozenset({"href", "src", "alt", "start", "value", "class"})

hostile = st.text(st.sampled_from("<>&\"'scriptimg onerror=/[]()`*_#\n"), max_size=40)
lines = st.lists(
    st.builds(
        TextSpan,
        hostile,
        bold=st.booleans(),
        code=st.booleans(),
        url=st.one_of(st.just(""), hostile.map(lambda text: f"https://a.example/{text}")),
        script=st.sampled_from(["", "sub", "sup"]),
    )
    | st.builds(Image, st.just("https://a.example/i"), hostile)
    | st.builds(Formula, hostile),
    max_size=3,
).map(tuple)
flat = st.one_of(
    st.builds(Paragraph, lines),
    st.builds(Heading, st.integers(1, 6), lines),
    st.builds(Code, hostile, hostile),
    st.builds(TableBlock, st.lists(st.tuples(lines, lines), min_size=1, max_size=3).map(tuple)),
)
nested = st.lists(flat, max_size=2).map(tuple)
items = st.lists(st.builds(Item, lines, nested, st.none() | st.integers(-9, 99)), max_size=3)
blocks = flat | st.builds(Quote, nested) | st.builds(ItemList, st.booleans(), items.map(tuple))


def text_in(content):
    """Return the text of blocks without white space and images."""
    parts = []
    for block in content:
        match block:
            case Code(text):
                parts.append(text)
            case Quote(inner):
                parts.append(text_in(inner))
            case ItemList(_, items):
                parts += (line_in(item.content) + text_in(item.blocks) for item in items)
            case TableBlock(rows):
                parts += (line_in(cell) for row in rows for cell in row)
            case Paragraph(content) | Heading(_, content):
                parts.append(line_in(content))
    return "".join("".join(parts).split())


def line_in(content):
    runs = (run for run in content if not isinstance(run, Image))
    return "".join(run.text if isinstance(run, TextSpan) else f"${run.tex}$" for run in runs)


@given(st.lists(blocks, max_size=3).map(tuple))
def test_html_of_any_blocks_has_only_allowed_elements_and_all_text(content):
    body = LexborHTMLParser(html_of(content)).body
    elements = [node for node in body.css("*") if node.tag != "body"]
    assert {node.tag for node in elements} <= ELEMENTS
    assert {name for node in elements for name in node.attributes} <= ATTRIBUTES
    assert "".join(body.text().split()) == text_in(content)


@given(st.text(st.sampled_from("<>&\"'scriptimg onerror=/[]()`*_#\n"), max_size=60))
def test_page_text_is_escaped_and_never_becomes_markup(text):
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    written = html_of(snapshot(f"<p>{escaped}</p>").content)
    tree = LexborHTMLParser(written)
    assert not tree.css("script, [onerror], style, iframe")
