"""Nodes of a parsed result page: found by selectors, cut out, and read as text."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeAlias

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.protocol.web_search import Part
from tabwright.protocol.web_urls import URL_CHARACTERS_MAX
from tabwright.text.lines import one_line

Scope: TypeAlias = LexborHTMLParser | LexborNode

TEXT_CHARS_MAX = 2_000
"""As much as is read of any text or attribute, so that no page keeps patterns busy for long."""

ELEMENTS_MAX = 20_000
"""Several times as many as a result page has. Nested in one another, more take the parser long."""

_PIECES_MAX = 2_000
"""As many edges and texts of elements are looked at for one text: they may be empty."""

_PIECE_CHARS_MAX = 5 * TEXT_CHARS_MAX
"""As much is read of one piece before its spaces are made single ones."""

_TAG = re.compile(r"<[a-zA-Z]")
_SPACES = re.compile(r"\s+")

_FRAME = frozenset({"html", "body"})
"""What every document has: it is never taken out, whatever matches it."""

_BREAKS = frozenset(
    {"br", "div", "p", "li", "ul", "ol", "dl", "dt", "dd", "table", "tr", "td", "th"}
    | {"h1", "h2", "h3", "h4", "section", "article"}
)
"""Elements that begin a line, as browsers lay them out."""

_NONE: list[LexborNode] = []


def parsed(html: str) -> LexborHTMLParser:
    """Any text as a document, as far as `ELEMENTS_MAX` elements."""
    end = next(islice(_TAG.finditer(html), ELEMENTS_MAX, None), None)
    begun = html[: end.start()] if end else html
    return LexborHTMLParser(begun.encode("utf-8", "replace").decode())


def matches(scope: Scope, selector: str) -> list[LexborNode]:
    """The nodes that match, each once, in the order of the page."""
    plain = str(selector)  # the parser takes no subclass of it
    return list({node.mem_id: node for node in scope.css(plain)}.values())


def nodes(scope: Scope, part: Part) -> list[LexborNode]:
    """What the first selector finds that finds anything."""
    found = (matches(scope, selector) for selector in part.selector)
    return next(filter(None, found), _NONE)


def cut(document: LexborHTMLParser, selectors: Iterable[str]) -> None:
    """Takes what matches out of the document; what is inside goes before what is round it."""
    for selector in selectors:
        for node in reversed(matches(document, selector)):
            if node.tag not in _FRAME:
                node.decompose()


def value_of(scope: Scope, part: Part) -> str:
    """The text or the attribute of a part, with single spaces; empty where it has none."""
    found = nodes(scope, part)
    if not found:
        return ""
    attribute = found[0].attributes.get(part.attribute) if part.attribute else None
    return _line(attribute) if attribute else text_of(found[0])


def link_of(node: LexborNode, attribute: str) -> str:
    """The link in an attribute; empty for one longer than any that is opened: half is none."""
    href = node.attributes.get(attribute) or ""
    return href if len(href) <= URL_CHARACTERS_MAX else ""


def text_of(node: LexborNode) -> str:
    """The text of a node, with single spaces; blocks stand apart, inline elements do not."""
    return _line("".join(_beginning(islice(_pieces(node), _PIECES_MAX))))


def _line(text: str) -> str:
    return one_line(_single_spaced(text)[: 2 * TEXT_CHARS_MAX])[:TEXT_CHARS_MAX].rstrip()


def _beginning(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces, as long as there is not enough; the spaces between them do not count."""
    chars = 0
    for piece in map(_single_spaced, pieces):
        yield piece
        chars += len(piece.strip())
        if chars > TEXT_CHARS_MAX:
            return


def _single_spaced(text: str) -> str:
    return _SPACES.sub(" ", text[:_PIECE_CHARS_MAX])


def _pieces(top: LexborNode) -> Iterator[str]:
    """Goes down without calling itself: a hostile page may be nested as deep as it likes."""
    open_elements = [_opened(top)]
    while open_elements:
        edge, inside = open_elements[-1]
        node = next(inside, None)
        if node is None:
            open_elements.pop()
            yield edge
        elif node.is_text_node:
            yield node.text_content or ""
        else:
            open_elements.append(_opened(node))
            yield open_elements[-1][0]


def _opened(node: LexborNode) -> tuple[str, Iterator[LexborNode]]:
    """What stands at the edges of an element, and what is in it."""
    return " " if node.tag in _BREAKS else "", node.iter(include_text=True)
