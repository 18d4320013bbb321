"""A page's body, folded: elements that look alike in the same place are one kind.

The rows of a table, the cards of a shop and the paragraphs of an article are many elements, and
few kinds. What is found out about a kind holds for all its elements, and costs as much as for one.
"""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TypeAlias

import attrs
from selectolax.lexbor import LexborNode

INLINE = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "area",
        "b",
        "bdi",
        "bdo",
        "big",
        "br",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "img",
        "input",
        "ins",
        "kbd",
        "label",
        "mark",
        "nobr",
        "output",
        "picture",
        "q",
        "rp",
        "rt",
        "ruby",
        "s",
        "samp",
        "small",
        "source",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
        "wbr",
    ]
)
"""Elements that break no text, as browsers lay them out. They are of no kind."""

WORDLESS = frozenset(
    [
        "audio",
        "canvas",
        "embed",
        "iframe",
        "map",
        "math",
        "object",
        "script",
        "select",
        "style",
        "svg",
        "template",
        "textarea",
        "video",
    ]
)
"""Elements whose text is none of the page's. They are of no kind, nor is what is in them."""

FURNITURE = frozenset({"dialog", "footer", "menu", "nav"})
FURNITURE_ROLES = frozenset(
    ["alertdialog", "contentinfo", "dialog", "menu", "menubar", "navigation", "search"]
)
"""What hardly ever has content in it. It is looked into only where there is nothing else."""

BLANK = frozenset(["article", "center", "div", "form", "main", "section", "table"])
"""Elements that tell nothing unless they are named: without a name each is a kind of its own."""

SPARE = "noscript"
"""The element that stands in for something where no script runs."""

LONG, MIDDLING, SHORT, LINKED = range(4)
"""The manners of a block: how much it says, or that most of it is links."""

_CHARS_MIN = 200
"""A page with less text than that may have it all in its furniture."""

_LONG_CHARS_MIN = 120
_MIDDLING_CHARS_MIN = 40
_PROSE_CHARS_MIN = 60
_SENTENCE_CHARS_MIN = 30
_SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][\"'\u201d\u2019\u00bb)]*(?:\s|$)")

_NAMING = ("class", "id", "role", "itemprop")
_LABEL_CHARS_MAX = 300

_TEXT = "-text"
_NO_ELEMENT = "-"
"""What the parser's names of nodes begin with that are no elements."""

_NOWHERE = -1
"""The id of no node."""

_Open: TypeAlias = tuple[int, "Kind", bool, LexborNode | None]
"""An open element: its id, its kind or that of the element that lays it out, whether it is in a
link, and the outermost element of no kind that it is in.
"""


@attrs.define(eq=False)
class Tally:
    """What there is of text, in characters unless it says otherwise.

    Attributes:
        blocks: how many.
        links: how many blocks are links for the most part.
        linked: in links.
        prose: running text.
    """

    blocks: int = 0
    links: int = 0
    chars: int = 0
    linked: int = 0
    prose: int = 0

    def add(self, other: "Tally") -> None:
        """Adds what another one has."""
        self.blocks += other.blocks
        self.links += other.links
        self.chars += other.chars
        self.linked += other.linked
        self.prose += other.prose


@attrs.define(eq=False)
class Kind:
    """Elements that look alike in the same place.

    Attributes:
        number: its place among the page's kinds; parents come first.
        parent: the kind of the elements round them; None for that of the body.
        label: tag, class and what else names the first of them, as the page writes it.
        is_spare: whether they are `SPARE`, or in one.
        nodes: the elements, in the order of the page.
        tally: of the text in them, and in the elements in them.
    """

    number: int
    parent: "Kind | None"
    tag: str
    label: str
    is_spare: bool
    nodes: list[LexborNode] = attrs.field(factory=list[LexborNode])
    tally: Tally = attrs.field(factory=Tally)


