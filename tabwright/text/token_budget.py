"""Token budgets: estimating tokens, and cutting text to a budget."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from tabwright.protocol.errors import BadInput
from tabwright.protocol.page_text import Parts, quoted

# Estimating tokens without the vocabulary of the model.
#
# No estimate fits all models; this one leans to the high side. A word of Latin letters counts one
# for every six letters begun, digits one for three, marks one for two, a line break one. A sign of
# Chinese, Japanese, Korean or any script further on is a token of its own, and an emoji two.

_WORDS = re.compile(r"[A-Za-z]+")
_DIGITS = re.compile(r"[0-9]+")
_MARKS = re.compile(r"[!-/:-@\[-`{-~]+")
_BREAKS = re.compile(r"\n+")
_NEAR = re.compile(r"[\u0080-\u05ff]+")
"""Accented Latin, Greek, Cyrillic, Hebrew: two letters a token."""

_FAR = re.compile(r"[\u0600-\uffff\U00020000-\U0003ffff]")
_FARTHEST = re.compile(r"[\U00010000-\U0001ffff]")


def count_tokens(text: str) -> int:
    """How many tokens it has, estimated; a whole never has more than its lines together."""
    count = (
        _begun(_WORDS.findall(text), 6)
        + _begun(_DIGITS.findall(text), 3)
        + _begun(_MARKS.findall(text), 2)
        + len(_BREAKS.findall(text))
    )
    if text.isascii():
        return count
    far, farthest = len(_FAR.findall(text)), len(_FARTHEST.findall(text))
    return count + _begun(_NEAR.findall(text), 2) + far + 2 * farthest


def _begun(runs: Iterable[str], size: int) -> int:
    return sum((len(run) + size - 1) // size for run in runs)


CHARACTERS_PER_TOKEN = 8
"""More than any text has: of letters a word has six, and a space."""

NOTICE_TOKENS = 30
"""Of a line that says how much more there is."""


def truncate_to_budget(lines: Sequence[str], tokens_max: int) -> int:
    """How many of the lines, from the first on, have at most so many tokens; at least one."""
    left = tokens_max
    for place, line in enumerate(lines):
        left -= count_tokens(line) + 1
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
    return "\n".join(filter(None, parted(lines, tokens_max, more)))


def parted(lines: Sequence[str], tokens_max: int, more: Callable[[int], str]) -> tuple[str, str]:
    """The same, with what tells of the others by itself; that is empty where there are none."""
    count = count_within(lines, tokens_max, more)
    return "\n".join(lines[:count]), more(count) if count < len(lines) else ""


def count_within(lines: Sequence[str], tokens_max: int, more: Callable[[int], str]) -> int:
    """How many of the lines fit with what is said of the others; one at least."""
    count = truncate_to_budget(lines, tokens_max) if tokens_max else len(lines)
    if count == len(lines):
        return count
    while count > 1 and count_tokens("\n".join((*lines[:count], more(count)))) > tokens_max:
        count -= 1
    return count


def listed(lines: Sequence[str], tokens_max: int, more: Callable[[int], str], none: str) -> Parts:
    """Lines that pages may have written, within a budget, and what we say of the others.

    Args:
        lines: none with a line break.
        tokens_max: what all of it may have; 0 for no limit.
        more: what is said of the others, by how many are given.
        none: what we say where there is no line.
    """
    if not lines:
        return (none,)
    shown, others = parted(lines, tokens_max, more)
    return *quoted(shown), others


def stretch(text: str, offset: int, tokens_max: int) -> Parts:
    """A text from a character on, within a budget, and where it goes on.

    Raises:
        BadInput: the offset is behind its end.
    """
    if offset and offset >= len(text):
        raise BadInput(
            f"offset is {offset}, and the text has {len(text)} characters.",
            advice="Use the offset that an answer to the same arguments gave.",
        )
    rest = text[offset:]
    if not tokens_max or _has_at_most(rest, tokens_max):
        return quoted(rest)
    end = _reach(text, offset, max(tokens_max - NOTICE_TOKENS, 1))
    broken = text.rfind("\n", offset + (end - offset) // 2, end) + 1
    end = broken or end
    left = len(text) - end
    return *quoted(text[offset:end]), f"({left} more characters: continue with offset={end}.)"


def cut(text: str, tokens_max: int) -> str:
    """The text, or as much of it as has so many tokens with the ellipsis at its end."""
    if _has_at_most(text, tokens_max):
        return text
    return f"{text[: _reach(text, 0, tokens_max - 1)]}…"


def beginning(text: str, tokens_max: int) -> tuple[str, int]:
    """A text of any kind up to a number of tokens, and how many more characters there are.

    Args:
        text: its line breaks are its own.
        tokens_max: what may be given of it; 0 for all.
    """
    if not tokens_max or _has_at_most(text, tokens_max):
        return text, 0
    end = _reach(text, 0, max(tokens_max - NOTICE_TOKENS, 1))
    return text[:end], len(text) - end


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
    return start + bisect_right(sizes, tokens_max, key=lambda size: count_tokens(rest[:size])) - 1


def _has_at_most(text: str, tokens_max: int) -> bool:
    """Whether it has no more tokens, which of most texts their length tells."""
    most = len(text) if text.isascii() else 2 * len(text)
    return most <= tokens_max or count_tokens(text) <= tokens_max
