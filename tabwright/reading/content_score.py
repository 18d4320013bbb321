"""How likely text is content, by weights that were learned from labelled pages.

``content_score.json`` holds what was learned, and nothing of the pages; ``bench/reading_weights.py``
learns it anew. Two things are in it:

* ``words``: what words in the labels of kinds are worth: how far an element of that tag, class, id
  or role speaks for content, all else unknown (the weights of a logistic regression).
* ``trees``: small decisions, each a number, or a signal, a limit, what holds up to the limit and
  what holds above it. What they come to together is the logarithm of the odds that the text is
  content (gradient-boosted trees).
"""

import math
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import TypeAlias

import attrs
import msgspec

from tabwright.reading.content_signals import SIGNALS, Signals

_WORD = re.compile(r"<[a-z][a-z0-9-]*|[A-Z]?[a-z]+|[A-Z]+")


_NAMES_MAX = 10_000


@attrs.frozen
class ContentScore:
    """What was learned of content.

    Attributes:
        names: what each of the names in a label is worth.
        trees: the logarithmic odds of content, by all signals in their order.
    """

    names: Callable[[str], float]
    trees: Callable[..., float]

    def worth(self, label: str) -> float:
        """What a kind's label says of it: above 0 for content, below for furniture."""
        return sum(map(self.names, label.split()))

    @classmethod
    def of(cls, table: bytes) -> "ContentScore":
        """Reads a table of the shape of ``content_score.json``."""
        learned = msgspec.json.decode(table, type=_Learned)
        return cls(_remembered(learned.words), _compiled(learned.trees))

    def likelihood(self, signals: Signals) -> float:
        """How likely a strand with these signals is content, from 0 to 1."""
        return 1 / (1 + math.exp(-self.trees(*signals)))


@cache
def shipped_score() -> ContentScore:
    """What ``content_score.json`` holds."""
    table = files("tabwright.reading").joinpath("content_score.json")
    return ContentScore.of(table.read_bytes())


def words_of(label: str) -> list[str]:
    """The words of a label; the tag is the first, after a ``<``."""
    return [word.lower() for word in _WORD.findall(label)]


class _Learned(msgspec.Struct, frozen=True):
    words: dict[str, float]
    trees: list[list[object] | float]


def _remembered(words: Mapping[str, float]) -> Callable[[str], float]:
    """What a name is worth by its words; pages of a site, and of its maker, share their names."""

    @lru_cache(_NAMES_MAX)
    def worth(name: str) -> float:
        return sum(words.get(word, 0.0) for word in words_of(name))

    return worth


def _compiled(trees: list[list[object] | float]) -> Callable[..., float]:
    """The trees as one function of the signals: ten times as fast as going over them."""
    source = f"lambda {', '.join(SIGNALS)}: sum(({', '.join(map(_source, trees))},))"
    return eval(source)  # noqa: S307 - of our own table


def _source(tree: object) -> str:
    if isinstance(tree, list):
        signal, limit, low, high = tree
        return f"({_source(low)} if {SIGNALS[SIGNALS.index(signal)]} <= {float(limit)!r} else {_source(high)})"
    return repr(float(tree))
