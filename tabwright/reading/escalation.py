"""Whether a page shows less than it would to a browser that does more, by structure alone.

The lowest tier that shows enough is taken. So a sign of a framework by itself means nothing: most
pages that are built by one arrive with their text.
"""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser

from tabwright.protocol.snapshot import PageSource, Tier
from tabwright.reading.documents import parsed

EMPTY_CHARACTERS = 100
"""A page that shows fewer characters, and runs scripts, is waiting for them."""

THIN_CHARACTERS = 1000
"""One that shows fewer may be, if it says so."""

PLEA_CHARACTERS = 50
"""A ``noscript`` that says so much pleads for scripts; a shorter one holds a pixel for counting."""

ROOTS = (
    "#root, #app, #__next, #__nuxt, #___gatsby, #svelte, [ng-app], [data-reactroot], app-root,"
    " [data-server-rendered]"
)
"""Where frameworks of the browser build their pages."""

BUILDERS = re.compile(
    r"__NEXT_DATA__|__NUXT__|webpackJsonp|__webpack_require__|webpackChunk|customElements\.define"
    r"|attachShadow|IntersectionObserver|requestIdleCallback"
)
"""Words of pages that show what they have only when it is looked at."""

SILENT = "script, style, noscript, template, svg, head"
"""What is no text of a page."""


def lacking(source: PageSource, tier: Tier) -> str:
    """Why the next tier would show more of a page that was got by `tier`; empty if it would not."""
    match tier:
        case 1:
            return next(_waits_for_scripts(parsed(source)), "")
        case 2:
            return _waits_for_all(source)
        case 3:
            return ""


def _waits_for_scripts(document: LexborHTMLParser) -> Iterator[str]:
    if not document.css_matches("script, meta[http-equiv=refresh i]"):
        return
    plea = sum(len(node.text().strip()) for node in document.css("noscript"))
    shown = _shown_characters(document)
    if shown < EMPTY_CHARACTERS:
        yield f"without scripts the page shows {shown} characters"
    elif shown < THIN_CHARACTERS:
        if any(len(node.text().strip()) < EMPTY_CHARACTERS for node in document.css(ROOTS)):
            yield "what its scripts build the page in is empty"
        elif plea > PLEA_CHARACTERS:
            yield "it asks for scripts"


def _waits_for_all(source: PageSource) -> str:
    if not BUILDERS.search(source.html):
        return ""
    shown = _shown_characters(parsed(source))
    if shown >= EMPTY_CHARACTERS:
        return ""
    return f"without all it loads the page shows {shown} characters"


def _shown_characters(document: LexborHTMLParser) -> int:
    """How much text there is; what is none is removed from the document."""
    for node in document.css(SILENT):
        node.decompose()
    body = document.body
    return len(" ".join(body.text().split())) if body else 0
