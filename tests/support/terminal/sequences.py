"""Terminal sequences: what programs write (ECMA-48), and what xterm sends back.

Text, single control characters, escape sequences, control sequences (CSI), and control strings
(OSC, DCS and their like). A C1 control is read as the escape sequence that means the same, which is
what xterm does even with UTF-8.
"""

import re
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias

import attrs

UNFINISHED_MAX = 1 << 20
"""Characters of a sequence without an end; then what was taken for it is text."""

NUMBER_MAX = 9999
"""The maximum value of a parameter; xterm's maximum differs."""

_C1 = {code: f"\x1b{chr(code - 0x40)}" for code in range(0x80, 0xA0)}

_PIECE = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f]+)"
    r"|\x1b\[(?P<private>[<-?]?)(?P<numbers>[0-9:;]*)(?P<between>[ -/]*)(?P<final>[@-~])"
    r"|\x1b(?P<kind>[]PX^_])(?P<string>[^\x07\x18\x1a\x1b]*)"
    r"(?:\x07|\x1b\\|(?=[\x18\x1a]|\x1b[^\\]))"
    r"|\x1b(?P<escape>[ -/]+[0-~]|[0-OQ-WYZ\\`-~])"
    r"|(?P<control>[\x00-\x1a\x1c-\x1f\x7f])"
)

_BEGINNING = re.compile(r"\x1b(?:\[[<-?]?[0-9:;]*[ -/]*|[]PX^_][^\x07\x18\x1a\x1b]*\x1b?|[ -/]*)\Z")
"""Matches the beginning of an incomplete sequence."""


@attrs.frozen
class PrintedText:
    """Characters to be drawn."""

    text: str


@attrs.frozen
class ControlSequence:
    """One control character, such as the end of a line."""

    character: str


@attrs.frozen
class Escape:
    """An escape sequence, for example ``7`` for "save the cursor"."""

    code: str


@attrs.frozen
class Sequence:
    """A control sequence, ``CSI private parameters between final``, as in ``CSI ? 25 h``."""

    private: str
    parameters: str
    between: str
    final: str

    @property
    def form(self) -> str:
        """Which one it is, without its parameters."""
        return f"{self.private}{self.between}{self.final}"

    @property
    def numbers(self) -> tuple[int, ...]:
        """The parameters; one that is left out is 0, and none is bigger than `NUMBER_MAX`."""
        fields = (field.partition(":")[0] for field in self.parameters.split(";"))
        return tuple(min(int(field[:5] or 0), NUMBER_MAX) for field in fields)


@attrs.frozen
class String:
    """A control string: its kind (``]`` of OSC, ``P`` of DCS, …), and its content."""

    kind: str
    text: str


Piece: TypeAlias = PrintedText | ControlSequence | Escape | Sequence | String


class Pieces:
    """Parses a stream into pieces, wherever it was split between two reads."""

    def __init__(self) -> None:
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, data: bytes) -> Iterator[Piece]:
        """Yield the complete pieces. An invalid sequence becomes the text after its ESC."""
        written = self._rest + self._decoder.decode(data).translate(_C1)
        at = 0
        while at < len(written):
            if found := _PIECE.match(written, at):
                yield _piece(found)
                at = found.end()
            elif len(written) - at <= UNFINISHED_MAX and _BEGINNING.match(written, at):
                break
            else:
                at += 1
        self._rest = written[at:]


def _piece(found: re.Match[str]) -> Piece:
    if (text := found["text"]) is not None:
        return PrintedText(text)
    if (character := found["control"]) is not None:
        return ControlSequence(character)
    if (code := found["escape"]) is not None:
        return Escape(code)
    if (kind := found["kind"]) is not None:
        return String(kind, found["string"])
    return Sequence(found["private"], found["numbers"], found["between"], found["final"])


# Replies of xterm to queries (xterm, ``ctlseqs``).

CELL_WIDTH, CELL_HEIGHT = 8, 16
"""In pixels."""

APPLICATION_KEYS = 1
WRAP = 7
CURSOR = 25
ALTERNATE = frozenset({47, 1047, 1049})
MOUSE = frozenset({1000, 1002, 1003})
MOUSE_SGR = 1006
BRACKETED_PASTE = 2004
SYNCHRONIZED = 2026
KNOWN_MODES = ALTERNATE | MOUSE | {
    APPLICATION_KEYS, WRAP, 12, CURSOR, 1004, 1005, MOUSE_SGR, 1015, 1016, 1048, BRACKETED_PASTE,
    SYNCHRONIZED,
}  # fmt: skip
"""Private modes, by number."""

