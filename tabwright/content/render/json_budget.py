"""A snapshot as JSON within a budget: the content first, in order, then the rest.

Offsets count blocks here. What does not fit is left out whole, so that the JSON stays valid.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
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
"""Fields before the content; other fields come after it, and are omitted first."""

FIRST_SHARE = 2
"""Divisor of the budget that limits each of these fields."""

TRUNCATION_TOKENS = 60
"""Tokens of the notice about omitted parts."""

BRACES_TOKENS = 8


def json_of(snapshot: PageSnapshot, view: RenderOptions, read: TextMark | None = None) -> Writing:
    """Return a snapshot as JSON on one line; its schema is `SNAPSHOT_SCHEMA`.

    Within a budget long blocks are split by `parted`.

    Raises:
        BadInput: the offset is after the end, or the budget is too small for any text.
    """
    budget = inf if view.max_tokens is None else view.max_tokens - BRACES_TOKENS
    if budget < 0:
        return Writing("{}", Truncation("token_budget", next_offset=view.offset))
    room = budget - TRUNCATION_TOKENS
    opening = {
        name: value
        for name, value in {"url": snapshot.url, "title": snapshot.title}.items()
        if cost({name: value}) * FIRST_SHARE <= room
    }
    room -= sum(cost({name: value}) for name, value in opening.items())
    if view.max_tokens is not None or view.offset:
        snapshot = attrs.evolve(snapshot, content=parted(snapshot.content, room))
    record = snapshot_record(snapshot)
    every = msgspec.convert(record.get(CONTENT, []), list[object])
    if view.offset and view.offset >= len(every):
        raise BadInput(f"offset is {view.offset}, and there are {len(every)} blocks.")
    changed = bool(view.offset) and read is not None and _mark(every, read.offset) != read
    blocks = every[view.offset :]
    if budget == inf or cost(record) - cost(every) + cost(blocks) <= budget:
        return Writing(json_text({**record, CONTENT: blocks}), changed=changed)
    writing = _cut(record, opening, blocks, room, view.offset)
    end = writing.truncation.next_offset if writing.truncation else None
    mark = None if end is None else _mark(every, end)
    return attrs.evolve(writing, mark=mark, changed=changed)


def _mark(blocks: Sequence[object], offset: int) -> TextMark:
    """Return the mark of an offset in blocks."""
    return TextMark(offset, crc32(json_text(blocks[:offset][-1:]).encode()))


def _cut(
    record: Mapping[str, object],
    opening: Mapping[str, object],
    blocks: Sequence[object],
    room: float,
    offset: int,
) -> Writing:
    kept = list(_fitting(blocks, room))
    if blocks and not kept:
        raise BadInput(
            f"The next block has {cost(blocks[0])} tokens.",
            advice="Raise max_tokens, or use another format: other formats can be cut anywhere.",
        )
    parts: dict[str, object] = {**opening, CONTENT: kept}
    room -= cost(kept)
    for name in record:
        if name not in {*FIRST, CONTENT}:
            value = record[name]
            taken = cost({name: value})
            if value and taken <= room:
                parts[name] = value
                room -= taken
    end = offset + len(kept)
    left = len(blocks) - len(kept)
    truncation = Truncation(
        reason="token_budget",
        original_tokens=cost(record),
        returned_tokens=cost(parts),
        items_omitted=left,
        next_offset=end if left else None,
    )
    omitted = {"items_omitted": left, "next_offset": truncation.next_offset}
    if room >= 0:
        parts["truncation"] = omitted
    return Writing(json_text(parts), truncation)


def _fitting(blocks: Sequence[object], room: float) -> Iterator[object]:
    for block in blocks:
        room -= cost(block)
        if room < 0:
            return
        yield block
