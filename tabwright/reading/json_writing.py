"""A snapshot as JSON within a budget: the content first, in its order, then what else there is.

An offset counts blocks here. What does not fit is left out whole, so that what is there is valid.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import attrs
import msgspec

from tabwright.protocol.blocks import Block, Code, ItemList, Table
from tabwright.protocol.errors import BadInput
from tabwright.protocol.snapshots import PageSnapshot
from tabwright.protocol.views import Truncation, View, Writing
from tabwright.reading.json_form import snapshot_record
from tabwright.reading.tokens import tokens_in

CONTENT = "content"

FIRST = ("url", "title")
"""What comes before the content; anything else comes after it, and is left out before it."""

TRUNCATION_TOKENS = 60
"""What it takes to say what is left out."""

BRACES_TOKENS = 8

PART = 20


def json_of(snapshot: PageSnapshot, view: View) -> Writing:
    """The record of a snapshot on one line; its schema is `SNAPSHOT_SCHEMA`.

    Within a budget long lists, tables and code stand in blocks of `PART` items, rows or lines.

    Raises:
        BadInput: the offset is behind the end, or not even one block fits.
    """
    if view.max_tokens is not None or view.offset:
        snapshot = attrs.evolve(snapshot, content=tuple(chain(*map(_smaller, snapshot.content))))
    record = snapshot_record(snapshot)
    every = _blocks(record)
    if view.offset and view.offset >= len(every):
        raise BadInput(f"offset is {view.offset}, and there are {len(every)} blocks.")
    blocks = every[view.offset :]
    if view.max_tokens is None:
        return Writing(_text({**record, CONTENT: blocks}))
    room = view.max_tokens - BRACES_TOKENS
    if room < 0:
        return Writing("{}", Truncation("token_budget", next_offset=view.offset))
    if _cost(record) - _cost(_blocks(record)) + _cost(blocks) <= room:
        return Writing(_text({**record, CONTENT: blocks}))
    return _cut(record, blocks, room - TRUNCATION_TOKENS, view.offset)


def _smaller(block: Block) -> Iterator[Block]:
    match block:
        case ItemList(items=items, start=start):
            for place in range(0, len(items), PART):
                part = items[place : place + PART]
                yield attrs.evolve(block, items=part, start=start + place)
        case Table(rows=(head, *rows)) if rows:
            for place in range(0, len(rows), PART):
                yield attrs.evolve(block, rows=(head, *rows[place : place + PART]))
        case Code(text=text):
            lines = text.split("\n")
            for place in range(0, len(lines), PART):
                yield attrs.evolve(block, text="\n".join(lines[place : place + PART]))
        case _:
            yield block


def _cut(record: Mapping[str, object], blocks: Sequence[object], room: int, offset: int) -> Writing:
    parts: dict[str, object] = {}
    for name in FIRST:
        room = _add(parts, name, record.get(name), room)
    kept = list(_fitting(blocks, room))
    room -= _cost(kept)
    parts[CONTENT] = kept
    for name in record:
        if name not in {*FIRST, CONTENT}:
            room = _add(parts, name, record[name], room)
    if blocks and not kept:
        raise BadInput(
            f"The next block alone has {_cost(blocks[0])} tokens.",
            advice="Raise max_tokens, or take another format: they can be cut anywhere.",
        )
    end = offset + len(kept)
    left = len(blocks) - len(kept)
    truncation = Truncation(
        reason="token_budget",
        original_tokens=_cost(record),
        returned_tokens=_cost(parts),
        items_omitted=left,
        next_offset=end if left else None,
    )
    said = {"items_omitted": left, "next_offset": truncation.next_offset}
    if room >= 0:
        parts["truncation"] = said
    return Writing(_text(parts), truncation)


def _add(parts: dict[str, object], name: str, value: object, room: int) -> int:
    """Adds a part if there is room for it; gives the room that is left."""
    cost = _cost({name: value})
    if not value or cost > room:
        return room
    parts[name] = value
    return room - cost


def _fitting(blocks: Sequence[object], room: float) -> Iterator[object]:
    for block in blocks:
        room -= _cost(block)
        if room < 0:
            return
        yield block


def _blocks(record: Mapping[str, object]) -> list[object]:
    return msgspec.convert(record.get(CONTENT, []), list[object])


def _cost(value: object) -> int:
    return tokens_in(_text(value)) + 1


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
