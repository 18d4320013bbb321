"""How a block comes to be on the page: the parts of it that a reader sees before the whole."""

import re
from collections.abc import Iterator

import attrs

from tabwright.protocol.blocks import Block, Code, Inlines, ItemList, Paragraph, Quote, Table, Text

# The real page shows twelve words at a time. Our paragraphs are short: four still make them grow.
_GROUP = re.compile(
    r"(?:[\u3040-\u30ff\u3400-\u9fff]{1,2}[^\w\s]*|[^\s\u3040-\u9fff]+\s*|\s+){1,4}"
)

_PIECES_MAX = 16
"""Of a quotation, which may hold all that was said before."""


def parts(block: Block) -> Iterator[Block]:
    """Gives what is there of a block from its first piece on, the whole of it not included."""
    match block:
        case Paragraph(content):
            groups = tuple(_groups(content))
            yield from (Paragraph(groups[:end]) for end in range(1, len(groups)))
        case ItemList(items=items):
            yield from (attrs.evolve(block, items=items[:end]) for end in range(1, len(items)))
        case Table(rows):
            yield from (Table(rows[:end]) for end in range(1, len(rows)))
        case Quote(blocks):
            step = 1 + len(blocks) // _PIECES_MAX
            yield from (Quote(blocks[:end]) for end in range(1, len(blocks), step))
        case Code(text=text):
            lines = text.splitlines(keepends=True)
            yield from (
                attrs.evolve(block, text="".join(lines[:end])) for end in range(1, len(lines))
            )
        case _:
            pass


def _groups(content: Inlines) -> Iterator[Text]:
    """Cuts text into groups of words; citations come with the whole block only."""
    for run in content:
        if isinstance(run, Text):
            yield from (attrs.evolve(run, text=group) for group in _GROUP.findall(run.text))
