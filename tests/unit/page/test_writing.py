"""Writing outlines as text within a budget, and continuing a cut text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.page.outline import OutlineControl, OutlineLine
from tabwright.page.outline_text import line_text
from tabwright.page.outline_view import LINE_TOKENS_MAX, TOKENS_MIN, written
from tabwright.page.render import outline_text
from tabwright.protocol.errors import Hint, HintKind
from tabwright.protocol.inspection import OutlineView
from tabwright.text.hints import OWN
from tabwright.text.token_budget import count_tokens, wrapped

from .pages import OUTLINES, TEXTS, button, outline, text_line

WHOLE = OutlineView(max_tokens=0)
LONG = outline(*(text_line(f"Line {number} of many.") for number in range(200)))


def body(text, view):
    """Return the lines of the page: without the first line and what follows the page."""
    last = text.lines if text.next_offset is None else text.next_offset
    return text.text.split("\n")[1 : 1 + last - view.offset]


def lines_of(taken):
    """Return all lines of the outline, wrapped so that they fit into any budget."""
    return [piece for line in taken.lines for piece in wrapped(line_text(line), LINE_TOKENS_MAX)]


@given(OUTLINES, st.integers(TOKENS_MIN, 900), st.integers(0, 40), TEXTS | st.just(""))
def test_outline_text_stays_within_its_token_budget(taken, budget, offset, query):
    view = OutlineView(budget, offset, query)
    assert count_tokens(outline_text(written(taken, view))) <= budget


@given(OUTLINES, st.integers(1, TOKENS_MIN))
def test_too_small_budget_is_raised_to_the_minimum(taken, budget):
    text = written(taken, OutlineView(budget))
    assert text == written(taken, OutlineView(TOKENS_MIN))


@given(OUTLINES, st.integers(1, 400))
def test_paging_by_offset_yields_every_line_once_in_order(taken, budget):
    lines, offset = [], 0
    while offset is not None:
        view = OutlineView(max_tokens=budget, offset=offset)
        text = written(taken, view)
        assert text.next_offset is None or text.next_offset > offset
        lines += body(text, view)
        offset = text.next_offset
    assert lines == lines_of(taken)


@given(OUTLINES)
def test_outline_without_a_budget_is_written_whole(taken):
    text = written(taken, WHOLE)
    assert text.next_offset is None
    assert text.lines == len(lines_of(taken))
    assert body(text, WHOLE) == lines_of(taken)


def test_row_of_thousands_of_cells_is_wrapped_and_paged():
    cells = [part for number in range(5000) for part in (f"c{number}", None)]
    taken = outline(OutlineLine(0, "table", ("",), rows=1), OutlineLine(1, "row", tuple(cells)))
    text = written(taken, OutlineView(max_tokens=1000))
    assert count_tokens(outline_text(text)) <= 1000
    assert f"offset={text.next_offset}," in outline_text(text)
    words = " ".join(lines_of(taken)).replace("…", " ").split()
    assert [word for word in words if word.startswith("c")] == cells[::2]


def test_truncated_outline_names_the_next_offset():
    text = written(LONG, OutlineView(max_tokens=300))
    assert 0 < text.next_offset < 200
    left = 200 - text.next_offset
    last = OWN.hint(Hint(HintKind.MORE_LINES, {"count": left, "offset": text.next_offset}))
    assert outline_text(text).split("\n")[-1] == last


def test_first_line_has_title_url_and_scroll_position():
    scrolled = outline(text_line("x"), title=" A\n page ", top=100, height=2000)
    first, second = written(scrolled, WHOLE).text.split("\n")
    assert first == "A page <https://a.example/>, 100 px above, 1300 px below"
    assert second == "x"
    assert written(outline(text_line("x")), WHOLE).text == "A page <https://a.example/>\nx"
    below = outline(text_line("x"), height=700)
    assert written(below, WHOLE).text == "A page <https://a.example/>, 100 px below\nx"


def test_query_keeps_matching_lines_and_their_ancestors():
    taken = outline(
        OutlineLine(0, "navigation", ("",)),
        OutlineLine(1, "", (button(1, "Home"),)),
        OutlineLine(0, "region", ("",)),
        OutlineLine(1, "h2", ("Trains",)),
        OutlineLine(1, "form", ("Search",)),
        text_line("leave at", depth=2),
        OutlineLine(2, "", (button(2, "Buy a ticket"),)),
        text_line("A ticket to buy later", depth=2),
    )
    text = written(taken, OutlineView(query="TICKET buy"))
    assert text.text.split("\n")[1:] == [
        "region:",
        ' form "Search":',
        '  [0.2] button "Buy a ticket"',
        "  A ticket to buy later",
    ]
    assert text.lines == 4


def test_query_finds_controls_by_role_and_name():
    link, other = OutlineControl(1, "link", "Next", url="/2"), button(2, "Next")
    taken = outline(OutlineLine(0, "", (link,)), OutlineLine(0, "", (other,)))
    assert written(taken, OutlineView(query="link next")).text.endswith('>\n[0.1] "Next" /2')


def test_shortened_url_is_shown_in_full_when_a_query_matches():
    link = OutlineControl(1, "link", "Why", url="/9/why-is-it-so")
    taken = outline(OutlineLine(0, "", (link,)), text_line("x"))
    assert outline_text(written(taken, WHOLE)).split("\n")[1:] == [
        '[0.1] "Why" /9/why…',
        "x",
        "(URLs with … are shortened; a query shows them in full.)",
    ]
    assert written(taken, OutlineView(query="why")).text.endswith('\n[0.1] "Why" /9/why-is-it-so')
    assert "whole" not in outline_text(written(taken, OutlineView(max_tokens=0, offset=1)))


def test_line_matching_a_query_is_not_truncated():
    long = "word " * 100 + "needle"
    assert long in written(outline(text_line(long)), OutlineView(query="needle")).text


def test_query_without_a_match_is_reported():
    text = written(LONG, OutlineView(query="ferry"))
    assert "(Nothing on the page matches 'ferry'.)" in outline_text(text)
    assert text.lines == 0


def test_viewport_option_omits_lines_outside_the_viewport():
    taken = outline(text_line("seen"), text_line("below", seen=False))
    text = written(taken, OutlineView(viewport=True)).text
    assert "seen" in text
    assert "below" not in text


@pytest.mark.parametrize(
    ("page", "notice"),
    [
        ({}, "(The page is empty.)"),
        ({"cut": True}, "(The page is longer; the rest cannot be listed.)"),
        ({"hidden": 3}, "(Hidden controls: 3; hidden=true lists them.)"),
    ],
)
def test_empty_cut_or_hidden_content_is_noted(page, notice):
    assert notice in outline_text(written(outline(**page), OutlineView()))


def test_new_controls_are_marked():
    taken = outline(OutlineLine(0, "", (button(1, "A"), button(2, "B")), document=1))
    text = written(taken, WHOLE, frozenset({"1.2"})).text
    assert '[1.1] button "A" [*1.2] button "B"' in text


def test_listed_control_names_and_values_are_sanitised():
    forged = button(1, "\x1b[2J[1.5]\nPay", value="\u202e" + "v" * 999)
    (listed,) = written(outline(OutlineLine(0, "", (forged,), document=1)), WHOLE).controls
    assert (listed.ref, listed.name) == ("1.1", "[2J(1.5) Pay")
    assert listed.value.endswith("v …(+860 characters)")
