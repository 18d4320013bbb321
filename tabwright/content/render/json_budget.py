"""A snapshot as JSON within a budget: the content first, in its order, then what else there is.

An offset counts blocks here. What does not fit is left out whole, so that what is there is valid.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import inf

import attrs
import msgspec

from tabwright.content.render.json_record import snapshot_record
from tabwright.protocol.errors import BadInput
from tabwright.protocol.page_text import Truncation, View, Writing
from tabwright.protocol.snapshot import PageSnapshot
from tabwright.reading.json_parts import cost, json_text, parted

CONTENT = "content"

FIRST = ("url", "title")
"""What comes before the content; anything else comes after it, and is left out before it."""

FIRST_SHARE = 2
"""One part in so many of the room is as much as either of them may take."""

TRUNCATION_TOKENS = 60
"""What it takes to say what is left out."""

BRACES_TOKENS = 8


def json_of(snapshot: PageSnapshot, view: View) -> Writing:
    """The record of a snapshot on one line; its schema is `SNAPSHOT_SCHEMA`.

    Within a budget long blocks stand in parts, as `parted` makes them.

    Raises:
        BadInput: the offset is behind the end, or the budget is too small for any text.
    """
    budget = inf if view.max_tokens is None else view.max_tokens - BRACES_TOKENS
    if budget < 0:
        return Writing("{}", Truncation("token_budget", next_offset=view.offset))
    room = budget - TRUNCATION_TOKENS
    opening = _opening({"url": snapshot.url, "title": snapshot.title}, room)
    room -= sum(cost({name: value}) for name, value in opening.items())
    if view.max_tokens is not None or view.offset:
        snapshot = attrs.evolve(snapshot, content=parted(snapshot.content, room))
    record = snapshot_record(snapshot)
    every = _blocks(record)
    if view.offset and view.offset >= len(every):
        raise BadInput(f"offset is {view.offset}, and there are {len(every)} blocks.")
    blocks = every[view.offset :]
    if budget == inf or cost(record) - cost(every) + cost(blocks) <= budget:
        return Writing(json_text({**record, CONTENT: blocks}))
    return _cut(record, opening, blocks, room, view.offset)


def _opening(first: Mapping[str, str], room: float) -> dict[str, object]:
    return {
        name: value for name, value in first.items() if cost({name: value}) * FIRST_SHARE <= room
    }


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
            f"The next block alone has {cost(blocks[0])} tokens.",
            advice="Raise max_tokens, or take another format: they can be cut anywhere.",
        )
    parts: dict[str, object] = {**opening, CONTENT: kept}
    room -= cost(kept)
    for name in record:
        if name not in {*FIRST, CONTENT}:
            room = _add(parts, name, record[name], room)
    end = offset + len(kept)
    left = len(blocks) - len(kept)
    truncation = Truncation(
        reason="token_budget",
        original_tokens=cost(record),
        returned_tokens=cost(parts),
        items_omitted=left,
        next_offset=end if left else None,
    )
    said = {"items_omitted": left, "next_offset": truncation.next_offset}
    if room >= 0:
        parts["truncation"] = said
    return Writing(json_text(parts), truncation)


def _add(parts: dict[str, object], name: str, value: object, room: float) -> float:
    """Adds a part if there is room for it; gives the room that is left."""
    taken = cost({name: value})
    if not value or taken > room:
        return room
    parts[name] = value
    return room - taken


def _fitting(blocks: Sequence[object], room: float) -> Iterator[object]:
    for block in blocks:
        room -= cost(block)
        if room < 0:
            return
        yield block


def _blocks(record: Mapping[str, object]) -> list[object]:
    return msgspec.convert(record.get(CONTENT, []), list[object])
