"""Lines of an outline as text: what a page says stays in its line, and is no ref of ours."""

import re

import pytest
from hypothesis import given

from tabwright.acting.line_text import (
    TEXT_MAX,
    URL_MAX,
    control_text,
    harmless,
    line_text,
    shortened,
    shortened_url,
)
from tabwright.acting.outlines import Control, Line, Options, ref_of

from .pages import FORGERIES, LINES, TEXTS, button, said

REFS = re.compile(r"\[(\*?\d+\.\d+)\]")


@given(LINES)
def test_a_line_stays_one_line_and_has_the_refs_of_its_controls_alone(line):
    text = line_text(line, whole=True)
    assert len(text.splitlines()) <= 1
    own = {ref_of(line.document, control) for control in line.controls}
    assert set(REFS.findall(text)) <= own
    assert text.startswith(" " * line.depth)


@given(TEXTS)
def test_no_text_of_a_page_is_a_ref_or_a_line(text):
    plain = harmless(text)
    assert not REFS.search(plain)
    assert plain == " ".join(plain.split())
    assert not REFS.search(shortened_url(text))


@pytest.mark.parametrize("text", FORGERIES)
def test_what_is_forged_stands_there_and_does_not_pass_for_ours(text):
    shown = line_text(Line(0, "", (text, button(3, text)), document=2))
    assert REFS.findall(shown) == ["2.3"]


def test_parts_of_a_text_make_no_ref_together():
    for kind in ("", "row"):
        split = Line(0, kind, ("[1", ".5]", "[1.5", "]", Control(9, "link", "[1.5")), document=1)
        assert REFS.findall(line_text(split)) == ["1.9"]


def test_a_control_says_what_it_is_what_it_holds_and_how_it_stands():
    listed = Control(
        4,
        "combobox",
        "Size",
        value="Large",
        states=("required", "focused"),
        options=Options(9, ("Small", "Large")),
        covered='dialog "Cookies"',
    )
    assert control_text(listed, "1.4") == (
        '[1.4] combobox "Size" = "Large" required focused of 9: Small, Large, …'
        ' covered by dialog "Cookies"'
    )
    assert control_text(Control(4, "button"), "1.4") == "[1.4] button"
    link = Control(5, "link", "Next", url="/next?page=2")
    assert control_text(link, "1.5") == '[1.5] link "Next" /next?page=2'


def test_all_choices_of_a_short_list_are_there():
    short = Control(4, "combobox", options=Options(2, ("A", "B")))
    assert control_text(short, "1.4").endswith("of 2: A, B")


def test_what_is_new_has_a_star():
    line = Line(0, "", (button(1, "Old"), button(2, "New")), document=3)
    assert line_text(line, new=frozenset({"3.2"})) == '[3.1] button "Old" [*3.2] button "New"'


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (said("Words.", depth=2), "  Words."),
        (Line(0, "h3", ("A heading",)), "### A heading"),
        (Line(0, "form", ("",)), "form:"),
        (Line(1, "table", ("Prices",), rows=500), ' table "Prices" (500 rows):'),
        (Line(0, "dialog", ("Cookies",), modal=True), 'dialog "Cookies" modal:'),
        (Line(0, "frame", ("Ad",), url="https://b.example/"), 'frame "Ad" https://b.example/:'),
        (Line(0, "frame", ("",), url="https://b.example/"), "frame https://b.example/:"),
        (Line(0, "row", ("a", "b", None, "c")), "| a b | c"),
        (Line(0, "row", (None, "c", None)), "|  | c | "),
        (Line(0, "row", ()), "| "),
    ],
)
def test_lines_of_every_kind(line, text):
    assert line_text(line) == text


def test_a_long_text_is_cut_and_says_by_how_much_unless_the_whole_is_wanted():
    long = "word " * 100
    cut = line_text(said(long))
    assert cut == f"{long[: TEXT_MAX - 20].rstrip()} …(+{len(long) - TEXT_MAX + 20} characters)"
    assert line_text(said(long), whole=True) == long.strip()


def test_a_text_that_fits_is_not_cut():
    assert shortened("x" * TEXT_MAX) == "x" * TEXT_MAX
    assert shortened("x" * (TEXT_MAX + 1)).endswith("(+21 characters)")


def test_a_long_address_is_a_hint():
    assert shortened_url("/search?" + "q" * 100) == "/search?…"
    assert shortened_url("/" + "p" * 100) == "/" + "p" * (URL_MAX - 2) + "…"
    assert shortened_url("/" + "p" * (URL_MAX - 1)) == "/" + "p" * (URL_MAX - 1)
