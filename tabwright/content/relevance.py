"""How near passages are to a query: BM25 (Robertson and Zaragoza, 2009), over words and bigrams.

A language written without spaces is compared by pairs of signs. Nothing is downloaded and nothing
is learned; another way of judging comes in as a `Judge`.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from tabwright.protocol.blocks import Blocks
from tabwright.reading.keywords import folded, shown_text
from tabwright.reading.portions import Portion, portions, rejoined

PASSAGES_MAX = 10
"""How many passages a query keeps."""

SCORE_MIN = 0.3
"""What a passage must reach of the best one's score."""

CHARACTERS_MIN = 100
"""Shorter portions of one section are judged together."""

K1, B = 1.2, 0.75
"""How soon a repeated word counts no more, and how much a long passage has to make up for."""

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Kana, Han and Hangul."""

_TERMS = re.compile(rf"([{_UNSPACED}]+)|[^\W{_UNSPACED}]+")
_PLURAL = re.compile(r"(?<=[a-z]{3})(?:(?<=[sxz])es|(?<=ch)es|(?<=sh)es|(?<![su])s)$")


class Judge(Protocol):
    """Says how near each of some texts is to a query; the nearest has the highest score."""

    def __call__(self, query: str, texts: Sequence[str], /) -> Sequence[float]:
        """One score for each text; 0 or less has nothing to do with the query."""
        ...


def nearest(blocks: Blocks, query: str, judge: Judge) -> Blocks:
    """The passages nearest to the query, in the page's order, with the headings above them.

    Where none has anything to do with it, nothing is left. An empty query chooses everything.
    """
    if not query.strip():
        return blocks
    passages = list(_passages(portions(blocks), blocks))
    texts = ["\n".join(shown_text(portion, blocks) for portion in one) for one in passages]
    scores = judge(query, texts)
    chosen = (portion for place in _best(scores) for portion in passages[place])
    return rejoined(chosen, blocks)


def by_words(query: str, texts: Sequence[str]) -> Sequence[float]:
    """The BM25 score of each text."""
    counts = [Counter(terms(text)) for text in texts]
    sizes = [count.total() for count in counts]
    mean = sum(sizes) / max(1, len(sizes)) or 1.0
    scores = [0.0] * len(texts)
    for term in set(terms(query)):
        holding = sum(term in count for count in counts)
        rarity = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for place, count in enumerate(counts):
            often = count[term]
            weight = often + K1 * (1 - B + B * sizes[place] / mean)
            scores[place] += rarity * often * (K1 + 1) / weight
    return scores


def terms(text: str) -> Iterator[str]:
    """The words of a text as they are compared; pairs of signs where words are not set apart."""
    for match in _TERMS.finditer(folded(text)):
        run = match[0]
        if match[1] is None:
            yield _PLURAL.sub("", run)
        else:
            yield from (run[place : place + 2] for place in range(max(1, len(run) - 1)))


def _passages(every: Iterable[Portion], blocks: Blocks) -> Iterator[list[Portion]]:
    """Portions, the short ones with their neighbours under the same headings."""
    passage: list[Portion] = []
    size = 0
    for portion in every:
        if passage and (size > CHARACTERS_MIN or portion.headings != passage[0].headings):
            yield passage
            passage, size = [], 0
        passage.append(portion)
        size += len(shown_text(portion, blocks))
    if passage:
        yield passage


def _best(scores: Sequence[float]) -> list[int]:
    """The places of the best scores, in order of place."""
    enough = SCORE_MIN * max(scores, default=0.0)
    ranked = sorted(range(len(scores)), key=lambda place: -scores[place])
    return sorted(
        place for place in ranked[:PASSAGES_MAX] if scores[place] > 0 and scores[place] >= enough
    )
