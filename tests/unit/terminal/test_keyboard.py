"""The bytes that a terminal sends for a key."""

import pytest

from tests.support.terminal.sequences import sent


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("j", "j"), ("J", "J"), ("é", "é"), ("+", "+"), ("Space", " "),
        ("Enter", "\r"), ("Tab", "\t"), ("Escape", "\x1b"), ("Backspace", "\x7f"),
        ("Shift+Tab", "\x1b[Z"), ("Delete", "\x1b[3~"),
        ("PageUp", "\x1b[5~"), ("PageDown", "\x1b[6~"), ("Ctrl+PageDown", "\x1b[6;5~"),
        ("Up", "\x1b[A"), ("Alt+Left", "\x1b[1;3D"), ("Ctrl+Shift+Right", "\x1b[1;6C"),
        ("Home", "\x1b[H"), ("End", "\x1b[F"), ("Shift+End", "\x1b[1;2F"),
        ("F1", "\x1bOP"), ("F5", "\x1b[15~"), ("F12", "\x1b[24~"), ("Shift+F1", "\x1b[1;2P"),
        ("Ctrl+C", "\x03"), ("Ctrl+c", "\x03"), ("Ctrl+Space", "\x00"), ("Ctrl+]", "\x1d"),
        ("Alt+x", "\x1bx"), ("Alt++", "\x1b+"), ("Alt+Enter", "\x1b\r"),
    ],
)  # fmt: skip
def test_key_is_encoded_as_in_xterm(key, expected) -> None:
    assert sent(key).decode() == expected


def test_arrow_keys_differ_in_application_mode() -> None:
    assert sent("Up", application=True) == b"\x1bOA"
    assert sent("Ctrl+Up", application=True) == b"\x1b[1;5A"


@pytest.mark.parametrize("key", ["", "Return", "Ctrl+é", "Ctrl+1", "Shift+a", "Hyper+x", "ab"])
def test_invalid_key_is_rejected(key) -> None:
    with pytest.raises(ValueError, match="no key"):
        sent(key)
