"""Snapshots of responses and documents by media type, and the check for a browser."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from urllib.parse import urlsplit

import attrs
import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.charset import decoded
from tabwright.content.documents import (
    SEPARATORS,
    captions_snapshot,
    is_captions,
    pdf_snapshot,
    snapshot_of_response,
    table_snapshot,
    verbatim,
)
from tabwright.content.feeds import feed_snapshot, is_feed
from tabwright.content.html.element_path import is_hidden
from tabwright.content.html.metadata import robots_rules
from tabwright.content.html.sanitize import sanitize_html, xhtml_as_html
from tabwright.content.html.snapshot import take_snapshot
from tabwright.content.html.tree import number_in, parsed
from tabwright.content.office.read import ENDINGS, READERS, ZIPPED, office_snapshot, zipped_type
from tabwright.content.text_files import PLAIN, is_markdown, markdown_snapshot, plain_text
from tabwright.protocol.blocks import Code, Image, Paragraph, TextSpan
from tabwright.protocol.errors import ErrorCode, PageFailed
from tabwright.protocol.extraction import Source, Taken
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import (
    MediaItem,
    PageSnapshot,
    PageSource,
    Selection,
    Tier,
)
from tabwright.protocol.tab import REFUSALS
from tabwright.protocol.untrusted_text import Quoted
from tabwright.text.lines import collapse_whitespace

XHTML = "application/xhtml+xml"
HTML = frozenset({"text/html", XHTML})
UNSAID = frozenset({"", "application/octet-stream", "binary/octet-stream", "unknown/unknown"})
"""Generic media types; the type is then detected from the bytes or the end of the URL."""

LANGUAGES: Mapping[str, str] = {
    "application/json": "json",
    "application/ld+json": "json",
    "application/geo+json": "json",
    "application/x-ndjson": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    "application/javascript": "javascript",
    "text/javascript": "javascript",
    "text/css": "css",
    "application/yaml": "yaml",
    "application/x-yaml": "yaml",
    "application/toml": "toml",
    "application/sql": "sql",
    "application/x-sh": "sh",
    "text/x-python": "python",
}
"""Language of texts that are shown as code."""

SVG = "image/svg+xml"

PDF_MAGIC = b"%PDF-"

_MAGIC: Mapping[bytes, str] = {
    b"\x89PNG\r\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
}
_ENDINGS: Mapping[str, str] = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".md": "text/markdown",
    ".txt": "text/plain",
    ".xml": "application/xml",
    **ENDINGS,
}
_MARKUP = (b"<!doctype html", b"<html", b"<head", b"<body")


def is_html(fetched: Fetched) -> bool:
    """Return whether the response is an HTML page."""
    return media_type(fetched) in HTML


def html_of(fetched: Fetched) -> PageSource:
    """Decode the source of a page."""
    html, charset = decoded(fetched.body, fetched.charset)
    if media_type(fetched) == XHTML:
        html = xhtml_as_html(html)
    return PageSource(fetched.page, html, fetched.cut is not None, charset=charset)


def snapshot_of(fetched: Fetched, selection: Selection) -> PageSnapshot:
    """Return a snapshot of a file other than HTML, as far as it can be read.

    Raises:
        BadInput: a selector is not valid CSS; they are used for Markdown and office files.
        PageFailed: the media type is not supported.
    """
    kind = media_type(fetched)
    match kind.partition("/"):
        case ("application", _, "pdf"):
            return pdf_snapshot(fetched)
        case _ if kind in READERS:
            return office_snapshot(fetched, kind, selection)
        case ("image" | "video" | "audio" as medium, _, _):
            url = fetched.page.url
            snapshot = snapshot_of_response(fetched, media_type(fetched), ())
            if medium == "image":
                content = (Paragraph((Image(url, alt=snapshot.title),)), *_svg_text(fetched, kind))
                snapshot = attrs.evolve(snapshot, content=content)
            return attrs.evolve(snapshot, media=(MediaItem(1, medium, url),))
        case _ if is_feed(kind, fetched.body):
            return feed_snapshot(fetched, kind)
        case _ if is_captions(kind, fetched.body):
            return captions_snapshot(fetched)
        case _ if kind.startswith("text/") or kind in LANGUAGES or kind.endswith(("+json", "+xml")):
            return _text_snapshot(fetched, kind, selection)
        case _:
            raise PageFailed(
                (
                    Quoted(fetched.page.url),
                    " is ",
                    Quoted(kind or "a file"),
                    ", which cannot be read as text.",
                ),
                advice="It was not saved.",
                retryable=False,
                code=ErrorCode.PARSE,
            )


def _svg_text(fetched: Fetched, kind: str) -> Iterator[Paragraph]:
    """Yield the texts of an SVG picture; other pictures have none."""
    if kind != SVG:
        return
    text, _ = decoded(fetched.body, fetched.charset)
    for node in LexborHTMLParser(sanitize_html(text)).css("svg title, svg desc, svg text"):
        if words := collapse_whitespace(node.text()):
            yield Paragraph((TextSpan(words),))


def _text_snapshot(fetched: Fetched, kind: str, selection: Selection) -> PageSnapshot:
    text, charset = decoded(fetched.body, fetched.charset, is_html=False)
    if is_markdown(kind, fetched.page.url):
        return markdown_snapshot(fetched, text, charset, selection)
    if kind in SEPARATORS:
        return table_snapshot(fetched, kind, text, charset)
    if kind == PLAIN:
        blocks = plain_text(text, fetched.page.url)
        return snapshot_of_response(fetched, kind, blocks, charset)
    language = LANGUAGES.get(kind, "json" if kind.endswith("+json") else "")
    if language == "json":
        with suppress(msgspec.MsgspecError, RecursionError):  # invalid JSON is shown unchanged
            text = msgspec.json.format(text, indent=2)
    return snapshot_of_response(fetched, kind, (Code(verbatim(text), language),), charset)


def media_type(fetched: Fetched) -> str:
    """Return the media type from the header, or detect it if the header is generic."""
    said = fetched.page.mime_type.lower()
    start = fetched.body[:512].lstrip()
    if start.startswith(PDF_MAGIC):  # whatever its server says
        return "application/pdf"
    if said in UNSAID | ZIPPED and (zipped := zipped_type(fetched.body)):
        return zipped
    if said not in UNSAID | ZIPPED:
        return said
    for magic, kind in _MAGIC.items():
        if start.startswith(magic):
            return kind
    if start.lower().startswith(_MARKUP):
        return "text/html"
    path = urlsplit(fetched.page.url).path.lower()
    named = next((kind for ending, kind in _ENDINGS.items() if path.endswith(ending)), "")
    return named or (said if said in ZIPPED else "" if b"\0" in start else "text/plain")


# Whether a page shows less than it would in a browser, or a CAPTCHA, judged by structure only.
#
# The lowest tier that shows enough is used. So traces of a framework alone mean nothing: most pages
# that are built by a framework arrive with their text.

EMPTY_CHARACTERS = 100
"""A page with scripts that shows fewer characters needs them to run."""

THIN_CHARACTERS = 1000
"""A page that shows fewer can need scripts, if there are further signs."""

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

SCRIPTS = "script:not([type*=json i]), meta[http-equiv=refresh i]"
"""Elements that change the page; scripts of JSON are data."""

HIDDEN = "[hidden], [style*='display:none'], [style*='display: none']"
"""Elements whose text is hidden, as far as their attributes tell."""

HIDDEN_SHARE = 3
"""Hidden text that is so many times as long as the visible one is the content."""

PLACEHOLDERS = "div[id], span[id], p[id], strong[id], b[id], output, [aria-busy=true]"
"""Elements that scripts fill in."""

BLANK = re.compile(r"-{2,}|…|\.{3,}")
"""The text of an element that its script has yet to fill in, for example with a price."""

LOADING = re.compile(r"(?i)(?:loading|wird geladen|chargement|cargando)(?:\.|…|\s)*")
"""The same for a part of the page; beside much text these are comments and advertisements."""

FRAME_PIXELS = 50
"""Smaller frames have no content."""

SILENT = "script, style, noscript, template, svg, head"
"""Elements without visible text."""

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


def judged(source: PageSource, tier: Tier) -> tuple[str, bool]:
    """Return why the next tier would show more of a page than `tier`, and whether it is a CAPTCHA.

    The reason is empty if the next tier would not. A CAPTCHA refuses the visit, or has nothing else
    to show; forms with a CAPTCHA of their own, for example log-ins, are pages like others.
    """
    document = parsed(source)
    has_captcha = document.css_matches(CAPTCHAS)
    refuses = source.page.status in REFUSALS
    may_be_alone = has_captcha and not document.css_matches(ENTRIES)
    lacking = _lacking(source, document, tier)
    is_alone = may_be_alone and _shown_characters(document) < THIN_CHARACTERS
    return lacking, has_captcha and (refuses or is_alone)


def _lacking(source: PageSource, document: LexborHTMLParser, tier: Tier) -> str:
    """Return why the next tier would show more; the document is modified."""
    match tier:
        case 1:
            return next(_signs_of_more(document), "")
        case 2:
            shown = 0 if source.unfinished else _shown_characters(document)
            if source.unfinished or shown >= EMPTY_CHARACTERS:
                return ""
            if shown and not BUILDERS.search(source.html):
                return ""
            return f"before everything is loaded, the page shows {shown} characters"
        case 3:
            return ""


def _signs_of_more(document: LexborHTMLParser) -> Iterator[str]:
    """Yield the signs that a page shows more in a browser."""
    frames = [node for node in document.css("iframe[src]") if _is_content_frame(node)]
    has_scripts = document.css_matches(SCRIPTS)
    if not has_scripts and not frames:
        return
    plea = sum(len(node.text().strip()) for node in document.css("noscript"))
    hidden = sum(len(node.text().strip()) for node in document.css(HIDDEN))
    texts = (
        [node.text(deep=False).strip() for node in document.css(PLACEHOLDERS)]
        if has_scripts
        else []
    )
    shown = _shown_characters(document)
    waits = any(map(BLANK.fullmatch, texts)) or (
        shown < 2 * THIN_CHARACTERS and any(map(LOADING.fullmatch, texts))
    )
    if has_scripts and shown < EMPTY_CHARACTERS:
        yield f"without scripts, the page shows {shown} characters"
    elif frames and shown < THIN_CHARACTERS:
        yield "its content is in a frame"
    elif has_scripts and hidden > max(THIN_CHARACTERS, HIDDEN_SHARE * (shown - hidden)):
        yield "most of its text is hidden until its scripts run"
    elif waits:
        yield "it shows placeholders for content"
    elif has_scripts and shown < THIN_CHARACTERS:
        if any(len(node.text().strip()) < EMPTY_CHARACTERS for node in document.css(ROOTS)):
            yield "the element that its scripts fill is empty"
        elif plea > PLEA_CHARACTERS:
            yield "it asks to enable scripts"


def _is_content_frame(node: LexborNode) -> bool:
    """Return whether a frame can hold content, and not only count visits."""
    sizes = [number_in(node.attributes.get(name)) for name in ("width", "height")]
    tiny = any(size is not None and size < FRAME_PIXELS for size in sizes)
    return not tiny and not is_hidden(node)


def _shown_characters(document: LexborHTMLParser) -> int:
    """Count the characters of visible text; other elements are removed from the document."""
    for node in document.css(SILENT):
        node.decompose()
    body = document.body
    return len(" ".join(body.text().split())) if body else 0


# Snapshots of responses and of documents in a browser.


def extract_snapshot(source: Source, selection: Selection, tier: Tier) -> Taken:
    """Return a snapshot from `tier`, and whether the next tier would show more.

    Raises:
        BadInput: a selector is not valid.
        PageFailed: the response cannot be read.
    """
    match source:
        case PageSource():
            return _page(source, selection, tier)
        case Fetched() if is_html(source):
            return _page(html_of(source), selection, tier)
        case Fetched():
            return Taken(snapshot_of(source, selection))


def _page(source: PageSource, selection: Selection, tier: Tier) -> Taken:
    snapshot = take_snapshot(source, selection)
    metadata = snapshot.metadata
    if source.charset:
        metadata = attrs.evolve(metadata, charset=source.charset)
    if source.page.robots:
        # Rules for another program begin with its name and a colon.
        metadata = attrs.evolve(metadata, robots=robots_rules(*metadata.robots, source.page.robots))
    if metadata is not snapshot.metadata:
        snapshot = attrs.evolve(snapshot, metadata=metadata)
    return Taken(snapshot, *judged(source, tier))
