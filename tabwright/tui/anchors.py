"""Links that lead to a place of the page that is already there."""

from urllib.parse import unquote, urldefrag

from tabwright.protocol.snapshot import Link
from tabwright.tui.layout import Sheet
from tabwright.tui.pages import Page


def line_of_anchor(page: Page, sheet: Sheet, link: Link) -> int | None:
    """The line that a link within the page leads to; None for one that leads elsewhere.

    Text has no anchors: it is the line that says what the link says, or what its fragment does.
    Where there is none, the top.
    """
    url, fragment = urldefrag(link.url)
    if not fragment or url != urldefrag(page.url).url:
        return None
    meant = {_bare(link.text), _bare(unquote(fragment))}
    alike = (number for number, line in enumerate(sheet.plain) if _bare(line) in meant)
    return next(alike, 0)


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