@attrs.define(eq=False)
class TextBlock:
    """Text that nothing breaks: a paragraph, a heading, a line of a menu.

    Attributes:
        kind: of the element that lays it out.
        nodes: children of that element: those of its text, and the elements round them.
        chars: without the spaces round each piece of it.
        linked: how many of them are in links.
    """

    kind: Kind
    nodes: list[LexborNode] = attrs.field(factory=list[LexborNode])
    chars: int = 0
    linked: int = 0
    has_sentence: bool = False

    @property
    def prose(self) -> int:
        """Characters of running text."""
        plain = self.chars - self.linked
        return plain if self.has_sentence and plain >= _PROSE_CHARS_MIN else 0

    @property
    def manner(self) -> int:
        """`LONG`, `MIDDLING`, `SHORT` or `LINKED`."""
        if 2 * self.linked > self.chars:
            return LINKED
        if self.chars < _MIDDLING_CHARS_MIN:
            return SHORT
        return MIDDLING if self.chars < _LONG_CHARS_MIN else LONG

    def text(self) -> str:
        """With single spaces."""
        pieces = (node.text_content or node.text() for node in self.nodes)
        return " ".join("".join(pieces).split())


@attrs.define(eq=False)
class Strand:
    """The blocks of one kind and one manner: they are kept together, or dropped together.

    Attributes:
        places: those of its blocks among all of the page.
    """

    kind: Kind
    manner: int
    blocks: list[TextBlock] = attrs.field(factory=list[TextBlock])
    places: list[int] = attrs.field(factory=list[int])
    tally: Tally = attrs.field(factory=Tally)

    def add(self, block: TextBlock, place: int) -> None:
        """Adds a block of its manner."""
        self.blocks.append(block)
        self.places.append(place)
        tally = self.tally
        tally.blocks += 1
        tally.links += self.manner == LINKED
        tally.chars += block.chars
        tally.linked += block.linked
        tally.prose += block.prose


@attrs.define(eq=False)
class FoldedPage:
    """A page's kinds, blocks and strands, each in the order in which they begin.

    Attributes:
        furniture: elements that were not looked into.
        wrapping: the ids of elements of no kind that have elements of some kind in them.
    """

    kinds: list[Kind]
    blocks: list[TextBlock]
    strands: list[Strand]
    furniture: list[LexborNode]
    wrapping: set[int]


def folded(body: LexborNode) -> FoldedPage:
    """Goes over the body once, in time proportional to it, however deep it is nested."""
    page = _folded(body, FURNITURE, FURNITURE_ROLES)
    says_something = page.kinds[0].tally.chars >= _CHARS_MIN or not page.furniture
    return page if says_something else _folded(body, frozenset(), frozenset())


def _folded(body: LexborNode, tags: AbstractSet[str], roles: AbstractSet[str]) -> FoldedPage:
    nodes = body.traverse(include_text=True, skip_empty=True)
    folding = _Folding(next(nodes), tags, roles)
    folding.go(nodes)
    blocks = _without_spares(folding.blocks)
    strands = _strands(folding.kinds, blocks)
    return FoldedPage(folding.kinds, blocks, strands, folding.furniture, folding.wrapping)


def _without_spares(blocks: list[TextBlock]) -> list[TextBlock]:
    """Those that are shown, unless there is more text to stand in for them."""
    shown = [block for block in blocks if not block.kind.is_spare]
    chars = sum(block.chars for block in blocks)
    return shown if 2 * sum(block.chars for block in shown) >= chars else blocks


def _strands(kinds: list[Kind], blocks: list[TextBlock]) -> list[Strand]:
    strands: dict[tuple[int, int], Strand] = {}
    for place, block in enumerate(blocks):
        key = block.kind.number, block.manner
        strand = strands.get(key)
        if strand is None:
            strand = strands[key] = Strand(block.kind, key[1])
        strand.add(block, place)
    for strand in strands.values():
        strand.kind.tally.add(strand.tally)
    for kind in reversed(kinds):
        if kind.parent is not None:
            kind.parent.tally.add(kind.tally)
    return list(strands.values())


