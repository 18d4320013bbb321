"""A page's body, grouped: elements that look alike in the same place are one kind.

The rows of a table, the cards of a shop and the paragraphs of an article are many elements of a
few kinds. A decision about a kind applies to all its elements and costs as much as for one.
"""

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias

import attrs
from selectolax.lexbor import LexborNode

INLINE = frozenset(
    {"a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em"}
    | {"font", "i", "ins", "kbd", "label", "mark", "nobr", "output", "picture", "q", "rp", "rt"}
    | {"ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u"}
    | {"var"}
)
"""Inline elements, by browsers' default style. They have no kind."""

WORDLESS = frozenset(
    {"area", "audio", "br", "canvas", "embed", "iframe", "img", "input", "map", "math", "object"}
    | {"script", "select", "source", "style", "svg", "template", "textarea", "video", "wbr"}
)
"""Elements whose text is not part of the page. They have no kind."""

BOILERPLATE = frozenset({"dialog", "footer", "menu", "nav"})
BOILERPLATE_ROLES = frozenset(
    {"alertdialog", "contentinfo", "dialog", "menu", "menubar", "navigation", "search"}
)
"""Elements that rarely contain content. They are only read if there is little other text."""

BLANK = frozenset({"article", "center", "div", "form", "main", "section", "table"})
"""Generic elements: without a class or similar name, each is a separate kind."""

SPARE = "noscript"
"""The element with replacement content for browsers without scripts."""

LONG, SHORT, LINKED = range(3)
"""Length classes of a block: long, short, or mostly links."""

LITTLE_CHARACTERS = 200
"""On a page with less text beside its boilerplate, that can contain the content."""

_LONG_CHARS_MIN = 40
_PROSE_CHARS_MIN = 60
_SENTENCE_CHARS_MIN = 30
_SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][\"'\u201d\u2019\u00bb)]*(?:\s|$)")

_NAMING = ("class", "id", "role", "itemprop")
_LABEL_CHARS_MAX = 300

_TEXT = "-text"
_NO_ELEMENT = "-"
"""Prefix of the parser's names of nodes that are not elements."""

_Open: TypeAlias = tuple[Iterator[LexborNode], "Kind", int, LexborNode | None]
"""An open element: its remaining children, the kind of its block element, the number of enclosing
links, and the outermost enclosing element without a kind."""


@attrs.define(eq=False)
class Tally:
    """Amounts of text, in characters unless noted.

    Attributes:
        blocks: number of blocks.
        links: number of blocks that are mostly links.
        linked: characters in links.
        prose: characters of running text.
    """

    blocks: int = 0
    links: int = 0
    chars: int = 0
    linked: int = 0
    prose: int = 0

    def add(self, other: "Tally") -> None:
        """Add the amounts of another tally."""
        self.blocks += other.blocks
        self.links += other.links
        self.chars += other.chars
        self.linked += other.linked
        self.prose += other.prose


@attrs.define(eq=False)
class Kind:
    """Elements that look alike in the same place.

    Attributes:
        number: its index among the page's kinds; parents come first.
        parent: the kind of the enclosing elements; None for that of the body.
        label: tag, class and other names of the first element, as the page writes them.
        is_spare: whether the elements are `SPARE`, or inside one.
        nodes: the elements, in document order.
        tally: the text in the elements and their descendants.
    """

    number: int
    parent: "Kind | None"
    tag: str
    label: str
    is_spare: bool
    nodes: list[LexborNode]
    tally: Tally


@attrs.define(eq=False)
class TextBlock:
    """Text without a break: a paragraph, a heading, a line of a menu.

    Attributes:
        kind: the kind of its block element.
        nodes: children of that element that contain the text.
        pieces: the text, as the page has it.
        chars: length without white space around each piece.
        linked: characters in links.
    """

    kind: Kind
    nodes: list[LexborNode]
    pieces: list[str]
    chars: int = 0
    linked: int = 0
    has_sentence: bool = False

    @property
    def prose(self) -> int:
        """Characters of running text."""
        plain = self.chars - self.linked
        return plain if self.has_sentence and plain >= _PROSE_CHARS_MIN else 0

    @property
    def length_class(self) -> int:
        """`LONG`, `SHORT` or `LINKED`."""
        if 2 * self.linked > self.chars:
            return LINKED
        return LONG if self.chars >= _LONG_CHARS_MIN else SHORT

    def text(self) -> str:
        """Return the text with single spaces."""
        return " ".join("".join(self.pieces).split())


@attrs.define(eq=False)
class TextRun:
    """The blocks of one kind and one length class: they are kept or dropped together.

    Attributes:
        places: indexes of its blocks among all blocks of the page.
    """

    kind: Kind
    length_class: int
    places: list[int]
    tally: Tally

    def add(self, block: TextBlock, place: int) -> None:
        """Add a block of this length class."""
        self.places.append(place)
        tally = self.tally
        tally.blocks += 1
        tally.links += self.length_class == LINKED
        tally.chars += block.chars
        tally.linked += block.linked
        tally.prose += block.prose


