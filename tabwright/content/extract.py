"""Snapshots of responses and documents by media type."""

import logging
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from urllib.parse import urlsplit

import attrs
import msgspec
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.charset import decoded
from tabwright.content.documents import (
    SEPARATORS,
    captions_snapshot,
    is_captions,
    pdf_snapshot,
    snapshot_of_response,
    table_snapshot,
)
from tabwright.content.escalation import judged
from tabwright.content.formats import formats
from tabwright.content.html.media import drawn_texts
from tabwright.content.html.metadata import robots_rules
from tabwright.content.html.sanitize import sanitize_html, xhtml_as_html
from tabwright.content.html.snapshot import plain_snapshot, take_snapshot
from tabwright.content.render.markdown import text_of
from tabwright.content.text_files import PLAIN, is_markdown, markdown_snapshot, plain_text
from tabwright.content.xml_tree import START_BYTES
from tabwright.protocol.blocks import Code, Image, Paragraph, TextSpan
from tabwright.protocol.errors import ErrorCode, PageFailed, TabwrightError
from tabwright.protocol.extraction import Source, Taken
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import (
    MediaItem,
    PageSnapshot,
    PageSource,
    Selection,
    Tier,
)
from tabwright.protocol.untrusted_text import Quoted
from tabwright.text.lines import verbatim

_log = logging.getLogger("tabwright.content")

XHTML = "application/xhtml+xml"
HTML = frozenset({"text/html", XHTML})
UNSAID = frozenset({"", "application/octet-stream", "binary/octet-stream", "unknown/unknown"})
"""Generic media types; the type is then detected from the bytes or the end of the URL."""

ZIPPED = frozenset({"application/zip", "application/x-zip", "application/x-zip-compressed"})
"""Media types of any ZIP file; the file itself then shows what it is."""

ALIASES: Mapping[str, str] = {
    "application/csv": "text/csv",
    "application/x-csv": "text/csv",
    "text/comma-separated-values": "text/csv",
    "text/x-csv": "text/csv",
    "text/json": "application/json",
    "application/jsonl": "application/x-ndjson",
    "application/ndjson": "application/x-ndjson",
    "application/x-jsonlines": "application/x-ndjson",
    "application/x-javascript": "application/javascript",
    "text/yaml": "application/yaml",
    "text/x-yaml": "application/yaml",
}
"""Other names of media types, which many servers send."""

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

_DOCUMENTS: Mapping[bytes, str] = {
    b"%PDF-": "application/pdf",
    b"{\\rtf": "application/rtf",
    b"%!PS": "application/postscript",
}
"""Beginnings of documents, which show their type whatever the server says."""

_COMMANDS = frozenset({"application/rtf", "application/postscript"})
"""Documents in ASCII whose text is lost among their commands."""

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
}

_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
"""Bytes that no text has (WHATWG MIME Sniffing, "binary data byte")."""

_NOSCRIPT = re.compile(r"<(/?)noscript(?![\w-])", re.IGNORECASE)

PLEA_CHARACTERS_MAX = 300
"""Length of a text for browsers without scripts that is more than a plea for them."""

_MARKUP = (b"<!doctype html", b"<html", b"<head", b"<body")


def _html_of(fetched: Fetched, kind: str) -> PageSource:
    """Decode the source of a page of this media type."""
    html, charset = decoded(fetched.body, fetched.charset)
    if kind == XHTML:
        html = xhtml_as_html(html)
    return PageSource(fetched.page, html, fetched.cut is not None, charset=charset)


def _file_snapshot(
    fetched: Fetched, kind: str, selection: Selection, enabled: tuple[str, ...]
) -> PageSnapshot:
    """Return a snapshot of a file other than HTML, as far as it can be read.

    Raises:
        BadInput: a selector is not valid CSS; they are used for Markdown and by formats of plugins.
        PageFailed: the media type is not supported.
    """
    match kind.partition("/"):
        case ("application", _, "pdf"):
            return pdf_snapshot(fetched)
        case ("image" | "video" | "audio" as medium, _, _):
            url = fetched.page.url
            snapshot = snapshot_of_response(fetched, kind, ())
            if medium == "image":
                content = (Paragraph((Image(url, alt=snapshot.title),)), *_svg_text(fetched, kind))
                snapshot = attrs.evolve(snapshot, content=content)
            return attrs.evolve(snapshot, media=(MediaItem(1, medium, url),))
        case _ if found := next(
            (one for one in formats(enabled) if one.reads(kind, fetched.body)), None
        ):
            return found.read(fetched, kind, selection)
        case _ if is_captions(kind, fetched.body):
            return captions_snapshot(fetched)
        case _ if text_kind := _text_type(fetched, kind):
            return _text_snapshot(fetched, text_kind, selection)
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
    tree = LexborHTMLParser(sanitize_html(text))
    if tree.root:
        for words in drawn_texts(tree.root, "svg :is(title, desc, text, foreignobject)"):
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


