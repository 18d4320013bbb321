"""Text of pages as single lines that a terminal may show."""

_JOINERS = "\u200c\u200d"
"""Not printed, and yet part of how Persian, Hindi and many emoji are spelled."""

_WORD_CHARS_MAX = 40
"""Where no word ends within so many characters, as in Chinese, a line is cut anywhere."""


def one_line(text: str) -> str:
    """The text with single spaces, without what is not printed.

    Control characters would steer the terminal, marks of direction would reorder what is read, and
    tag characters would say what nobody sees.
    """
    shown = (character for character in text if _is_shown(character))
    return " ".join("".join(shown).split())


def shortened(line: str, chars_max: int) -> str:
    """The line, or what of it fits, to the end of a word, and an ellipsis."""
    if len(line) <= chars_max:
        return line
    head = line[: chars_max - 1]
    words = line[:chars_max].rpartition(" ")[0]
    ends_near = words and len(words) >= len(head) - _WORD_CHARS_MAX
    return f"{words if ends_near else head}\u2026"


def _is_shown(character: str) -> bool:
    return character.isprintable() or character.isspace() or character in _JOINERS
