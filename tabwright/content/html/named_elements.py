"""Values of a page that only the class or the id of their element names, such as a price."""

from collections.abc import Container, Iterator, Sequence
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.data_tables import plain_name
from tabwright.content.html.element_path import (
    ElementPaths,
    Surroundings,
    attribute,
    is_hidden,
    rating_label,
    visible_text,
)
from tabwright.protocol.structured_data import DataField

MATCHES_MAX = 50
"""Maximum number of elements with a wanted name that are compared."""

_APART = frozenset({"nav", "footer", "aside", "dialog", "template"})
"""Elements whose parts are about something else than the page."""


def named_values(
    document: LexborHTMLParser,
    paths: ElementPaths,
    wanted: Container[str],
    records: Sequence[str],
) -> Iterator[DataField]:
    """Yield the text of each wanted name that a single text has, and that of the only ``h1``.

    Args:
        document: is not changed.
        paths: the paths of its elements.
        wanted: the names, in the form of `plain_name`.
        records: the paths of repeated records, whose elements do not count.
    """
    found: dict[str, dict[str, DataField]] = {}
    apart = Surroundings(lambda node: node.tag in _APART or is_hidden(node))
    elements = document.css("[class], [id]")
    matches = ((name, node) for node in elements for name in _names(node) if name in wanted)
    for name, node in islice(matches, MATCHES_MAX):
        path = paths.of(node)
        if not _is_apart(node, apart) and not any(_is_in(path, one) for one in records):
            rating, key = rating_label(node)
            if text := rating or visible_text(node):
                field = DataField(name, text, f"{path}@{key}" if key else path)
                found.setdefault(name, {}).setdefault(text, field)
    yield from (field for texts in found.values() if len(texts) == 1 for field in texts.values())
    headings = islice(document.css("h1"), MATCHES_MAX)
    match [one for one in headings if not _is_apart(one, apart)]:
        case [heading] if text := visible_text(heading):
            yield DataField("title", text, paths.of(heading))
        case _:
            pass


def _names(node: LexborNode) -> set[str]:
    """Return the names of an element; ``product-price`` is a price, too."""
    whole = [*attribute(node, "class").split(), attribute(node, "id")]
    last = [one.replace("_", "-").rpartition("-")[2] for one in whole]
    return {plain_name(one) for one in (*whole, *last)}


def _is_apart(node: LexborNode, apart: Surroundings) -> bool:
    """Return whether an element is hidden, or inside one that is or that is `apart`."""
    return is_hidden(node) or (node.parent is not None and apart.include(node.parent))


def _is_in(path: str, outer: str) -> bool:
    return path == outer or path.startswith(f"{outer} > ")
