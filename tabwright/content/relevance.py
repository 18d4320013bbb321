"""The similarity of passages to a query: BM25 (Robertson and Zaragoza, 2009), words and bigrams.

Languages without spaces are compared by pairs of characters. Nothing is downloaded or learned;
other methods are added as a `Ranker`.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Protocol

import attrs

from tabwright.content.render.markdown import text_of
from tabwright.protocol.blocks import Block, Blocks, Heading, ItemList, Quote, TableBlock
from tabwright.protocol.page_text import KeywordMode

# Passages: the smallest parts that can be read separately: an item, a row, a paragraph.


@attrs.frozen
class Portion:
    """A part of a block of a page.

    Attributes:
        block: the part, as a block of the same kind.
        origin: index of the whole block in the page.
        headings: indexes of the headings above it, outermost first.
    """

    block: Block
    origin: int
    headings: tuple[int, ...] = ()


def portions(blocks: Blocks) -> tuple[Portion, ...]:
    """Split the page into portions; headings are not portions, but are linked to them."""
    found: list[Portion] = []
    above: list[tuple[int, int]] = []
    for origin, block in enumerate(blocks):
        if isinstance(block, Heading):
            above = [(level, place) for level, place in above if level < block.level]
            above.append((block.level, origin))
            continue
        headings = tuple(place for _, place in above)
        found.extend(Portion(part, origin, headings) for part in parts_of(block))
    return tuple(found)


def parts_of(block: Block) -> Iterator[Block]:
    """Split the block into items, rows or quoted blocks, each as a block of the same kind."""
    match block:
        case ItemList(items=items):
            for number, item in enumerate(items, block.start):
                yield attrs.evolve(block, items=(item,), start=number)
        case TableBlock(rows=(head, *rows)) if rows:
            for row in rows:
                yield attrs.evolve(block, rows=(head, row))
        case Quote(blocks=inner) if len(inner) > 1:
            for one in inner:
                yield attrs.evolve(block, blocks=(one,))
        case _:
            yield block


def rejoined(chosen: Iterable[Portion], blocks: Blocks) -> Blocks:
    """Return chosen portions of `blocks` in page order, with the headings above them."""
    joined: list[Block] = []
    shown: set[int] = set()
    for _, group in groupby(enumerate(chosen), key=_run):
        parts = [portion for _, portion in group]
        for heading in parts[0].headings:
            if heading not in shown:
                shown.add(heading)
                joined.append(blocks[heading])
        joined.append(_whole([part.block for part in parts]))
    return tuple(joined)


def _run(placed: tuple[int, Portion]) -> tuple[int, int]:
    """Return a key that is equal for neighbours that form one block; gaps split a numbered list."""
    place, portion = placed
    match portion.block:
        case ItemList(ordered=True, start=number):
            return portion.origin, number - place
        case _:
            return portion.origin, 0


def _whole(parts: Sequence[Block]) -> Block:
    """Join parts of one block to one block."""
    match first := parts[0]:
        case ItemList():
            items = tuple(
                item for part in parts if isinstance(part, ItemList) for item in part.items
            )
            return attrs.evolve(first, items=items)
        case TableBlock(rows=(head, *_)):
            rows = tuple(
                row for part in parts if isinstance(part, TableBlock) for row in part.rows[1:]
            )
            return attrs.evolve(first, rows=(head, *rows)) if rows else first
        case Quote():
            inner = tuple(one for part in parts if isinstance(part, Quote) for one in part.blocks)
            return attrs.evolve(first, blocks=inner)
        case _:
            return first


# Passages that contain certain words.


def with_keywords(blocks: Blocks, keywords: Sequence[str], mode: KeywordMode) -> Blocks:
    """Return the portions that contain any of the keywords, or all, and the headings above them.

    Headings count as parts of the text directly below them. Case, width and the form of accents
    make no difference. Without keywords, or with only blank ones, everything is returned.
    """
    wanted = {folded(word) for word in keywords if word.strip()}
    if not wanted:
        return blocks
    holding: list[Portion] = []
    enough = all if mode == "all" else any
    for portion in portions(blocks):
        text = folded(shown_text(portion, blocks))
        if enough(word in text for word in wanted):
            holding.append(portion)
    return rejoined(holding, blocks)


def folded(text: str) -> str:
    """Return the text in the form in which it is compared."""
    return unicodedata.normalize("NFKC", text).casefold().strip()


def shown_text(portion: Portion, blocks: Blocks) -> str:
    """Return the portion's text, below its nearest heading, and those with nothing in between."""
    near = list(portion.headings[-1:])
    for place in reversed(portion.headings[:-1]):
        if place == near[0] - 1:
            near.insert(0, place)
    return text_of((*(blocks[place] for place in near), portion.block))


