"""Feeds, RSS 0.9 to 2.0 and Atom (RFC 4287): a heading and the text of each entry.

XML is parsed by Python's parser, which fetches nothing. A file that declares entities is not
treated as a feed, so that entities cannot expand.
"""

from contextlib import suppress
from io import BytesIO
from urllib.parse import urljoin
from xml.etree import ElementTree as ET

import attrs

from tabwright.content.documents import snapshot_of_response
from tabwright.content.html.snapshot import take_snapshot
from tabwright.protocol.blocks import Block, Heading, Paragraph, TextSpan
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import Metadata, PageLink, PageSnapshot, PageSource, Selection
from tabwright.text.lines import collapse_whitespace

ENTRIES_MAX = 1_000
START_BYTES = 2_048

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
    start = body[:START_BYTES].lower()
    is_xml = kind in _KINDS or kind.endswith("+xml")
    return is_xml and any(root in start for root in _ROOTS) and b"<!entity" not in body.lower()


def feed_snapshot(fetched: Fetched, kind: str) -> PageSnapshot:
    """Return the entries of a feed in order; a truncated feed is read as far as possible."""
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
    entries = entries[:ENTRIES_MAX]
    blocks: list[Block] = []
    for entry in entries:
        blocks.append(Heading(2, (TextSpan(entry.title or entry.url, url=entry.url),)))
        if entry.date:
            blocks.append(Paragraph((TextSpan(entry.date, italic=True),)))
        blocks.extend(take_snapshot(PageSource(fetched.page, entry.html), Selection()).content)
    snapshot = snapshot_of_response(fetched, kind, tuple(blocks))
    titles = {entry.url: entry.title for entry in reversed(entries) if entry.url}
    urls = dict.fromkeys(entry.url for entry in entries if entry.url)
    return attrs.evolve(
        snapshot,
        title=collapse_whitespace(_text(channel, "title")) or snapshot.title,
        links=tuple(
            PageLink(number, titles[url], url, "content") for number, url in enumerate(urls, 1)
        ),
        metadata=Metadata(
            description=collapse_whitespace(
                _text(channel, "description") or _text(channel, "subtitle")
            ),
            language=collapse_whitespace(_text(channel, "language")),
        ),
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
