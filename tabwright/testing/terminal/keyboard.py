"""What xterm sends for a key.

A key is called by what it writes (``j``, ``é``), by its name (``Enter``, ``PageDown``, ``F5``),
or by either after its modifiers (``Ctrl+C``, ``Shift+Tab``, ``Alt+Left``).
"""

from collections.abc import Mapping

CHARACTERS: Mapping[str, str] = {
    "Enter": "\r",
    "Tab": "\t",
    "Escape": "\x1b",
    "Backspace": "\x7f",
    "Space": " ",
}

LETTERS: Mapping[str, str] = {
    "Up": "A", "Down": "B", "Right": "C", "Left": "D", "Home": "H", "End": "F",
    "F1": "P", "F2": "Q", "F3": "R", "F4": "S",
}  # fmt: skip
"""Of ``CSI letter``."""

NUMBERS: Mapping[str, int] = {
    "Insert": 2, "Delete": 3, "PageUp": 5, "PageDown": 6, "F5": 15, "F6": 17, "F7": 18, "F8": 19,
    "F9": 20, "F10": 21, "F11": 23, "F12": 24,
}  # fmt: skip
"""Of ``CSI number ~``."""

MODIFIERS: Mapping[str, int] = {"Shift": 1, "Alt": 2, "Ctrl": 4}

_ALT, _CTRL = MODIFIERS["Alt"], MODIFIERS["Ctrl"]


def sent(key: str, *, application: bool = False) -> bytes:
    """The bytes of a key; with `application`, of one while the program has that mode on.

    Raises:
        ValueError: there is no such key, or xterm sends nothing of its own for it.
    """
    names, _, name = key.rpartition("+")
    if key.endswith("+"):
        names, name = names.rstrip("+"), "+"
    try:
        held = sum(MODIFIERS[modifier] for modifier in names.split("+") if modifier)
    except KeyError:
        raise _unknown(key) from None
    if letter := LETTERS.get(name):
        return _lettered(letter, held, application=application or name.startswith("F"))
    if number := NUMBERS.get(name):
        return f"\x1b[{number};{held + 1}~".encode() if held else f"\x1b[{number}~".encode()
    if key == "Shift+Tab":
        return b"\x1b[Z"
    return _written(key, CHARACTERS.get(name, name), held)


def _lettered(letter: str, held: int, *, application: bool) -> bytes:
    if held:
        return f"\x1b[1;{held + 1}{letter}".encode()
    return f"\x1b{'O' if application else '['}{letter}".encode()


def _written(key: str, character: str, held: int) -> bytes:
    if len(character) != 1 or held & ~(_ALT | _CTRL):
        raise _unknown(key)
    if held & _CTRL:
        if not "@" <= character.upper() <= "_" and character != " ":
            raise _unknown(key)
        character = chr(ord(character.upper()) & 0x1F)
    return (b"\x1b" if held & _ALT else b"") + character.encode()


def _unknown(key: str) -> ValueError:
    return ValueError(f"xterm has no key {key!r}. Keys are 'j', 'Enter', 'F5', 'Ctrl+C', 'Alt+Up'.")
