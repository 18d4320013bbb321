"""Feeds, RSS 0.9 to 2.0, Atom (RFC 4287) and JSON Feed: a heading and the text of each entry.

XML is parsed by Python's parser, which fetches nothing. A file that declares entities is not
treated as a feed, so that entities cannot expand.
"""

from collections.abc import Sequence
from contextlib import suppress
from html import escape
from io import BytesIO
from urllib.parse import urljoin
from xml.etree import ElementTree as ET

import attrs
import msgspec

from tabwright.content.charset import decode_as
from tabwright.content.documents import snapshot_of_response
from tabwright.content.html.snapshot import take_snapshot
from tabwright.protocol.blocks import Block, Code, Heading, Paragraph, TextSpan
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import Metadata, PageLink, PageSnapshot, PageSource, Selection
from tabwright.text.lines import collapse_whitespace, verbatim

ENTRIES_MAX = 1_000
START_BYTES = 2_048

JSON_FEED = b"https://jsonfeed.org/version/"
"""The beginning of the version of a JSON Feed (jsonfeed.org, version 1.1)."""

_JSON_KINDS = frozenset({"application/feed+json", "application/json"})
_ROOTS = (b"<rss", b"<feed", b"<rdf:rdf")
_KINDS = frozenset({"application/xml", "text/xml", "application/rss+xml", "application/atom+xml"})
_BODIES = ("encoded", "content", "description", "summary")
"""Elements with the text of an entry, the longest form first."""

_DATES = ("pubdate", "published", "date", "updated")


@attrs.frozen
class _Entry:
    title: str
    url: str
    date: str
    html: str


def is_feed(kind: str, body: bytes) -> bool:
    """Return whether the file is a feed that can be read."""
    if kind in _JSON_KINDS:
        return JSON_FEED in body[:START_BYTES].replace(b"\\/", b"/")
    start = body[:START_BYTES].lower()
    is_xml = kind in _KINDS or kind.endswith("+xml")
    return is_xml and any(root in start for root in _ROOTS) and b"<!entity" not in body.lower()


def feed_snapshot(fetched: Fetched, kind: str) -> PageSnapshot:
    """Return the entries of a feed in order; a truncated XML feed is read as far as possible."""
    if kind in _JSON_KINDS:
        try:
            feed = msgspec.json.decode(fetched.body, type=_JsonFeed)
        except msgspec.MsgspecError:  # it was cut off, or is no feed: shown as any JSON
            text = Code(verbatim(decode_as(fetched.body, "utf-8")), "json")
            return snapshot_of_response(fetched, kind, (text,))
        entries = [
            _Entry(
                title=collapse_whitespace(one.title),
                url=_absolute(fetched.page.url, one.url or one.external_url),
                date=one.date_published or one.date_modified,
                html=one.content_html or escape(one.content_text or one.summary),
            )
            for one in feed.items
        ]
        about = Metadata(description=collapse_whitespace(feed.description), language=feed.language)
        return _snapshot(fetched, kind, entries, collapse_whitespace(feed.title), about)
    # The root, as far as it is well formed.
    started: list[ET.Element] = []
    with suppress(ET.ParseError):
        for _, element in ET.iterparse(BytesIO(fetched.body), ("start",)):  # noqa: S314  (see above)
            started.append(element)
    root = started[0] if started else ET.Element("feed")
    channel = _first(root, "channel")
    channel = root if channel is None else channel
    entries = [
        _entry(node, fetched.page.url) for node in root.iter() if _name(node) in {"item", "entry"}
    ]
    about = Metadata(
        description=collapse_whitespace(
            _text(channel, "description") or _text(channel, "subtitle")
        ),
        language=collapse_whitespace(_text(channel, "language")),
    )
    return _snapshot(fetched, kind, entries, collapse_whitespace(_text(channel, "title")), about)


@attrs.frozen
class _JsonEntry:
    title: str = ""
    url: str = ""
    external_url: str = ""
    date_published: str = ""
    date_modified: str = ""
    content_html: str = ""
    content_text: str = ""
    summary: str = ""


@attrs.frozen
class _JsonFeed:
    title: str = ""
    description: str = ""
    language: str = ""
    items: tuple[_JsonEntry, ...] = ()


def _snapshot(
    fetched: Fetched, kind: str, entries: Sequence[_Entry], title: str, about: Metadata
) -> PageSnapshot:
    shown = entries[:ENTRIES_MAX]
    blocks: list[Block] = []
    for entry in shown:
        blocks.append(Heading(2, (TextSpan(entry.title or entry.url, url=entry.url),)))
        if entry.date:
            blocks.append(Paragraph((TextSpan(entry.date, italic=True),)))
        blocks.extend(take_snapshot(PageSource(fetched.page, entry.html), Selection()).content)
    snapshot = snapshot_of_response(fetched, kind, tuple(blocks))
    titles = {entry.url: entry.title for entry in reversed(shown) if entry.url}
    urls = dict.fromkeys(entry.url for entry in shown if entry.url)
    links = (PageLink(number, titles[url], url, "content") for number, url in enumerate(urls, 1))
    left = len(entries) - len(shown)
    return attrs.evolve(
        snapshot,
        title=title or snapshot.title,
        links=tuple(links),
        metadata=about,
        notice=f"The feed has {left} more entries, which were not read." if left else "",
    )


def _name(node: ET.Element) -> str:
    return node.tag.rpartition("}")[2].lower()


def _first(node: ET.Element, name: str) -> ET.Element | None:
    return next((child for child in node if _name(child) == name), None)


def _text(node: ET.Element, name: str) -> str:
    child = _first(node, name)
    return "" if child is None else "".join(child.itertext()).strip()


def _entry(node: ET.Element, base: str) -> _Entry:
    url = _url(node)
    return _Entry(
        title=collapse_whitespace(_text(node, "title")),
        url=_absolute(base, url) if url else "",
        date=collapse_whitespace(next(filter(None, (_text(node, name) for name in _DATES)), "")),
        html=next(filter(None, (_text(node, name) for name in _BODIES)), ""),
    )


def _absolute(base: str, url: str) -> str:
    """Make a URL absolute; empty if it is not valid."""
    try:
        return urljoin(base, url)
    except ValueError:
        return ""


def _url(node: ET.Element) -> str:
    """Return the link of an entry: Atom's ``alternate``, or RSS's ``link`` or ``guid``."""
    for link in (child for child in node if _name(child) == "link"):
        if href := link.get("href"):
            if link.get("rel", "alternate") == "alternate":
                return href
        elif link.text:
            return link.text.strip()
    guid = _text(node, "guid")
    return guid if guid.startswith(("http://", "https://")) else ""
