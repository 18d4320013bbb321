"""Feeds, RSS 0.9 to 2.0, Atom (RFC 4287) and JSON Feed: a heading and the text of each entry.

XML is parsed by Python's parser, which fetches nothing. A file that declares entities or
default attributes is not treated as a feed, so that a small one cannot expand. Many feeds are not
well formed: frequent mistakes are corrected first.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from html.entities import html5
from io import BytesIO
from typing import TypeAlias
from urllib.parse import urljoin
from xml.etree import ElementTree as ET

import attrs
import msgspec
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.charset import decode_as, decoded
from tabwright.content.documents import snapshot_of_response
from tabwright.content.html.sanitize import sanitize_html
from tabwright.content.html.snapshot import take_snapshot
from tabwright.protocol.blocks import Block, Code, Heading, Paragraph, TextSpan
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import (
    MediaItem,
    MediaKind,
    Metadata,
    PageLink,
    PageSnapshot,
    PageSource,
    Selection,
)
from tabwright.text.lines import collapse_whitespace, verbatim

ENTRIES_MAX = 1_000
START_BYTES = 2_048

JSON_FEED = b"https://jsonfeed.org/version/"
"""The beginning of the version of a JSON Feed (jsonfeed.org, version 1.1)."""

_JSON_KINDS = frozenset({"application/feed+json", "application/json"})
_EXPANDING = re.compile(rb"<!(?:entity|attlist)", re.IGNORECASE)
"""Declarations of entities and default attributes."""

_ROOTS = (b"<rss", b"<feed", b"<rdf:rdf")
_KINDS = frozenset({"application/xml", "text/xml", "application/rss+xml", "application/atom+xml"})
_MEDIA: Mapping[str, MediaKind] = {"audio": "audio", "image": "image", "video": "video"}
_BODIES = ("encoded", "content", "description", "summary")
"""Elements with the text of an entry, the longest form first."""

_AUTHORS = ("creator", "author")
_CATEGORIES = frozenset({"category", "subject"})
_DATES = ("pubdate", "published", "issued", "date", "updated", "modified")

_BASE = "{http://www.w3.org/XML/1998/namespace}base"

_DECLARATION = re.compile(r"<\?xml\s[^<>]*\?>")
_CDATA = re.compile(r"(<!\[CDATA\[.*?(?:\]\]>|\Z))", re.DOTALL)
_NO_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LESS = re.compile(r"<(?![A-Za-z_:/!?])")
_AMPERSAND = re.compile(r"&(?!#\d+;|#x[\da-fA-F]+;|(?:amp|lt|gt|quot|apos);)(?:(\w+);)?")
_PREFIX = re.compile(r"""</?([A-Za-z_][\w.-]*):|\s([A-Za-z_][\w.-]*):[\w.-]+\s*=\s*["']""")
"""A prefix of an element, or of an attribute."""

_DECLARED = re.compile(r"\bxmlns:([\w.-]+)\s*=")
_ROOT = re.compile(r"<(?:rss|feed|rdf:rdf)\b", re.IGNORECASE)
_BEFORE_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<![^>]*>\s*)*", re.DOTALL
)


@attrs.frozen
class _Enclosure:
    """A file that belongs to an entry, such as the audio of a podcast."""

    url: str
    kind: str


@attrs.frozen(kw_only=True)
class _Entry:
    title: str
    url: str
    date: str
    html: str
    base: str
    author: str = ""
    categories: tuple[str, ...] = ()
    enclosures: tuple[_Enclosure, ...] = ()


def is_feed(kind: str, body: bytes) -> bool:
    """Return whether the file is a feed that can be read."""
    if kind in _JSON_KINDS:
        return JSON_FEED in body[:START_BYTES].replace(b"\\/", b"/")
    start = body[:START_BYTES].replace(b"\0", b"").lower()  # UTF-16 has a zero for each letter
    is_xml = kind in _KINDS or kind.endswith("+xml")
    return is_xml and any(root in start for root in _ROOTS) and not _EXPANDING.search(body)


def is_feed_as_html(start: bytes) -> bool:
    """Return whether what its server calls HTML is a feed (WHATWG MIME Sniffing, section 7.3)."""
    before = _BEFORE_ROOT.match(start)
    root = start[before.end() if before else 0 :][:20].lower()
    return root.startswith(_ROOTS)


