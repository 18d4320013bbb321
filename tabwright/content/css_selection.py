"""The parts of a page that CSS selectors choose."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from tabwright.content.readability.boilerplate import remove
from tabwright.protocol.errors import BadInput


@attrs.frozen
class Chosen:
    """What was asked for.

    Attributes:
        roots: in reading order, none inside another.
        kept: the ids of all that was asked for, and of what is round it.
    """

    roots: tuple[LexborNode, ...]
    kept: AbstractSet[int]


def exclude(document: LexborHTMLParser, selectors: Iterable[str]) -> None:
    """Takes what matches out of the document.

    Raises:
        BadInput: one is no CSS selector.
    """
    for selector in selectors:
        remove(_matches(document, selector))


def choose(document: LexborHTMLParser, selectors: Iterable[str]) -> Chosen:
    """What matches one of the selectors; that may be nothing.

    Raises:
        BadInput: one is no CSS selector.
    """
    asked = {node.mem_id: node for one in selectors for node in _matches(document, one)}
    roots: list[LexborNode] = []
    node = document.root
    while node is not None:
        if node.mem_id in asked:
            roots.append(node)
            node = _after(node)
        else:
            node = node.first_child or _after(node)
    kept: set[int] = set()
    for here in asked.values():
        node = here
        while node is not None and node.mem_id not in kept:
            kept.add(node.mem_id)
            node = node.parent
    return Chosen(tuple(roots), kept)


def _matches(document: LexborHTMLParser, selector: str) -> list[LexborNode]:
    try:
        return document.css(str(selector))
    except (SelectolaxError, UnicodeEncodeError) as error:
        raise BadInput(
            f"{selector!r} is no CSS selector that we can read.",
            advice="Give one such as 'main', '.price' or '#content > p'.",
        ) from error


def _after(node: LexborNode) -> LexborNode | None:
    """The next node that is not inside this one."""
    here: LexborNode | None = node
    while here is not None and here.next is None:
        here = here.parent
    return None if here is None else here.next
