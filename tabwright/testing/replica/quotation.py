"""Answers that begin by saying all over again what the one before them said."""

from collections.abc import Iterator

import attrs

from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Code,
    Heading,
    Inlines,
    Item,
    ItemList,
    Paragraph,
    Quote,
    Rule,
    Table,
    Text,
)
from tabwright.testing.replica.answers import Truth


def quoting(truth: Truth, before: Truth) -> Truth:
    """Puts the text of the whole answer `before` in front of the answer, as a quotation."""
    lines = (" ".join(line.split()) for line in _lines(before.blocks))
    quotation = Quote(tuple(Paragraph((Text(line),)) for line in lines))
    return attrs.evolve(truth, blocks=(quotation, *truth.blocks))


def _lines(blocks: Blocks) -> Iterator[str]:
    for block in blocks:
        yield from _lines_of(block)


def _lines_of(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(content) | Heading(_, content):
            yield _said(content)
        case ItemList(items=items):
            for item in items:
                yield from _lines_of_item(item)
        case Table(rows):
            yield from (" ".join(map(_said, row)) for row in rows)
        case Code(text):
            yield text
        case Quote(blocks):
            yield from _lines(blocks)
        case Rule():
            pass


def _lines_of_item(item: Item) -> Iterator[str]:
    yield _said(item.content)
    yield from _lines(item.blocks)


def _said(content: Inlines) -> str:
    return "".join(run.text for run in content if isinstance(run, Text))
