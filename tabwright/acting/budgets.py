"""Texts within budgets of tokens: how much of them fits, and how the rest goes on."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from tabwright.reading.tokens import tokens_in

CHARACTERS_PER_TOKEN = 8
"""More than any text has: of letters a word has six, and a space."""

NOTICE_TOKENS = 30
"""Of a line that says how much more there is."""


def fitting(lines: Sequence[str], tokens_max: int) -> int:
    """How many of the lines, from the first on, have at most so many tokens; at least one."""
    left = tokens_max
    for place, line in enumerate(lines):
        left -= tokens_in(line) + 1
        if left < 0:
            return max(place, 1)
    return len(lines)


def within(lines: Sequence[str], tokens_max: int, more: Callable[[int], str]) -> str:
    """As many of the lines as fit, but one at least; and a last one that tells of the others.

    Args:
        lines: none with a line break.
        tokens_max: what all of it may have; 0 for no limit.
        more: what is said of the others, by how many are given.
    """
    count = fitting(lines, tokens_max) if tokens_max else len(lines)
    if count == len(lines):
        return "\n".join(lines)
    while count > 1 and tokens_in("\n".join((*lines[:count], more(count)))) > tokens_max:
        count -= 1
    return "\n".join((*lines[:count], more(count)))


def cut(text: str, tokens_max: int) -> str:
    """The text, or as much of it as has so many tokens with the ellipsis at its end."""
    if _has_at_most(text, tokens_max):
        return text
    return f"{text[: _reach(text, 0, tokens_max - 1)]}…"


def beginning(text: str, tokens_max: int, advice: str) -> str:
    """A text of any kind up to a number of tokens, and how much more there is.

    Args:
        text: its line breaks are its own.
        tokens_max: what may be given of it; 0 for all.
        advice: how more of it is had.
    """
    if not tokens_max or _has_at_most(text, tokens_max):
        return text
    end = _reach(text, 0, max(tokens_max - NOTICE_TOKENS, 1))
    return f"{text[:end]}\n(… {len(text) - end} more characters: {advice})"


def wrapped(text: str, tokens_max: int) -> Iterator[str]:
    """The text in lines of at most so many tokens; those that go on begin with an ellipsis.

    A line ends between two words, where it has more than one.
    """
    start, lead = 0, ""
    while (end := _reach(text, start, tokens_max - 1)) < len(text):
        end = text.rfind(" ", start + 1, end + 1) + 1 or end
        yield lead + text[start:end].rstrip(" ")
        start, lead = end, "…"
    yield lead + text[start:]


def _reach(text: str, start: int, tokens_max: int) -> int:
    """Up to where it has at most so many tokens from a place on."""
    rest = text[start : start + CHARACTERS_PER_TOKEN * tokens_max]
    if _has_at_most(rest, tokens_max):
        return start + len(rest)
    sizes = range(len(rest))
    return start + bisect_right(sizes, tokens_max, key=lambda size: tokens_in(rest[:size])) - 1


def _has_at_most(text: str, tokens_max: int) -> bool:
    """Whether it has no more tokens, which of most texts their length tells."""
    most = len(text) if text.isascii() else 2 * len(text)
    return most <= tokens_max or tokens_in(text) <= tokens_max
