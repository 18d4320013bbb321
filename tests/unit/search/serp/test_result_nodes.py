import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.web_search import Css, Part, Selectors
from tabwright.protocol.web_urls import URL_CHARACTERS_MAX
from tabwright.search.serp.parser import (
    ELEMENTS_MAX,
    TEXT_CHARS_MAX,
    link_of,
    matches,
    parsed,
    text_of,
    value_of,
)

PIECES = ["x", "1", "<b>y</b>", "word ", "<i></i>", "<p>z</p>", "\u202e", "<br>"]


def body_of(html: str) -> str:
    return f"<html><body>{html}</body></html>"


@given(piece=st.sampled_from(PIECES), times=st.integers(0, 6_000))
def test_a_text_is_read_so_far_and_no_further(piece: str, times: int) -> None:
    (body,) = matches(parsed(body_of(f"<p>begin</p>{piece * times}<p>end</p>")), "body")
    text = text_of(body)
    assert text.startswith("begin")
    assert len(text) <= TEXT_CHARS_MAX
    assert times > 100 or text.endswith("end")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("  a<b>b</b>\n c ", "ab c"),
        ("<p>a</p><p>b</p>c<br>d", "a b c d"),
        ("a" * 10 + " " * 5_000 + "b", "a" * 10 + " b"),
        ("<div>" * 1_000 + " \n a", "a"),
    ],
)
def test_spaces_are_single_and_do_not_count(html: str, text: str) -> None:
    (body,) = matches(parsed(body_of(html)), "body")
    assert text_of(body) == text


@pytest.mark.parametrize("length", [1, TEXT_CHARS_MAX, 1_000_000])
def test_an_attribute_is_read_as_far_as_a_text(length: int) -> None:
    document = parsed(body_of(f'<a title="{"t" * length}">x</a>'))
    part = Part(Selectors([Css("a")]), attribute="title")
    assert value_of(document, part) == "t" * min(length, TEXT_CHARS_MAX)


@pytest.mark.parametrize("over", [0, 1])
def test_a_link_is_whole_or_none(over: int) -> None:
    href = "h" * (URL_CHARACTERS_MAX + over)
    (link,) = matches(parsed(body_of(f'<a href="{href}">x</a>')), "a")
    assert link_of(link, "href") == ("" if over else href)
    assert link_of(link, "title") == ""


@pytest.mark.parametrize("elements", [10, ELEMENTS_MAX - 7, ELEMENTS_MAX * 2])
@pytest.mark.parametrize("element", ["<p></p>", "<b>", "<i>\u00e9"])
def test_a_page_has_an_end(element: str, elements: int) -> None:
    document = parsed(f"<html><head></head><body>{element * elements}</body></html>")
    assert len(matches(document, "*")) == min(elements + 3, ELEMENTS_MAX)
