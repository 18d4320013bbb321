"""Labelled pages, and how well the extracted text agrees with their labels.

A file of pages has one JSON object per line, and can be compressed (``.xz``). Its keys are ``set``,
``id``, ``url``, ``type``, ``html`` and the labels: ``text``, the main content, or ``must`` and
``must_not``, passages that belong to it and passages that do not. Each set is scored the way its
makers score it.
"""

import json
import lzma
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

import attrs

SHINGLES: Final = "scrapinghub"
"""The set that is scored by runs of four words: mean precision and mean recall."""

PASSAGES: Final = "trafilatura"
"""The set that is scored by passages, over all pages together."""

SETS: Final = (SHINGLES, PASSAGES, "wcxb", "mozilla")
"""All sets; the other two are scored by words, page by page."""

SHINGLE_WORDS: Final = 4

_WORD = re.compile(r"\w+")


@attrs.frozen
class Page:
    """A labelled page."""

    set: str
    id: str
    url: str
    type: str
    html: str
    text: str = ""
    must: Sequence[str] = ()
    must_not: Sequence[str] = ()


@attrs.frozen
class Score:
    """How many words, runs of words or passages were right, extra and missing."""

    right: int
    extra: int
    missing: int

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = 2 * self.right + self.extra + self.missing
        return 2 * self.right / total if total else 1.0


def load(path: Path) -> list[Page]:
    """Return the pages of a file, compressed or not; lone surrogates become question marks."""
    with lzma.open(path, "rt") if path.suffix == ".xz" else path.open() as lines:
        return [_page(json.loads(line)) for line in lines]


def _page(record: Mapping[str, object]) -> Page:
    known = {field.name for field in attrs.fields(Page)}
    page = Page(**{key: value for key, value in record.items() if key in known})
    return attrs.evolve(page, html=page.html.encode("utf-8", "replace").decode())


def words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def score(page: Page, text: str) -> Score:
    """Return how well the text agrees with the page's labels."""
    if page.set == PASSAGES:
        return _passages(page, text)
    if page.set == SHINGLES:
        return _overlap(_shingles(page.text), _shingles(text))
    return _overlap(Counter(words(page.text)), Counter(words(text)))


def mean_f1(name: str, scores: Iterable[Score]) -> float:
    """Return the F1 of a set, averaged the way its makers do it."""
    known = list(scores)
    if name == PASSAGES:
        return Score(*(sum(part) for part in zip(*map(attrs.astuple, known), strict=True))).f1
    if name == SHINGLES:
        precision = fmean(s.right / (s.right + s.extra) for s in known if s.right + s.extra)
        recall = fmean(s.right / (s.right + s.missing) for s in known if s.right + s.missing)
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return fmean(s.f1 for s in known)


def _passages(page: Page, text: str) -> Score:
    plain = " ".join(text.split())
    found = sum(" ".join(passage.split()) in plain for passage in page.must)
    extra = sum(" ".join(passage.split()) in plain for passage in page.must_not)
    return Score(found, extra, len(page.must) - found)


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    tokens = _WORD.findall(text)
    count = max(1, len(tokens) - SHINGLE_WORDS + 1) if tokens else 0
    return Counter(tuple(tokens[start : start + SHINGLE_WORDS]) for start in range(count))


def _overlap(truth: Counter[object], found: Counter[object]) -> Score:
    right = (truth & found).total()
    return Score(right, found.total() - right, truth.total() - right)
