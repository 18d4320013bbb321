"""Token budgets: estimating tokens, and cutting text to a budget."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from tabwright.protocol.errors import BadInput
from tabwright.protocol.untrusted_text import Parts, quoted

# Estimating tokens without the model's vocabulary.
#
# No estimate fits all models; this one tends to be high. A word of up to six Latin letters counts
# one token, a longer one a token for every four letters; a capital after a small letter begins
# another word, as in names in programs and in encoded data. Digits count one for three, and so does
# a space before them; marks one for two, a line break one. A character of Chinese, Japanese, Korean
# or any later script is one token, and an emoji two.

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SHORT_WORD_MAX = 6
_DIGITS = re.compile(r"[0-9]{1,3}")
_SPACES_BEFORE_DIGITS = re.compile(r" (?=[0-9])")
_MARKS = re.compile(r"[!-/:-@\[-`{-~]{1,2}")
_BREAKS = re.compile(r"\n+")
_NEAR = re.compile(r"[\u0080-\u05ff]{1,2}")
"""Accented Latin, Greek, Cyrillic, Hebrew: two letters per token."""

_FAR = re.compile(r"[\u0600-\uffff\U00020000-\U0003ffff]")
_FARTHEST = re.compile(r"[\U00010000-\U0001ffff]")


def count_tokens(text: str) -> int:
    """Estimate the number of tokens; a text never has more than its lines together."""
    words = _WORDS.findall(text)
    more = sum([(len(word) - 1) // 4 for word in words if len(word) > _SHORT_WORD_MAX])
    pieces = (_DIGITS, _SPACES_BEFORE_DIGITS, _MARKS, _BREAKS)
    count = len(words) + more + sum([len(each.findall(text)) for each in pieces])
    if text.isascii():
        return count
    far, farthest = len(_FAR.findall(text)), len(_FARTHEST.findall(text))
    return count + len(_NEAR.findall(text)) + far + 2 * farthest


CHARACTERS_PER_TOKEN = 16
"""More characters than any token has, except in text of white space only: a longer text than its
budget allows by this is not counted."""

NOTICE_TOKENS = 30
"""Tokens of the line that reports how much is omitted."""


def truncate_to_budget(lines: Sequence[str], tokens_max: int) -> int:
    """Return how many of the first lines fit into the budget; at least one."""
    if surely_fit(lines, tokens_max - len(lines)):
        return len(lines)
    left = tokens_max
    for place, line in enumerate(lines):
        left -= count_tokens(line) + 1
        if left < 0:
            return max(place, 1)
    return len(lines)


def surely_fit(texts: Iterable[str], tokens_max: int) -> bool:
    """Return whether texts are so short that they fit into the budget, without counting."""
    return sum(map(_most_tokens, texts)) <= tokens_max


def within(lines: Sequence[str], tokens_max: int, more: Callable[[int], str]) -> str:
    """Return the lines that fit, at least one, and a last line about the omitted ones.

    Args:
        lines: none contains a line break.
        tokens_max: maximum for the result; 0 for no limit.
        more: builds the last line from the number of returned lines.
    """
    return "\n".join(filter(None, parted(lines, tokens_max, more)))


def parted(lines: Sequence[str], tokens_max: int, more: Callable[[int], str]) -> tuple[str, str]:
    """Return the same with the last line separate; it is empty if nothing is omitted."""
    count = count_within(lines, tokens_max, more)
    return "\n".join(lines[:count]), more(count) if count < len(lines) else ""


def count_within(lines: Sequence[str], tokens_max: int, more: Callable[[int], str]) -> int:
    """Return how many lines fit together with the line about the rest; at least one."""
    count = truncate_to_budget(lines, tokens_max) if tokens_max else len(lines)
    if count == len(lines):
        return count
    while count > 1 and count_tokens("\n".join((*lines[:count], more(count)))) > tokens_max:
        count -= 1
    return count


def listed(lines: Sequence[str], tokens_max: int, more: Callable[[int], str], none: str) -> Parts:
    """Return untrusted lines within a budget, and our notice about the omitted ones.

    Args:
        lines: none contains a line break.
        tokens_max: maximum for the result; 0 for no limit.
        more: builds the notice from the number of returned lines.
        none: the notice if there are no lines.
    """
    if not lines:
        return (none,)
    shown, others = parted(lines, tokens_max, more)
    return *quoted(shown), others


def stretch(text: str, offset: int, tokens_max: int) -> Parts:
    """Return a text from an offset within a budget, and where it continues.

    Raises:
        BadInput: the offset is after the end of the text.
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


def opening(text: str, tokens_max: int, advice: str = "") -> Parts:
    """Return the beginning of a text within a budget, and how much was cut.

    Args:
        text: of a page.
        tokens_max: the budget; 0 for no limit.
        advice: how to get the rest.
    """
    shown, left = beginning(text, tokens_max)
    more = f"{left} more characters: {advice}" if advice else f"{left} more characters"
    return (*quoted(shown), f"({more}.)") if left else quoted(shown)


def cut(text: str, tokens_max: int) -> str:
    """Return the text, truncated with an ellipsis if it exceeds the budget."""
    if _has_at_most(text, tokens_max):
        return text
    return f"{text[: _reach(text, 0, tokens_max - 1)]}…"


def beginning(text: str, tokens_max: int) -> tuple[str, int]:
    """Return the beginning of a text within a budget, and the number of omitted characters.

    Args:
        text: any text, with its own line breaks.
        tokens_max: maximum for the result; 0 for no limit.
    """
    if not tokens_max or _has_at_most(text, tokens_max):
        return text, 0
    end = _reach(text, 0, max(tokens_max - NOTICE_TOKENS, 1))
    return text[:end], len(text) - end


def wrapped(text: str, tokens_max: int) -> Iterator[str]:
    """Split the text into lines within the budget; continued lines begin with an ellipsis.

    A line ends between two words if it has more than one.
    """
    if _has_at_most(text, tokens_max - 1):
        yield text
        return
    start, lead = 0, ""
    while (end := _reach(text, start, tokens_max - 1)) < len(text):
        end = text.rfind(" ", start + 1, end + 1) + 1 or end
        yield lead + text[start:end].rstrip(" ")
        start, lead = end, "…"
    yield lead + text[start:]


def _reach(text: str, start: int, tokens_max: int) -> int:
    """Return the end of the longest part from `start` that fits the budget."""
    rest = text[start : start + CHARACTERS_PER_TOKEN * tokens_max]
    if _has_at_most(rest, tokens_max):
        return start + len(rest)
    fits, exceeds = 0, len(rest)
    split, before = 0, 0  # tokens before a space: no token continues across it
    while exceeds - fits > 1:
        middle = (fits + exceeds) // 2
        tokens = before + count_tokens(rest[split:middle])
        if tokens > tokens_max:
            exceeds = middle
            continue
        fits = middle
        if (space := rest.rfind(" ", split + 1, middle)) > 0:
            split, before = space, tokens - count_tokens(rest[space:middle])
    return start + fits


def _has_at_most(text: str, tokens_max: int) -> bool:
    """Return whether the text fits, usually by its length alone."""
    if _most_tokens(text) <= tokens_max:
        return True
    return len(text) <= CHARACTERS_PER_TOKEN * tokens_max and count_tokens(text) <= tokens_max


def _most_tokens(text: str) -> int:
    """Return the maximum number of tokens of a text of this length, without counting them."""
    return len(text) if text.isascii() else 2 * len(text)
