"""The signs that a page, read without a browser, shows more in one.

The signs are in the structure of its HTML only. Those of content that is still to come count at any
length if ordinary pages rarely have them; the others count on short pages only, because beside much
text they stand for comments and advertisements. How often each sign is on 739 ordinary pages was
counted: of those with more than 1,000 characters, 1 in 40 is read in a tab.
"""

import re
from collections.abc import Callable, Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.element_path import Surroundings
from tabwright.content.html.hidden_elements import THIN_CHARACTERS, hidden_main
from tabwright.content.html.tree import Addresses, origin_of
from tabwright.content.page_parts import (
    GAPS,
    LABEL_CHARACTERS_MAX,
    PageParts,
    before_element,
    characters_in,
    has_empty_main,
    is_content_frame,
    is_custom,
    is_label,
    is_of_search,
    names_of,
    open_dialogs,
    own_text,
    short_text,
    shown_characters,
)
from tabwright.text.lines import HEADING_LEVELS
from tabwright.text.placeholders import is_blank, is_dash, is_loading

EMPTY_CHARACTERS = 100
"""A page with scripts that shows fewer characters needs them to run."""

SHORT_CHARACTERS = 2000
"""A page that shows fewer can need scripts, if it says that something is being loaded."""

PLEA_CHARACTERS = 50
"""Length of a ``noscript`` that asks for scripts; a shorter one contains a tracking pixel."""

ROOTS = (
    "#root, #app, #__next, #__nuxt, #___gatsby, #svelte, [ng-app], [data-reactroot], app-root,"
    " [data-server-rendered]"
)
"""Elements in which frontend frameworks build pages."""

SCRIPTS = "script:not([type*=json i]), meta[http-equiv=refresh i], [onload], [onerror]"
"""Elements that change the page; scripts of JSON are data."""

HIDDEN = "[hidden], [style*='display:none'], [style*='display: none']"
"""Elements whose text is hidden, as far as their attributes tell."""

HIDDEN_SHARE = 3
"""Hidden text that is so many times as long as the visible one is the content."""

FILLED = "div[id], span[id], p[id], strong[id], b[id], output, [aria-busy=true]"
"""Elements that scripts fill in where their text is blank."""

NAMED = "b, dd, div, em, li, output, p, span, strong, td"
"""The same, if scripts name them, where a dash stands for the text."""

UNFILLED = (
    "[aria-busy=true], [class*=skeleton i], [class*=shimmer i], [class*=animate-pulse]"
    ", [class*=placeholder-glow], [class*=placeholder-wave]"
)
"""Elements that are marked as loading, if they are empty."""

SPINNERS = "[class*=spinner i], [role=progressbar]:not([aria-valuenow])"
"""The same on a short page; on most others, these are there for the reader's next action."""

FETCHED = r"[hx-trigger*=load], [data-hx-trigger*=load], turbo-frame[src], [wire\:init]"
"""Elements that libraries fill once the page is loaded (htmx, Turbo, Livewire)."""