_COLOURS = {"10": "ffff/ffff/ffff", "11": "0000/0000/0000"}
"""The colors of text and background."""


def answer(
    sequence: Sequence, size: tuple[int, int], cursor: tuple[int, int], modes: AbstractSet[int]
) -> str:
    """Return the reply to a control sequence; empty if it is not a query.

    Args:
        sequence: what the program wrote.
        size: columns and lines of the screen.
        cursor: column and line of the cursor, counted from 0.
        modes: the private modes that are on.
    """
    number = sequence.numbers[0]
    if sequence.form == "?$p":
        state = 0 if number not in KNOWN_MODES else 1 if number in modes else 2
        return f"\x1b[?{number};{state}$y"
    columns, lines = size
    place = f"{cursor[1] + 1};{cursor[0] + 1}"
    answers = {
        "0c": "\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c",
        "0>c": "\x1b[>41;390;0c",
        "0>q": "\x1bP>|XTerm(390)\x1b\\",
        "5n": "\x1b[0n",
        "6n": f"\x1b[{place}R",
        "6?n": f"\x1b[?{place};1R",
        "14t": f"\x1b[4;{lines * CELL_HEIGHT};{columns * CELL_WIDTH}t",
        "16t": f"\x1b[6;{CELL_HEIGHT};{CELL_WIDTH}t",
        "18t": f"\x1b[8;{lines};{columns}t",
    }
    return answers.get(f"{number}{sequence.form}", "")


def colour(number: str) -> str:
    """Return the reply to ``OSC number ; ?``."""
    colour = _COLOURS.get(number)
    return f"\x1b]{number};rgb:{colour}\x1b\\" if colour else ""


# Keys as xterm sends them.
#
# A key is called by what it writes (``j``, ``é``), by its name (``Enter``, ``PageDown``, ``F5``),
# or by either after its modifiers (``Ctrl+C``, ``Shift+Tab``, ``Alt+Left``).

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
"""The letters of keys in ``CSI letter``."""

NUMBERS: Mapping[str, int] = {
    "Insert": 2, "Delete": 3, "PageUp": 5, "PageDown": 6, "F5": 15, "F6": 17, "F7": 18, "F8": 19,
    "F9": 20, "F10": 21, "F11": 23, "F12": 24,
}  # fmt: skip
"""The numbers of keys in ``CSI number ~``."""

MODIFIERS: Mapping[str, int] = {"Shift": 1, "Alt": 2, "Ctrl": 4}

_ALT, _CTRL = MODIFIERS["Alt"], MODIFIERS["Ctrl"]


def sent(key: str, *, application: bool = False) -> bytes:
    """The bytes of a key; with `application`, of one while the program has that mode on.

    Raises:
        ValueError: there is no such key, or xterm sends no distinct sequence for it.
    """
    names, _, name = key.rpartition("+")
    if key.endswith("+"):
        names, name = names.rstrip("+"), "+"
    try:
        held = sum(MODIFIERS[modifier] for modifier in names.split("+") if modifier)
    except KeyError:
        raise _unknown(key) from None
    if letter := LETTERS.get(name):
        if held:
            return f"\x1b[1;{held + 1}{letter}".encode()
        kind = "O" if application or name.startswith("F") else "["
        return f"\x1b{kind}{letter}".encode()
    if number := NUMBERS.get(name):
        return f"\x1b[{number};{held + 1}~".encode() if held else f"\x1b[{number}~".encode()
    if key == "Shift+Tab":
        return b"\x1b[Z"
    character = CHARACTERS.get(name, name)
    if len(character) != 1 or held & ~(_ALT | _CTRL):
        raise _unknown(key)
    if held & _CTRL:
        if not "@" <= character.upper() <= "_" and character != " ":
            raise _unknown(key)
        character = chr(ord(character.upper()) & 0x1F)
    return (b"\x1b" if held & _ALT else b"") + character.encode()


def _unknown(key: str) -> ValueError:
    return ValueError(f"xterm has no key {key!r}. Keys are 'j', 'Enter', 'F5', 'Ctrl+C', 'Alt+Up'.")
