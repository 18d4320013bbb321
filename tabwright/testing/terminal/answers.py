"""What xterm answers to what programs ask it (xterm, ``ctlseqs``)."""

from collections.abc import Set as AbstractSet

from tabwright.testing.terminal.sequences import Sequence

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
"""Of text, and of what is behind it."""


def answer(
    sequence: Sequence, size: tuple[int, int], cursor: tuple[int, int], modes: AbstractSet[int]
) -> str:
    """What is said to a control sequence; nothing to one that asks nothing.

    Args:
        sequence: what the program wrote.
        size: columns and lines of the screen.
        cursor: column and line of the cursor, counted from 0.
        modes: the private modes that are on.
    """
    number = sequence.numbers[0]
    if sequence.form == "?$p":
        return f"\x1b[?{number};{_state(number, modes)}$y"
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
    """What is said to ``OSC number ; ?``."""
    told = _COLOURS.get(number)
    return f"\x1b]{number};rgb:{told}\x1b\\" if told else ""


def _state(mode: int, modes: AbstractSet[int]) -> int:
    """1 for a mode that is on, 2 for one that is off, 0 for one that is not known."""
    if mode not in KNOWN_MODES:
        return 0
    return 1 if mode in modes else 2
