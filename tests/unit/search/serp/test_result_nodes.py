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
def test_node_text_is_cut_at_the_maximum_length(piece: str, times: int) -> None:
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
def test_whitespace_is_collapsed_and_not_counted_towards_the_limit(html: str, text: str) -> None:
    (body,) = matches(parsed(body_of(html)), "body")
    assert text_of(body) == text


@pytest.mark.parametrize("length", [1, TEXT_CHARS_MAX, 1_000_000])
def test_attribute_is_cut_at_the_maximum_text_length(length: int) -> None:
    document = parsed(body_of(f'<a title="{"t" * length}">x</a>'))
    part = Part(Selectors([Css("a")]), attribute="title")
    assert value_of(document, part) == "t" * min(length, TEXT_CHARS_MAX)


@pytest.mark.parametrize("over", [0, 1])
def test_link_over_the_length_limit_is_dropped_whole(over: int) -> None:
    href = "h" * (URL_CHARACTERS_MAX + over)
    (link,) = matches(parsed(body_of(f'<a href="{href}">x</a>')), "a")
    assert link_of(link, "href") == ("" if over else href)
    assert link_of(link, "title") == ""


@pytest.mark.parametrize("elements", [10, ELEMENTS_MAX - 7, ELEMENTS_MAX * 2])
@pytest.mark.parametrize("element", ["<p></p>", "<b>", "<i>\u00e9"])
def test_parsed_page_is_cut_at_the_maximum_number_of_elements(element: str, elements: int) -> None:
    document = parsed(f"<html><head></head><body>{element * elements}</body></html>")
    assert len(matches(document, "*")) == min(elements + 3, ELEMENTS_MAX)
