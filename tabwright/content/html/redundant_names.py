"""Redundant names in main content: of pictures, and of icons that link.

The name of a picture is worth reading if the text beside the picture does not have it. A link
without text or picture, such as a button to share a page, is a control. The links and media of the
page keep all names.
"""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from selectolax.lexbor import LexborNode

from tabwright.content.html.media import alternative

_NAMED_PICTURES = "img[alt], img[aria-label], img[title], a[aria-label] img, a[title] img"
_NAMED = ("alt", "aria-label", "title")
_LABELS = ("aria-label", "title")

_SHOWN = (
    "img, [aria-label]:not(a), audio, canvas, embed, iframe, input, math, object, picture, video"
)
"""Parts of a link that stand for text."""

_BESIDE_CHARS_MAX = 600
"""Text is beside a picture if the innermost element with both is no larger."""

_STEPS_MAX = 8
"""How many elements may lie between a picture and that element."""

_CELLS = frozenset({"dd", "dt", "li", "td", "th"})
"""The text of one is not beside the picture in another."""

_WORD = re.compile(r"\w+")


def remove_redundant_names(roots: Iterable[LexborNode]) -> None:
    """Remove the names of icons that link, and of pictures whose names are in the text beside."""
    for root in roots:
        for link in root.css("a[aria-label], a[title]"):
            if not link.text().strip() and link.css_first(_SHOWN) is None:
                _remove(link, _LABELS)
        beside: dict[int, str] = {}
        words: dict[int, AbstractSet[str]] = {}
        for picture in root.css(_NAMED_PICTURES):
            holder = _holder(picture, root, beside)
            if holder is None:
                continue
            around = _link_round(picture, holder)
            name = (around and alternative(around)) or alternative(picture)
            number = holder.mem_id
            if number not in words:
                words[number] = _words(beside[number])
            if (said := _words(name)) and said <= words[number]:
                _remove(picture, _NAMED)
                if around is not None:
                    _remove(around, _LABELS)


def _holder(picture: LexborNode, root: LexborNode, beside: dict[int, str]) -> LexborNode | None:
    """Return the innermost element round a picture that has text, unless it has much of it."""
    node = picture.parent
    for _ in range(_STEPS_MAX):
        if node is None:
            return None
        number = node.mem_id
        if number not in beside:
            beside[number] = node.text(separator=" ").strip()
        if text := beside[number]:
            return node if len(text) <= _BESIDE_CHARS_MAX else None
        is_edge = node.tag in _CELLS or number == root.mem_id
        node = None if is_edge else node.parent
    return None


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
        if name in node.attributes:
            del node.attrs[name]
