"""The similarity of two texts, and the known name that is most similar to an unknown one."""

import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

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


# Suggestions: the name that was meant where an unknown one was given.

CUTOFF = 0.6
"""How similar a name must be to be suggested, from 0 to 1; the default of `difflib`."""


def close_match(given: str, known: Iterable[str], cutoff: float = CUTOFF) -> str:
    """Return the known name that is most similar to `given`; empty if none is similar."""
    return next(iter(get_close_matches(given, list(known), n=1, cutoff=cutoff)), "")


def did_you_mean(given: str, known: Iterable[str], cutoff: float = CUTOFF) -> str:
    """Return a question with the most similar known name, after a space; empty if none is."""
    close = close_match(given, known, cutoff)
    return f" Did you mean {close}?" if close else ""
