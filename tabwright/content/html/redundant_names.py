"""Redundant names in main content: of pictures, and of icons that link; and texts of decoration.

The name of a picture is worth reading if the text beside the picture does not have it, or if it is
all that a link has. A link without text or picture, such as a button to share a page, is a control,
unless the text beside it names it, as that of a card does. The links and media of the page keep all
names.
"""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import attrs
from selectolax.lexbor import LexborNode

from tabwright.content.html.media import alternative, drawing_name

_NAMED_PICTURES = "img[alt], img[aria-label], img[title], a[aria-label] img, a[title] img"
_NAMED = ("alt", "aria-label", "title")
_LABELS = ("aria-label", "title")

_SHOWN = (
    "img, [aria-label]:not(a), audio, canvas, embed, iframe, input, math, object, picture, video"
)
"""Parts of a link that count as text."""

_BESIDE_CHARS_MAX = 600
"""Text is beside a picture if the innermost element with both has at most so many characters."""

_CELLS = frozenset({"dd", "dt", "li", "td", "th"})
"""The text of one is not beside the picture in another."""

_WORD = re.compile(r"\w+")


def remove_decoration(roots: Iterable[LexborNode]) -> None:
    """Remove the drawings that have no name and are in no figure, whose texts are decoration."""
    for root in roots:
        in_figures = {drawing.mem_id for drawing in root.css("figure svg")}
        for drawing in reversed(root.css("svg")):
            if drawing.mem_id not in in_figures and not drawing_name(drawing):
                drawing.decompose()


def remove_redundant_names(roots: Iterable[LexborNode]) -> None:
    """Remove the names of icons that link, and of pictures whose names are in the text beside."""
    for root in roots:
        links = [link for link in root.css("a[href]") if link.text().strip()]
        targets = {link.attributes.get("href") for link in links}
        texts = _TextsBeside(root)
        for link in root.css("a[aria-label], a[title]"):
            if link.text().strip() or link.css_first(_SHOWN) is not None:
                continue
            holder = texts.holder(link)
            is_named = holder is not None and _words(alternative(link)) & texts.words(holder)
            if link.attributes.get("href") in targets or not is_named:
                _remove(link, _LABELS)
        for picture in root.css(_NAMED_PICTURES):
            holder = texts.holder(picture)
            if holder is None:
                continue
            around = _link_round(picture, holder)
            if around is not None and around.attributes.get("href") not in targets:
                continue
            name = (around and alternative(around)) or alternative(picture)
            if (words := _words(name)) and words <= texts.words(holder):
                _remove(picture, _NAMED)
                if around is not None:
                    _remove(around, _LABELS)


@attrs.frozen(eq=False)
class _TextsBeside:
    """The texts beside the pictures and links in a root, each taken once."""

    root: LexborNode
    _texts: dict[int, str] = attrs.field(factory=dict[int, str], init=False)
    _found: dict[int, AbstractSet[str]] = attrs.field(
        factory=dict[int, AbstractSet[str]], init=False
    )

    def holder(self, node: LexborNode) -> LexborNode | None:
        """Return the innermost element round a node that has text, unless it has much of it."""
        above = node.parent
        while above is not None:
            number = above.mem_id
            if number not in self._texts:
                text = above.text(separator=" ").strip()
                self._texts[number] = text[: _BESIDE_CHARS_MAX + 1]
            if text := self._texts[number]:
                return above if len(text) <= _BESIDE_CHARS_MAX else None
            is_edge = above.tag in _CELLS or number == self.root.mem_id
            above = None if is_edge else above.parent
        return None

    def words(self, holder: LexborNode) -> AbstractSet[str]:
        """Return the words of the text of a `holder`."""
        number = holder.mem_id
        if number not in self._found:
            self._found[number] = _words(self._texts[number])
        return self._found[number]


def _link_round(picture: LexborNode, holder: LexborNode) -> LexborNode | None:
    """Return the link that has the picture and no text."""
    node = picture.parent
    while node is not None and node.mem_id != holder.mem_id:
        if node.tag == "a":
            return node
        node = node.parent
    return None


def _words(text: str) -> AbstractSet[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _remove(node: LexborNode, names: Iterable[str]) -> None:
    for name in names:
        if node.attributes.get(name):  # an empty one says that the picture is a decoration
            del node.attrs[name]
