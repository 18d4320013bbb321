"""How likely text is content, by weights that were learned from labelled pages.

``content_score.json`` holds what was learned, and nothing of the pages themselves; it is learned
anew by ``bench/reading_weights.py``. Two things are in it:

* ``words``: what the words in labels are worth, that is how far an element of such a tag, class, id
  or role speaks for content, all else unknown (the weights of a logistic regression);
* ``trees``: forks, each a signal, a limit, what holds up to the limit and what holds above it, and
  numbers at their ends. One number of each tree added up are the logarithm of the odds that a
  strand of text is content (gradient-boosted trees).
"""

import math
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import TypeAlias

import attrs
import msgspec

from tabwright.content.readability.signals import SIGNALS, Signals

_WORD = re.compile(r"<[a-z][a-z0-9-]*|[A-Z]?[a-z]+|[A-Z]+")
_LABELS_MAX = 10_000


@attrs.frozen
class ContentScore:
    """What was learned of content.

    Attributes:
        worth: what a kind's label says of it: above 0 for content, below for furniture.
        trees: the logarithmic odds of content, by all signals in their order.
    """

    worth: Callable[[str], float]
    trees: Callable[..., float]

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
    table = files(__package__ or "").joinpath("content_score.json")
    return ContentScore.of(table.read_bytes())


def words_of(label: str) -> list[str]:
    """The words of a label; that of the tag has a ``<`` before it."""
    return [word.lower() for word in _WORD.findall(label)]


class _Fork(msgspec.Struct, frozen=True, array_like=True):
    signal: str
    limit: float
    low: "_Tree"
    high: "_Tree"


_Tree: TypeAlias = float | _Fork


class _Learned(msgspec.Struct, frozen=True):
    words: dict[str, float]
    trees: list[_Tree]


def _remembered(words: Mapping[str, float]) -> Callable[[str], float]:
    """What a label is worth by its words: those of a page, and of many pages, are much alike."""

    @lru_cache(_LABELS_MAX)
    def worth(label: str) -> float:
        """The sum over the words of `label`; one that was not learned is worth nothing."""
        return sum([words.get(word, 0.0) for word in words_of(label)])

    return worth


def _compiled(trees: list[_Tree]) -> Callable[..., float]:
    """The trees as one function of the signals, which is ten times as fast as to go down them."""
    numbers = ", ".join(map(_source, trees))
    function: Callable[..., float] = eval(  # noqa: S307 - a table of our own, and checked
        f"lambda {', '.join(SIGNALS)}: sum(({numbers},))"
    )
    return function


def _source(tree: _Tree) -> str:
    if not isinstance(tree, _Fork):
        return repr(tree)
    signal = SIGNALS[SIGNALS.index(tree.signal)]
    return f"({_source(tree.low)} if {signal} <= {tree.limit!r} else {_source(tree.high)})"
