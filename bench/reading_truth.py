"""Labelled pages, and how well what was read of them agrees with their labels.

A file of pages has one JSON object a line, and may be packed (``.xz``): ``set``, ``id``, ``url``,
``type``, ``html``, and the truth: ``text``, the main content, or ``must`` and ``must_not``,
passages that belong to it and that do not. Each set is scored as its makers score it.
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
"""The set of which runs of four words are counted: mean precision and mean recall."""

PASSAGES: Final = "trafilatura"
"""The set of which passages are looked for, all pages together."""

SETS: Final = (SHINGLES, PASSAGES, "wcxb", "mozilla")
"""Of the others words are counted, page by page."""

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
    """What was right, what was too much, and what was missing."""

    right: int
    extra: int
    missing: int

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = 2 * self.right + self.extra + self.missing
        return 2 * self.right / total if total else 1.0


def load(path: Path) -> list[Page]:
    """The pages of a file, packed or not; text that no encoding has becomes question marks."""
    with lzma.open(path, "rt") if path.suffix == ".xz" else path.open() as lines:
        return [_page(json.loads(line)) for line in lines]


def _page(record: Mapping[str, object]) -> Page:
    known = {field.name for field in attrs.fields(Page)}
    page = Page(**{key: value for key, value in record.items() if key in known})
    return attrs.evolve(page, html=page.html.encode("utf-8", "replace").decode())


def words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def score(page: Page, text: str) -> Score:
    """How well the text agrees with the page's labels."""
    if page.set == PASSAGES:
        return _passages(page, text)
    if page.set == SHINGLES:
        return _overlap(_shingles(page.text), _shingles(text))
    return _overlap(Counter(words(page.text)), Counter(words(text)))


def mean_f1(name: str, scores: Iterable[Score]) -> float:
    """The mean of a set's scores, as its makers take it."""
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
