"""Keys by name, and text that contains keys."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.page.actions.keyboard import (
    Key,
    KeyChord,
    Secret,
    character,
    key_of,
    literal,
    modifiers_of,
    stroke_of,
    strokes_of,
    typed,
)
from tabwright.protocol.errors import BadInput

ENTER = Key("Enter", "Enter", 13, "\r")
PIECES = st.lists(
    st.text(st.characters(exclude_characters="{}\\"), max_size=8)
    | st.sampled_from(["{Enter}", "{Ctrl+A}", "{", "}", "\\{", "\\}", "\\\\", "\\", "{word}"])
).map("".join)


@given(PIECES)
def test_typed_text_between_keys_is_one_piece(text):
    pieces = typed(text)
    for first, second in pairwise(pieces):
        assert not (isinstance(first, str) and isinstance(second, str))
    assert "" not in pieces


@given(st.text(st.characters(exclude_characters="{}\\")))
def test_text_without_braces_is_typed_as_it_is(text):
    assert typed(text) == ((text,) if text else ())


@given(PIECES)
def test_key_names_escaped_by_backslash_are_typed_as_text(text):
    escaped = re.sub(r"(\\*)(\{(?:Enter|Ctrl\+A)\})", r"\1\1\\\2", text)
    assert typed(escaped) == ((text,) if text else ())


@given(PIECES)
def test_typed_text_without_key_chords_is_preserved(text):
    pieces = typed(text)
    strokes = sum(isinstance(piece, KeyChord) for piece in pieces)
    if not strokes and not re.search(r"\\\{(Enter|Ctrl)", text):
        assert "".join(map(str, pieces)) == text
    assert strokes <= text.count("{Enter}") + text.count("{Ctrl+A}")


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a{Enter}b", ("a", KeyChord(ENTER), "b")),
        ("{enter}{ENTER}", ("{enter}{ENTER}",)),
        ("{Ctrl+A}", (KeyChord(Key("a", "KeyA", 65, "a"), ("Control",)),)),
        ("{Shift+Tab}", (KeyChord(Key("Tab", "Tab", 9), ("Shift",)),)),
        ('{"a": {"b": 1}}', ('{"a": {"b": 1}}',)),
        ("f'{end}' + `${Control+A}`", ("f'{end}' + `${Control+A}`",)),
        ("import {Space, Shift, Up} from 'x'", ("import {Space, Shift, Up} from 'x'",)),
        (r"{{NAME}}\{{NAME}}", (Secret("NAME"), "{{NAME}}")),
        (r"C:\\{Enter}", ("C:\\", KeyChord(ENTER))),
        (r"\d{2}\{3\}\\", (r"\d{2}\{3\}\\",)),
        ("{x}", ("{x}",)),
        ("{nothing}", ("{nothing}",)),
        ("function () { return }", ("function () { return }",)),
        ("key {{API_KEY}}.", ("key ", Secret("API_KEY"), ".")),
        (r"\{{API_KEY}}", ("{{API_KEY}}",)),
        (r"\{Enter}", ("{Enter}",)),
        (r"C:\temp", (r"C:\temp",)),
    ],
)
def test_braces_are_read_as_keys_only_around_a_key_name(text, pieces):
    assert typed(text) == pieces


@given(
    st.text(max_size=12)
    | st.lists(st.sampled_from(["Ctrl", "Shift", "+", "++", "a", "F5", "Enter", "9"]))
)
def test_key_input_is_parsed_or_rejected_as_unknown(keys):
    text = keys if isinstance(keys, str) else "+".join(keys)
    try:
        strokes = strokes_of(text)
    except BadInput as refused:
        assert "Unknown key" in refused.message
    else:
        assert strokes
        assert all(stroke.key.name and 0 <= stroke.bits <= 15 for stroke in strokes)


@pytest.mark.parametrize(
    ("keys", "name", "modifiers", "text"),
    [
        ("Enter", "Enter", (), "\r"),
        ("esc", "Escape", (), ""),
        ("a", "a", (), "a"),
        ("Shift+a", "A", ("Shift",), "A"),
        ("ctrl+shift+T", "T", ("Control", "Shift"), "T"),
        ("Control+Ctrl+c", "c", ("Control",), "c"),
        ("cmd+option+Delete", "Delete", ("Meta", "Alt"), ""),
        ("ControlOrMeta+a", "a", ("Control",), "a"),
        ("Space", " ", (), " "),
        ("F12", "F12", (), ""),
        ("+", "+", ("Shift",), "+"),
        ("!", "!", ("Shift",), "!"),
        ("S", "S", ("Shift",), "S"),
        ("Shift+1", "!", ("Shift",), "!"),
        ("Control+S", "s", ("Control",), "s"),
        ("Control+Shift+s", "S", ("Control", "Shift"), "S"),
        ("Control++", "+", ("Control", "Shift"), "+"),
        ("Control+Shift++", "+", ("Control", "Shift"), "+"),
        ("Shift", "Shift", (), ""),
        ("\u00e9", "\u00e9", (), "\u00e9"),
    ],
)
def test_key_stroke_is_parsed_into_key_and_modifiers(keys, name, modifiers, text):
    stroke = stroke_of(keys)
    assert (stroke.key.name, stroke.modifiers, stroke.key.text) == (name, modifiers, text)


@pytest.mark.parametrize(
    "keys", ["", "Entr", "F13", "Hyper+a", "a+b", "ab", "Control+", "Control+Shift+", "++", "+a"]
)
def test_unknown_key_is_refused_with_a_list_of_known_keys(keys):
    with pytest.raises(BadInput, match="Unknown key") as caught:
        stroke_of(keys)
    assert "ArrowUp" in caught.value.advice


def test_space_separates_key_strokes():
    assert strokes_of("Control+a Delete") == (stroke_of("Control+a"), stroke_of("Delete"))
    assert strokes_of(" ") == (stroke_of("Space"),)


def test_modifier_bits_match_the_protocol():
    assert stroke_of("Alt+Control+Meta+Shift+x").bits == 1 + 2 + 4 + 8


def test_modifier_aliases_are_accepted_and_unknown_ones_refused():
    assert modifiers_of(("ctrl", "Shift", "CONTROL", "cmd")) == ("Control", "Shift", "Meta")
    with pytest.raises(BadInput, match="Unknown modifier 'hyper'"):
        modifiers_of(("hyper",))


@given(st.characters())
def test_every_character_has_a_key_that_writes_it(sign):
    assert character(sign).text == ("\r" if sign in "\r\n" else sign)


@pytest.mark.parametrize(
    ("sign", "code", "number"),
    [
        ("a", "KeyA", 65),
        ("Z", "KeyZ", 90),
        ("7", "Digit7", 55),
        ("/", "Slash", 191),
        ("!", "Digit1", 49),
        ("@", "Digit2", 50),
        ("~", "Backquote", 192),
        ("\u00e9", "", 0),
    ],
)
def test_character_maps_to_its_keyboard_code(sign, code, number):
    key = character(sign)
    assert (key.code, key.key_code) == (code, number)


def test_modifier_name_is_also_a_key():
    assert key_of("ctrl") == Key("Control", "ControlLeft", 17)
    assert key_of("nothing") is None


@given(st.text(st.characters(exclude_characters="{}")))
def test_literal_text_expands_secrets_but_not_keys(text):
    assert literal(text) == ((text,) if text else ())
    assert literal(f"{text}{{Enter}}") == (f"{text}{{Enter}}",)
    assert literal(f"a{{{{NAME}}}}{text}.") == ("a", Secret("NAME"), f"{text}.")
