"""A snapshot as JSON within a budget: the content first, in order, then the other fields.

Offsets count blocks, and after them the entries of the other fields, such as links. Each of them is
kept or omitted whole, so that the JSON stays valid.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from math import inf
from zlib import crc32

import attrs
import msgspec

from tabwright.content.relevance import parts_of
from tabwright.content.render.json_record import block_record, snapshot_record
from tabwright.content.render.markdown import text_of
from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Code,
    Heading,
    ItemList,
    Paragraph,
    TableBlock,
    TextSpan,
)
from tabwright.protocol.errors import BadInput
from tabwright.protocol.page_text import RenderOptions, TextMark, Truncation, Writing
from tabwright.protocol.snapshot import PageSnapshot
from tabwright.text.token_budget import count_tokens

# Splitting blocks into smaller ones that fit into a budget, without loss.
#
# Long lists, tables and code are always split. Parts that are still too large are split further:
# into single items and rows, and then into pieces of text.

PART = 20
"""Maximum number of items, rows or lines in a block."""

HEADER_CHARACTERS_MAX = 2_000
"""Maximum length of a header that is repeated in each part of its table."""

EMPTY_TOKENS = 24
"""Tokens of an empty text block."""

SLICE_CHARACTERS_MAX = 64
CHARACTER_TOKENS_MAX = 4
"""Maximum tokens of a character: those that JSON escapes by number."""


def parted(blocks: Blocks, room: float) -> Blocks:
    """Split the blocks into smaller ones of at most `room` tokens each, if possible."""
    parts = chain.from_iterable(map(_parts, blocks))
    return tuple(chain.from_iterable(_fitted(part, room) for part in parts))


def cost(value: object) -> int:
    """Return the tokens of a value in JSON, including its separator."""
    return count_tokens(json_text(value)) + 1


def json_text(value: object) -> str:
    """Return a value as JSON on one line."""
    return msgspec.json.encode(value).decode()


def _parts(block: Block) -> Iterator[Block]:
    match block:
        case ItemList(items=items, start=start):
            for place in range(0, len(items), PART):
                part = items[place : place + PART]
                yield attrs.evolve(block, items=part, start=start + place)
        case TableBlock(rows=(head, *rows)) if rows and _is_repeatable(block):
            for place in range(0, len(rows), PART):
                yield attrs.evolve(block, rows=(head, *rows[place : place + PART]))
        case Code(text=text):
            lines = text.split("\n")
            for place in range(0, len(lines), PART):
                yield attrs.evolve(block, text="\n".join(lines[place : place + PART]))
        case _:
            yield block


def _is_repeatable(table: TableBlock) -> bool:
    return len(text_of((TableBlock(table.rows[:1]),))) <= HEADER_CHARACTERS_MAX


def _fitted(block: Block, room: float) -> Iterator[Block]:
    if room < EMPTY_TOKENS or cost(block_record(block)) <= room:
        yield block
    elif len(parts := _single(block)) > 1:
        for part in parts:
            yield from _fitted(part, room)
    else:
        yield from (_like(block, piece) for piece in pieces(text_of((block,)), int(room)))


def _single(block: Block) -> tuple[Block, ...]:
    """Split the block into items or rows, if it has several."""
    if isinstance(block, TableBlock) and not _is_repeatable(block):
        return (block,)
    return tuple(parts_of(block))


def _like(block: Block, text: str) -> Block:
    """Return a block of this text, as a paragraph if the block's kind has further parts."""
    match block:
        case Code():
            return attrs.evolve(block, text=text)
        case Heading():
            return attrs.evolve(block, content=(TextSpan(text),))
        case _:
            return Paragraph((TextSpan(text),))


