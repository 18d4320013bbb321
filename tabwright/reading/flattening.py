"""Blocks made flat: what several of them say, as the content of one line."""

from collections.abc import Iterable, Iterator
from itertools import chain

from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Code,
    Formula,
    Heading,
    Inline,
    Inlines,
    ItemList,
    Paragraph,
    Picture,
    Quote,
    Rule,
    Table,
    Text,
)

BREAK = Text("\n")
SPACE = Text(" ")
BULLET = Text("- ")
BAR = Text(" | ")


def flat(blocks: Blocks, between: Text = BREAK) -> Inlines:
    """The content of all the blocks, with `between` between two of them."""
    if len(blocks) == 1 and isinstance(blocks[0], Paragraph):
        return blocks[0].content
    return _joined((_flat(block) for block in blocks), between)


def characters_of(content: Inlines) -> str:
    """What a line says, words for pictures included."""
    return "".join(map(_run_text, content))


def _flat(block: Block) -> Inlines:
    match block:
        case Paragraph(content) | Heading(_, content):
            return content
        case ItemList(_, items):
            told = (_joined((item.content, flat(item.blocks)), BREAK) for item in items)
            return _joined(((BULLET, *content) for content in told), BREAK)
        case Table(rows):
            return _joined((_joined(row, BAR) for row in rows), BREAK)
        case Code(text):
            lines = (line for line in text.split("\n") if line.strip())
            return _joined(((Text(line, code=True),) for line in lines), BREAK)
        case Quote(blocks):
            return flat(blocks)
        case Rule():
            return ()


def _joined(contents: Iterable[Inlines], between: Text) -> Inlines:
    """The contents that say something, one after the other."""
    return tuple(chain.from_iterable(_parted(filter(None, contents), between)))


def _parted(contents: Iterable[Inlines], between: Text) -> Iterator[Inlines]:
    for place, content in enumerate(contents):
        if place:
            yield (between,)
        yield content


def _run_text(run: Inline) -> str:
    match run:
        case Text(text=text) | Formula(tex=text) | Picture(alt=text):
            return text
        case _:
            return ""


def runs_in(blocks: Iterable[Block]) -> Iterator[Inline]:
    """Every run of the blocks, in reading order."""
    for block in blocks:
        match block:
            case Paragraph(content) | Heading(_, content):
                yield from content
            case ItemList(_, items):
                for item in items:
                    yield from item.content
                    yield from runs_in(item.blocks)
            case Table(rows):
                yield from chain.from_iterable(chain.from_iterable(rows))
            case Quote(inner):
                yield from runs_in(inner)
            case Code() | Rule():
                pass
