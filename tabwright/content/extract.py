"""What a server sent, by its kind: pages, documents, data, pictures, and what nobody can read."""

from collections.abc import Mapping
from typing import Literal
from urllib.parse import urlsplit

import attrs
import msgspec

from tabwright.content.charset import decoded
from tabwright.content.documents import pdf_snapshot
from tabwright.content.feeds import feed_snapshot, is_feed
from tabwright.protocol.blocks import Code, Paragraph, Picture
from tabwright.protocol.errors import ErrorCode, PageFailed
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import Medium, PageSnapshot, PageSource
from tabwright.reading.captions import captions_snapshot, is_captions
from tabwright.reading.spreadsheets import table_of
from tabwright.reading.telling import as_it_stands, told

HTML = frozenset({"text/html", "application/xhtml+xml"})
UNSAID = frozenset({"", "application/octet-stream", "binary/octet-stream", "unknown/unknown"})
"""Types that say nothing; then the bytes themselves, or the end of the URL, do."""

SEPARATORS = {"text/csv": ",", "text/tab-separated-values": "\t"}

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
    "text/markdown": "markdown",
    "application/yaml": "yaml",
    "application/x-yaml": "yaml",
    "application/toml": "toml",
    "application/sql": "sql",
    "application/x-sh": "sh",
    "text/x-python": "python",
}
"""Of texts that are shown as they stand."""

_MAGIC: Mapping[bytes, str] = {
    b"%PDF-": "application/pdf",
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
_MARKUP = (b"<!doctype html", b"<html", b"<head", b"<body")


def is_html(fetched: Fetched) -> bool:
    """Whether it is a page."""
    return media_type(fetched) in HTML


def html_of(fetched: Fetched) -> PageSource:
    """A page's source in characters."""
    html, charset = decoded(fetched.body, fetched.charset)
    return PageSource(fetched.page, html, fetched.cut is not None, charset=charset)


def snapshot_of(fetched: Fetched) -> PageSnapshot:
    """What is no page, as far as it can be read.

    Raises:
        PageFailed: it is a file of a kind that we do not read.
    """
    kind = media_type(fetched)
    match kind.partition("/"):
        case ("application", _, "pdf"):
            return pdf_snapshot(fetched)
        case ("image" | "video" | "audio" as medium, _, _):
            return _medium(fetched, medium)
        case _ if is_feed(kind, fetched.body):
            return feed_snapshot(fetched, kind)
        case _ if is_captions(kind, fetched.body):
            return captions_snapshot(fetched)
        case _ if kind in SEPARATORS:
            text, charset = decoded(fetched.body, fetched.charset)
            return told(fetched, kind, (table_of(text, SEPARATORS[kind]),), charset)
        case _ if _is_text(kind):
            return _text(fetched, kind)
        case _:
            raise PageFailed(
                f"{fetched.page.url} is {kind or 'a file'}, which cannot be read as text.",
                advice="It was not kept.",
                retryable=False,
                code=ErrorCode.PARSE,
            )


def media_type(fetched: Fetched) -> str:
    """What kind it is: as its server says, or as it looks where that says nothing."""
    said = fetched.page.mime_type.lower()
    if said not in UNSAID:
        return said
    start = fetched.body[:512].lstrip()
    for magic, kind in _MAGIC.items():
        if start.startswith(magic):
            return kind
    if start.lower().startswith(_MARKUP):
        return "text/html"
    path = urlsplit(fetched.page.url).path.lower()
    named = next((kind for ending, kind in _ENDINGS.items() if path.endswith(ending)), "")
    return named or ("" if b"\0" in start else "text/plain")


def _is_text(kind: str) -> bool:
    return kind.startswith("text/") or kind in LANGUAGES or kind.endswith(("+json", "+xml"))


def _text(fetched: Fetched, kind: str) -> PageSnapshot:
    text, charset = decoded(fetched.body, fetched.charset)
    language = LANGUAGES.get(kind, "json" if kind.endswith("+json") else "")
    if language == "json":
        text = _formatted(text)
    return told(fetched, kind, (Code(as_it_stands(text), language),), charset)


def _formatted(text: str) -> str:
    """JSON with a line for each value; what is none stays as it is."""
    try:
        return msgspec.json.format(text, indent=2)
    except (msgspec.MsgspecError, RecursionError):
        return text


def _medium(fetched: Fetched, kind: Literal["image", "video", "audio"]) -> PageSnapshot:
    url = fetched.page.url
    snapshot = told(fetched, media_type(fetched), ())
    if kind == "image":
        content = (Paragraph((Picture(url, alt=snapshot.title),)),)
        snapshot = attrs.evolve(snapshot, content=content)
    return attrs.evolve(snapshot, media=(Medium(1, kind, url),))