class _Folding:
    """The kinds and blocks of a body, as far as it was gone over."""

    def __init__(self, body: LexborNode, tags: AbstractSet[str], roles: AbstractSet[str]) -> None:
        tag = body.tag or ""
        kind = Kind(0, None, tag, _label(tag, body.attributes), is_spare=False, nodes=[body])
        self.kinds = [kind]
        self.blocks: list[TextBlock] = []
        self.furniture: list[LexborNode] = []
        self.wrapping: set[int] = set()
        self._passed_over = WORDLESS | tags
        self._roles = roles
        self._known: dict[tuple[int, str, str | int], Kind] = {}
        self._open: list[_Open] = [(body.mem_id, kind, False, None)]
        self._block: TextBlock | None = None

    def go(self, nodes: Iterator[LexborNode]) -> None:
        """Goes over what is in the body; where something is passed over, up to what follows it."""
        is_open, following = self._open, None
        for node in nodes:
            if following is not None:
                if node.mem_id != following:
                    continue
                following = None
            parent = node.parent
            parent_id = parent.mem_id if parent else _NOWHERE
            while is_open[-1][0] != parent_id:
                if is_open.pop()[3] is None:
                    self._block = None
            tag = node.tag or _NO_ELEMENT
            if tag == _TEXT:
                self._read(node)
            elif tag[0] != _NO_ELEMENT and not self._enter(node, tag):
                following = _following(node)

    def _read(self, node: LexborNode) -> None:
        text = (node.text_content or "").strip()
        if not text:
            return
        _, kind, is_linked, outermost = self._open[-1]
        block = self._block
        if block is None:
            self._block = block = TextBlock(kind)
            self.blocks.append(block)
        child = outermost or node
        if not block.nodes or block.nodes[-1] is not child:
            block.nodes.append(child)
        block.chars += len(text)
        if is_linked:
            block.linked += len(text)
        elif len(text) >= _SENTENCE_CHARS_MIN and not block.has_sentence:
            block.has_sentence = _SENTENCE_END.search(text) is not None

    def _enter(self, node: LexborNode, tag: str) -> bool:
        """Enters an element; False if it is passed over."""
        _, kind, is_linked, outermost = self._open[-1]
        if tag in INLINE:
            self._open.append((node.mem_id, kind, is_linked or tag == "a", outermost or node))
            return True
        attributes = {} if tag in self._passed_over else node.attributes
        if tag in self._passed_over or attributes.get("role") in self._roles:
            if tag not in WORDLESS:
                self.furniture.append(node)
            return False
        if outermost is not None:
            self.wrapping.add(outermost.mem_id)
        self._block = None
        kind = self._kind(node, tag, attributes, kind)
        self._open.append((node.mem_id, kind, is_linked, None))
        return True

    def _kind(
        self, node: LexborNode, tag: str, attributes: dict[str, str | None], parent: Kind
    ) -> Kind:
        look: str | int = attributes.get("class") or ""
        if not look and tag in BLANK:
            look = attributes.get("id") or node.mem_id
        key = parent.number, tag, look
        kind = self._known.get(key)
        if kind is None:
            is_spare = parent.is_spare or tag == SPARE
            kind = Kind(len(self.kinds), parent, tag, _label(tag, attributes), is_spare)
            self.kinds.append(kind)
            self._known[key] = kind
        kind.nodes.append(node)
        return kind


def _following(node: LexborNode) -> int:
    """The id of the node after all that is in this one; `_NOWHERE` if there is none."""
    here: LexborNode | None = node
    while here is not None:
        after = here.next
        while after is not None and after.is_empty_text_node:
            after = after.next
        if after is not None:
            return after.mem_id
        here = here.parent
    return _NOWHERE


def _label(tag: str, attributes: dict[str, str | None]) -> str:
    names = [attributes[name] or "" for name in _NAMING if name in attributes]
    return " ".join((f"<{tag}", *names))[:_LABEL_CHARS_MAX]
