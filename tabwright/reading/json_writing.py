"""A snapshot as JSON within a budget: the content first, in its order, then what else there is.

An offset counts blocks here. What does not fit is left out whole, so that what is there is valid.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

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


def json_of(snapshot: PageSnapshot, view: View) -> Writing:
    """The record of a snapshot on one line; its schema is `SNAPSHOT_SCHEMA`."""
    record = snapshot_record(snapshot)
    blocks = _blocks(record)[view.offset :]
    if view.max_tokens is None:
        return Writing(_text({**record, CONTENT: blocks}))
    room = view.max_tokens - BRACES_TOKENS
    if room < 0:
        return Writing("{}", Truncation("token_budget", next_offset=view.offset))
    if _cost(record) - _cost(_blocks(record)) + _cost(blocks) <= room:
        return Writing(_text({**record, CONTENT: blocks}))
    return _cut(record, blocks, room - TRUNCATION_TOKENS, view.offset)


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
    end = offset + (len(kept) or 1)  # a block that no budget of this size can hold is passed over
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
