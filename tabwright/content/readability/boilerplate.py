"""What of a page no reader wants, told by structure; words are never looked at."""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from selectolax.lexbor import LexborHTMLParser, LexborNode

UNSEEN = (
    "script:not([type^='math/tex']), style, [hidden]:not([hidden=until-found]), [aria-hidden=true]"
)
"""What is not shown, to some readers at least."""

STYLED = "[style*=none i], [style*=hidden i]"
"""What may be hidden by a style of its own."""

FURNITURE = (
    "nav, dialog, [role=navigation], [role=search], [role=dialog], [role=alertdialog],"
    " [role=menu], [role=menubar], [role=toolbar], [role=banner], [role=contentinfo]"
)
"""What stands round the content of pages."""

_PARTS = ("article", "aside", "main", "nav", "section", "[role=main]", "[role=article]")

MARGINS = ", ".join(
    f"{margin}:not({', '.join(f'{part} {margin}' for part in _PARTS)})"
    for margin in ("header", "footer")
)
"""The header and the footer of a page, not those of a part of it (HTML-AAM, section 4)."""

MAIN = "main, [role=main]"

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

NONE: AbstractSet[int] = frozenset()

_FRAME = frozenset({"html", "head", "body"})
"""What every document has: it is never taken out, whatever it says of itself."""


def remove_unseen(document: LexborHTMLParser, kept: AbstractSet[int] = NONE) -> None:
    """Takes out what is not shown, except the nodes `kept`, named by their ids."""
    remove(document.css(UNSEEN), kept)
    remove(filter(_is_hidden, document.css(STYLED)), kept)


def remove_boilerplate(document: LexborHTMLParser, kept: AbstractSet[int] = NONE) -> None:
    """Takes out what stands round the content, except the nodes `kept`, named by their ids."""
    remove(document.css(FURNITURE), kept)
    remove((node for node in document.css(MARGINS) if not node.css_first("h1")), kept)


def remove(nodes: Iterable[LexborNode], kept: AbstractSet[int] = NONE) -> None:
    """Takes nodes out of their document; what is inside goes before what is round it."""
    found = {node.mem_id: node for node in nodes}
    for number, node in reversed(found.items()):
        if number not in kept and node.tag not in _FRAME:
            node.decompose()


def main_part(document: LexborHTMLParser) -> tuple[LexborNode, ...]:
    """The part that the page calls its main one, if it has one, with the title above it.

    A part that says little is not what a page is about, whatever it is called.
    """
    body = document.body or document.root
    mains = document.css(MAIN)
    if body is None or len(mains) != 1:
        return () if body is None else (body,)
    main, title = mains[0], document.css_first("h1")
    if 2 * len(main.text()) < len(body.text()):
        return (body,)
    return (main,) if title is None or main.css_first("h1") else (title, main)


def hides(style: str | None) -> bool:
    """Whether a style of an element says that it is not shown."""
    return style is not None and _HIDDEN.search(style) is not None


def _is_hidden(node: LexborNode) -> bool:
    """Formulas may be hidden from those who see, and are there for those who do not."""
    child = node.first_child
    return hides(node.attributes["style"]) and not (child is not None and child.tag == "math")
