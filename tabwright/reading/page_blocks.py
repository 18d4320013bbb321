"""A page's nodes to the blocks that they show."""

from collections.abc import Callable, Iterable, Mapping

import attrs
from selectolax.lexbor import LexborNode

from tabwright.content.html.block_builder import Builder
from tabwright.content.html.blocks import ELEMENTS, End, heading
from tabwright.content.html.tree import Addresses
from tabwright.protocol.blocks import Blocks
from tabwright.reading.attributes import number_in
from tabwright.reading.walking import walk

LEVELS_MAX = 6


def blocks_of(roots: Iterable[LexborNode], addresses: Addresses) -> Blocks:
    """What the roots show, one after the other, nested as far as `FLOWS_MAX` of the builder.

    Code blocks lose the numbers of their lines in the tree too.
    """
    builder = Builder(addresses)
    for root in roots:
        walk(root, _Reader(builder, builder.say, _levels(root)))
        builder.part()
    return builder.flow.taken()


@attrs.frozen
class _Reader:
    """Shows a builder what the walk comes to.

    Attributes:
        text: takes in text.
        levels: of elements that say that they are headings, by their ids.
        ends: of the elements that are open; None for one that does nothing at its end.
    """

    builder: Builder
    text: Callable[[str], None]
    levels: Mapping[int, int]
    ends: list[End | None] = attrs.field(factory=list["End | None"], init=False)

    def opens(self, tag: str, node: LexborNode) -> bool:
        """Begins what the element is, and keeps what its end will do."""
        begin = ELEMENTS.get(tag)
        if self.levels and node.mem_id in self.levels:
            begin = heading(self.levels[node.mem_id])
        if begin is None:
            self.ends.append(None)
            return True
        end = begin(self.builder, node)
        if end is None:
            return False
        self.ends.append(end)
        return True

    def closes(self) -> None:
        """Does what the end of the element does."""
        end = self.ends.pop()
        if end is not None:
            end()


def _levels(root: LexborNode) -> Mapping[int, int]:
    headings = root.css("[role=heading]")
    return {node.mem_id: _level(node.attributes.get("aria-level")) for node in headings}


def _level(text: str | None) -> int:
    """The level of a heading; 2 where it says none (WAI-ARIA, section 5.4)."""
    return max(1, min(number_in(text) or 2, LEVELS_MAX))