def feed_snapshot(fetched: Fetched, kind: str) -> PageSnapshot:
    """Return the entries of a feed in order; a truncated XML feed is read as far as possible."""
    if kind in _JSON_KINDS:
        try:
            feed = msgspec.json.decode(fetched.body, type=_JsonFeed)
        except (msgspec.MsgspecError, RecursionError):  # cut off, or no feed: shown as any JSON
            code = Code(verbatim(decode_as(fetched.body, "utf-8")), "json")
            return snapshot_of_response(fetched, kind, (code,))
        entries = [_json_entry(one, fetched.page.url) for one in feed.items or ()]
        about = Metadata(
            description=collapse_whitespace(feed.description), language=feed.language or ""
        )
        return _snapshot(fetched, kind, entries, collapse_whitespace(feed.title), about)
    text, charset = decoded(fetched.body, fetched.charset)
    xml = _well_formed(text)
    if _EXPANDING.search(xml):  # it was not visible before
        return snapshot_of_response(fetched, kind, (Code(verbatim(text), "xml"),), charset)
    # The root, as far as it is well formed.
    started: list[ET.Element] = []
    is_whole = False
    try:
        for event, element in ET.iterparse(BytesIO(xml), ("start", "end")):  # noqa: S314  (see above)
            if event == "start":
                started.append(element)
            is_whole = event == "end" and element is started[0]
    except ET.ParseError:  # text after the root is not part of the feed
        pass
    root = started[0] if started else ET.Element("feed")
    channel = _first(root, "channel")
    channel = root if channel is None else channel
    base = _absolute(fetched.page.url, root.get(_BASE, ""))
    entries = [_entry(node, base) for node in root.iter() if _name(node) in {"item", "entry"}]
    about = Metadata(
        description=_line(channel, "description") or _line(channel, "subtitle"),
        language=collapse_whitespace(_text(channel, "language")),
    )
    snapshot = _snapshot(fetched, kind, entries, _line(channel, "title"), about)
    if not is_whole and not fetched.cut:  # what is cut off is damaged at its end
        count = f"{len(entries):,} {'entry' if len(entries) == 1 else 'entries'}"
        damage = f"Not read: the feed after {count}, where its XML is damaged."
        notice = " ".join(filter(None, (snapshot.notice, damage)))
        snapshot = attrs.evolve(snapshot, cut="element_limit", notice=notice)
    return attrs.evolve(snapshot, metadata=attrs.evolve(about, charset=charset))


def _well_formed(text: str) -> bytes:
    """Return the XML of a feed in UTF-8, without mistakes that are frequent in feeds.

    These are characters that XML does not have, text before the declaration, entities of HTML, bare
    ampersands and less-than signs, and prefixes that are not declared.
    """
    text = _NO_CHARACTERS.sub("", _DECLARATION.sub("", text.lstrip("\ufeff \t\r\n"), count=1))
    parts = _CDATA.split(text)
    parts[::2] = (_AMPERSAND.sub(_without_entity, _LESS.sub("&lt;", part)) for part in parts[::2])
    used = {prefix for either in _PREFIX.findall("".join(parts[::2])) for prefix in either}
    missing = used - set(_DECLARED.findall(text)) - {"", "xml", "xmlns"}
    declared = "".join(f' xmlns:{prefix}="urn:{prefix}"' for prefix in sorted(missing))
    whole = "".join(parts)
    if missing:
        whole = _ROOT.sub(lambda root: f"{root[0]}{declared}", whole, count=1)
    return whole.encode("utf-8", "replace")


def _without_entity(match: re.Match[str]) -> str:
    character = html5.get(f"{match[1]};") if match[1] else None
    return escape(character) if character else f"&amp;{match[0][1:]}"


_Text: TypeAlias = str | None
"""A string of a JSON Feed; many programs write null for one that is missing."""


@attrs.frozen
class _JsonAuthor:
    name: _Text = None


@attrs.frozen
class _JsonFile:
    url: _Text = None
    mime_type: _Text = None


@attrs.frozen
class _JsonEntry:
    title: _Text = None
    url: _Text = None
    external_url: _Text = None
    date_published: _Text = None
    date_modified: _Text = None
    content_html: _Text = None
    content_text: _Text = None
    summary: _Text = None
    authors: tuple[_JsonAuthor, ...] | None = None
    author: _JsonAuthor | None = None  # version 1.0
    tags: tuple[_Text, ...] | None = None
    attachments: tuple[_JsonFile, ...] | None = None


@attrs.frozen
class _JsonFeed:
    title: _Text = None
    description: _Text = None
    language: _Text = None
    items: tuple[_JsonEntry, ...] | None = None


def _json_entry(one: _JsonEntry, base: str) -> _Entry:
    authors = one.authors or filter(None, (one.author,))
    files = ((file.url or "", file.mime_type or "") for file in one.attachments or ())
    url = one.url or one.external_url
    return _Entry(
        title=collapse_whitespace(one.title),
        url=_absolute(base, url) if url else "",
        date=one.date_published or one.date_modified or "",
        html=one.content_html
        or escape(one.content_text or one.summary or "").replace("\n", "<br>"),
        base=base,
        author=_joined(author.name or "" for author in authors),
        categories=tuple(filter(None, map(collapse_whitespace, one.tags or ()))),
        enclosures=_enclosures(base, files),
    )


