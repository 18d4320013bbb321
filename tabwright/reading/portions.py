"""The smallest parts of a page that make sense by themselves: an item, a row, a paragraph."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import attrs

from tabwright.protocol.blocks import Block, Blocks, Heading, ItemList, Quote, Table


@attrs.frozen
class Portion:
    """A part of a block of a page.

    Attributes:
        block: the part, as a block of the same kind.
        origin: the place of the whole block in the page.
        headings: the headings above it, outermost first, by their own places.
    """

    block: Block
    origin: int
    headings: tuple[int, ...] = ()


def portions(blocks: Blocks) -> tuple[Portion, ...]:
    """The page in portions; headings are not portions, but stand above them."""
    return tuple(_portions(blocks))


def _portions(blocks: Blocks) -> Iterator[Portion]:
    above: list[tuple[int, int]] = []
    for origin, block in enumerate(blocks):
        if isinstance(block, Heading):
            above = [(level, place) for level, place in above if level < block.level]
            above.append((block.level, origin))
            continue
        headings = tuple(place for _, place in above)
        for part in parts_of(block):
            yield Portion(part, origin, headings)


def parts_of(block: Block) -> Iterator[Block]:
    """The block by items, by rows or by what is quoted, each as a block of the same kind."""
    match block:
        case ItemList(items=items):
            for number, item in enumerate(items, block.start):
                yield attrs.evolve(block, items=(item,), start=number)
        case Table(rows=(head, *rows)) if rows:
            for row in rows:
                yield attrs.evolve(block, rows=(head, row))
        case Quote(blocks=inner) if len(inner) > 1:
            for one in inner:
                yield attrs.evolve(block, blocks=(one,))
        case _:
            yield block


def rejoined(chosen: Iterable[Portion], blocks: Blocks) -> Blocks:
    """Chosen portions of `blocks` in the page's order, with the headings that they stand under."""
    return tuple(_rejoined(chosen, blocks))


def _rejoined(chosen: Iterable[Portion], blocks: Blocks) -> Iterator[Block]:
    shown: set[int] = set()
    for _, group in groupby(enumerate(chosen), key=_run):
        parts = [portion for _, portion in group]
        for heading in parts[0].headings:
            if heading not in shown:
                shown.add(heading)
                yield blocks[heading]
        yield _whole([part.block for part in parts])


def _run(placed: tuple[int, Portion]) -> tuple[int, int]:
    """Equal for neighbours that can be one block; a numbered list with gaps is several."""
    place, portion = placed
    match portion.block:
        case ItemList(ordered=True, start=number):
            return portion.origin, number - place
        case _:
            return portion.origin, 0


def _whole(parts: Sequence[Block]) -> Block:
    """Parts of one block as one block again."""
    match first := parts[0]:
        case ItemList():
            items = tuple(
                item for part in parts if isinstance(part, ItemList) for item in part.items
            )
            return attrs.evolve(first, items=items)
        case Table(rows=(head, *_)):
            rows = tuple(row for part in parts if isinstance(part, Table) for row in part.rows[1:])
            return attrs.evolve(first, rows=(head, *rows)) if rows else first
        case Quote():
            inner = tuple(one for part in parts if isinstance(part, Quote) for one in part.blocks)
            return attrs.evolve(first, blocks=inner)
        case _:
            return first
