"""Words and lines that styles of a page keep apart are kept apart."""

import pytest

from tabwright.content.html.snapshot import take_snapshot
from tabwright.content.render.markdown import text_of
from tabwright.protocol.snapshot import LoadedPage, PageSource, Selection


def text(html: str, *, is_laid_out: bool = False) -> str:
    page = LoadedPage("https://a.example/", 200, "text/html")
    return text_of(
        take_snapshot(PageSource(page, html, is_laid_out=is_laid_out), Selection()).content
    )


@pytest.mark.parametrize(
    "style",
    [
        ".key{display:block}",
        "b, .key { color: red; DISPLAY : Flex !important }",
        "span.key{display:grid}",
        "span{display:block}",
        "/* .key{display:inline} */.key{display:block}/*",
        "@media screen{.key{display:block}}",
        ".key{display:inline}.key{display:block}",
    ],
)
def test_words_are_apart_if_simple_selector_makes_them_blocks(style: str) -> None:
    rows = "<p><span class='dim key'>Price</span>19 EUR</p>"
    assert text(f"<style>{style}</style>{rows}") == "Price 19 EUR"


@pytest.mark.parametrize(
    "style",
    [
        "p .key{display:block}",
        ".key:hover{display:block}",
        ".key{display:inline-block}",
        ".key{display:block}.key{display:inline}",
        "b.key{display:block}",
        ".key{--display:block}",
    ],
)
def test_words_remain_one_word_if_no_simple_selector_makes_them_blocks(style: str) -> None:
    assert text(f"<style>{style}</style><p><span class=key>over</span>all</p>") == "overall"


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("one<span style='display:block'>two</span>three", "one two three"),
        ("one<span style='display:inline'>two</span>three", "onetwothree"),
        ("<span style='display:block'>o</span><span style='display:block'>k</span>", "ok"),
        ("<code>one<span style='display:block'>two</span></code>", "onetwo"),
    ],
)
def test_words_are_apart_if_inline_style_makes_them_blocks(html: str, shown: str) -> None:
    assert text(html) == shown


def test_words_of_page_from_tab_are_left_as_its_layout_sets_them() -> None:
    assert text("over<span style='display:block'>all</span>", is_laid_out=True) == "overall"


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<style>.f{display:flex}</style><div class=f><i>one</i><i>two</i></div>", "one two"),
        ("<div style='display:inline-grid'><i>one</i><i>two</i></div>", "one two"),
        ("<style>.f{display:flex}</style><p><i class=f>o<b>k</b></i></p>", "ok"),
        ("<span class=a>one</span><span class=b>two</span>", "one two"),
        ("<span class=a>20</span><span class=b>kcal</span>", "20 kcal"),
        ("<span class=a>over</span><span class=a>all</span>", "overall"),
        ("<span class=a>over</span><span>all</span>", "overall"),
        ("<span class=a>O</span><span class=b>nce</span>", "Once"),
        ("<span class=a>one</span><span class=b>, two</span>", "one, two"),
        ("<code><span class=a>one</span><span class=b>two</span></code>", "onetwo"),
    ],
)
def test_words_are_apart_if_row_or_classes_separate_them(html: str, shown: str) -> None:
    assert text(html) == shown


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<span>Mon</span><span>9-17</span>", "Mon 9-17"),
        ("<span>Tea</span><i></i><span>4,50</span>", "Tea 4,50"),
        ("<span>Tea</span><span>\u20ac 4</span>", "Tea \u20ac 4"),
        ("<span>20</span><span>minutes</span>", "20 minutes"),
        ("<label>Weight</label><span>five</span>", "Weight five"),
        ("<b class=a>word</b><time>noon</time>", "word noon"),
        ("word<time>noon</time>", "word noon"),
        ("Size<span>42</span>", "Size 42"),
        ("<span class=a>$9.00</span><i class=b>4 of 5 stars</i>", "$9.00 4 of 5 stars"),
        ("<span>over</span><span>all</span>", "overall"),
        ("H<span>2</span>O, <span>CO</span><span>2</span>", "H2O, CO2"),
        ("<b>20</b><small>th</small>", "20th"),
        ("<span class=a>12</span><small class=b>99</small>", "1299"),
        ("<span>\u6751</span><span>6\u90bb</span>", "\u67516\u90bb"),
        ("\u738b\u7389\u5cf0\u6751<span>6\u90bb</span>", "\u738b\u7389\u5cf0\u67516\u90bb"),
        ("<code>word<span>42</span></code>", "word42"),
    ],
)
def test_words_are_apart_if_neighbours_are_no_parts_of_a_word(html: str, shown: str) -> None:
    assert text(f"<p>{html}</p>") == shown


@pytest.mark.parametrize("is_laid_out", [False, True])
@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<a href=/1>One</a><a href=/2>Two</a>", "One Two"),
        ("<a href=/1>A</a><a href=/2>B</a>", "A B"),
        ("<a href=/1>over</a><a href=/1>all</a>", "overall"),
        ("<a href=/1>onlin</a><a href=/2>e</a>", "online"),
        ("<a href=/1>One</a>, <a href=/2>two</a>", "One, two"),
        ("<span class=sr-only>Price</span><span>$20</span>", "Price $20"),
        ("<p>More<span class=visually-hidden>about it</span></p>", "More about it"),
        ("<p>More<span class=screen-reader-text>, please</span></p>", "More, please"),
        ("<p>Un<span class=hidden-xs>der</span></p>", "Under"),
        ("<a href=/1>One</a>or<a href=/2>two</a>", "Oneortwo"),
    ],
)
def test_neighbouring_links_and_texts_for_screen_readers_are_apart(
    html: str, shown: str, *, is_laid_out: bool
) -> None:
    assert text(html, is_laid_out=is_laid_out) == shown


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<p style='white-space: pre-wrap'>one\n  two</p>", "one\ntwo"),
        ("<p style='white-space:pre-line'>\none <b>two\nthree</b>\n</p>", "one two\nthree"),
        ("<div class='a whitespace-pre-wrap'><i>one</i>\n\n<i>two</i></div>", "one\ntwo"),
        ("<p style='white-space:pre'>one<i> two\nthree</i></p>", "one two\nthree"),
        ("<p data-kept-lines>one\ntwo</p>", "one\ntwo"),
        ("<p data-kept-lines><b>one\ntwo</b></p>", "one two"),
        ("<p style='white-space:nowrap'>one\ntwo</p>", "one two"),
        (
            "<p class=whitespace-pre>one <i style='white-space:normal'>two\nthree</i></p>",
            "one two three",
        ),
        ("<p style='white-space:pre'><code>one\ntwo</code></p>", "one two"),
    ],
)
def test_lines_of_texts_are_kept_if_their_style_keeps_them(html: str, shown: str) -> None:
    assert text(html) == shown
