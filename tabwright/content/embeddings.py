"""The similarity of passages to a query by meaning, whatever words they use.

A text becomes a vector, whose direction is what the text is about. The model that makes it comes
with the extra ``tabwright[meaning]`` and is loaded when it is first needed; nothing is downloaded.
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
"""More passages are judged by their words: each takes the model some 10 ms."""

UNRELATED = 0.1
"""The cosine between texts that have nothing to do with each other."""

WORDS_SHARE = 0.1
"""What the words count for beside the meaning: a model knows few names, and only English."""

LATIN_END = "\u024f"
"""The last Latin letter; the model cannot read what is written in others."""


class Embedder(Protocol):
    """Turns texts into vectors."""

    def __call__(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """A vector of length 1 for each text."""
        ...


@attrs.frozen(eq=False)
class ByMeaning:
    """A `Ranker` that goes by vectors; by words for a query or a page that those do not suit."""

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
    """The `Ranker` of the extra.

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
            f"Passages cannot be ranked by meaning: {error}.",
            advice="Set reading.query_judge to words, or reinstall tabwright[meaning].",
        ) from error


# Choosing the judge of passages by the settings.


def judge_of_queries(setting: QueryJudge) -> Ranker:
    """The judge that ``reading.query_judge`` names."""
    if setting == "words" or not embeddings_installed():
        return rank_bm25
    return rank_by_embedding
