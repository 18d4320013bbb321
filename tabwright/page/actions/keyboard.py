"""Keys by name (UI Events KeyboardEvent key values), texts with keys, and their input."""

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import attrs

from tabwright.cdp.domains import input as input_domain
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.config.secrets import NAME
from tabwright.protocol.errors import BadInput

MODIFIERS: Mapping[str, int] = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
"""The bit of each modifier in CDP's Input domain."""

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

_SHIFTED = dict(zip('!@#$%^&*()_+{}|:"<>?~', "1234567890-=[]\\;',./`", strict=True))
"""Characters of the US layout that need Shift, by the characters of their keys without it."""

_UNSHIFTED = {sign: shifted for shifted, sign in _SHIFTED.items()}

_BRACED_NAMES = "|".join((*(name for name in _KEY_CODES if name not in MODIFIERS), "Esc"))
_BRACED = re.compile(
    rf"(\\*)(?:{NAME.pattern}|(?<!\$)\{{("
    rf"(?:(?:Control|Ctrl|ControlOrMeta|Shift|Alt|Meta)\+)+(?:{_BRACED_NAMES}|[^{{}}\s])"
    rf"|(?!Space)(?:{_BRACED_NAMES}))\}})"
)
"""Backslashes followed by a secret or a key in braces, in exactly this form."""


@attrs.frozen
class Key:
    """A key of a keyboard.

    Attributes:
        name: its key value, for example ``Enter`` or ``a``.
        code: its position, for example ``KeyA``; empty if no keyboard has it.
        key_code: its legacy ``keyCode``; 0 for none.
        text: the text that it types; empty for none.
        shifted: whether it types the text only with Shift.
    """

    name: str
    code: str = ""
    key_code: int = 0
    text: str = ""
    shifted: bool = False


@attrs.frozen
class KeyChord:
    """A key pressed and released while modifiers are down."""

    key: Key
    modifiers: tuple[str, ...] = ()

    @property
    def bits(self) -> int:
        """Return the modifiers in CDP's form: the sum of their bits (`Input.dispatchKeyEvent`)."""
        return sum(MODIFIERS[name] for name in self.modifiers)


@attrs.frozen
class Secret:
    """The value of a secret, known only to the code that types it."""

    name: str


Typed: TypeAlias = str | KeyChord | Secret
"""The parts of an input: text as a whole, a key chord, or a secret."""


def stroke_of(keys: str) -> KeyChord:
    """Parse a key chord such as ``Enter``, ``a`` or ``Control+Shift+T``.

    Raises:
        BadInput: there is no such key.
    """
    stroke = _stroke(keys)
    if stroke is None:
        raise BadInput(
            f"Unknown key {keys!r}.",
            advice="Use a character, Enter, Tab, Escape, Backspace, Delete, Space, Home, End, "
            "PageUp, PageDown, ArrowUp … or F1 to F12, with Control+, Shift+, Alt+, Meta+ before.",
        )
    return stroke


def strokes_of(keys: str) -> tuple[KeyChord, ...]:
    """Parse several key chords, separated by spaces; see `stroke_of`."""
    return tuple(map(stroke_of, keys.split())) or (stroke_of(keys),)


def modifiers_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return modifiers by any of their names.

    Raises:
        BadInput: there is no such modifier.
    """
    for name in names:
        if name.lower() not in _MODIFIER_NAMES:
            raise BadInput(f"Unknown modifier {name!r}.", advice="Use Control, Shift, Alt or Meta.")
    return tuple(dict.fromkeys(_MODIFIER_NAMES[name.lower()] for name in names))


def typed(text: str) -> tuple[Typed, ...]:
    r"""Parse text in which ``{Enter}`` or ``{Control+A}`` are keys, and ``{{NAME}}`` is a secret.

    A key is exactly one of the names of `_KEY_CODES`, or any key after modifiers. All other braces
    are text, and so are those after a ``$``. A backslash before such a key or secret makes it text;
    a backslash that is to stay before one is doubled. All other backslashes are text.
    """
    return tuple(_joined(_pieces(text)))


def escape_keys(text: str) -> str:
    """Return a text that `typed` parses as this text alone, without keys and secrets."""
    return _BRACED.sub(lambda found: f"{found[1] * 2}\\{found[0].removeprefix(found[1])}", text)


def literal(text: str) -> tuple[Typed, ...]:
    """Parse text in which only ``{{NAME}}`` has a special meaning."""
    pieces = NAME.split(text)
    named = (Secret(piece) if place % 2 else piece for place, piece in enumerate(pieces))
    return tuple(piece for piece in named if piece)


def _pieces(text: str) -> Iterator[Typed]:
    place = 0
    for match in _BRACED.finditer(text):
        slashes, secret, keys = match.groups()
        yield text[place : match.start()]
        yield slashes[: len(slashes) // 2]
        if len(slashes) % 2:
            yield match[0][len(slashes) :]
        else:
            yield Secret(secret) if secret else stroke_of(keys)
        place = match.end()
    yield text[place:]


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


def _stroke(keys: str) -> KeyChord | None:
    *held, name = _parts(keys)
    modifiers = [_MODIFIER_NAMES.get(one.strip().lower()) for one in held]
    key = key_of(name.strip() or name)
    if key is None or None in modifiers:
        return None
    own = tuple(dict.fromkeys(filter(None, modifiers)))
    if "Shift" in own:
        if len(key.text) != 1 or key.shifted:
            shifted = key
        else:
            shifted = character(_UNSHIFTED.get(key.text, key.text.upper()))
        return KeyChord(shifted, own)
    if own and key.shifted and key.text.isalpha():  # Control+S is the key event of its keyboard
        return KeyChord(character(key.text.lower()), own)
    return KeyChord(key, (*own, "Shift") if key.shifted else own)


def _parts(keys: str) -> list[str]:
    """Return the modifiers and the key; a plus is a key if alone or after a modifier's plus."""
    if keys == "+":
        return ["+"]
    return [*keys[:-2].split("+"), "+"] if keys.endswith("++") else keys.split("+")


