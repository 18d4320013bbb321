"""Judges, by structure only, whether a page shows less than in a browser, or a CAPTCHA.

The lowest tier that shows enough is used. So traces of a framework alone mean nothing: most pages
that are built by a framework arrive with their text. Signs of content that is still to come count
at any length if ordinary pages rarely have them; the others count on short pages only, because
beside much text they stand for comments and advertisements. How often each sign is on 739 ordinary
pages was counted: of those with more than 1,000 characters, 1 in 40 is read in a tab.
"""

import re
from collections.abc import Callable, Iterator

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.element_path import Surroundings, is_hidden
from tabwright.content.html.tree import Addresses, number_in, parsed
from tabwright.protocol.snapshot import LoadState, PageSource, Tier
from tabwright.protocol.tab import REFUSALS
from tabwright.text.placeholders import is_blank, is_loading

EMPTY_CHARACTERS = 100
"""A page with scripts that shows fewer characters needs them to run."""

THIN_CHARACTERS = 1000
"""A page that shows fewer can need scripts, if there are further signs."""

SHORT_CHARACTERS = 2000
"""A page that shows fewer can need scripts, if it says that something is being loaded."""

PLEA_CHARACTERS = 50
"""Length of a ``noscript`` that asks for scripts; a shorter one contains a tracking pixel."""

ROOTS = (
    "#root, #app, #__next, #__nuxt, #___gatsby, #svelte, [ng-app], [data-reactroot], app-root,"
    " [data-server-rendered]"
)
"""Elements in which frontend frameworks build pages."""

BUILDERS = re.compile(
    r"__NEXT_DATA__|__NUXT__|webpackJsonp|__webpack_require__|webpackChunk|customElements\.define"
    r"|attachShadow|IntersectionObserver|requestIdleCallback"
)
"""Signs of pages that load their content when it is scrolled into view."""

MAIN = "main, [role=main]"
"""The element of the content (HTML, section 4.4.14); empty on 1 of 739 ordinary pages."""

SCRIPTS = "script:not([type*=json i]), meta[http-equiv=refresh i], [onload], [onerror]"
"""Elements that change the page; scripts of JSON are data."""

INLINE_SCRIPTS = "script:not([src]):not([type*=json i])"

HIDDEN = "[hidden], [style*='display:none'], [style*='display: none']"
"""Elements whose text is hidden, as far as their attributes tell."""

HIDDEN_SHARE = 3
"""Hidden text that is so many times as long as the visible one is the content."""

PLACEHOLDERS = (
    "div, span, p, h1, h2, h3, strong, b, output, section, main, [aria-busy=true], li, td"
)
"""Elements with a text that can be a placeholder; they need no id."""

FILLED = "div[id], span[id], p[id], strong[id], b[id], output, [aria-busy=true]"
"""Elements that scripts fill in where their text is blank."""

UNFILLED = "[aria-busy=true], [class*=skeleton i], [class*=shimmer i], [class*=animate-pulse]"
"""Elements that are marked as loading, if they are empty."""

SPINNERS = "[class*=spinner i], [role=progressbar]:not([aria-valuenow])"
"""The same on a short page; on most others, these are there for the reader's next action."""

FETCHED = "[hx-trigger*=load], [data-hx-trigger*=load], turbo-frame[src]"
"""Elements that libraries fill once the page is loaded (htmx, Turbo)."""

BOUND = (
    "template[x-for], template[x-if], [x-text], [x-html], [v-text], [v-html]"
    ", [ng-repeat], [ng-bind], [data-bind*='text:'], [data-bind*='html:'], [data-bind*='foreach:']"
)
"""Elements whose content libraries take from data, empty on a page of little text (Alpine, Vue,
AngularJS, Knockout)."""

STYLE_SHEETS = "link[rel~=stylesheet i][href]"
"""Style sheets, which tabs of the second tier do not load."""

