"""What a program writes to a terminal, taken apart as ECMA-48 says.

Text, single control characters, escape sequences, control sequences (CSI), and control strings
(OSC, DCS and their like). A C1 control is read as the escape sequence that means the same, which is
what xterm does even with UTF-8.
"""

import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import TypeAlias

import attrs

UNFINISHED_MAX = 1 << 20
"""Characters of a sequence without an end; then what was taken for it is text."""

NUMBER_MAX = 9999
"""What counts of a parameter; xterm has a bound of its own."""

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
"""Of a sequence whose rest is still to come."""


@attrs.frozen
class Text:
    """Characters to be drawn."""

    text: str


@attrs.frozen
class Control:
    """One control character, such as the end of a line."""

    character: str


@attrs.frozen
class Escape:
    """What follows ESC, as in ``7`` for "save the cursor"."""

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
    """A control string: its kind (``]`` of OSC, ``P`` of DCS, …), and what stands in it."""

    kind: str
    text: str


Piece: TypeAlias = Text | Control | Escape | Sequence | String


class Pieces:
    """Takes apart what comes, wherever the cuts between two reads are."""

    def __init__(self) -> None:
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, data: bytes) -> Iterator[Piece]:
        """The pieces that are whole by now. What is no sequence at all is text after its ESC."""
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
        return Text(text)
    if (character := found["control"]) is not None:
        return Control(character)
    if (code := found["escape"]) is not None:
        return Escape(code)
    if (kind := found["kind"]) is not None:
        return String(kind, found["string"])
    return Sequence(found["private"], found["numbers"], found["between"], found["final"])
