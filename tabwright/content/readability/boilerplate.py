"""Removing boilerplate around the content of a page: menus, dialogs, its header and footer."""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import filterfalse

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.element_path import Surroundings
from tabwright.content.html.hidden_elements import MAIN
from tabwright.content.html.tree import NONE, SHADOW_ROOT, ancestors, remove, walk
from tabwright.content.readability.dom_shapes import LITTLE_CHARACTERS

BOILERPLATE = (
    "nav, dialog, [role=navigation], [role=search], [role=dialog], [role=alertdialog],"
    " [role=menu], [role=menubar], [role=toolbar], [role=banner], [role=contentinfo]"
)
"""Boilerplate around the content of pages."""

MENUS = "nav, [role=navigation]"

_PARTS = ("article", "aside", "main", "nav", "section", "[role=main]", "[role=article]")

MARGINS = ", ".join(
    f"{margin}:not({', '.join(f'{part} {margin}' for part in _PARTS)})"
    for margin in ("header", "footer")
)
"""The header and footer of a page, not those of a section (HTML-AAM, section 4)."""


def remove_boilerplate(document: LexborHTMLParser, kept: AbstractSet[int] = NONE) -> None:
    """Remove boilerplate, except the nodes `kept`, given by their ids."""
    contents = _tables_of_contents(document)
    remove((node for node in document.css(BOILERPLATE) if node.mem_id not in contents), kept)
    margins = [node for node in document.css(MARGINS) if not node.css_first("h1")]
    own = _component_margins(document, margins)
    remove((node for node in margins if node.mem_id not in own), kept)


def _tables_of_contents(document: LexborHTMLParser) -> AbstractSet[int]:
    """Return the ids of menus that are the content, as on pages that only list others.

    Such a menu follows the headline, or is in the main element, and the page has little text, less
    than the menu, that is not boilerplate.
    """
    body = document.body
    if body is None or not document.css_matches(MENUS):
        return NONE
    margins = (node for node in document.css(MARGINS) if not node.css_first("h1"))
    apart = {node.mem_id: node for node in (*document.css(BOILERPLATE), *margins)}
    is_apart = Surroundings(lambda node: node.mem_id in apart)
    outermost = [
        node for node in apart.values() if node.parent and not is_apart.include(node.parent)
    ]
    rest = _characters(body) - sum(map(_characters, outermost))
    if rest >= LITTLE_CHARACTERS:
        return NONE
    contents: set[int] = set()
    in_main = Surroundings(lambda node: node.tag == "main" or node.attributes.get("role") == "main")
    in_margin = Surroundings(lambda node: node.tag in {"header", "footer", "aside"})
    follows = False
    for node in document.css(f"h1, {MENUS}"):
        follows = follows or node.tag == "h1"
        is_inner = (follows or in_main.include(node)) and not in_margin.include(node)
        if is_inner and _characters(node) > rest:
            contents.add(node.mem_id)
    return contents


def _characters(node: LexborNode) -> int:
    return len(" ".join(node.text().split()))


MARGINS_ALIKE_MIN = 3
"""Least number of headers or footers of one class that are not those of the page."""


def _component_margins(
    document: LexborHTMLParser, margins: Sequence[LexborNode]
) -> AbstractSet[int]:
    """Return the ids of headers and footers of components, such as cards, not of the page.

    A component has less than half of the text of the page, and text beside its header and footer.
    Any shadow root can be one. Another element is one if it has a header or footer of which there
    are several, or if that is shorter than the rest, which is not a menu, and neither begins nor
    ends the page.
    """
    body = document.body
    if body is None or not margins:
        return NONE
    lengths = _Lengths()
    walk(body, lengths)
    page = lengths.of[body.mem_id]
    alike = Counter(map(_kind_of_margin, margins))

    def is_component(node: LexborNode) -> bool:
        """Return whether a shadow root is a component."""
        length = lengths.of.get(node.mem_id) if node.tag == SHADOW_ROOT else None
        return length is not None and length.is_part_of(page)

    def is_of_component(margin: LexborNode) -> bool:
        """Return whether the element around a header or footer is a component."""
        outer = margin.parent
        length = lengths.of.get(outer.mem_id) if outer is not None else None
        if length is None or not length.is_part_of(page):
            return False
        if alike[_kind_of_margin(margin)] >= MARGINS_ALIKE_MIN:
            return True
        own = lengths.of[margin.mem_id]
        is_at_edge = own.start == 0 if margin.tag == "header" else own.end == page.end
        return not is_at_edge and 2 * max(length.margins, length.links) < length.all

    in_roots = Surroundings(is_component)
    return {one.mem_id for one in margins if in_roots.include(one) or is_of_component(one)}


