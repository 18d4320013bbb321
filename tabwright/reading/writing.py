"""A snapshot as text: what is wanted of it, in the format that is wanted, within the budget.

What does not fit is not lost. The text stops between two blocks or lines and says where to go on;
of what comes after, the headings are named with their places, those of the highest level first.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf

import attrs

from tabwright.content.html.accessibility_tree import tree_lines
from tabwright.content.relevance import Judge, by_words, nearest
from tabwright.content.render.json_budget import json_of
from tabwright.content.render.plain_text import text_of
from tabwright.content.render.write import Manuscript, Piece, Sheet, fill
from tabwright.protocol.blocks import Block, Blocks, Code, Heading, Table
from tabwright.protocol.errors import BadInput
from tabwright.protocol.page_text import Truncation, View, Writing
from tabwright.protocol.snapshot import PageSnapshot
from tabwright.reading.keywords import with_keywords
from tabwright.reading.markdown import markdown_of
from tabwright.text.token_budget import tokens_in

GOES_ON = "[... The page goes on; this is what was read of it.]"

HEADINGS = "[... The headings of what is left out:]"
"""Above them, where nothing else tells of it."""

NOTICE_TOKENS = 48
"""What the notice of a cut takes at most, without the headings that it names."""

OUTLINE_SHARE = 5
"""One part in so many of the budget goes to the headings of what is left out."""

OUTLINE_FROM = 4 * NOTICE_TOKENS
"""A smaller budget is too good for an outline; half of it, for a notice."""


def write(snapshot: PageSnapshot, view: View, judge: Judge = by_words) -> Writing:
    """The snapshot as `view` wants it; never more than ``view.max_tokens`` by our estimate.

    Raises:
        BadInput: the offset is none of this text, or words are looked for in the tree.
    """
    if view.format == "json":
        return json_of(attrs.evolve(snapshot, content=_wanted(snapshot.content, view, judge)), view)
    manuscript = _manuscript(snapshot, view, judge)
    if view.offset and view.offset >= manuscript.length:
        raise BadInput(
            f"offset is {view.offset}, and the text ends at {manuscript.length}.",
            advice="Give the next_offset of an answer with the same arguments.",
        )
    numbered = view.links == "numbered" and view.format == "markdown"
    urls = {link.number: link.url for link in snapshot.links} if numbered else {}
    return _written(manuscript, urls, view)


def _manuscript(snapshot: PageSnapshot, view: View, judge: Judge) -> Manuscript:
    if view.format == "a11y":
        if view.keywords or view.query:
            raise BadInput(
                "Keywords and queries choose passages, and the accessibility tree has none.",
                advice="Leave them out, or take another format.",
            )
        return Manuscript([Piece(line) for line in tree_lines(snapshot.tree)], "\n")
    numbers = {link.url: link.number for link in snapshot.links}
    content = _wanted(snapshot.content, view, judge)
    end = [Piece(GOES_ON)] if snapshot.cut and view.tells_rest else []
    return Manuscript([*_pieces(content, view, numbers), *end], "\n\n")


def _wanted(content: Blocks, view: View, judge: Judge) -> Blocks:
    return nearest(with_keywords(content, view.keywords, view.keyword_mode), view.query, judge)


def _pieces(content: Blocks, view: View, numbers: Mapping[str, int]) -> Iterator[Piece]:
    for block in content:
        if view.format == "text":
            text = text_of((block,))
        else:
            text = markdown_of((block,), numbers if view.links == "numbered" else None)
        if text:
            yield _piece(block, text, marked=view.format == "markdown")


def _piece(block: Block, text: str, *, marked: bool) -> Piece:
    match block:
        case Heading(level=level):
            return Piece(text, title=text_of((block,)), level=level)
        case Table() if marked:
            head, rule, *_ = [*text.split("\n", 2), ""]
            return Piece(text, resumed=f"{head}\n{rule}\n")
        case Code() if marked:
            fence = text.partition("\n")[0]
            return Piece(text, resumed=f"{fence}\n", closing="\n" + fence.rstrip(block.language))
        case _:
            return Piece(text)


def _written(manuscript: Manuscript, urls: Mapping[int, str], view: View) -> Writing:
    room = inf if view.max_tokens is None else view.max_tokens
    sheet = Sheet(room, urls, manuscript.separator)
    if fill(sheet, manuscript, view.offset) >= manuscript.length:
        return Writing(sheet.text)
    kept = _kept_for_notice(view.max_tokens or 0)
    sheet = Sheet(room - kept, urls, manuscript.separator)
    end = fill(sheet, manuscript, view.offset)
    sheet.room += kept
    rest = manuscript.pieces[manuscript.index_at(end) :]
    if kept and view.tells_rest:
        sheet.add(_notice(rest, end))
    if kept and (ahead := _outline(sheet, manuscript, end)):
        sheet.add(ahead if view.tells_rest else f"{HEADINGS}\n{ahead}")
    return Writing(sheet.text, _truncation(manuscript, sheet.text, len(rest), end))


def _kept_for_notice(budget: int) -> int:
    """The tokens that are kept for saying what is left out."""
    notice = NOTICE_TOKENS if budget >= 2 * NOTICE_TOKENS else 0
    outline = budget // OUTLINE_SHARE if budget >= OUTLINE_FROM else 0
    return notice + outline


def _notice(rest: Sequence[Piece], end: int) -> str:
    return (
        f"[... {len(rest)} more items left out, about {_tokens(rest)} tokens."
        f" To go on, ask again with offset={end}.]"
    )


def _outline(sheet: Sheet, manuscript: Manuscript, end: int) -> str:
    """The headings from a place on; if not all fit, those of the highest levels."""
    placed = zip(manuscript.pieces, manuscript.starts(), strict=True)
    ahead = [(piece, start) for piece, start in placed if piece.level and start >= end]
    chosen: dict[int, str] = {}
    for piece, start in sorted(ahead, key=lambda heading: heading[0].level):
        line = f"- {piece.title} (offset={start})"
        if not sheet.fits("\n".join([*chosen.values(), line])):
            break
        chosen[start] = line
    return "\n".join(chosen[start] for start in sorted(chosen))


def _truncation(manuscript: Manuscript, text: str, omitted: int, end: int) -> Truncation:
    return Truncation(
        reason="token_budget",
        original_tokens=_tokens(manuscript.pieces),
        returned_tokens=tokens_in(text),
        items_omitted=omitted,
        next_offset=end,
    )


def _tokens(pieces: Iterable[Piece]) -> int:
    return sum(tokens_in(piece.text) + 1 for piece in pieces)
