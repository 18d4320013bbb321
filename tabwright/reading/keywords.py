"""Only what holds certain words."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from tabwright.content.render.plain_text import text_of
from tabwright.protocol.blocks import Blocks
from tabwright.protocol.page_text import KeywordMode
from tabwright.reading.portions import Portion, portions, rejoined


def with_keywords(blocks: Blocks, keywords: Sequence[str], mode: KeywordMode) -> Blocks:
    """The portions of a page that hold any of the keywords, or all, and the headings above them.

    A heading counts for what stands right under it. Case, width and the form of accents make no
    difference. No keywords, or none but blanks, choose everything.
    """
    wanted = {folded(word) for word in keywords if word.strip()}
    if not wanted:
        return blocks
    return rejoined(_holding(portions(blocks), blocks, wanted, mode), blocks)


def folded(text: str) -> str:
    """The text as it is compared."""
    return unicodedata.normalize("NFKC", text).casefold().strip()


def _holding(
    every: Iterable[Portion], blocks: Blocks, wanted: Iterable[str], mode: KeywordMode
) -> Iterator[Portion]:
    enough = all if mode == "all" else any
    for portion in every:
        text = folded(shown_text(portion, blocks))
        if enough(word in text for word in wanted):
            yield portion


def shown_text(portion: Portion, blocks: Blocks) -> str:
    """What stands in the portion, under its nearest heading."""
    near = tuple(blocks[place] for place in portion.headings[-1:])
    return text_of((*near, portion.block))