UNRESOLVED = "template[id^='B:']"
"""The place of a streamed segment that did not come (React)."""

LISTS = "ul[id], ol[id], dl[id], tbody[id]"
"""Elements that are written without content only if a script fills them."""

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

BESIDE = frozenset({"nav", "header", "footer", "aside", "dialog", "form"})
"""Elements with little content; what is missing there is not reported."""

MEDIA = "img, svg, input, iframe, video, audio, canvas, picture, object, embed, button, select"
"""Elements that are content without text."""

CODE = "code, pre, textarea, samp, [v-pre], [ng-non-bindable]"
"""Elements whose braces are meant to be read."""

_BRACES = re.compile(r"\{\{[^{}\n]{1,80}\}\}")
"""A variable of a template that a script has yet to replace."""

_DEFINED = re.compile(r"customElements\s*\.\s*define\(\s*[\"'`]([\w.-]+)")
"""The name of a custom element."""

FRAME_PIXELS = 50
"""Smaller frames have no content."""

SILENT = "script, style, noscript, template, head"
"""Elements without visible text."""

DRAWINGS = "svg:not(svg svg)"
"""Pictures, whose text is not counted."""

REFRESHES = "meta[http-equiv=refresh i]:not(noscript meta)"

REFRESH_MAX_S = 30
"""A page that leads on to another one later is meant to be read."""

_LINE = re.compile(r"[^\s][^\n]*")
"""A line of text, without the white space before it."""