PASSAGES_MAX = 10
"""Maximum number of passages for a query."""

SCORE_MIN = 0.3
"""Minimum score of a passage, as a share of the best score."""

CHARACTERS_MIN = 100
"""Shorter portions of one section are scored together."""

K1, B = 1.2, 0.75
"""BM25's saturation of repeated words, and its penalty for long passages."""

ENGLISH_FUNCTION_WORDS = frozenset(
    {"a", "and", "are", "as", "at", "be", "by", "does", "for", "from", "has", "have", "how", "if"}
    | {"in", "is", "it", "its", "not", "of", "on", "or", "our", "that", "the", "their", "there"}
    | {"they", "this", "to", "was", "what", "which", "who", "with", "you", "your"}
)
"""Words that say nothing about the subject of a query or of a text."""

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Kana, Han and Hangul."""

_TERMS = re.compile(rf"([{_UNSPACED}]+)|[^\W{_UNSPACED}]+")
_PLURAL = re.compile(r"(?<=[a-z]{3})(?:(?<=[sxz])es|(?<=ch)es|(?<=sh)es|(?<![su])s)$")


class Ranker(Protocol):
    """Scores texts by their similarity to a query; the most similar has the highest score."""

    def __call__(self, query: str, texts: Sequence[str], /) -> Sequence[float]:
        """Return one score for each text; 0 or less means unrelated to the query."""
        ...


def top_passages(blocks: Blocks, query: str, judge: Ranker) -> Blocks:
    """Return the passages closest to the query in page order, with the headings above them.

    If no passage is related to the query, the result is empty. An empty query returns everything.
    """
    if not query.strip():
        return blocks
    passages: list[list[Portion]] = []
    passage: list[Portion] = []
    size = 0
    for portion in portions(blocks):
        if passage and (size > CHARACTERS_MIN or portion.headings != passage[0].headings):
            passages.append(passage)
            passage, size = [], 0
        passage.append(portion)
        size += len(shown_text(portion, blocks))
    if passage:
        passages.append(passage)
    texts = ["\n".join(shown_text(portion, blocks) for portion in one) for one in passages]
    scores = judge(query, texts)
    enough = SCORE_MIN * max(scores, default=0.0)
    ranked = sorted(range(len(scores)), key=lambda place: -scores[place])[:PASSAGES_MAX]
    best = [place for place in ranked if scores[place] > 0 and scores[place] >= enough]
    chosen = (portion for place in sorted(best) for portion in passages[place])
    return rejoined(chosen, blocks)


def rank_bm25(query: str, texts: Sequence[str]) -> Sequence[float]:
    """Return the BM25 score of each text; function words count only if the query has no others."""
    counts = [Counter(terms(text)) for text in texts]
    sizes = [count.total() for count in counts]
    mean = sum(sizes) / max(1, len(sizes)) or 1.0
    scores = [0.0] * len(texts)
    asked = set(terms(query))
    for term in asked - _FUNCTION_TERMS or asked:
        holding = sum(term in count for count in counts)
        rarity = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for place, count in enumerate(counts):
            often = count[term]
            weight = often + K1 * (1 - B + B * sizes[place] / mean)
            scores[place] += rarity * often * (K1 + 1) / weight
    return scores


def terms(text: str) -> Iterator[str]:
    """Yield a text's words as they are compared; pairs of characters for scripts without spaces."""
    for match in _TERMS.finditer(folded(text)):
        run = match[0]
        if match[1] is None:
            yield _PLURAL.sub("", run)
        else:
            yield from (run[place : place + 2] for place in range(max(1, len(run) - 1)))


_FUNCTION_TERMS = frozenset(terms(" ".join(ENGLISH_FUNCTION_WORDS)))
