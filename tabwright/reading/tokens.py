"""How many tokens a text will be to a language model, without that model's vocabulary.

No estimate fits all models; this one leans to the high side. A word of Latin letters counts one for
every six letters begun, digits one for three, marks one for two, a line break one. A sign of
Chinese, Japanese, Korean or any script further on is a token of its own, and an emoji two.
"""

import re
from collections.abc import Iterable

_WORDS = re.compile(r"[A-Za-z]+")
_DIGITS = re.compile(r"[0-9]+")
_MARKS = re.compile(r"[!-/:-@\[-`{-~]+")
_BREAKS = re.compile(r"\n+")
_NEAR = re.compile(r"[\u0080-\u05ff]+")
"""Accented Latin, Greek, Cyrillic, Hebrew: two letters a token."""

_FAR = re.compile(r"[\u0600-\uffff\U00020000-\U0003ffff]")
_FARTHEST = re.compile(r"[\U00010000-\U0001ffff]")


def tokens_in(text: str) -> int:
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
