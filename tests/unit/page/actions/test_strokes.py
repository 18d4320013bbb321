"""CDP commands for keyboard and mouse input."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.page.actions.actionability import Point
from tabwright.page.actions.keyboard import (
    MODIFIERS,
    insert_text_commands,
    key_press_commands,
    stroke_of,
    type_commands,
)
from tabwright.page.actions.mouse import PULL_STEPS, click_commands, drag_commands

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def summary(commands):
    """Return for each key event its type, key, text and modifiers."""
    return [
        (
            one.params["type"],
            one.params["key"],
            one.params.get("text", ""),
            one.params.get("modifiers", 0),
        )
        for one in commands
    ]


def test_letter_press_sends_key_down_with_text_and_key_up():
    assert summary(key_press_commands(stroke_of("a"))) == [
        ("keyDown", "a", "a", 0),
        ("keyUp", "a", "", 0),
    ]


def test_modifiers_are_pressed_first_and_released_in_reverse_order():
    assert summary(key_press_commands(stroke_of("Control+Shift+F5"))) == [
        ("rawKeyDown", "Control", "", 2),
        ("rawKeyDown", "Shift", "", 10),
        ("rawKeyDown", "F5", "", 10),
        ("keyUp", "F5", "", 10),
        ("keyUp", "Shift", "", 2),
        ("keyUp", "Control", "", 0),
    ]


@given(
    st.sets(st.sampled_from(sorted(MODIFIERS))),
    st.sampled_from(["a", "Enter", "F1", "+", "Home", "\u00e9"]),
)
def test_every_pressed_key_and_modifier_is_released(names, key):
    commands = summary(key_press_commands(stroke_of("+".join((*sorted(names), key)))))
    downs = [name for event, name, _, _ in commands if event != "keyUp"]
    ups = [name for event, name, _, _ in commands if event == "keyUp"]
    assert sorted(downs) == sorted(ups)
    assert commands[-1][3] == 0


@pytest.mark.parametrize(
    ("keys", "edits"),
    [
        ("Control+a", ["selectAll"]),
        ("Control+V", ["paste"]),
        ("Control+Shift+a", None),
        ("a", None),
    ],
)
def test_control_shortcut_sends_its_edit_command_and_no_text(keys, edits):
    letter = next(
        one
        for one in key_press_commands(stroke_of(keys))
        if str(one.params["key"]).lower() in {"a", "v"}
    )
    assert letter.params.get("commands") == edits
    assert bool(letter.params.get("text")) == (keys == "a")


def written(commands):
    """Return the text that the commands type."""
    return "".join(
        str(one.params.get("text", ""))
        for one in commands
        if one.method in {"Input.insertText", "Input.dispatchKeyEvent"}
    )


@given(TEXTS)
def test_typed_and_inserted_text_is_complete(text):
    lines = text.replace("\n", "\r")
    assert written(type_commands(text)) == lines
    assert written(insert_text_commands(text)) == text


@pytest.mark.parametrize(
    ("text", "composed"),
    [("plain", False), ("\u00e9", False), ("\u6c49", True), ("a\ud55c", True), ("\u306b", True)],
)
def test_input_method_text_is_sent_as_a_composition(text, composed):
    methods = [one.method for one in insert_text_commands(text)]
    expected = ["Input.imeSetComposition"] * composed + ["Input.insertText"]
    assert methods == expected


def test_double_click_sends_two_counted_presses():
    events = [
        (one.params["type"], one.params["clickCount"], one.params["buttons"])
        for one in click_commands(3, 4, "right", 2, 8)
    ]
    assert events == [
        ("mouseMoved", 0, 0),
        ("mousePressed", 1, 2),
        ("mouseReleased", 1, 0),
        ("mousePressed", 2, 2),
        ("mouseReleased", 2, 0),
    ]
    assert {(one.params["x"], one.params["y"]) for one in click_commands(3, 4, "left", 1, 0)} == {
        (3, 4)
    }


def test_drag_moves_in_steps_without_releasing_the_button():
    steps = [
        (one.params["type"], one.params["x"], one.params["y"])
        for one in drag_commands(Point(0, 0), Point(10, 20))
    ]
    assert steps[:2] == [("mouseMoved", 0, 0), ("mousePressed", 0, 0)]
    assert len(steps) == 2 + PULL_STEPS
    assert steps[-1] == ("mouseMoved", 10, 20)
    assert "mouseReleased" not in {event for event, _, _ in steps}