def pieces(text: str, room: int) -> Iterator[str]:
    """Split a text into pieces for blocks of `room` tokens each, between words if possible."""
    left = room - EMPTY_TOKENS
    size = max(1, min(SLICE_CHARACTERS_MAX, left // CHARACTER_TOKENS_MAX))
    slices = re.findall(rf"(?s).{{1,{size}}}(?:(?<=\s)|\Z)|.{{1,{size}}}", text)
    piece: list[str] = []
    for part in slices:
        taken = cost(part)
        if piece and taken > left:
            yield "".join(piece)
            piece, left = [], room - EMPTY_TOKENS
        piece.append(part)
        left -= taken
    if piece:
        yield "".join(piece)


CONTENT = "content"

FIRST = ("url", "title")
"""Fields of every part, before the content. Other fields follow the content."""

FIRST_SHARE = 2
"""Divisor of the budget that limits each of these fields."""

TRUNCATION_TOKENS = 60
"""Tokens of the notice about omitted parts."""

BRACES_TOKENS = 8


@attrs.frozen
class _Unit:
    """What is kept or omitted whole: a block, an entry of a list, a member or a value.

    Attributes:
        field: the field of the snapshot that it belongs to.
        key: the name of a member of an object; empty for other units.
        is_entry: whether the field is a list.
    """

    field: str
    value: object
    key: str = ""
    is_entry: bool = False

    @property
    def cost(self) -> int:
        """The tokens without those of the field."""
        return cost({self.key: self.value} if self.key else self.value)


def json_of(snapshot: PageSnapshot, view: RenderOptions, read: TextMark | None) -> Writing:
    """Return a snapshot as JSON on one line; its schema is `SNAPSHOT_SCHEMA`.

    Within a budget long blocks are split by `parted`. The rest, such as the other links, can be
    read from the next offset on.

    Raises:
        BadInput: the offset is after the end, or the budget is too small for any text.
    """
    budget = inf if view.max_tokens is None else view.max_tokens - BRACES_TOKENS
    if budget < 0:
        return Writing("{}", Truncation("token_budget", next_offset=view.offset))
    first = {"url": snapshot.url, "title": snapshot.title}
    opening, room = _opened(first, budget)
    if view.max_tokens is not None or view.offset:
        snapshot = attrs.evolve(snapshot, content=parted(snapshot.content, room))
    record = snapshot_record(snapshot)
    every = list(_units(record))
    if view.offset and view.offset >= len(every):
        raise BadInput(f"offset is {view.offset}, and there are {len(every)} blocks and entries.")
    changed = bool(view.offset) and read is not None and _mark(every, read.offset) != read
    units = every[view.offset :]
    whole = _joined(first, units)
    if budget == inf or cost(whole) <= budget:
        return Writing(json_text(whole), changed=changed)
    kept = list(_fitting(units, room))
    if units and not kept:
        enough = _enough(units[0], first, budget, room)
        raise BadInput(
            f"A budget of {view.max_tokens} tokens has no room for the next block or entry.",
            advice=f"Raise max_tokens to {enough + BRACES_TOKENS}, or use another format: "
            "other formats can be cut anywhere.",
        )
    left = len(units) - len(kept)
    end = view.offset + len(kept) if left else None
    parts = _joined(opening, kept)
    truncation = Truncation(
        reason="token_budget",
        original_tokens=cost(record),
        returned_tokens=cost(parts),
        items_omitted=left,
        next_offset=end,
    )
    parts["truncation"] = {"items_omitted": left, "next_offset": end}
    mark = None if end is None else _mark(every, end)
    return Writing(json_text(parts), truncation, mark, changed)


def _opened(first: Mapping[str, str], budget: float) -> tuple[dict[str, str], float]:
    """Return what the first fields contribute, and the room that is left for units."""
    room = budget - TRUNCATION_TOKENS
    costs = {name: cost({name: value}) for name, value in first.items()}
    opening = {name: first[name] for name in first if costs[name] * FIRST_SHARE <= room}
    return opening, room - sum(costs[name] for name in opening)


def _enough(unit: _Unit, first: Mapping[str, str], budget: float, room: float) -> int:
    """Return a budget that has room for a unit; at most twice the smallest one."""
    needed = sum(_costs([unit]))
    if unit.field == CONTENT and room < EMPTY_TOKENS:  # too small for splitting it
        needed = min(needed, 2 * EMPTY_TOKENS)
    return next(
        enough
        for enough in (int(budget + 1) << doublings for doublings in count())
        if _opened(first, enough)[1] >= needed
    )


def _units(record: Mapping[str, object]) -> Iterator[_Unit]:
    """Yield the blocks of the content, then the units of the other fields."""
    names = [CONTENT, *(name for name in record if name not in {*FIRST, CONTENT})]
    for name in names:
        match record.get(name, []):
            case list():
                values = msgspec.convert(record.get(name, []), list[object])
                yield from (_Unit(name, value, is_entry=True) for value in values)
            case dict():
                members = msgspec.convert(record[name], dict[str, object])
                yield from (_Unit(name, value, key) for key, value in members.items())
            case value:
                yield _Unit(name, value)


def _joined(opening: Mapping[str, object], units: Iterable[_Unit]) -> dict[str, object]:
    """Return a record of these units; a field can continue in the next part."""
    lists: dict[str, list[object]] = {CONTENT: []}
    objects: dict[str, dict[str, object]] = {}
    record: dict[str, object] = {**opening, CONTENT: lists[CONTENT]}
    for unit in units:
        name = unit.field
        if unit.is_entry:
            record[name] = entries = lists.setdefault(name, [])
            entries.append(unit.value)
        elif unit.key:
            record[name] = members = objects.setdefault(name, {})
            members[unit.key] = unit.value
        else:
            record[name] = unit.value
    return record


def _mark(units: Sequence[_Unit], offset: int) -> TextMark:
    """Return the mark of an offset."""
    values = [unit.value for unit in units[:offset][-1:]]
    return TextMark(offset, crc32(json_text(values).encode()))


def _fitting(units: Sequence[_Unit], room: float) -> Iterator[_Unit]:
    for unit, cost_with_field in zip(units, _costs(units), strict=True):
        room -= cost_with_field
        if room < 0:
            return
        yield unit


def _costs(units: Iterable[_Unit]) -> Iterator[int]:
    """Yield the tokens of each unit; the first of a field has those of the field, too."""
    fields = {CONTENT}
    for unit in units:
        yield unit.cost + (0 if unit.field in fields else cost({unit.field: []}))
        fields.add(unit.field)
