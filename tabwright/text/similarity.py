"""How alike two texts are, by their words."""

import re
from collections import Counter
from difflib import SequenceMatcher

_WORD = re.compile(r"\w+(?:[@.'\u2019-]\w+)*")


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text without regard to case; an address or a decimal is one word."""
    return tuple(_WORD.findall(text.casefold()))


def similarity(one: str, other: str) -> float:
    """Return how alike two texts are, from 0 to 1: their common words, in any order."""
    first, second = words_of(one), words_of(other)
    if not first or not second:
        return float(one.strip() == other.strip())
    common = sum((Counter(first) & Counter(second)).values())
    return 2 * common / (len(first) + len(second))


def sequence_similarity(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return how alike two sequences are, from 0 to 1, with regard to their order."""
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def same_text(one: str, other: str) -> bool:
    """Return whether two texts are equal without regard to case and spaces."""
    return one.casefold().split() == other.casefold().split()
