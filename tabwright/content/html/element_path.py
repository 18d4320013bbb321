"""Elements as sources of data: selectors that lead to them, and their visible text."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.media import drawing_name
from tabwright.content.html.tree import TEXT
from tabwright.text.lines import collapse_whitespace, shortened

NAME_CHARACTERS_MAX = 300
"""Maximum length of a name: cards and whole articles can be links or labels."""

VALUE_CHARACTERS_MAX = 2_000
"""Maximum length of a value."""

ELEMENTS_MAX = 5_000
"""Maximum number of elements and texts of which a text or a record is made."""

RECORDS_MAX = 500
"""Maximum number of records of a group."""

SILENT = frozenset({"script", "style", "noscript", "template", "head", "svg"})
"""Elements without visible text."""

STRUCK = frozenset({"del", "s", "strike"})
"""Elements whose text no longer holds, such as the old price beside the new one."""

_DRAWN = frozenset({"b", "div", "em", "i", "p", "small", "span", "strong", "td"})
"""Elements without a meaning of their own, in which style sheets draw pictures."""

_ANSWERS = frozenset(
    {"yes", "no", "true", "false", "partial", "partially", "check", "checked", "checkmark"}
    | {"check mark", "tick", "tick mark", "cross", "cross mark", "unchecked", "x mark"}
    | {"included", "not included", "excluded", "available", "not available", "unavailable"}
    | {"supported", "not supported", "unsupported", "ja", "nein", "enthalten", "nicht enthalten"}
    | {"oui", "non", "inclus", "non inclus", "s\u00ed", "incluido", "no incluido"}
    | {"sim", "n\u00e3o"}
)
"""Names of icons that say whether something is so; other names of icons are noise beside text."""

_DRAWING_NUMBER = re.compile(r"\b\d")

_RATING = re.compile(
    r"\d(?:[.,]\d+)?\s*(?:/|(?:out )?of|von|sur|de|di|su|av|z)\s*\d", re.IGNORECASE
)

_CENTS = re.compile(r"\d\d")
"""The decimals of a price if they are raised behind it; few notes and powers have two digits."""

_ICONS = "svg, :is(i, span, td):is([aria-label], [title])"
_PLAIN_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)
_PLAIN_TAG = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)


def attribute(node: LexborNode, name: str) -> str:
    """Return an attribute without surplus white space; empty if it is missing."""
    value = (node.attributes.get(name) or "")[: 2 * VALUE_CHARACTERS_MAX]
    return shortened(collapse_whitespace(value), VALUE_CHARACTERS_MAX)


def is_hidden(node: LexborNode) -> bool:
    """Return whether an element is hidden, as far as its attributes tell."""
    attributes = node.attributes
    style = (attributes.get("style") or "").replace(" ", "").lower()
    return "hidden" in attributes or "display:none" in style


@attrs.frozen(eq=False)
class Surroundings:
    """The elements of a document with a property, and those inside them; each is asked once.

    Attributes:
        has_property: whether an element has the property by itself.
    """

    has_property: Callable[[LexborNode], bool]
    _known: dict[int, bool] = attrs.field(factory=dict[int, bool], init=False)

    def include(self, node: LexborNode) -> bool:
        """Return whether an element or one that it is in has the property."""
        asked: list[LexborNode] = []
        outer: LexborNode | None = node
        while outer is not None and outer.is_element_node and outer.mem_id not in self._known:
            asked.append(outer)
            outer = outer.parent
        is_included = outer is not None and self._known.get(outer.mem_id, False)
        for one in reversed(asked):
            is_included = is_included or self.has_property(one)
            self._known[one.mem_id] = is_included
        return is_included


def descendants(root: LexborNode, left_out: frozenset[str] = frozenset()) -> Iterator[LexborNode]:
    """Yield the visible elements and texts inside an element, in document order.

    Args:
        root: the element.
        left_out: the tags of elements that are left out with all that they contain.
    """
    skipped_tags = SILENT | left_out
    node = root.first_child
    while node is not None:
        skipped = node.tag in skipped_tags or (node.is_element_node and is_hidden(node))
        if not skipped:
            yield node
        following = None if skipped else node.first_child
        while following is None:
            following = node.next
            if following is None:
                node = node.parent
                if node is None or node.mem_id == root.mem_id:
                    return
        node = following


def picture_label(node: LexborNode) -> str:
    """Return the accessible name of an element that is a picture without being an ``img``.

    It has the role ``img``, or no text, as the stars of a rating do. Empty for other elements.
    """
    label = attribute(node, "aria-label") if node.tag in _DRAWN else ""
    role = attribute(node, "role") if label else ""
    is_blank = not role and label and not node.text().strip() and not node.css_first("img, input")
    return label if role == "img" or is_blank else ""


def rating_label(node: LexborNode) -> tuple[str, str]:
    """Return a label such as 4.1 out of 5 stars, which stands for drawn stars, and its attribute.

    Both are empty if there is none.
    """
    for name in ("aria-label", "title"):
        if _RATING.search(label := attribute(node, name)):
            return label, name
    return "", ""


def icon_answer(node: LexborNode) -> str:
    """Return the name of an icon if it is an answer, such as Yes or 4 of 5 stars; empty otherwise.

    An icon is a drawing, or an element with a title and nothing else.
    """
    if node.tag == "svg":
        name = drawing_name(node)
        is_rating = attribute(node, "role") == "img" and _DRAWING_NUMBER.search(name) is not None
        return name if is_rating or name.lower() in _ANSWERS else ""
    title = attribute(node, "title") if node.tag in _DRAWN else ""
    return title if title.lower() in _ANSWERS and _is_blank(node) else ""


def icon_names(root: LexborNode) -> str:
    """Return the names of the icons in an element without text, for which they stand."""
    found: dict[int, str] = {}
    for node in root.css(_ICONS):
        parent = node.parent
        label = attribute(node, "aria-label") or attribute(node, "title")
        name = drawing_name(node) if node.tag == "svg" else label
        if parent is not None and parent.mem_id in found:
            found[node.mem_id] = ""
        elif name:
            found[node.mem_id] = name
    return " ".join(filter(None, found.values()))


def _is_blank(node: LexborNode) -> bool:
    return not node.text().strip() and not node.css_first("img, input, svg")


def is_struck(node: LexborNode, root: LexborNode | None) -> bool:
    """Return whether an element is struck through, by itself or by an element below `root`."""
    here: LexborNode | None = node
    while here is not None and (root is None or here.mem_id != root.mem_id):
        if here.tag in STRUCK:
            return True
        here = here.parent
    return False


def visible_text(root: LexborNode, *, with_struck: bool = False) -> str:
    """Return the visible text of an element in one line.

    Text that is struck through is left out if there is other text, unless `with_struck` is true.
    """
    text = _text(root, frozenset() if with_struck else STRUCK)
    return text or _text(root, frozenset())


def _text(root: LexborNode, left_out: frozenset[str]) -> str:
    if label := picture_label(root):
        return label
    parts: list[str] = []
    room = VALUE_CHARACTERS_MAX
    pictures: set[int] = set()
    nodes = descendants(root, left_out)
    for node in islice(nodes, ELEMENTS_MAX):
        if _is_after_block(node):
            parts.append(" ")
        if node.parent and node.parent.mem_id in pictures:
            pictures.add(node.mem_id)  # its name stands for all that it contains
        elif label := picture_label(node):
            pictures.add(node.mem_id)
            parts.append(f" {label} ")
            room -= len(label)
        elif node.tag == TEXT:
            text = node.text_content or ""
            is_decimal = _is_raised(node) and _CENTS.fullmatch(text) and parts
            parts.append(f".{text}" if is_decimal and parts[-1][-1:].isdigit() else text)
            room -= len(collapse_whitespace(text))
        elif node.tag not in INLINE:
            parts.append(" ")
        if room < 0:
            break
    else:
        parts += ("\u2026" for _ in islice(nodes, 1))
    return shortened(collapse_whitespace("".join(parts)), VALUE_CHARACTERS_MAX)


def _is_after_block(node: LexborNode) -> bool:
    """Return whether the node before a node separates words."""
    before = node.prev
    return before is not None and before.is_element_node and before.tag not in INLINE


def _is_raised(text: LexborNode) -> bool:
    return text.parent is not None and text.parent.tag == "sup"


INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "cite", "code", "em", "i", "mark", "s", "small", "span", "strong"}
    | {"sub", "sup", "time", "u", "data", "ins", "del", "font", "label", "q", "var"}
)
"""Elements that do not separate words."""


@attrs.define(eq=False)
class ElementPaths:
    """Writes the CSS selector of each element of a document.

    A selector begins at the nearest ancestor with an id that is used once.
    """

    _document: LexborHTMLParser
    _ids: Counter[str] = attrs.field(init=False)
    _steps: dict[int, str] = attrs.field(factory=dict[int, str], init=False)

    def __attrs_post_init__(self) -> None:
        named = (node.attributes.get("id") or "" for node in self._document.css("[id]"))
        self._ids = Counter(named)

    def of(self, node: LexborNode) -> str:
        """Return a selector whose only match is `node`."""
        steps: list[str] = []
        here: LexborNode | None = node
        while here is not None and here.is_element_node:
            own = here.attributes.get("id") or ""
            if self._ids[own] == 1 and _PLAIN_ID.fullmatch(own) is not None:
                steps.append(f"#{own}")
                break
            if here.mem_id not in self._steps:
                self._number(here)
            steps.append(self._steps[here.mem_id])
            here = here.parent
        return " > ".join(reversed(steps))

    def _number(self, node: LexborNode) -> None:
        """Write the steps to an element and its siblings, so that they are counted once."""
        parent = node.parent
        if parent is None or not parent.is_element_node:
            self._steps[node.mem_id] = node.tag or "*"
            return
        counts: Counter[str] = Counter()
        for place, one in enumerate(parent.iter(), start=1):
            tag = one.tag or ""
            counts[tag] += 1
            if tag in {"head", "body"}:
                step = tag
            elif _PLAIN_TAG.fullmatch(tag):
                step = f"{tag}:nth-of-type({counts[tag]})"
            else:
                step = f":nth-child({place})"
            self._steps[one.mem_id] = step
