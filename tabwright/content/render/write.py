"""Text within a token budget: what fits, and the offset where it stops.

The estimate of a text never exceeds the sum over its parts and their separators, so that parts can
be measured separately.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby, starmap
from math import inf
from zlib import crc32

import attrs

from tabwright.content.html.accessibility_tree import tree_lines
from tabwright.content.relevance import Ranker, rank_bm25, top_passages, with_keywords
from tabwright.content.render.html import html_of
from tabwright.content.render.json_budget import json_of
from tabwright.content.render.markdown import each_markdown, text_of
from tabwright.protocol.blocks import Block, Blocks, Code, Heading, TableBlock
from tabwright.protocol.errors import BadInput
from tabwright.protocol.page_text import CUTS, RenderOptions, TextMark, Truncation, Writing
from tabwright.protocol.snapshot import PageSnapshot
from tabwright.text.lines import counted, one_line, shortened
from tabwright.text.token_budget import count_tokens

_NUMBER = re.compile(r"\[(\d{1,9})\]", re.ASCII)
_LINES = re.compile(r"\n")
_WORDS = re.compile(r"\s+|(?<=[\u3002\uff0c\uff01\uff1f])")
LINKS = "## Links"


@attrs.frozen
class Piece:
    """A block of a page as text.

    Attributes:
        text: lines; it can be cut between two of them.
        resumed: text before a part that is not the first.
        closing: text after a part that is not the last.
        title: the text of a heading.
        level: the level of a heading.
    """

    text: str
    resumed: str = ""
    closing: str = ""
    title: str = ""
    level: int = 0


@attrs.frozen
class TextPieces:
    """The pieces of a text in sequence; positions are in characters."""

    pieces: Sequence[Piece]
    separator: str

    def starts(self) -> list[int]:
        """Return the start of each piece, in characters."""
        lengths = (len(piece.text) + len(self.separator) for piece in self.pieces[:-1])
        return list(accumulate(lengths, initial=0)) if self.pieces else []

    def index_at(self, offset: int) -> int:
        """Return the index of the piece at `offset`, in characters."""
        return max(0, bisect_right(self.starts(), offset) - 1)

    def mark(self, offset: int) -> TextMark:
        """Return the mark of an offset."""
        whole = self.separator.join(piece.text for piece in self.pieces)
        before = whole[max(0, offset - MARK_CHARACTERS) : offset]
        return TextMark(offset, crc32(before.encode("utf-8", "surrogatepass")))

    @property
    def length(self) -> int:
        """The total length, in characters."""
        return self.starts()[-1] + len(self.pieces[-1].text) if self.pieces else 0


@attrs.define
class BudgetedText:
    """The text written so far, and the remaining tokens."""

    room: float
    urls: Mapping[int, str]
    separator: str
    _parts: list[str] = attrs.field(factory=list[str], init=False)
    _listed: dict[int, str] = attrs.field(factory=dict[int, str], init=False)
    _link_costs: dict[int, int] = attrs.field(factory=dict[int, int], init=False)

    def add(self, text: str) -> bool:
        """Append the text if it fits together with the links that it refers to."""
        if not text:
            return True
        named = self._named(text)
        cost = 0 if self.room == inf else self._cost(text, named)
        if cost > self.room:
            return False
        self.room -= cost
        self._parts.append(text)
        self._listed.update(named)
        return True

    def fits(self, text: str) -> bool:
        """Return whether the text fits."""
        return self._cost(text, self._named(text)) <= self.room

    def _cost(self, text: str, named: Mapping[int, str]) -> int:
        """Return the tokens of a text and of the links that it refers to first."""
        heading = count_tokens(LINKS) + 2 if named and not self._listed else 0
        for number in named.keys() - self._link_costs.keys():
            self._link_costs[number] = count_tokens(_link_line(number, named[number])) + 1
        lines = sum(map(self._link_costs.__getitem__, named))
        return count_tokens(text) + (not self.blank) + heading + lines

    def _named(self, text: str) -> dict[int, str]:
        numbers = map(int, _NUMBER.findall(text)) if self.urls else ()
        return {
            number: self.urls[number]
            for number in numbers
            if number in self.urls and number not in self._listed
        }

    @property
    def blank(self) -> bool:
        """Whether nothing has been written."""
        return not self._parts

    @property
    def text(self) -> str:
        """The whole text."""
        body = self.separator.join(self._parts)
        if not self._listed:
            return body
        return f"{body}\n\n{LINKS}\n\n" + "\n".join(starmap(_link_line, self._listed.items()))


def _link_line(number: int, url: str) -> str:
    return f"[{number}]: {url}"


def fill(sheet: BudgetedText, manuscript: TextPieces, offset: int) -> int:
    """Write the pieces that fit, from an offset on; return the offset after them.

    A piece is cut between lines. If not even one line fits, it is cut inside the line, but only if
    most of the budget would be left. The opening of a piece, such as the header row of a table, is
    repeated only if it takes less than half of the budget.
    """
    starts = manuscript.starts()
    half = sheet.room / 2
    for index in range(manuscript.index_at(offset), len(manuscript.pieces)):
        piece, done = manuscript.pieces[index], max(0, offset - starts[index])
        if count_tokens(piece.resumed + piece.closing) >= half:
            piece = attrs.evolve(piece, resumed="", closing="")
        if done > len(piece.text):
            continue
        if not sheet.add(_part(piece, done, len(piece.text))):
            begun = max(done, len(piece.resumed))  # the opening of a piece is not enough by itself
            end = _longest(sheet, piece, done, _places(_LINES, piece.text, begun))
            if end == done and (sheet.blank or sheet.room > half):
                end = _longest(sheet, piece, done, _places(_WORDS, piece.text, begun))
            if end == done and sheet.blank:
                end = _longest(sheet, piece, done, range(begun + 1, len(piece.text)))
            if end > done:
                sheet.add(_part(piece, done, end))
            return starts[index] + end
    return manuscript.length


def _places(breaks: re.Pattern[str], text: str, done: int) -> list[int]:
    """Return the positions where the rest of a text can be cut."""
    return [match.end() for match in breaks.finditer(text, done) if match.end() > done]


def _longest(sheet: BudgetedText, piece: Piece, done: int, places: Sequence[int]) -> int:
    """Return the last position up to which the piece fits, or `done` if there is none."""
    low, high = 0, len(places)
    while low < high:
        middle = (low + high) // 2
        part = _part(piece, done, places[middle])
        if sheet.fits(part):
            low = middle + 1
        else:
            high = middle
    return places[low - 1] if low else done


def _part(piece: Piece, start: int, end: int) -> str:
    head = piece.resumed if start >= len(piece.resumed) else ""
    tail = piece.closing if end < len(piece.text) else ""
    return head + piece.text[start:end].rstrip() + tail


# Writing a snapshot: the requested parts, in the requested format, within the budget.
#
# The omitted text is not lost. The text stops between two blocks or lines and gives the offset to
# continue at. Headings of the omitted part are listed with their offsets, highest levels first.

HEADINGS = "[... Ask for a section by its offset:]"
"""The line above the headings, if no notice precedes them."""

NOTICE_TOKENS = 48
"""Maximum tokens of the notice of a cut. Half of that is enough for `HEADINGS`."""

OUTLINE_SHARE = 5
"""Divisor of the budget that is reserved for the headings of the omitted part."""

OUTLINE_FROM = 4 * NOTICE_TOKENS
"""A smaller budget has no outline; below half of it, there is no notice either."""

FIRST_LOOK = 4
"""A page that is so many times its budget is shown by its outline: in two thirds of any budget."""

MARK_CHARACTERS = 300
"""How much text before an offset tells that it is still the same place. A clock or a counter that
changes further up does not move the rest."""


def write(
    snapshot: PageSnapshot,
    view: RenderOptions,
    judge: Ranker = rank_bm25,
    read: TextMark | None = None,
) -> Writing:
    """Write the snapshot for `view`, within ``view.max_tokens`` by our estimate.

    Args:
        snapshot: the page.
        view: what to write of it.
        judge: ranks passages for a query.
        read: where an earlier text of the same page and view stopped.

    Raises:
        BadInput: the offset is not valid for this text, or the tree is combined with a query.
    """
    if view.format == "json":
        selected = _select_blocks(snapshot.content, view, judge)
        return json_of(attrs.evolve(snapshot, content=selected), view, read)
    manuscript = _manuscript(snapshot, view, judge)
    if view.offset and view.offset >= manuscript.length:
        raise BadInput(
            f"offset is {view.offset}, and the text ends at {manuscript.length}.",
            advice="Use the next_offset of an answer to the same arguments.",
        )
    changed = bool(view.offset) and read is not None and manuscript.mark(read.offset) != read
    numbered = view.links == "numbered" and view.format == "markdown"
    urls = {link.number: link.url for link in snapshot.links} if numbered else {}
    room = inf if view.max_tokens is None else view.max_tokens
    sheet = BudgetedText(room, urls, manuscript.separator)
    if fill(sheet, manuscript, view.offset) >= manuscript.length:
        return Writing(sheet.text, changed=changed)
    budget, whole = view.max_tokens or 0, _tokens(manuscript.pieces)
    # Tokens reserved for the notice of omitted parts, and for the outline.
    notice = NOTICE_TOKENS if view.tells_rest and budget >= 2 * NOTICE_TOKENS else 0
    outline = budget // OUTLINE_SHARE + NOTICE_TOKENS // 2 if budget >= OUTLINE_FROM else 0
    if not view.offset and whole > FIRST_LOOK * budget:
        outline = max(outline, budget * 2 // 3 - notice)
    entries = _entries(manuscript, view.offset + 1)
    full = _listed(entries, 0, "" if notice else HEADINGS)
    outline = min(outline, count_tokens(full) + 1) if entries else 0
    kept = notice + outline
    sheet = BudgetedText(room - kept, urls, manuscript.separator)
    end = fill(sheet, manuscript, view.offset)
    sheet.room += kept
    rest = manuscript.pieces[manuscript.index_at(end) :]
    if notice:
        sheet.add(
            f"[... {counted(len(rest), 'more item')} omitted, about {_tokens(rest)} tokens."
            f" To continue, ask again with offset={end}.]"
        )
    if outline:
        ahead = [entry for entry in entries if entry.offset >= end]
        sheet.add(_outline(sheet, ahead, "" if notice else HEADINGS))
    return Writing(
        sheet.text,
        Truncation(
            reason="token_budget",
            original_tokens=whole,
            returned_tokens=count_tokens(sheet.text),
            items_omitted=len(rest),
            next_offset=end,
        ),
        manuscript.mark(end),
        changed,
    )


def _manuscript(snapshot: PageSnapshot, view: RenderOptions, judge: Ranker) -> TextPieces:
    if view.format == "a11y":
        if view.keywords or view.query:
            raise BadInput(
                "The accessibility tree has no passages for keywords or query to select.",
                advice="Omit them, or use another format.",
            )
        return TextPieces([Piece(line) for line in tree_lines(snapshot.tree)], "\n")
    numbers = {link.url: link.number for link in snapshot.links}
    content = _select_blocks(snapshot.content, view, judge)
    end = [Piece(f"[... {CUTS[snapshot.cut]}]")] if snapshot.cut and view.tells_rest else []
    texts: Iterator[str]
    if view.format == "text":
        texts = (text_of((block,)) for block in content)
    elif view.format == "html":
        texts = (html_of((block,)) for block in content)
    else:
        texts = each_markdown(content, numbers if view.links == "numbered" else None)
    pieces: list[Piece] = []
    for block, text in zip(content, texts, strict=True):
        if text:
            pieces.append(_piece(block, text, marked=view.format == "markdown"))
    return TextPieces([*pieces, *end], "\n\n")


def _select_blocks(content: Blocks, view: RenderOptions, judge: Ranker) -> Blocks:
    return top_passages(with_keywords(content, view.keywords, view.keyword_mode), view.query, judge)


def _piece(block: Block, text: str, *, marked: bool) -> Piece:
    match block:
        case Heading(level=level):
            return Piece(text, title=text_of((block,)), level=level)
        case TableBlock() if marked:
            head, rule, *_ = [*text.split("\n", 2), ""]
            return Piece(text, resumed=f"{head}\n{rule}\n")
        case Code() if marked:
            fence = text.partition("\n")[0]
            return Piece(text, resumed=f"{fence}\n", closing="\n" + fence.rstrip(block.language))
        case _:
            return Piece(text)


@attrs.frozen
class Entry:
    """A heading in the outline of a text, and the offset of its section."""

    level: int
    offset: int
    line: str


def _entries(manuscript: TextPieces, start: int) -> list[Entry]:
    """Return the entries of all headings from an offset on."""
    return [
        Entry(
            piece.level,
            offset,
            f"- {shortened(one_line(piece.title))} (offset={offset})",
        )
        for piece, offset in zip(manuscript.pieces, manuscript.starts(), strict=True)
        if piece.level and offset >= start
    ]


def _listed(chosen: Iterable[Entry], left: int, above: str) -> str:
    """Return the lines of an outline, in the order of the page."""
    lines = [entry.line for entry in sorted(chosen, key=lambda entry: entry.offset)]
    more = f"- {left} more headings" if left else ""
    return "\n".join(filter(None, (above, *lines, more)))


def _outline(sheet: BudgetedText, entries: Sequence[Entry], above: str) -> str:
    """Return the entries that fit, below the line `above`; empty if none fits.

    If not all fit, these are the ones of the highest levels, and of the level at which the budget
    ends as many as fit, evenly spaced.
    """
    chosen: list[Entry] = []
    for _, group in groupby(sorted(entries, key=_level), key=_level):
        level = list(group)
        best = chosen
        low, high = 1, len(level)
        while low <= high:
            count = high if best is chosen and high == len(level) else (low + high) // 2
            some = [*chosen, *(level[place * len(level) // count] for place in range(count))]
            if sheet.fits(_listed(some, len(entries) - len(some), above)):
                best, low = some, count + 1
            else:
                high = count - 1
        is_whole = len(best) == len(chosen) + len(level)
        chosen = best
        if not is_whole:
            break
    return _listed(chosen, len(entries) - len(chosen), above) if chosen else ""


def _level(entry: Entry) -> int:
    return entry.level


def _tokens(pieces: Iterable[Piece]) -> int:
    return sum(count_tokens(piece.text) + 1 for piece in pieces)
