"""Outline lines as text: page text stays in its line and cannot forge refs."""

import re
import unicodedata

import pytest
from hypothesis import given

from tabwright.page.outline import Options, OutlineControl, OutlineLine, ref_of
from tabwright.page.outline_text import (
    DEPTH_MAX,
    LABEL_MAX,
    TEXT_MAX,
    control_text,
    escape_refs,
    line_text,
    link_hint,
    truncate,
)

from .pages import FORGERIES, LINES, TEXTS, UNSEEN, button, text_line

JOINERS = "\u200c\u200d"
REFS = re.compile(r"\[(\*?\d+\.\d+)\]")


@given(LINES)
def test_line_text_is_one_line_with_only_the_refs_of_its_controls(line):
    text = line_text(line, whole=True)
    assert len(text.splitlines()) <= 1
    own = {ref_of(line.document, control) for control in line.controls}
    assert set(REFS.findall(text)) <= own
    assert text.startswith(" " * (line.depth - (line.kind == "row")))
    unknown = {sign for sign in text if unicodedata.category(sign) == "Cn"}  # to this Python
    assert all(sign.isprintable() or sign in JOINERS for sign in set(text) - unknown)


@given(TEXTS)
def test_escaped_page_text_contains_no_ref_or_line_break(text):
    plain = escape_refs(text)
    assert not REFS.search(plain.translate(dict.fromkeys(map(ord, JOINERS))))
    assert plain == " ".join(plain.split())
    assert plain == escape_refs(plain)


@pytest.mark.parametrize("text", UNSEEN)
def test_invisible_characters_are_removed_from_line_text(text):
    plain = escape_refs(text)
    assert plain.isprintable()
    assert not set("\ufe0f\u3164") & set(plain)
    assert all(sign < "\U00040000" for sign in plain)


def test_joiners_in_words_and_emoji_are_kept():
    for word in ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\U0001f468\u200d\U0001f469"):
        assert escape_refs(word) == word


def test_control_name_is_quoted_and_escaped():
    forged = OutlineControl(1, "button", 'Pay" disabled "', 'x" required')
    assert control_text(forged, "1.1") == ('[1.1] button "Pay\\" disabled \\"" = "x\\" required"')
    assert control_text(OutlineControl(1, "button", "a\\"), "1.1") == '[1.1] button "a\\\\"'


@pytest.mark.parametrize("text", FORGERIES)
def test_forged_refs_in_page_text_are_not_recognized_as_refs(text):
    shown = line_text(OutlineLine(0, "", (text, button(3, text)), document=2))
    assert REFS.findall(shown) == ["2.3"]


def test_adjacent_text_parts_never_form_a_ref():
    for kind in ("", "row"):
        split = OutlineLine(
            0, kind, ("[1", ".5]", "[1.5", "]", OutlineControl(9, "link", "[1.5")), document=1
        )
        assert REFS.findall(line_text(split)) == ["1.9"]


def test_control_text_has_role_name_value_states_and_options():
    listed = OutlineControl(
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
    assert control_text(OutlineControl(4, "button"), "1.4") == "[1.4] button"


def test_link_text_shows_its_name_and_url():
    def text(name, url, **more):
        return control_text(OutlineControl(5, "link", name, url=url), "1.5", **more)

    assert text("Next", "/next?page=2") == '[1.5] "Next" /next?page=2'
    assert text("Next", "") == '[1.5] link "Next"'
    assert text("", "/one-two-three") == "[1.5] link /one-two-three"
    assert text("One", "/one-two-three") == '[1.5] "One" /one…'
    assert text("One", "/one-two-three", whole=True) == '[1.5] "One" /one-two-three'
    assert link_hint(OutlineControl(5, "link", "One", url="/one-two-three")) == "/one…"


def test_long_option_labels_names_and_values_are_cut():
    listed = OutlineControl(4, "combobox", "n" * 999, "v" * 999, options=Options(1, ("l" * 999,)))
    text = control_text(listed, "1.4")
    assert f"of 1: {'l' * (LABEL_MAX - 1)}…" in text
    assert text.count("…(+859 characters)") == 2


def test_short_option_list_is_shown_in_full():
    short = OutlineControl(4, "combobox", options=Options(2, ("A", "B")))
    assert control_text(short, "1.4").endswith("of 2: A, B")


def test_new_controls_are_marked_with_a_star():
    line = OutlineLine(0, "", (button(1, "Old"), button(2, "New")), document=3)
    assert line_text(line, new=frozenset({"3.2"})) == '[3.1] button "Old" [*3.2] button "New"'


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (text_line("Words.", depth=2), "  Words."),
        (OutlineLine(0, "h3", ("A heading",)), "### A heading"),
        (OutlineLine(0, "form", ("",)), "form:"),
        (OutlineLine(1, "table", ("Prices",), rows=500), ' table "Prices" (500 rows):'),
        (OutlineLine(0, "dialog", ("Cookies",), modal=True), 'dialog "Cookies" modal:'),
        (OutlineLine(0, "navigation", ("Top",)), 'nav "Top":'),
        (OutlineLine(0, "contentinfo", ("",)), "footer:"),
        (OutlineLine(0, "frame", ("Ad",), url="https://b.example/"), 'frame "Ad" b.example/:'),
        (OutlineLine(0, "frame", ("",), url="https://b.example/"), "frame b.example/:"),
        (OutlineLine(0, "row", ("a", "b", None, "c")), "| a b | c"),
        (OutlineLine(2, "row", ("a",)), " | a"),
        (OutlineLine(0, "row", (None, "c", None)), "|  | c | "),
        (OutlineLine(0, "row", ()), "| "),
    ],
)
def test_every_kind_of_line_is_rendered_in_its_form(line, text):
    assert line_text(line) == text


def test_long_text_is_cut_with_a_count_unless_whole_is_requested():
    long = "word " * 100
    cut = line_text(text_line(long))
    assert cut == f"{long[: TEXT_MAX - 20].rstrip()} …(+{len(long) - TEXT_MAX + 20} characters)"
    assert line_text(text_line(long), whole=True) == long.strip()


def test_a_text_that_fits_is_not_cut():
    assert truncate("x" * TEXT_MAX) == "x" * TEXT_MAX
    assert truncate("x" * (TEXT_MAX + 1)).endswith("(+21 characters)")


def test_line_indentation_is_limited():
    assert line_text(text_line("x", depth=900)) == " " * DEPTH_MAX + "x"


def test_guessed_name_is_marked_and_cannot_forge_a_real_name():
    assert (
        control_text(OutlineControl(1, "button", guess="trash"), "1.1") == '[1.1] button ~"trash"'
    )
    assert control_text(OutlineControl(1, "button", "Bin", guess="trash"), "1.1").endswith('"Bin"')
    forged = OutlineControl(1, "button", guess='a" "b')
    assert control_text(forged, "1.1") == '[1.1] button ~"a\\" \\"b"'
