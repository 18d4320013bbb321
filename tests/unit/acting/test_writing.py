"""Outlines as text within a budget, and going on where one has stopped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.acting.line_text import line_text
from tabwright.acting.outlines import Line
from tabwright.acting.writing import written
from tabwright.protocol.outlines import OutlineView
from tabwright.reading.tokens import tokens_in

from .pages import OUTLINES, button, outline, said

WHOLE = OutlineView(max_tokens=0)
LONG = outline(*(said(f"Line {number} of many.") for number in range(200)))


def body(text, view, taken):
    """The lines of the page itself: after the first, as many as there are up to what follows."""
    given_lines = taken.lines if text.next_offset is None else taken.lines[: text.next_offset]
    return text.text.split("\n")[1 : 1 + len(given_lines) - view.offset]


@given(OUTLINES, st.integers(61, 400))
def test_no_more_is_given_than_the_budget_but_for_one_line(taken, budget):
    view = OutlineView(max_tokens=budget)
    text = written(taken, view)
    assert tokens_in(text.text) <= budget or len(body(text, view, taken)) <= 1


@given(OUTLINES, st.integers(61, 200))
def test_going_on_by_offset_gives_every_line_once_and_in_order(taken, budget):
    lines, offset = [], 0
    while offset is not None:
        view = OutlineView(max_tokens=budget, offset=offset)
        text = written(taken, view)
        assert text.next_offset is None or text.next_offset > offset
        lines += body(text, view, taken)
        offset = text.next_offset
    assert lines == [line_text(line) for line in taken.lines]


@given(OUTLINES)
def test_without_a_budget_all_of_it_is_given(taken):
    text = written(taken, WHOLE)
    assert text.next_offset is None
    assert text.lines == len(taken.lines)
    assert body(text, WHOLE, taken) == [line_text(line) for line in taken.lines]


def test_what_is_left_out_is_named_with_where_to_go_on():
    text = written(LONG, OutlineView(max_tokens=160))
    assert 0 < text.next_offset < 200
    left = 200 - text.next_offset
    last = f"({left} more lines: offset={text.next_offset}, or narrow it by query or ref)"
    assert text.text.split("\n")[-1] == last


def test_the_first_line_tells_of_the_page_and_where_it_is_scrolled():
    scrolled = outline(said("x"), title=" A\n page ", top=100, height=2000)
    first, second = written(scrolled, WHOLE).text.split("\n")
    assert first == "A page <https://a.example/>, 100 px above, 1300 px below"
    assert second == "x"
    assert written(outline(said("x")), WHOLE).text == "A page <https://a.example/>\nx"


def test_a_query_gives_what_holds_all_its_words_and_what_that_stands_under():
    taken = outline(
        Line(0, "navigation", ("",)),
        Line(1, "", (button(1, "Home"),)),
        Line(0, "main", ("",)),
        Line(1, "h2", ("Trains",)),
        Line(1, "form", ("Search",)),
        said("leave at", depth=2),
        Line(2, "", (button(2, "Buy a ticket"),)),
        said("A ticket to buy later", depth=2),
    )
    text = written(taken, OutlineView(query="TICKET buy"))
    assert text.text.split("\n")[1:] == [
        "main:",
        ' form "Search":',
        '  [0.2] button "Buy a ticket"',
        "  A ticket to buy later",
    ]
    assert text.lines == 4


def test_what_is_found_is_given_to_its_end():
    long = "word " * 100 + "needle"
    assert long in written(outline(said(long)), OutlineView(query="needle")).text


def test_a_query_without_a_match_says_so():
    text = written(LONG, OutlineView(query="ferry"))
    assert "(Nothing on the page holds 'ferry'.)" in text.text
    assert text.lines == 0


def test_only_what_is_seen_is_given_where_only_that_is_wanted():
    taken = outline(said("seen"), said("below", seen=False))
    text = written(taken, OutlineView(viewport=True)).text
    assert "seen" in text
    assert "below" not in text


@pytest.mark.parametrize(
    ("page", "notice"),
    [
        ({}, "(The page shows nothing.)"),
        ({"cut": True}, "(The page is longer than can be listed.)"),
        ({"hidden": 3}, "(3 controls are hidden: hidden=true lists them)"),
    ],
)
def test_what_there_is_besides_is_said(page, notice):
    assert notice in written(outline(**page), OutlineView()).text


def test_new_controls_are_marked():
    taken = outline(Line(0, "", (button(1, "A"), button(2, "B")), document=1))
    text = written(taken, WHOLE, frozenset({"1.2"})).text
    assert '[1.1] button "A" [*1.2] button "B"' in text
