"""The similarity of passages to a query by meaning, whatever words they use.

A text becomes a vector whose direction represents its meaning. The model comes with the extra
``tabwright[meaning]`` and is loaded on first use; nothing is downloaded.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Protocol

import attrs

from tabwright.config.settings import QueryJudge, embeddings_installed
from tabwright.content.relevance import Ranker, rank_bm25
from tabwright.protocol.errors import BadInput

TEXTS_MAX = 500
"""More passages are ranked by words: each takes the model about 10 ms."""

UNRELATED = 0.1
"""The cosine of unrelated texts."""

WORDS_SHARE = 0.1
"""Weight of word matches beside meaning: the model knows few names, and only English."""

LATIN_END = "\u024f"
"""The last Latin letter; the model cannot read other scripts."""


class Embedder(Protocol):
    """An embedding model: turns texts into vectors."""

    def __call__(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Return a vector of length 1 for each text."""
        ...


@attrs.frozen(eq=False)
class ByMeaning:
    """A `Ranker` that uses vectors, or words if vectors do not suit the query or the page."""

    embed: Embedder

    def __call__(self, query: str, texts: Sequence[str], /) -> Sequence[float]:
        """See `Ranker`."""
        words = rank_bm25(query, texts)
        is_latin = not any(sign > LATIN_END and sign.isalpha() for sign in query)
        if len(texts) > TEXTS_MAX or not is_latin:
            return words
        wanted, *vectors = self.embed((query, *texts))
        share = WORDS_SHARE / (max(words, default=0.0) or 1.0)
        return [
            math.fsum(a * b for a, b in zip(wanted, vector, strict=True))
            - UNRELATED
            + share * score
            for vector, score in zip(vectors, words, strict=True)
        ]


def rank_by_embedding(query: str, texts: Sequence[str]) -> Sequence[float]:
    """Rank with the model of the extra. See `Ranker`.

    Raises:
        BadInput: it cannot be loaded.
    """
    return ByMeaning(_minilm())(query, texts)


@cache
def _minilm() -> Embedder:
    try:
        from tabwright.content.minilm import MiniLM  # noqa: PLC0415  (an extra, and slow)

        return MiniLM.shipped()
    except (ImportError, OSError) as error:
        raise BadInput(
            "Passages cannot be ranked by meaning: the extra `meaning` is not installed.",
            advice="Set reading.query_judge to words, or reinstall tabwright[meaning].",
        ) from error


# Choosing the ranker by the settings.


def judge_of_queries(setting: QueryJudge) -> Ranker:
    """Return the ranker that ``reading.query_judge`` names."""
    if setting == "words" or not embeddings_installed():
        return rank_bm25
    return rank_by_embedding