def media_type(fetched: Fetched, enabled: tuple[str, ...] = ()) -> str:
    """Return the media type from the header, or detect it if the header is generic.

    Formats of plugins are not imported for what is plainly a page or a text.

    Args:
        fetched: the response.
        enabled: the plugins of others whose formats count.

    Raises:
        SettingsError: a plugin cannot be used.
    """
    declared = fetched.page.mime_type.lower()
    declared = ALIASES.get(declared, declared)
    start = fetched.body[:512].lstrip()
    for magic, kind in _DOCUMENTS.items():
        if start.startswith(magic):
            return kind
    if detected := _detected(declared, fetched.body, enabled):
        return detected
    if declared == PLAIN and (named := _named_type(fetched)) in SEPARATORS:
        declared = named
    if declared not in UNSAID | ZIPPED:
        return declared
    for magic, kind in _MAGIC.items():
        if start.startswith(magic):
            return kind
    if start.lower().startswith(_MARKUP):
        return "text/html"
    endings = {end: kind for one in formats(enabled) for end, kind in one.endings.items()}
    return _named_type(fetched, endings) or (
        declared if declared in ZIPPED else "" if b"\0" in start else "text/plain"
    )


def _detected(declared: str, body: bytes, enabled: tuple[str, ...]) -> str:
    """Return the media type that a format of a plugin has found; empty for all other files."""
    is_page = body[:512].lstrip().lower().startswith(_MARKUP)
    if is_page if declared == "text/html" else declared.startswith("text/"):
        return ""
    found = (one.detect(declared, body) for one in formats(enabled))
    return next(filter(None, found), "")


def _named_type(fetched: Fetched, more: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the media type by the end of the name of a file; empty if it says nothing."""
    names = (fetched.file_name.lower(), urlsplit(fetched.page.url).path.lower())
    endings = {**_ENDINGS, **more}
    found = (kind for name in names for ending, kind in endings.items() if name.endswith(ending))
    return next(found, "")


def _text_type(fetched: Fetched, kind: str) -> str:
    """Return the media type of a text, also of one whose type is unknown; empty for other files."""
    if kind.startswith("text/") or kind in LANGUAGES or kind.endswith(("+json", "+xml")):
        return kind
    start = fetched.body[:START_BYTES]
    if _BINARY.search(start) or kind in _COMMANDS:
        return ""
    try:
        getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return ""
    named = _named_type(fetched)
    return named if named.startswith("text/") or named in LANGUAGES else PLAIN


# Snapshots of responses and of documents in a browser.


def extract_snapshot(
    source: Source, selection: Selection, tier: Tier, enabled: tuple[str, ...] = ()
) -> Taken:
    """Return a snapshot from `tier`, and whether the next tier would show more.

    Args:
        source: a page in a browser, or a response.
        selection: what of it is wanted.
        tier: where it comes from.
        enabled: the plugins of others whose formats are read, too.

    Raises:
        BadInput: a selector is not valid.
        PageFailed: the response cannot be read.
        SettingsError: a plugin cannot be used.
    """
    if isinstance(source, PageSource):
        return _page(source, selection, tier)
    kind = media_type(source, enabled)
    if kind not in HTML:
        return Taken(_file_snapshot(source, kind, selection, enabled))
    taken = _page(_html_of(source, kind), selection, tier)
    cut = source.cut or taken.snapshot.cut
    return attrs.evolve(taken, snapshot=attrs.evolve(taken.snapshot, cut=cut))


ONLY_TEXT = (
    "Only the text and the links of the page are shown: an error of tabwright kept the rest from"
    " being read. Its log has the details."
)


def _page(source: PageSource, selection: Selection, tier: Tier) -> Taken:
    """Return a snapshot of a page; only its text and links if a step that adds more to it fails.

    Raises:
        BadInput: a selector is not valid.
    """
    try:
        return _whole_page(source, selection, tier)
    except TabwrightError:
        raise
    except Exception:  # noqa: BLE001  (a bug in one step must not cost the page)
        _log.exception("Could not read all of %s.", source.page.url)
        return Taken(attrs.evolve(plain_snapshot(source, selection), notice=ONLY_TEXT))


def _whole_page(source: PageSource, selection: Selection, tier: Tier) -> Taken:
    snapshot = take_snapshot(source, selection)
    if tier == 1 and not snapshot.content and not selection.selectors:
        snapshot = _without_scripts(source, selection) or snapshot
    metadata = snapshot.metadata
    if source.charset:
        metadata = attrs.evolve(metadata, charset=source.charset)
    if source.page.robots:
        # Rules for another program begin with its name and a colon.
        metadata = attrs.evolve(metadata, robots=robots_rules(*metadata.robots, source.page.robots))
    if metadata is not snapshot.metadata:
        snapshot = attrs.evolve(snapshot, metadata=metadata)
    judgement = judged(source, tier)
    if judgement.notice:
        snapshot = attrs.evolve(snapshot, notice=judgement.notice)
    return Taken(
        snapshot, judgement.lacking, judgement.is_captcha, may_be_filled=judgement.may_be_filled
    )


def _without_scripts(source: PageSource, selection: Selection) -> PageSnapshot | None:
    """Return what a page has for browsers without scripts; None if it only asks for scripts."""
    head, body_tag, body = source.html.partition("<body")
    html = head + body_tag + _NOSCRIPT.sub(r"<\1div", body)
    snapshot = take_snapshot(attrs.evolve(source, html=html), selection)
    text = text_of(snapshot.content)
    return snapshot if len(text) >= PLEA_CHARACTERS_MAX else None
