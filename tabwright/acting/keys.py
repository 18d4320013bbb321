"""Keys by their names (UI Events KeyboardEvent key values), and text with keys in it."""

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import attrs

from tabwright.acting.secrets import NAME
from tabwright.protocol.errors import BadInput

MODIFIERS: Mapping[str, int] = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
"""The bit of each in CDP's Input domain."""

_MODIFIER_NAMES = {
    "ctrl": "Control",
    "control": "Control",
    "shift": "Shift",
    "alt": "Alt",
    "option": "Alt",
    "opt": "Alt",
    "meta": "Meta",
    "cmd": "Meta",
    "command": "Meta",
    "win": "Meta",
    "windows": "Meta",
    "controlormeta": "Control",
}

_KEY_CODES: Mapping[str, int] = {
    "Backspace": 8,
    "Tab": 9,
    "Enter": 13,
    "Shift": 16,
    "Control": 17,
    "Alt": 18,
    "Escape": 27,
    "Space": 32,
    "PageUp": 33,
    "PageDown": 34,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Insert": 45,
    "Delete": 46,
    "Meta": 91,
    **{f"F{number}": 111 + number for number in range(1, 13)},
}

_NAMES: Mapping[str, str] = {
    **{name.lower(): name for name in _KEY_CODES},
    "return": "Enter",
    "esc": "Escape",
    "del": "Delete",
    "ins": "Insert",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "left": "ArrowLeft",
    "right": "ArrowRight",
}

_MARK_CODES: Mapping[str, tuple[str, int]] = {
    "-": ("Minus", 189),
    "=": ("Equal", 187),
    "[": ("BracketLeft", 219),
    "]": ("BracketRight", 221),
    "\\": ("Backslash", 220),
    ";": ("Semicolon", 186),
    "'": ("Quote", 222),
    ",": ("Comma", 188),
    ".": ("Period", 190),
    "/": ("Slash", 191),
    "`": ("Backquote", 192),
}

_BRACED = re.compile(rf"\\([{{}}\\])|{NAME.pattern}|\{{([^{{}}\s]{{1,40}})\}}")


@attrs.frozen
class Key:
    """A key of a keyboard.

    Attributes:
        name: its value, as ``Enter`` or ``a``.
        code: where it is, as ``KeyA``; empty where no keyboard has it.
        key_code: what scripts of old know it by; 0 for none.
        text: what it writes; empty for nothing.
    """

    name: str
    code: str = ""
    key_code: int = 0
    text: str = ""


@attrs.frozen
class Stroke:
    """A key pressed and let go, while modifiers are held."""

    key: Key
    modifiers: tuple[str, ...] = ()

    @property
    def bits(self) -> int:
        """The modifiers as CDP has them: the sum of their bits (`Input.dispatchKeyEvent`)."""
        return sum(MODIFIERS[name] for name in self.modifiers)


@attrs.frozen
class Secret:
    """The value of a secret, which only whoever types it knows."""

    name: str


Typed: TypeAlias = str | Stroke | Secret
"""What is typed: text as a whole, a stroke of a key, or a secret."""


def stroke_of(keys: str) -> Stroke:
    """What ``Enter``, ``a`` or ``Control+Shift+T`` says.

    Raises:
        BadInput: there is no such key.
    """
    stroke = _stroke(keys)
    if stroke is None:
        raise BadInput(
            f"There is no key {keys!r}.",
            advice="Keys are a character, Enter, Tab, Escape, Backspace, Delete, Space, Home, End, "
            "PageUp, PageDown, ArrowUp … or F1 to F12, with Control+, Shift+, Alt+, Meta+ before.",
        )
    return stroke


def strokes_of(keys: str) -> tuple[Stroke, ...]:
    """Several strokes, with spaces between them; see `stroke_of`."""
    return tuple(map(stroke_of, keys.split())) or (stroke_of(keys),)


def modifiers_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """Modifiers by any of their names.

    Raises:
        BadInput: there is no such modifier.
    """
    for name in names:
        if name.lower() not in _MODIFIER_NAMES:
            raise BadInput(
                f"There is no modifier {name!r}.", advice="There are Control, Shift, Alt and Meta."
            )
    return tuple(dict.fromkeys(_MODIFIER_NAMES[name.lower()] for name in names))


def typed(text: str) -> tuple[Typed, ...]:
    """Text in which ``{Enter}`` or ``{Ctrl+A}`` are keys, and ``{{NAME}}`` is a secret.

    Braces with another word in them stand for themselves, and so does one after a backslash.
    """
    return tuple(_joined(_pieces(text)))


def literal(text: str) -> tuple[Typed, ...]:
    """Text in which nothing but ``{{NAME}}`` means anything else than itself."""
    pieces = NAME.split(text)
    named = (Secret(piece) if place % 2 else piece for place, piece in enumerate(pieces))
    return tuple(piece for piece in named if piece)


def _pieces(text: str) -> Iterator[Typed]:
    place = 0
    for match in _BRACED.finditer(text):
        yield text[place : match.start()]
        yield match[1] or (Secret(match[2]) if match[2] else _special(match[3]) or match[0])
        place = match.end()
    yield text[place:]


def _special(keys: str) -> Stroke | None:
    """A stroke that text alone could not say: of a named key, or with modifiers."""
    return _stroke(keys) if len(keys) > 1 else None


def _joined(pieces: Iterator[Typed]) -> Iterator[Typed]:
    text = ""
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
            continue
        if text:
            yield text
        text = ""
        yield piece
    if text:
        yield text


def _stroke(keys: str) -> Stroke | None:
    *held, name = _parts(keys)
    modifiers = [_MODIFIER_NAMES.get(one.strip().lower()) for one in held]
    key = key_of(name.strip() or name)
    if key is None or None in modifiers:
        return None
    own = tuple(dict.fromkeys(filter(None, modifiers)))
    if "Shift" in own and len(key.text) == 1 and key.text.isalpha():
        key = key_of(key.text.upper()) or key
    return Stroke(key, own)


def _parts(keys: str) -> list[str]:
    """The modifiers and the key; a plus is one by itself, and after the plus of a modifier."""
    if keys == "+":
        return ["+"]
    return [*keys[:-2].split("+"), "+"] if keys.endswith("++") else keys.split("+")


def key_of(name: str) -> Key | None:
    """The key of a name or a character; None where there is none."""
    if known := _NAMES.get(name.lower()):
        return _named(known)
    if modifier := _MODIFIER_NAMES.get(name.lower()):
        return _named(modifier)
    return character(name) if len(name) == 1 else None


def character(sign: str) -> Key:
    """The key that writes a character; one that no keyboard has writes it all the same."""
    if sign in "\r\n":
        return _named("Enter")
    if sign.isascii() and sign.isalpha():
        return Key(sign, f"Key{sign.upper()}", ord(sign.upper()), sign)
    if sign.isascii() and sign.isdigit():
        return Key(sign, f"Digit{sign}", ord(sign), sign)
    if sign == " ":
        return _named("Space")
    code, number = _MARK_CODES.get(sign, ("", 0))
    return Key(sign, code, number, sign)


def _named(name: str) -> Key:
    text = {"Enter": "\r", "Space": " "}.get(name, "")
    value = " " if name == "Space" else name
    side = "Left" if name in MODIFIERS else ""
    return Key(value, f"{name}{side}", _KEY_CODES[name], text)
