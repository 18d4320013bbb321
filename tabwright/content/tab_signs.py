"""The signs that parts of a page, read in a tab, are still empty when its scripts have run."""

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.element_path import visible_text
from tabwright.content.html.hidden_elements import THIN_CHARACTERS, remove_unseen
from tabwright.content.page_parts import (
    GAPS,
    PageParts,
    before_element,
    characters_in,
    is_custom,
    is_label,
    names_of,
    own_text,
    short_text,
    shown_characters,
)
from tabwright.content.static_signs import (
    EMPTY_CHARACTERS,
    FETCHED,
    HIDDEN_SHARE,
    IN_VIEW,
    UNRESOLVED,
    VALUE_NAMES,
)
from tabwright.text.lines import HEADING_LEVELS, shortened

STYLE_SHEETS = "link[rel~=stylesheet i][href]"

PART_TAGS = frozenset({"div", "section", "ul", "ol", "dl", "table", "p"})
"""Elements that can be all that a heading announces."""

VALUE_TAGS = frozenset({"b", "dd", "em", "output", "span", "strong", "td"})
"""Elements that can be all that a label announces."""

LOADING_TEXT = (
    "The page {says}, although it requests nothing. If that stands for content, read the page "
    "again with wait_for and a text that it should show."
)
LITTLE_TEXT = (
    "The page showed only “{text}” when it was read. If its scripts should add more, read it again "
    "with wait_for and a text that it should show."
)

HIDDEN_TEXT = (
    "The page showed only “{text}” when it was read, and hides {count:,} characters, for example "
    "until something is clicked. To read them, open the page in a session and click what shows "
    "them."
)

FIELDS = "input:not([type=hidden i]), select, textarea, button"
"""The controls of a page that is complete without much text."""

STILL_EMPTY = (
    "A part of the page{where} was still empty when it was read. If something should be there, "
    "scroll to it (scroll), wait for a text of it (wait_for), or open the page in a session and "
    "click what shows it."
)


class RenderedPage:
    """A page that was read in a tab; the document is modified.

    Attributes:
        has_style_sheets: whether it has style sheets, which tabs of the second tier do not load.
        shown: the number of characters of its visible text.
    """

    def __init__(self, document: LexborHTMLParser) -> None:
        self._document = document
        self._parts = PageParts(document)
        self._is_unresolved = document.css_matches(UNRESOLVED)
        self._has_scripts = document.css_matches("script[src]") or bool(self._parts.scripts.strip())
        self.has_style_sheets = document.css_matches(STYLE_SHEETS)
        self.shown = shown_characters(document)
        self._fetched = self._awaited(FETCHED)
        self._gaps = list(self._empty_elements())

    def empty_part(self) -> str:
        """Return a notice of a part that shows nothing, where something was meant to be."""
        meant = (*self._fetched, *self._awaited(IN_VIEW))
        places = [self._announcement(node) for node in meant]
        places += filter(None, map(self._announcement, self._gaps))
        places += ("" for node in self._gaps if VALUE_NAMES.search(names_of(node)))
        if not places:
            return ""
        where = f" after “{shortened(places[0])}”" if places[0] else ""
        return STILL_EMPTY.format(where=where)

    def waiting_text(self) -> str:
        """Return a notice of what says that the page is loading, which may be all there is."""
        node = next(self._parts.loading(), None)
        says = "shows a placeholder" if node is None else f"says “{own_text(node)}”"
        return LOADING_TEXT.format(says=says)

    def little_text(self) -> str:
        """Return a notice of a page that shows hardly any text, or hides most of it.

        The hidden elements are removed from the document.
        """
        body = self._document.body
        if body is None or not self._has_scripts or len(visible_text(body)) >= THIN_CHARACTERS:
            return ""
        is_complete = self._document.css_matches(FIELDS)
        remove_unseen(self._document)
        text = " ".join(body.text(separator=" ").split())
        quote, hidden = shortened(text), self.shown - characters_in(body)
        if text and hidden > max(THIN_CHARACTERS, HIDDEN_SHARE * len(text)):
            return HIDDEN_TEXT.format(text=quote, count=hidden)
        is_little = 0 < len(text) < EMPTY_CHARACTERS and not is_complete
        return LITTLE_TEXT.format(text=quote) if is_little else ""

    def may_be_filled(self) -> bool:
        """Return whether a moment later, its scripts may have filled a part that is empty."""
        # A page that shows nothing was waited for.
        is_any = bool(self._gaps) and EMPTY_CHARACTERS <= self.shown < THIN_CHARACTERS
        is_announced = is_any or any(map(self._announcement, self._gaps))
        return self._is_unresolved or bool(self._fetched) or is_announced

    def _awaited(self, selector: str) -> list[LexborNode]:
        return [node for node in self._document.css(selector) if self._parts.is_awaited(node)]

    def _empty_elements(self) -> Iterator[LexborNode]:
        """Yield the elements without content that its scripts name or define."""
        for node in self._document.css("body *"):
            is_filled = is_custom(node) or (
                node.tag in PART_TAGS | VALUE_TAGS and self._parts.is_named(node)
            )
            is_gap = is_filled and not any(node.iter()) and self._parts.is_empty_content(node)
            if is_gap and not GAPS.search(f"{node.tag} {names_of(node)}"):
                yield node

    def _announcement(self, node: LexborNode) -> str:
        """Return the heading or the label of an element; empty if it has none."""
        before = before_element(node)
        if before is None:
            return ""
        text = short_text(before) if before.is_element_node else before.text().strip()
        if is_label(before):
            return text.rstrip(":\uff1a")
        is_part = node.tag in PART_TAGS or is_custom(node)
        is_title = before.tag == "h1" and self.shown >= EMPTY_CHARACTERS  # of what follows
        return text if is_part and before.tag in HEADING_LEVELS and not is_title else ""