def _kind_of_margin(margin: LexborNode) -> tuple[str | None, str | None]:
    return margin.tag, margin.attributes.get("class")


@attrs.frozen
class _Length:
    """The characters in an element.

    Attributes:
        start: the number of characters before it, from where the count began.
        all: the number of characters in it.
        margins: the number of those in headers and footers in it.
        links: the number of those in links in it.
    """

    start: int
    all: int
    margins: int
    links: int

    @property
    def end(self) -> int:
        """The number of characters up to its end."""
        return self.start + self.all

    def is_part_of(self, page: "_Length") -> bool:
        """Return whether it has text beside headers and footers, and less than half of a page's."""
        return self.margins < self.all and 2 * self.all < page.all


@attrs.define(eq=False)
class _Lengths:
    """Counts the characters in the elements of a walk, all of them in linear time.

    Attributes:
        of: the lengths of the elements, by their ids.
    """

    of: dict[int, _Length] = attrs.field(factory=dict[int, _Length], init=False)
    _all: int = attrs.field(default=0, init=False)
    _margins: int = attrs.field(default=0, init=False)
    _links: int = attrs.field(default=0, init=False)
    _open: list[tuple[LexborNode, int, int, int]] = attrs.field(
        factory=list[tuple[LexborNode, int, int, int]], init=False
    )

    def text(self, text: str) -> None:
        """Count a text without the white space around it."""
        self._all += len(text.strip())

    def opens(self, _tag: str, node: LexborNode) -> bool:
        """Note the counts before the element."""
        self._open.append((node, self._all, self._margins, self._links))
        return True

    def closes(self) -> None:
        """Count what is in the element."""
        node, start, margins, links = self._open.pop()
        length = _Length(start, self._all - start, self._margins - margins, self._links - links)
        self.of[node.mem_id] = length
        if node.tag in {"header", "footer"}:
            self._margins = margins + length.all
        elif node.tag == "a":
            self._links = links + length.all


# The part that the page itself marks as main.


def main_part(document: LexborHTMLParser) -> tuple[LexborNode, ...]:
    """Return the element that the page marks as main, if any, with the title above it.

    What stands between them, such as a summary or a byline, comes too, unless it is mostly links.
    An element with little text is not the main content, whatever its markup.
    """
    body = document.body or document.root
    mains = document.css(MAIN)
    if body is None or len(mains) != 1:
        return () if body is None else (body,)
    main, title = mains[0], document.css_first("h1")
    if 2 * len(main.text()) < len(body.text()):
        return (body,)
    if title is None or main.css_first("h1"):
        return (main,)
    return (title, *filterfalse(_is_mostly_links, _between(title, main)), main)


def _between(first: LexborNode, last: LexborNode) -> Iterator[LexborNode]:
    """Yield the nodes from the end of one node to the start of another; none if it comes before."""
    around = {last.mem_id, *(node.mem_id for node in ancestors(last))}
    after: list[LexborNode] = []
    node: LexborNode | None = first
    while node is not None and node.mem_id not in around:
        following = node.next
        while following is not None and following.mem_id not in around:
            after.append(following)
            following = following.next
        if following is not None:
            yield from after
            return
        node = node.parent


def _is_mostly_links(node: LexborNode) -> bool:
    """Return whether at least half of the text of a node is in links, or it has none."""
    characters = len(node.text().strip())
    links = (node,) if node.tag == "a" else node.css("a") if node.is_element_node else ()
    return 2 * sum(len(link.text().strip()) for link in links) >= characters