def _snapshot(
    fetched: Fetched, kind: str, entries: Sequence[_Entry], title: str, about: Metadata
) -> PageSnapshot:
    shown = entries[:ENTRIES_MAX]
    blocks: list[Block] = []
    for entry in shown:
        blocks.append(Heading(2, (TextSpan(entry.title or entry.url, url=entry.url),)))
        lines = (_joined((entry.date, entry.author)), _joined(entry.categories))
        blocks += (Paragraph((TextSpan(line, italic=True),)) for line in lines if line)
        page = attrs.evolve(fetched.page, url=entry.base)
        blocks.extend(take_snapshot(PageSource(page, entry.html), Selection()).content)
        blocks += (Paragraph((TextSpan(one.url, url=one.url),)) for one in entry.enclosures)
    snapshot = snapshot_of_response(fetched, kind, tuple(blocks))
    titles = {entry.url: entry.title for entry in reversed(shown) if entry.url}
    urls = dict.fromkeys(entry.url for entry in shown if entry.url)
    files = {one.url: one for entry in shown for one in entry.enclosures if one.url not in urls}
    links = [PageLink(number, titles[url], url, "content") for number, url in enumerate(urls, 1)]
    others = enumerate(files, len(links) + 1)
    links += (PageLink(number, url, url, "download") for number, url in others)
    kinds = [(url, one.kind.partition("/")[0]) for url, one in files.items()]
    media = [MediaItem(0, _MEDIA[kind], url) for url, kind in kinds if kind in _MEDIA]
    left = len(entries) - len(shown)
    return attrs.evolve(
        snapshot,
        title=title or snapshot.title,
        links=tuple(links),
        media=tuple(attrs.evolve(one, number=number) for number, one in enumerate(media, 1)),
        metadata=about,
        cut=snapshot.cut or ("element_limit" if left else None),
        notice=f"The feed has {left} more entries, which were not read." if left else "",
    )


def _name(node: ET.Element) -> str:
    return node.tag.rpartition("}")[2].lower()


def _first(node: ET.Element, name: str) -> ET.Element | None:
    """Return the first child of a name, but no file, which Media RSS names ``content``, too."""
    return next((one for one in node if _name(one) == name and "url" not in one.attrib), None)


def _text(node: ET.Element, name: str) -> str:
    child = _first(node, name)
    return "" if child is None else "".join(child.itertext()).strip()


def _line(node: ET.Element, name: str) -> str:
    """Return the text of a child in one line, without its markup if it says that it has some."""
    child = _first(node, name)
    if child is None:
        return ""
    text = "".join(child.itertext())
    if child.get("type") == "html":
        body = LexborHTMLParser(sanitize_html(text)).body
        text = body.text() if body else ""
    return collapse_whitespace(text)


def _body(node: ET.Element, name: str) -> str:
    """Return the text of a child as HTML, which it is unless it says that it is not."""
    child = _first(node, name)
    if child is None:
        return ""
    match child.get("type"):
        case "text":
            return escape(_text(node, name))
        case "xhtml":
            for inner in child.iter():
                inner.tag = _name(inner)
            try:
                return "".join(ET.tostring(one, "unicode", method="html") for one in child)
            except RecursionError:  # so deep are hostile pages alone
                return escape(_text(node, name))
        case _:
            return _text(node, name)


def _entry(node: ET.Element, feed: str) -> _Entry:
    base = _absolute(feed, node.get(_BASE, "")) or feed
    url = _url(node)
    group = _first(node, "group")  # Media RSS, in the feeds of YouTube
    bodies = [_body(node, name) for name in _BODIES]
    if group is not None:
        bodies.append(escape(_text(group, "description")))
    content = _first(node, "content")
    inner = base if content is None else _absolute(base, content.get(_BASE, "")) or base
    found = (child for child in node if _name(child) in _CATEGORIES)
    categories = (one.get("label") or one.get("term") or one.text for one in found)
    files = (
        (child.get("url") or child.get("href") or child.get("src") or "", child.get("type") or "")
        for child in node
        if "enclosure" in {_name(child), child.get("rel")}
        or (_name(child) == "content" and "src" in child.attrib)
    )
    return _Entry(
        title=_line(node, "title"),
        url=_absolute(base, url) if url else "",
        date=collapse_whitespace(next(filter(None, (_text(node, name) for name in _DATES)), "")),
        html=next(filter(None, bodies), ""),
        base=inner,
        author=next(filter(None, (_author(node, name) for name in _AUTHORS)), ""),
        categories=tuple(filter(None, map(collapse_whitespace, categories))),
        enclosures=_enclosures(base, files),
    )


def _author(node: ET.Element, name: str) -> str:
    """Return the names of the authors of an entry, in RSS with their addresses."""
    authors = (child for child in node if _name(child) == name)
    return _joined(
        _line(one, "name") or _line(one, "email") or collapse_whitespace(one.text)
        for one in authors
    )


def _enclosures(base: str, files: Iterable[tuple[str, str]]) -> tuple[_Enclosure, ...]:
    found = (_Enclosure(_absolute(base, url), kind) for url, kind in files if url)
    return tuple(one for one in found if one.url.startswith(("http://", "https://")))


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(filter(None, texts))


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
