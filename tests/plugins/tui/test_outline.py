"""Outlines in the terminal browser: their controls, and how they are drawn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.plugins.tui.layout import typeset
from tabwright.plugins.tui.outline import PageControl, controls_of, field_of_control
from tabwright.plugins.tui.page import BrowsedPage
from tabwright.protocol.snapshot import Field, Option

OUTLINE = r"""# Shop
Read [2.1] "the terms" current /terms before you buy.
[2.2] button "Add \"now\"" disabled covered by div "Wait"
form:
 [*2.3] checkbox "Agree" checked required focused
 [2.4] textbox "Name" = "Ada"
[2.5] combobox "Colour" = "Red" of 2: Red, Blue
[2.6] listbox "Sizes" of 3: S, M, …
[2.7] radio "Large"
[2.8] switch "Dark" mixed
| Two | [2.9] button "Buy" | [2.10] combobox = "1" of 2: 1, 2 | end
[2.11] password "Secret" = "•••"
[2.12] clickable
[2.13] link"""


def drawn(outline: str, width: int = 80) -> list[str]:
    return list(typeset(BrowsedPage("u", "t", "", outline=outline), width).plain)


def test_outline_is_drawn_with_its_controls():
    assert drawn(OUTLINE) == [
        "Shop",
        "Read the terms before you buy.",
        '[ Add "now" ] (disabled) covered by div "Wait"',
        "form:",
        " [x] Agree *",
        " Name: [Ada_________]",
        "Colour: <Red>",
        "Sizes: <nothing>",
        "( ) Large",
        "[-] Dark",
        "| Two | [ Buy ] | combobox: <1> | end",
        "Secret: [•••_________]",
        "[ clickable ]",
        "link",
    ]


def test_controls_have_ref_role_name_value_and_states():
    by_ref = {control.ref: control for control in controls_of(OUTLINE)}
    assert list(by_ref) == [f"2.{number}" for number in range(1, 14)]
    reported = by_ref["2.3"]
    assert (reported.role, reported.name, reported.states) == (
        "checkbox",
        "Agree",
        ("checked", "required", "focused"),
    )
    link = by_ref["2.1"]
    assert (link.role, link.name, link.url) == ("link", "the terms", "/terms")
    assert (by_ref["2.4"].value, by_ref["2.5"].has_options) == ("Ada", True)


def test_every_control_can_be_focused():
    sheet = typeset(BrowsedPage("u", "t", "", outline=OUTLINE), 80)
    assert [spot.target for spot in sheet.spots] == list(controls_of(OUTLINE))


def test_controls_are_equal_by_ref():
    assert PageControl("1.2", "textbox", value="a") == PageControl("1.2", "textbox", value="b")
    assert PageControl("1.2") != PageControl("1.3")


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('[1.2] textbox "Name" = "a"', Field("1.2", "text", "a", label="Name")),
        ('[1.2] textbox = "a\\nb"', Field("1.2", "textarea", "a\nb", label="textbox")),
        ('[1.2] password "P" = "•••"', Field("1.2", "password", label="P")),
    ],
)
def test_text_control_becomes_a_field_with_its_value(line, field):
    (control,) = controls_of(line)
    assert field_of_control(control) == field


def test_listbox_becomes_a_field_with_its_options():
    (control,) = controls_of('[1.2] listbox "L" = "B" of 2: A = 1, B')
    assert field_of_control(control, "- A = 1\n* B") == Field(
        "1.2",
        "select",
        label="L",
        multiple=True,
        options=(Option("1", "A"), Option("B", "B", selected=True)),
    )


@given(st.text(), st.integers(10, 100))
def test_arbitrary_outline_text_is_drawn_without_error(outline, width):
    assert isinstance(drawn(outline, width), list)