def key_of(name: str) -> Key | None:
    """Return the key of a name or a character, or None if there is none."""
    if known := _NAMES.get(name.lower()):
        return _named(known)
    if modifier := _MODIFIER_NAMES.get(name.lower()):
        return _named(modifier)
    return character(name) if len(name) == 1 else None


def character(sign: str) -> Key:
    """Return the key that types a character, even if no keyboard has such a key."""
    if sign in "\r\n":
        return _named("Enter")
    if sign == " ":
        return _named("Space")
    if sign.isascii() and sign.isalpha():
        upper = sign.upper()
        return Key(sign, f"Key{upper}", ord(upper), sign, shifted=sign.isupper())
    plain = _SHIFTED.get(sign, sign)
    if plain.isascii() and plain.isdigit():
        return Key(sign, f"Digit{plain}", ord(plain), sign, shifted=plain != sign)
    code, number = _MARK_CODES.get(plain, ("", 0))
    return Key(sign, code, number, sign, shifted=plain != sign)


def _named(name: str) -> Key:
    text = {"Enter": "\r", "Space": " "}.get(name, "")
    value = " " if name == "Space" else name
    side = "Left" if name in MODIFIERS else ""
    return Key(value, f"{name}{side}", _KEY_CODES[name], text)


# Commands of the Input domain for mouse and keyboard.

_EDITING = {"a": "selectAll", "c": "copy", "v": "paste", "x": "cut", "z": "undo", "y": "redo"}
"""The editing commands of Control and a letter: Chromium leaves them to its platform's keys."""


def key_press_commands(stroke: KeyChord) -> Iterator[CDPCommand[Nothing]]:
    """Return the commands that press and release a key with its modifiers."""
    held = 0
    for name in stroke.modifiers:
        held |= MODIFIERS[name]
        yield _down(key_of(name) or stroke.key, held)
    yield _down(stroke.key, stroke.bits)
    yield _up(stroke.key, stroke.bits)
    for name in reversed(stroke.modifiers):
        held &= ~MODIFIERS[name]
        yield _up(key_of(name) or stroke.key, held)


def type_commands(text: str) -> Iterator[CDPCommand[Nothing]]:
    """Return the commands that type each character with its own key, with Shift if necessary."""
    for sign in text:
        if sign.isprintable() or sign in "\r\n":
            key = character(sign)
            yield from key_press_commands(KeyChord(key, ("Shift",) if key.shifted else ()))
        else:  # no key types a tab into a field
            yield input_domain.insert_text(sign)


def insert_text_commands(text: str) -> Iterator[CDPCommand[Nothing]]:
    """Return the commands that insert a text as a whole; input-method text is composed first."""
    if any(map(_is_composed, text)):
        yield input_domain.compose_text(text)
    yield input_domain.insert_text(text)


def edit_commands(key: Key, modifiers: int) -> tuple[str, ...]:
    """Return the editing commands of a key with modifiers, such as those of Control+A."""
    edits = _EDITING.get(key.name.lower()) if modifiers == MODIFIERS["Control"] else None
    return (edits,) if edits else ()


def _down(key: Key, modifiers: int) -> CDPCommand[Nothing]:
    text = "" if modifiers & ~MODIFIERS["Shift"] else key.text
    return input_domain.key_event(
        "keyDown" if text else "rawKeyDown",
        key=key.name,
        code=key.code,
        key_code=key.key_code,
        text=text,
        modifiers=modifiers,
        commands=edit_commands(key, modifiers),
    )


def _up(key: Key, modifiers: int) -> CDPCommand[Nothing]:
    return input_domain.key_event(
        "keyUp", key=key.name, code=key.code, key_code=key.key_code, modifiers=modifiers
    )


def _is_composed(sign: str) -> bool:
    """Return whether a text is usually entered by an input method: Chinese, Japanese, Korean."""
    return (
        "\u1100" <= sign <= "\u11ff" or "\u2e80" <= sign <= "\ud7ff" or "\uf900" <= sign <= "\ufaff"
    )