_PICTURE_TYPES = (".avif", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")
_PICTURES = ", ".join(f"[data-src*='{one}' i]" for one in _PICTURE_TYPES)
"""Elements with a picture in their background."""

IN_VIEW = (
    "[hx-trigger*=revealed], [data-hx-trigger*=revealed]"
    ", [hx-trigger*=intersect], [data-hx-trigger*=intersect]"
    ", :is(div, section)[class*=lazy i]:is([data-src], [data-url]):not([id*=footer i])"
    f":not({_PICTURES})"
)
"""Elements that libraries or scripts fill once they are scrolled into view (htmx)."""

BOUND = (
    "template[x-for], template[x-if], [x-text], [x-html], [v-text], [v-html]"
    ", [ng-repeat], [ng-bind], [data-bind*='text:'], [data-bind*='html:'], [data-bind*='foreach:']"
)
"""Elements whose content libraries take from data, empty on a page of little text (Alpine, Vue,
AngularJS, Knockout)."""

UNRESOLVED = "template[id^='B:'], script[data-island-id]"
"""The place of a streamed segment that did not come (React), or of a server island (Astro)."""

VALUES = "b, dd, div, em, output, p, span, strong, td"
"""Elements that scripts fill, if a label is before them."""

VALUE_NAMES = re.compile(r"price|availab|in-?stock", re.IGNORECASE)
"""Ids and classes of values that need no label."""

PARTS = "article, div, output, p, section"
"""Elements that scripts fill, if a heading is before them."""

_SUBHEADINGS = [level for level in HEADING_LEVELS if level != "h1"]

BELOW_HEADINGS = ", ".join(f"{level} + *" for level in _SUBHEADINGS)
"""Custom elements that are parts, but for those of `NO_PART`; tools are often below a title."""

NO_PART = re.compile("image|media|toc|toolbar")

ONLY_HEADINGS = f":is(article, div, section) > :is({', '.join(_SUBHEADINGS)}):only-child"
"""Headings of parts to which scripts add everything else."""

LISTS = "ul, ol, dl, tbody"
"""Elements that are written without content only if a script fills them, which names them or can
name them by an id."""

SCROLLED = (
    "[role=feed], [id*=sentinel i], [class*=sentinel i], [id*=infinite i], [class*=infinite i]"
)
"""Elements of lists that load more when they are scrolled to their end."""

ON_SCROLL = ("IntersectionObserver", "onscroll", "'scroll'", '"scroll"', ".scroll(")

ADDS = (
    "fetch(",
    "XMLHttpRequest",
    "$.ajax(",
    "$.get",
    "$.post(",
    "axios",
    "append",
    "insertAdjacent",
)
"""Words of scripts that do something when a page is scrolled, and of those that add to it."""

PAGINATION = "link[rel~=next], a[rel~=next], [class*=pagina i], [class*=pager i]"
"""Links to the further pages of a list."""

LISTING = "body, div, main, section, ul, ol, tbody"
"""Elements that may be a list."""

ROWS_MIN = 8
"""Lists with fewer rows do not justify loading a page again."""

ROW_CHARACTERS = 20
"""A row of a list of pages, products or messages has more; options and tags are shorter."""

PARAGRAPH_CHARACTERS = 150
"""Paragraphs of an article have more, on average."""

CODE = "code, pre, textarea, samp, [v-pre], [ng-non-bindable]"
"""Elements whose braces are meant to be read."""

_BRACES = re.compile(r"\{\{[^{}\n]{1,80}\}\}")
"""A variable of a template that a script has yet to replace."""

_DEFINED = re.compile(r"customElements\s*\.\s*define\(\s*[\"'`]([\w.-]+)")
"""The name of a custom element."""

FRAMES = "iframe[src]:not([srcdoc])"

BLANK_FRAMES = "iframe:not([src]):not([srcdoc])"
"""Frames that scripts fill."""

NO_MAIN = "its main part is empty"

STILL_TO_COME = (
    "The page says “{text}” where its scripts add something. Read it with min_tier 2 to see that."
)

EMPTY_LISTS = (
    "A list or a table of the page is empty until its scripts run. Read it with min_tier 2 to see "
    "it filled."
)

EMPTY_IN_VIEW = (
    "A part of the page is loaded when it is scrolled into view. Read it with scroll to see it."
)
EMPTY_FRAMES = (
    "A frame of the page is empty until its scripts run. Read it with min_tier 2 to see it filled."
)
EMPTY_PART = (
    "The part of the page below “{heading}” is empty until its scripts run. Read it with min_tier "
    "2 to see it filled."
)


class StaticPage:
    """A page that was read without a browser; the document is modified.

    Attributes:
        shown: the number of characters of its visible text, if it has scripts or frames; without
            dialogs, which are not its content.
    """

    def __init__(self, document: LexborHTMLParser) -> None:
        self._document = document
        self._parts = PageParts(document)
        self._frames = [node for node in document.css(FRAMES) if is_content_frame(node)]
        self._has_scripts = document.css_matches(SCRIPTS)
        self._plea = sum(len(node.text().strip()) for node in document.css("noscript"))
        self._hidden = sum(len(node.text().strip()) for node in document.css(HIDDEN))
        self._loads_on_scrolling = self._has_scripts and self._may_load_on_scrolling()
        self._is_unresolved = document.css_matches(UNRESOLVED)
        self._is_bound = any(map(self._parts.is_empty_content, document.css(BOUND)))
        self._has_blank_frame = any(map(self._parts.is_blank_frame, document.css(BLANK_FRAMES)))
        may_have_more = self._has_scripts or bool(self._frames)
        self._hides_main = hidden_main(document) is not None
        self.shown = 0
        if may_have_more:  # much memory
            shown = shown_characters(document)
            self.shown = max(0, shown - sum(map(characters_in, open_dialogs(document))))

    def signs_of_more(self) -> Iterator[str]:
        """Yield the signs that the page shows more in a browser."""
        for reason, is_sign in _SIGNS if self._has_scripts else ():
            if is_sign(self):
                yield reason.format(shown=self.shown)
        if (self._frames or self._has_blank_frame) and self.shown < THIN_CHARACTERS:
            yield "its content is in a frame"

    def is_hidden(self) -> bool:
        """Return whether most of the text is hidden."""
        return self._hidden > max(THIN_CHARACTERS, HIDDEN_SHARE * (self.shown - self._hidden))

    def hides_main(self) -> bool:
        """Return whether its main element is hidden, and little is shown in its place."""
        return self._hides_main

    def pleads(self) -> bool:
        """Return whether a short page asks to enable scripts."""
        return self.shown < THIN_CHARACTERS and self._plea > PLEA_CHARACTERS

    def is_unresolved(self) -> bool:
        """Return whether a part has yet to be streamed or requested."""
        return self._is_unresolved or any(map(self._parts.is_awaited, self._document.css(FETCHED)))

    def lacks_data(self) -> bool:
        """Return whether an element is filled from data, on a page of little text."""
        return self._is_bound and self.shown < SHORT_CHARACTERS

    def has_headed_and_empty_table(self) -> bool:
        """Return whether a table has a head and no rows."""
        return any(map(self._is_headed_and_empty, self._document.css("table")))

    def has_empty_main(self) -> bool:
        """Return whether the only element of its content is empty."""
        return has_empty_main(self._document)

    def has_empty_root(self) -> bool:
        """Return whether the element that a framework fills is empty, on a page of little text."""
        roots = self._document.css(ROOTS) if self.shown < SHORT_CHARACTERS else ()
        return any(len(node.text().strip()) < EMPTY_CHARACTERS for node in roots)

    def has_empty_elements(self) -> bool:
        """Return whether it has empty elements that its scripts define, or name if it is short."""
        is_thin = self.shown < THIN_CHARACTERS
        defined = set(_DEFINED.findall(self._parts.scripts))
        if not is_thin and not defined:
            return False
        footers = Surroundings(lambda node: node.tag == "footer")
        for node in self._document.css("body *"):
            is_filled = node.tag in defined or (
                is_thin and (is_custom(node) or self._parts.is_named(node))
            )
            if is_filled and self._parts.is_empty(node) and not footers.include(node):
                return True
        return False

    def has_list_that_may_load_more(self) -> bool:
        """Return whether it is mainly a list, and seems to load more of it when it is scrolled."""
        lists = self._document.css(LISTING) if self._loads_on_scrolling else ()
        return any(self._is_list(node, self.shown / 2) for node in lists)

    def _may_load_on_scrolling(self) -> bool:
        """Return whether it seems to load more when it is scrolled, and links no further pages."""
        document = self._document
        is_by_script = all(
            any(word in self._parts.scripts for word in words) for words in (ON_SCROLL, ADDS)
        )
        loads = is_by_script or document.css_matches(SCROLLED)
        return loads and not document.css_matches(PAGINATION)

    def unfilled_parts(self) -> str:
        """Return a notice of parts that scripts fill, which do not make a page incomplete."""
        if not self._has_scripts:
            return ""
        for node in self._parts.loading():
            if not self._parts.beside.include(node):
                return STILL_TO_COME.format(text=own_text(node))
        for node in self._document.css(LISTS):
            is_filled = bool(node.id) or self._parts.is_named(node)
            is_empty = not any(node.iter()) and self._parts.is_empty_content(node)
            if is_filled and is_empty and not is_of_search(node):
                return EMPTY_LISTS
        for heading in filter(None, map(short_text, self._empty_parts())):
            return EMPTY_PART.format(heading=heading)
        if any(map(self._parts.is_awaited, self._document.css(IN_VIEW))):
            return EMPTY_IN_VIEW
        return EMPTY_FRAMES if self._has_blank_frame else ""

    def _empty_parts(self) -> Iterator[LexborNode]:
        """Yield the headings of parts that only scripts fill."""
        customs = filter(is_custom, self._document.css(BELOW_HEADINGS))
        filled = [node for node in customs if not NO_PART.search(node.tag or "")]
        filled = list(filter(self._parts.is_empty_content, filled))
        for node in (*self._parts.filled(PARTS), *filled):
            before = before_element(node)
            if before is None or before.tag not in HEADING_LEVELS or _is_before_text(node):
                continue
            yield before
        for heading in self._document.css(ONLY_HEADINGS):
            part = heading.parent
            if part is None or not self._parts.is_named_by_id(part) or GAPS.search(part.id or ""):
                continue
            is_all = part.text().strip() == heading.text().strip()
            if is_all and not self._parts.is_apart(part) and not _is_before_text(part):
                yield heading

    def has_empty_value(self) -> bool:
        """Return whether a value with a label or a name is empty until a script fills it."""
        return any(
            VALUE_NAMES.search(names_of(node))
            or ((before := before_element(node)) is not None and is_label(before))
            for node in self._parts.filled(VALUES)
        )

    def is_view_of_scripts(self, page_url: str) -> bool:
        """Return whether its scripts show what the fragment of its URL names."""
        return self._has_scripts and names_view(page_url)

    def has_own_frame(self, page_url: str) -> bool:
        """Return whether a frame of its own host is in the content."""
        addresses = Addresses.of(self._document, page_url)
        _, origin = origin_of(page_url)
        return any(
            addresses.loaded(frame.attributes.get("src")).startswith(f"{origin}/")
            and not self._parts.beside.include(frame)
            for frame in self._frames
        )

    def has_placeholders(self) -> bool:
        """Return whether something on the page is a placeholder for content to come."""
        document, shown = self._document, self.shown
        dashes = (node for node in document.css(NAMED) if is_dash(own_text(node)))
        blanks = (node for node in document.css(FILLED) if is_blank(node.text(deep=False).strip()))
        if any(map(self._parts.is_named, dashes)) or any(blanks):
            return True
        unfilled = document.css(UNFILLED)
        if any(self._parts.is_empty(node) or is_loading(own_text(node)) for node in unfilled):
            return True
        if shown < SHORT_CHARACTERS and any(self._parts.loading()):
            return True
        if shown < THIN_CHARACTERS and any(map(self._parts.is_empty, document.css(SPINNERS))):
            return True
        body = document.body
        if body is None or not _BRACES.search(body.text()):
            return False
        for node in document.css(CODE):
            node.decompose()
        return _BRACES.search(body.text()) is not None

    def _is_list(self, node: LexborNode, characters_min: float) -> bool:
        """Return whether an element is a list of rows with so many characters."""
        inner = list(node.iter())
        if len(inner) < ROWS_MIN or self._parts.beside.include(node):
            return False
        tag = inner[len(inner) // 2].tag
        texts = (" ".join(one.text().split()) for one in inner if one.tag == tag)
        rows = [len(text) for text in texts if len(text) >= ROW_CHARACTERS]
        is_article = tag == "p" and sum(rows) > PARAGRAPH_CHARACTERS * len(rows)
        return len(rows) >= ROWS_MIN and sum(rows) >= characters_min and not is_article

    def _is_headed_and_empty(self, table: LexborNode) -> bool:
        """Return whether a table has a head of cells and a body without any."""
        if self._parts.hidden.include(table):
            return False
        if table.css_first("thead th") is not None:
            has_cells = table.css_first("tbody td, tbody th, tfoot td") is not None
            return table.css_first("tbody") is not None and not has_cells
        is_head = len(table.css("tr")) == 1 and table.css_first("th") is not None
        return is_head and table.css_first("td") is None and self._parts.is_named(table)


def _is_before_text(part: LexborNode) -> bool:
    """Return whether a paragraph follows an element, so that not all below its heading is empty."""
    following = part.next
    while following is not None and not following.is_element_node:
        following = following.next
    if following is None or following.tag != "p":
        return False
    return characters_in(following) > LABEL_CHARACTERS_MAX


def names_view(url: str) -> bool:
    """Return whether the fragment of a URL names a view that only scripts can show."""
    return url.partition("#")[2].startswith(("/", "!"))  # as in #/help and #!help


_SIGNS: tuple[tuple[str, Callable[[StaticPage], bool]], ...] = (
    (
        "without scripts, the page shows {shown} characters",
        lambda page: page.shown < EMPTY_CHARACTERS,
    ),
    ("most of its text is hidden until its scripts run", StaticPage.is_hidden),
    (NO_MAIN, StaticPage.has_empty_main),
    ("its main part is hidden", StaticPage.hides_main),
    ("it shows placeholders for content", StaticPage.has_placeholders),
    ("a part of it has yet to be loaded", StaticPage.is_unresolved),
    ("elements that its scripts fill from data are empty", StaticPage.lacks_data),
    ("a value is empty until its scripts run", StaticPage.has_empty_value),
    ("a table has a head and no rows", StaticPage.has_headed_and_empty_table),
    ("the element that its scripts fill is empty", StaticPage.has_empty_root),
    ("it asks to enable scripts", StaticPage.pleads),
    ("elements that its scripts fill are empty", StaticPage.has_empty_elements),
    ("its list may load more when it is scrolled", StaticPage.has_list_that_may_load_more),
)
"""Signs that the scripts of a page bring more, the surest first."""
