import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.html.sanitize import DEPTH_MAX, sanitize_html

FILLER = "<p>text</p>" * 10_000
"""Makes a page long enough to be looked through."""


def depth(html: str) -> int:
    node, deepest, here = LexborHTMLParser(html).root, 0, 0
    while node is not None:
        child = node.first_child
        if child is not None:
            node, here = child, here + 1
            deepest = max(deepest, here)
            continue
        while node is not None and node.next is None:
            node, here = node.parent, here - 1
        node = node and node.next
    return deepest


def words(html: str) -> list[str]:
    return LexborHTMLParser(html).body.text().split()


WILD = {
    "nested": "<div>" * 20_000,
    "nested and closed": "<div>" * 20_000 + "x" + "</div>" * 20_000,
    "closed outside of a table": "<div><table></div>" * 10_000,
    "closed in a comment": ("<div>" * 300 + "<!-- " + "</div>" * 300 + "-->") * 50,
    "closed in a script": ("<div>" * 300 + "<script>" + "</div>" * 300 + "</script>") * 50,
    "closed in an attribute": ("<div>" * 300 + "<p x='" + "</div>" * 300 + "'>") * 50,
    "closed in a select": ("<div>" * 300 + "<select>" + "</div>" * 300 + "</select>") * 50,
    "nested in a drawing": "<svg>" + "<g>" * 20_000,
    "formatting": "<b>" * 20_000,
}


@pytest.mark.parametrize("html", WILD.values(), ids=WILD)
def test_sanitized_page_depth_is_bounded(html: str) -> None:
    assert depth(sanitize_html(html)) < 3 * DEPTH_MAX


def test_unclosed_formatting_tags_do_not_multiply_on_long_page() -> None:
    fonts = "".join(f"<font color={number}>" for number in range(2_000))
    html = sanitize_html(f"<p>{fonts}</p>" + "<p>x " * 4_000)
    assert len(LexborHTMLParser(html).css("font")) < 500_000
    assert words(html) == ["x"] * 4_000


UNCLOSED = {
    "unlike": "<b {}>",
    "unlike at the end of a long tag": f"<b class='{'x' * 400}' {{}}>",
    "with a bracket in a value": "<b a='>' {}>",
    "with a stray quote in a name": "<b a' b='x>{}'>",
    "in the value of a commented tag": "<!-- <b x=' --><b {}><!-- '> -->",
    "of a name in capitals": "<STRONG {}>",
    "unlike and closed in a comment": "<b {}><!--</b>-->",
}


@pytest.mark.parametrize("tag", UNCLOSED.values(), ids=UNCLOSED)
def test_unclosed_formatting_tags_do_not_multiply_on_medium_page(tag: str) -> None:
    tags = "".join(tag.format(f"a{number}") for number in range(1_500))
    document = LexborHTMLParser(sanitize_html(f"<p>{tags}</p>" + "<p>x " * 2_000))
    assert len(document.css("b, strong")) < 500_000
    assert document.body.text().split() == ["x"] * 2_000


def test_page_with_few_kinds_of_formatting_is_unchanged() -> None:
    html = "<p><b class=price>1</b><i class='icon-cart'></i><em lang=fr>x</em></p>" * 600
    assert sanitize_html(html) is html


def test_excessive_attributes_are_removed_from_element() -> None:
    attributes = " ".join(f"a{number}={number}" for number in range(5_000))
    assert sanitize_html(f"<p {attributes}>x</p>") == "<p>x</p>"


@given(before=st.integers(0, 30_000), bracket=st.sampled_from(["", "<", ">"]))
def test_excessive_attributes_are_removed_at_any_position(before: int, bracket: str) -> None:
    many = "".join(f" name{number:06}=value" for number in range(1000))
    page = sanitize_html(bracket + "-" * before + f"<p{many}>text</p>")
    assert page.endswith("<p>text</p>")


@pytest.mark.parametrize(
    "html",
    ["<a " * 500_000, "<a x='" * 500_000, "<!--" * 500_000, "<script>" * 200_000, "</" * 500_000],
)
def test_unterminated_markup_is_sanitized_quickly(html: str) -> None:
    assert len(sanitize_html(html)) <= len(html)


@pytest.mark.parametrize(
    "html",
    [
        "<div><p>a<p>b</div><ul><li>c<li>d</ul><table><tr><td>e<td>f</table>",
        "<b>a<i>b</b>c</i><svg><path d='M0 0'/><circle/></svg>tail",
        "<p title='a > b' data-x=\"<i>\">a</p><br/><img src=x alt='>'>b",
        "<script>if (a<b) x('<div>')</script><style>a>b</style>after<textarea>t</textarea>",
        "<!-- <div> -->a<!---->b<!DOCTYPE html><?php x ?>c</nothing>d",
    ],
)
def test_ordinary_page_keeps_its_text(html: str) -> None:
    plain = re.sub(r"<(script|style).*?</\1>", "", html)
    assert words(sanitize_html(html + FILLER)) == words(plain + FILLER)


@given(st.text(st.sampled_from("<>/!-= \"'abdivpx[]"), max_size=200))
def test_any_markup_prefix_does_not_duplicate_text(text: str) -> None:
    assert words(sanitize_html(text + FILLER)).count("text") <= 10_000


@given(st.text())
def test_short_page_is_unchanged(text: str) -> None:
    assert sanitize_html(text) == text
