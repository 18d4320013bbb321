"""Blocks in smaller ones, each of which fits into JSON of a budget, and which lose nothing.

Long lists, tables and code are parted in any case. What is too large even so is parted further:
into single items and rows, and then into pieces of its text.
"""

import re
from collections.abc import Iterator
from itertools import chain

import attrs
import msgspec

from tabwright.content.render.json_record import block_record
from tabwright.content.render.plain_text import text_of
from tabwright.protocol.blocks import Block, Blocks, Code, Heading, ItemList, Paragraph, Table, Text
from tabwright.reading.portions import parts_of
from tabwright.text.token_budget import tokens_in

PART = 20
"""As many items, rows or lines may a block have."""

HEADER_CHARACTERS_MAX = 2_000
"""A longer header is not repeated above each part of its table."""

EMPTY_TOKENS = 24
"""What a block of text takes without any."""

SLICE_CHARACTERS_MAX = 64
CHARACTER_TOKENS_MAX = 4
"""The dearest characters are those that JSON escapes by number."""


def parted(blocks: Blocks, room: float) -> Blocks:
    """The blocks in smaller ones, of at most `room` tokens each where that is possible at all."""
    parts = chain.from_iterable(map(_parts, blocks))
    return tuple(chain.from_iterable(_fitted(part, room) for part in parts))


def cost(value: object) -> int:
    """The tokens that a value takes in JSON, with what parts it from the next one."""
    return tokens_in(json_text(value)) + 1


def json_text(value: object) -> str:
    """A value as JSON on one line."""
    return msgspec.json.encode(value).decode()


def _parts(block: Block) -> Iterator[Block]:
    match block:
        case ItemList(items=items, start=start):
            for place in range(0, len(items), PART):
                part = items[place : place + PART]
                yield attrs.evolve(block, items=part, start=start + place)
        case Table(rows=(head, *rows)) if rows and _is_repeatable(block):
            for place in range(0, len(rows), PART):
                yield attrs.evolve(block, rows=(head, *rows[place : place + PART]))
        case Code(text=text):
            lines = text.split("\n")
            for place in range(0, len(lines), PART):
                yield attrs.evolve(block, text="\n".join(lines[place : place + PART]))
        case _:
            yield block


def _is_repeatable(table: Table) -> bool:
    return len(text_of((Table(table.rows[:1]),))) <= HEADER_CHARACTERS_MAX


def _fitted(block: Block, room: float) -> Iterator[Block]:
    if room < EMPTY_TOKENS or cost(block_record(block)) <= room:
        yield block
    elif len(parts := _single(block)) > 1:
        for part in parts:
            yield from _fitted(part, room)
    else:
        yield from (_like(block, piece) for piece in pieces(text_of((block,)), int(room)))


def _single(block: Block) -> tuple[Block, ...]:
    """The block by items or rows, where it has several."""
    if isinstance(block, Table) and not _is_repeatable(block):
        return (block,)
    return tuple(parts_of(block))


def _like(block: Block, text: str) -> Block:
    """A block of this text; where the kind of the block has more to it than text, a paragraph."""
    match block:
        case Code():
            return attrs.evolve(block, text=text)
        case Heading():
            return attrs.evolve(block, content=(Text(text),))
        case _:
            return Paragraph((Text(text),))


def pieces(text: str, room: int) -> Iterator[str]:
    """A text in pieces that fit a block of `room` tokens each, cut between words if possible."""
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