_REFRESH = re.compile(r"\s*(\d+)[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)
"""Seconds and URL of a refresh (HTML, section 4.2.5.3)."""

CAPTCHAS = (
    "form#challenge-form, form#captcha-form, #cf-challenge-running, #challenge-stage"
    ", .cf-turnstile, .g-recaptcha:not([data-size=invisible]), #px-captcha"
    ", .h-captcha:not([data-size=invisible])"
    ", iframe[src*='challenges.cloudflare.com'], iframe[src*='captcha-delivery.com']"
    ", iframe[src*='hcaptcha.com']:not([src*='size=invisible'])"
    ", iframe[src*='/recaptcha/']:not([src*='size=invisible'])"
)
"""The widgets and forms of the usual CAPTCHAs; invisible ones judge visitors of ordinary pages."""

ENTRIES = (
    "input:not([type=hidden i]):not([type=submit i]):not([type=button i]):not([type=checkbox i])"
    ":not([name*=captcha i]), select, textarea:not([name*=captcha i]):not([name*=-response i])"
)
"""The fields of forms that have a purpose of their own; those of a CAPTCHA have its name."""

STILL_TO_COME = (
    "The page says “{text}” where its scripts add something. Read it with min_tier 2 to see that."
)
EMPTY_LISTS = (
    "A list or a table of the page is empty until its scripts run. Read it with min_tier 2 to see "
    "it filled."
)
SAYS_LOADING = (
    "the page says that it is loading although nothing is; its style sheets may hide that text"
)
NO_MAIN = "its main part is empty"
EMPTY_MAIN = (
    "The main part of the page is empty. If it should show something, read the page again with "
    "wait_for and a text of it."
)
LEADS_ON = "The page leads on to {url} after {delay_s} s."


@attrs.frozen
class Judgement:
    """The judgement of a page: whether it shows less than it could, and why.

    Attributes:
        lacking: why the next tier would show more; empty if it would not.
        is_captcha: whether it refuses the visit, or has nothing but a CAPTCHA to show; forms with a
            CAPTCHA of their own, for example log-ins, are pages like others.
        notice: what is missing although the tier is enough; empty for nothing.
    """

    lacking: str
    is_captcha: bool = False
    notice: str = ""


def judged(source: PageSource, tier: Tier) -> Judgement:
    """Judge a page as `tier` has read it."""
    document = parsed(source)
    has_captcha = document.css_matches(CAPTCHAS)
    refuses = source.page.status in REFUSALS
    may_be_alone = has_captcha and not document.css_matches(ENTRIES)
    delay_s, target = _refresh(source, document)
    notice = LEADS_ON.format(url=target, delay_s=delay_s) if target else ""
    lacking = ""
    match tier:
        case 1:
            page = _StaticPage(document)
            lacking = next(page.signs_of_more(), "")
            if not lacking and target and not delay_s:
                lacking = "it leads on to another page at once"
            notice = notice or page.unfilled_parts()
        case 2:
            lacking = _lacking_in_tab(source, document)
        case 3:
            _remove_silent(document)
            notice = notice or (EMPTY_MAIN if _has_empty_main(document) else "")
    is_alone = may_be_alone and _shown_characters(document) < THIN_CHARACTERS
    return Judgement(lacking, has_captcha and (refuses or is_alone), notice)


def _lacking_in_tab(source: PageSource, document: LexborHTMLParser) -> str:
    """Return why a tab that loads everything would show more; the document is modified."""
    if source.load_state is LoadState.STALLED:
        return SAYS_LOADING if document.css_matches(STYLE_SHEETS) else ""
    if source.load_state is LoadState.LOADING:
        return ""
    shown = _shown_characters(document)
    if _has_empty_main(document):
        return NO_MAIN
    if shown >= EMPTY_CHARACTERS or (shown and not BUILDERS.search(source.html)):
        return ""
    return f"before everything is loaded, the page shows {shown} characters"


def _refresh(source: PageSource, document: LexborHTMLParser) -> tuple[int, str]:
    """Return when and where a page leads on by itself; no URL if it does not, or to itself."""
    node = document.css_first(REFRESHES)
    text = (node.attributes.get("content") if node else "") or source.page.refresh
    match = _REFRESH.fullmatch(text)
    if match is None or int(match[1]) > REFRESH_MAX_S:
        return 0, ""
    addresses = Addresses.of(document, source.page.url)
    target = addresses.loaded(match[2].strip().strip("\"'"))
    own = source.page.url.partition("#")[0]
    return int(match[1]), "" if target.partition("#")[0] == own else target


class _StaticPage:
    """A page that was read without a browser; the document is modified.

    Attributes:
        shown: the number of characters of its visible text, if it has scripts or frames.
    """

    def __init__(self, document: LexborHTMLParser) -> None:
        self._document = document
        self._frames = [node for node in document.css("iframe[src]") if _is_content_frame(node)]
        self._has_scripts = document.css_matches(SCRIPTS)
        self._plea = sum(len(node.text().strip()) for node in document.css("noscript"))
        self._hidden = sum(len(node.text().strip()) for node in document.css(HIDDEN))
        self._scripts = " ".join(node.text() for node in document.css(INLINE_SCRIPTS))
        self._loads_on_scrolling = self._has_scripts and self._may_load_on_scrolling()
        self._is_unresolved = document.css_matches(UNRESOLVED)
        self._hidden_parts = Surroundings(is_hidden)
        self._parts_beside = Surroundings(_is_beside)
        self._is_bound = any(map(self._is_empty_content, document.css(BOUND)))
        may_have_more = self._has_scripts or bool(self._frames)
        self.shown = _shown_characters(document) if may_have_more else 0  # much memory

    def signs_of_more(self) -> Iterator[str]:
        """Yield the signs that the page shows more in a browser."""
        for reason, is_sign in _SIGNS if self._has_scripts else ():
            if is_sign(self):
                yield reason.format(shown=self.shown)
        if self._frames and self.shown < THIN_CHARACTERS:
            yield "its content is in a frame"

    def is_hidden(self) -> bool:
        """Return whether most of the text is hidden."""
        return self._hidden > max(THIN_CHARACTERS, HIDDEN_SHARE * (self.shown - self._hidden))

    def pleads(self) -> bool:
        """Return whether a short page asks to enable scripts."""
        return self.shown < THIN_CHARACTERS and self._plea > PLEA_CHARACTERS

    def is_unresolved(self) -> bool:
        """Return whether a part has yet to be streamed or requested."""
        return self._is_unresolved or any(map(self._is_empty, self._document.css(FETCHED)))

    def lacks_data(self) -> bool:
        """Return whether an element is filled from data, on a page of little text."""
        return self._is_bound and self.shown < SHORT_CHARACTERS

    def has_headed_and_empty_table(self) -> bool:
        """Return whether a table has a head and no rows."""
        return any(map(self._is_headed_and_empty, self._document.css("table")))

    def has_empty_main(self) -> bool:
        """Return whether the only element of its content is empty."""
        return _has_empty_main(self._document)

    def has_empty_root(self) -> bool:
        """Return whether the element that a framework fills is empty, on a page of little text."""
        roots = self._document.css(ROOTS) if self.shown < SHORT_CHARACTERS else ()
        return any(len(node.text().strip()) < EMPTY_CHARACTERS for node in roots)

    def has_empty_elements(self) -> bool:
        """Return whether it has empty elements that its scripts define, or name if it is short."""
        is_thin = self.shown < THIN_CHARACTERS
        defined = set(_DEFINED.findall(self._scripts))
        if not is_thin and not defined:
            return False
        for node in self._document.css("body *"):
            is_custom = "-" in (node.tag or "")[1:]  # HTML, section 4.13
            is_filled = node.tag in defined or (is_thin and (is_custom or self._is_named(node)))
            if is_filled and self._is_empty(node):
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
            any(word in self._scripts for word in words) for words in (ON_SCROLL, ADDS)
        )
        loads = is_by_script or document.css_matches(SCROLLED)
        return loads and not document.css_matches(PAGINATION)

    def unfilled_parts(self) -> str:
        """Return a notice of parts that scripts fill, which do not make a page incomplete."""
        if not self._has_scripts:
            return ""
        for node in self._loading():
            if not self._parts_beside.include(node):
                return STILL_TO_COME.format(text=_own_text(node))
        for node in self._document.css(LISTS):
            if not any(node.iter()) and self._is_empty_content(node):
                return EMPTY_LISTS
        return ""

    def _loading(self) -> Iterator[LexborNode]:
        """Yield the visible elements that say that something is being loaded."""
        body = self._document.body
        lines = _LINE.finditer(body.text(separator="\n")) if body else ()
        if any(is_loading(line[0]) for line in lines):  # nearly always false
            for node in self._document.css(PLACEHOLDERS):
                if is_loading(_own_text(node)) and not self._hidden_parts.include(node):
                    yield node

    def has_placeholders(self) -> bool:
        """Return whether something on the page is a placeholder for content to come."""
        document, shown = self._document, self.shown
        if any(is_blank(node.text(deep=False).strip()) for node in document.css(FILLED)):
            return True
        unfilled = document.css(UNFILLED)
        if any(self._is_empty(node) or is_loading(_own_text(node)) for node in unfilled):
            return True
        if shown < SHORT_CHARACTERS and any(self._loading()):
            return True
        if shown < THIN_CHARACTERS and any(map(self._is_empty, document.css(SPINNERS))):
            return True
        body = document.body
        if body is None or not _BRACES.search(body.text()):
            return False
        for node in document.css(CODE):
            node.decompose()
        return _BRACES.search(body.text()) is not None

    def _is_named(self, node: LexborNode) -> bool:
        """Return whether the page's own scripts name an element."""
        name = node.id
        if not name or name not in self._scripts:
            return False
        return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", self._scripts) is not None

    def _is_empty(self, node: LexborNode) -> bool:
        """Return whether an element shows nothing, and is not hidden."""
        return _shows_nothing(node) and not self._hidden_parts.include(node)

    def _is_empty_content(self, node: LexborNode) -> bool:
        """Return whether an element of the content shows nothing, and is not hidden."""
        return self._is_empty(node) and not self._parts_beside.include(node)

    def _is_list(self, node: LexborNode, characters_min: float) -> bool:
        """Return whether an element is a list of rows with so many characters."""
        inner = list(node.iter())
        if len(inner) < ROWS_MIN or self._parts_beside.include(node):
            return False
        tag = inner[len(inner) // 2].tag
        texts = (" ".join(one.text().split()) for one in inner if one.tag == tag)
        rows = [len(text) for text in texts if len(text) >= ROW_CHARACTERS]
        is_article = tag == "p" and sum(rows) > PARAGRAPH_CHARACTERS * len(rows)
        return len(rows) >= ROWS_MIN and sum(rows) >= characters_min and not is_article

    def _is_headed_and_empty(self, table: LexborNode) -> bool:
        """Return whether a table has a head of cells and a body without any."""
        body = table.css_first("tbody")
        return (
            body is not None
            and table.css_first("thead th") is not None
            and table.css_first("tbody td, tbody th, tfoot td") is None
            and not self._hidden_parts.include(table)
        )


_SIGNS: tuple[tuple[str, Callable[[_StaticPage], bool]], ...] = (
    (
        "without scripts, the page shows {shown} characters",
        lambda page: page.shown < EMPTY_CHARACTERS,
    ),
    ("most of its text is hidden until its scripts run", _StaticPage.is_hidden),
    (NO_MAIN, _StaticPage.has_empty_main),
    ("it shows placeholders for content", _StaticPage.has_placeholders),
    ("a part of it has yet to be loaded", _StaticPage.is_unresolved),
    ("elements that its scripts fill from data are empty", _StaticPage.lacks_data),
    ("a table has a head and no rows", _StaticPage.has_headed_and_empty_table),
    ("the element that its scripts fill is empty", _StaticPage.has_empty_root),
    ("it asks to enable scripts", _StaticPage.pleads),
    ("elements that its scripts fill are empty", _StaticPage.has_empty_elements),
    ("its list may load more when it is scrolled", _StaticPage.has_list_that_may_load_more),
)
"""Signs that the scripts of a page bring more, the surest first."""


def _own_text(node: LexborNode) -> str:
    """Return the text of an element without elements in it; empty for others."""
    if any(node.iter()):
        return ""
    return " ".join(node.text().split())


def _shows_nothing(node: LexborNode) -> bool:
    """Return whether an element has neither text nor media."""
    return (
        node.tag not in {"html", "body"}
        and not node.text().strip()
        and node.css_first(MEDIA) is None
    )


def _has_empty_main(document: LexborHTMLParser) -> bool:
    """Return whether the only main element shows nothing, in a document without `SILENT` ones."""
    mains = document.css(MAIN)
    if len(mains) != 1 or not _shows_nothing(mains[0]):
        return False
    return not Surroundings(is_hidden).include(mains[0])


def _is_beside(node: LexborNode) -> bool:
    """Return whether an element is next to the content, or holds comments on it."""
    label = f"{node.attributes.get('id')} {node.attributes.get('class')}".lower()
    return node.tag in BESIDE or "comment" in label


def _is_content_frame(node: LexborNode) -> bool:
    """Return whether a frame can hold content, and not only count visits."""
    sizes = [number_in(node.attributes.get(name)) for name in ("width", "height")]
    tiny = any(size is not None and size < FRAME_PIXELS for size in sizes)
    return not tiny and not is_hidden(node)


def _remove_silent(document: LexborHTMLParser) -> None:
    for node in document.css(SILENT):
        node.decompose()


def _shown_characters(document: LexborHTMLParser) -> int:
    """Count the characters of visible text; other elements are removed from the document."""
    _remove_silent(document)
    body = document.body
    drawn = sum(len(" ".join(node.text().split())) for node in document.css(DRAWINGS))
    return len(" ".join(body.text().split())) - drawn if body else 0