@attrs.define(eq=False)
class ShapedPage:
    """A page's kinds, blocks and text runs, each in the order in which they begin.

    Attributes:
        boilerplate: elements that were skipped as boilerplate.
        wrapping: the ids of elements without a kind that contain elements with a kind.
    """

    kinds: list[Kind]
    blocks: list[TextBlock]
    strands: list[TextRun]
    boilerplate: list[LexborNode]
    wrapping: set[int]


def group_similar_elements(body: LexborNode) -> ShapedPage:
    """Group the elements of the body in one pass, in linear time and without recursion."""
    page = _folded(body, BOILERPLATE, BOILERPLATE_ROLES)
    says_something = page.kinds[0].tally.chars >= LITTLE_CHARACTERS or not page.boilerplate
    return page if says_something else _folded(body, frozenset(), frozenset())


def _folded(body: LexborNode, tags: AbstractSet[str], roles: AbstractSet[str]) -> ShapedPage:
    grouping = _Grouping(body, WORDLESS | tags, roles)
    grouping.go()
    # The visible blocks, unless replacement content has more text.
    shown = [block for block in grouping.blocks if not block.kind.is_spare]
    chars = sum(block.chars for block in grouping.blocks)
    blocks = shown if 2 * sum(block.chars for block in shown) >= chars else grouping.blocks
    strands: dict[tuple[int, int], TextRun] = {}
    for place, block in enumerate(blocks):
        key = block.kind.number, block.length_class
        strand = strands.get(key)
        if strand is None:
            strand = strands[key] = TextRun(block.kind, key[1], [], Tally())
        strand.add(block, place)
    for strand in strands.values():
        strand.kind.tally.add(strand.tally)
    for kind in reversed(grouping.kinds):
        if kind.parent is not None:
            kind.parent.tally.add(kind.tally)
    return ShapedPage(
        grouping.kinds, blocks, list(strands.values()), grouping.boilerplate, grouping.wrapping
    )


class _Grouping:
    """Collects the kinds and blocks of a body."""

    def __init__(
        self, body: LexborNode, passed_over: AbstractSet[str], roles: AbstractSet[str]
    ) -> None:
        tag = body.tag or ""
        label = _label(tag, body.attributes)
        kind = Kind(0, None, tag, label, is_spare=False, nodes=[body], tally=Tally())
        self.kinds = [kind]
        self.blocks: list[TextBlock] = []
        self.boilerplate: list[LexborNode] = []
        self.wrapping: set[int] = set()
        self._passed_over = passed_over
        self._roles = roles
        self._known: dict[tuple[int, str, str | int], Kind] = {}
        self._open: list[_Open] = [(body.iter(include_text=True), kind, 0, None)]
        self._block: TextBlock | None = None

    def go(self) -> None:
        """Visit the body without recursion, since it can be nested to any depth."""
        is_open = self._open
        while is_open:
            children, kind, links, outermost = is_open[-1]
            for node in children:
                tag = node.tag or _NO_ELEMENT
                if tag == _TEXT:
                    self._read(node, kind, links, outermost)
                elif tag in INLINE:
                    links += tag == "a"
                    inside = node.iter(include_text=True)
                    is_open.append((inside, kind, links, outermost or node))
                    break
                elif tag[0] != _NO_ELEMENT and self._enter(node, tag, kind, links, outermost):
                    break
            else:
                is_open.pop()
                if outermost is None:
                    self._block = None

    def _read(self, node: LexborNode, kind: Kind, links: int, outermost: LexborNode | None) -> None:
        piece = node.text_content or ""
        text = piece.strip()
        child = outermost or node
        block = self._block
        if block is None:
            if not text:
                return
            self._block = block = TextBlock(kind, [child], [])
            self.blocks.append(block)
        elif text and block.nodes[-1] is not child:
            block.nodes.append(child)
        block.pieces.append(piece)
        if not text:
            return
        chars = len(text)
        block.chars += chars
        if links:
            block.linked += chars
        elif chars >= _SENTENCE_CHARS_MIN and not block.has_sentence:
            block.has_sentence = _SENTENCE_END.search(text) is not None

    def _enter(
        self, node: LexborNode, tag: str, parent: Kind, links: int, outermost: LexborNode | None
    ) -> bool:
        """Enter an element with a kind; return False to skip it."""
        if tag in self._passed_over:
            if tag not in WORDLESS:
                self.boilerplate.append(node)
            return False
        attributes = node.attributes
        if "role" in attributes and attributes["role"] in self._roles:
            self.boilerplate.append(node)
            return False
        if outermost is not None:
            self.wrapping.add(outermost.mem_id)
        self._block = None
        group: str | int = attributes.get("class") or ""
        if not group and tag in BLANK:
            group = attributes.get("id") or node.mem_id
        key = parent.number, tag, group
        kind = self._known.get(key)
        if kind is None:
            is_spare = parent.is_spare or tag == SPARE
            label = _label(tag, attributes)
            kind = Kind(len(self.kinds), parent, tag, label, is_spare, [], Tally())
            self.kinds.append(kind)
            self._known[key] = kind
        kind.nodes.append(node)
        self._open.append((node.iter(include_text=True), kind, links, None))
        return True


def _label(tag: str, attributes: Mapping[str, str | None]) -> str:
    label = f"<{tag}"
    for name in _NAMING:
        if name in attributes:
            label = f"{label} {attributes[name] or ''}"
    return label[:_LABEL_CHARS_MAX]
