"""A link round several blocks, as round a card: one of them is enough to lead where it leads."""

from collections.abc import Iterable, Sequence

import attrs

from tabwright.protocol.blocks import Block, Heading, Inline, Paragraph, Text


def linked_once(blocks: Sequence[Block], url: str) -> Iterable[Block]:
    """The blocks with one link to `url`: in the first heading that has it, else the first block."""
    linking = [place for place, block in enumerate(blocks) if _links(block, url)]
    heads = [place for place in linking if isinstance(blocks[place], Heading)]
    kept = next(iter(heads or linking), None)
    return [block if place == kept else _unlinked(block, url) for place, block in enumerate(blocks)]


def _links(block: Block, url: str) -> bool:
    return isinstance(block, Paragraph | Heading) and any(
        isinstance(run, Text) and run.url == url for run in block.content
    )


def _unlinked(block: Block, url: str) -> Block:
    if not isinstance(block, Paragraph | Heading):
        return block
    return attrs.evolve(block, content=tuple(_plain(run, url) for run in block.content))


def _plain(run: Inline, url: str) -> Inline:
    return attrs.evolve(run, url="") if isinstance(run, Text) and run.url == url else run
