"""A folded page without the strands of text that nobody keeps."""

from collections.abc import Iterable, Iterator

import attrs
from selectolax.lexbor import LexborNode

from tabwright.content.readability.dom_shapes import SPARE, FoldedPage, Kind, Strand

_ROOTS = frozenset(
    {"article", "aside", "blockquote", "body", "center", "details", "div", "dl", "fieldset"}
    | {"figure", "footer", "form", "header", "main", "ol", "pre", "section", "table", "td", "ul"}
)
"""Elements that can stand for themselves."""

_MARKS = frozenset({"hr"})
"""Elements without text that belong to the text round them, however little of it is kept."""

_PICTURE = "figure"
"""Its picture may be kept where its caption is not."""


def pruned(page: FoldedPage, kept: Iterable[Strand]) -> LexborNode:
    """Takes all else out of the tree, and gives the innermost element that has all that is kept.

    What has no text, as a picture, goes the way of most of the text round it.
    """
    pruning = _Pruning.of(page, kept)
    root = pruning.root()
    pruning.take_out()
    return root


@attrs.frozen
class _Pruning:
    """What is kept of a page.

    Attributes:
        strands: those that go.
        chars: how many of each kind, by its number, are kept.
        gone: whether a kind goes.
    """

    page: FoldedPage
    strands: list[Strand]
    chars: list[int]
    gone: list[bool]

    @classmethod
    def of(cls, page: FoldedPage, kept: Iterable[Strand]) -> "_Pruning":
        """How it stands where `kept` stays, before any root is chosen."""
        chars = [0] * len(page.kinds)
        stays = set[int]()
        for strand in kept:
            chars[strand.kind.number] += strand.tally.chars
            stays.add(id(strand))
        for kind in reversed(page.kinds):
            if kind.parent is not None:
                chars[kind.parent.number] += chars[kind.number]
        strands = [strand for strand in page.strands if id(strand) not in stays]
        return cls(page, strands, chars, _gone(page.kinds, chars))

    def root(self) -> LexborNode:
        """The innermost element that has all that is kept, and can stand for itself."""
        root, inner = self.page.kinds[0], self.page.kinds[0]
        for kind in self.page.kinds[1:]:
            is_only = kind.parent is inner and len(kind.nodes) == 1
            if is_only and self.chars[kind.number] == self.chars[0]:
                inner = kind
                root = kind if kind.tag in _ROOTS else root
        return root.nodes[0]

    def take_out(self) -> None:
        """What is inside goes before what is round it: a node that is gone must not be touched."""
        for node in [*self.page.furniture, *self._outermost(), *self._alone()]:
            node.decompose()
        for kind in self.page.kinds:
            if kind.tag == SPARE and self.chars[kind.number]:
                for node in kind.nodes:
                    node.unwrap()

    def _outermost(self) -> Iterator[LexborNode]:
        for kind in self.page.kinds:
            parent = kind.parent
            if self.gone[kind.number] and parent is not None and not self.gone[parent.number]:
                yield from kind.nodes

    def _alone(self) -> Iterator[LexborNode]:
        """The text that goes where its element stays."""
        for strand in self.strands:
            if not self.gone[strand.kind.number]:
                for block in strand.blocks:
                    yield from (n for n in block.nodes if n.mem_id not in self.page.wrapping)


def _gone(kinds: list[Kind], chars: list[int]) -> list[bool]:
    gone: list[bool] = []
    for kind in kinds:
        parent = kind.parent
        gone.append(parent is not None and (gone[parent.number] or _goes(kind, parent, chars)))
    return gone


def _goes(kind: Kind, parent: Kind, chars: list[int]) -> bool:
    if chars[kind.number]:
        return False
    if kind.tally.chars and kind.tag != _PICTURE:
        return True
    return kind.tag not in _MARKS and 2 * chars[parent.number] < parent.tally.chars
