"""Feeds, RSS 0.9 to 2.0, Atom (RFC 4287) and JSON Feed: a heading and the text of each entry.

A feed that declares entities or default attributes is shown as XML (`xml_tree`). Many feeds are not
well formed: frequent mistakes are corrected first.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape, unescape
from html.entities import html5
from io import BytesIO
from itertools import chain
from typing import TypeAlias, cast
from urllib.parse import urljoin
from xml.etree import ElementTree as ET

import attrs
import msgspec
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.charset import decoded
from tabwright.content.documents import snapshot_of_response
from tabwright.content.extract import UNSAID
from tabwright.content.formats import Format
from tabwright.content.html.sanitize import sanitize_html
from tabwright.content.html.snapshot import take_snapshot
from tabwright.content.html.tables import runs_in
from tabwright.content.xml_tree import START_BYTES, ExpandingXML, below, check_xml
from tabwright.protocol.blocks import Block, Blocks, Code, Heading, Paragraph, TextSpan
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import (
    LoadedPage,
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

JSON_FEED = b"https://jsonfeed.org/version/"
"""The beginning of the version of a JSON Feed (jsonfeed.org, version 1.1)."""

_JSON_KINDS = frozenset({"application/feed+json", "application/json"})
_ROOTS = (b"<rss", b"<feed", b"<rdf:rdf")
_KINDS = frozenset({"application/xml", "text/xml", "application/rss+xml", "application/atom+xml"})
_MEDIA: Mapping[str, MediaKind] = {"audio": "audio", "image": "image", "video": "video"}
_BODIES = ("encoded", "content", "body", "fullitem", "description", "summary")
"""Elements with the text of an entry, the longest form first."""

_ENTRIES = frozenset({"item", "entry"})
_AUTHORS = ("creator", "author")
_CATEGORIES = frozenset({"category", "subject"})
_DATES = ("pubdate", "published", "issued", "date", "updated", "modified")
_TEXTS = frozenset({"title", *_BODIES, *_AUTHORS, *_DATES})
"""Elements of an entry whose whole text is read, and which have no other entries."""

_BASE = "{http://www.w3.org/XML/1998/namespace}base"

_DECLARATION = re.compile(r"<\?xml\s[^<>]*\?>")
_CDATA = re.compile(r"(<!\[CDATA\[.*?(?:\]\]>|\Z))", re.DOTALL)
_NO_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LESS = re.compile(r"<(?![A-Za-z_:/!?])")
_NUMBER = re.compile(r"&#(?:\d{1,7}|[xX][\da-fA-F]{1,6});")
_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)(?:(\w+);)?")
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
    texts: tuple[str, ...]
    """Forms of its text in HTML, the longest first."""
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
    return is_xml and any(root in start for root in _ROOTS)


def begins_as_feed(body: bytes) -> bool:
    """Return whether a file of another type is a feed (WHATWG MIME Sniffing, section 7.3)."""
    start = body[:START_BYTES].lstrip()
    before = _BEFORE_ROOT.match(start)
    root = start[before.end() if before else 0 :][:20].lower()
    return root.startswith(_ROOTS)


def feed_snapshot(fetched: Fetched, kind: str) -> PageSnapshot:
    """Return the entries of a feed in order; a truncated XML feed is read as far as possible."""
    if kind in _JSON_KINDS:
        return _json_snapshot(fetched, kind)
    text, charset = decoded(fetched.body, fetched.charset)
    xml = _well_formed(text)
    try:
        check_xml(xml)
    except ExpandingXML:
        return snapshot_of_response(fetched, kind, (Code(verbatim(text), "xml"),), charset)
    # The root, as far as it is well formed.
    started: list[ET.Element] = []
    is_whole = False
    try:
        for event, element in ET.iterparse(BytesIO(xml), ("start", "end")):  # noqa: S314  (it is checked)
            if event == "start":
                started.append(element)
            is_whole = event == "end" and element is started[0]
    except ET.ParseError:  # text after the root is not part of the feed
        pass
    root = started[0] if started else ET.Element("feed")
    channel = _first(root, "channel")
    channel = root if channel is None else channel
    base = _absolute(fetched.page.url, root.get(_BASE, ""))
    nodes = below(root, lambda node: () if _name(node) in _TEXTS else node)
    entries = [node for node in nodes if _name(node) in _ENTRIES]
    shown = [_entry(node, base) for node in entries[:ENTRIES_MAX]]
    about = Metadata(
        description=_line(channel, "description") or _line(channel, "subtitle"),
        language=collapse_whitespace(_text(channel, "language")),
    )
    snapshot = _snapshot(fetched, kind, shown, _line(channel, "title"), about)
    damage = ""
    if not is_whole and not fetched.cut:  # what is cut off is damaged at its end
        damage = f"the feed after {_entries(len(entries))}, where its XML is damaged"
    snapshot = _reported(snapshot, _beyond(entries), damage)
    return attrs.evolve(snapshot, metadata=attrs.evolve(about, charset=charset))


def _well_formed(text: str) -> bytes:
    """Return the XML of a feed in UTF-8, without mistakes that are frequent in feeds.

    These are characters that XML does not have, text before the declaration, entities of HTML, bare
    ampersands and less-than signs, and prefixes that are not declared.
    """
    text = _DECLARATION.sub("", _NO_CHARACTERS.sub("", text).lstrip("\ufeff \t\r\n"), count=1)
    parts = _CDATA.split(text)
    parts[::2] = map(_without_mistakes, parts[::2])
    used = {prefix for either in _PREFIX.findall("".join(parts[::2])) for prefix in either}
    missing = used - set(_DECLARED.findall(text)) - {"", "xml", "xmlns"}
    declared = "".join(f' xmlns:{prefix}="urn:{prefix}"' for prefix in sorted(missing))
    whole = "".join(parts)
    if missing:
        whole = _ROOT.sub(lambda root: f"{root[0]}{declared}", whole, count=1)
    return whole.encode("utf-8", "replace")


def _without_mistakes(markup: str) -> str:
    markup = _LESS.sub("&lt;", _NUMBER.sub(_numbered, markup))
    return _NO_CHARACTERS.sub("", _AMPERSAND.sub(_without_entity, markup))


def _numbered(match: re.Match[str]) -> str:
    """Return a character by its number as HTML reads it, where 146 is an apostrophe."""
    return escape(unescape(match[0]))


def _without_entity(match: re.Match[str]) -> str:
    character = html5.get(f"{match[1]};") if match[1] else None
    return escape(character) if character else f"&amp;{match[0][1:]}"


_Json: TypeAlias = "bool | int | float | str | list[_Json] | dict[str, _Json] | None"
"""A value of a JSON Feed; many programs write one of another type than the specification has."""


def _json_snapshot(fetched: Fetched, kind: str) -> PageSnapshot:
    text, charset = decoded(fetched.body, fetched.charset, is_html=False)
    try:
        feed = cast("dict[str, _Json]", msgspec.json.decode(text, type=dict))
    except (msgspec.MsgspecError, RecursionError):  # cut off, or no feed: shown as any JSON
        return snapshot_of_response(fetched, kind, (Code(verbatim(text), "json"),), charset)
    items = _json_list(feed, "items")
    entries = [one for one in items if isinstance(one, dict)]
    shown = [_json_entry(one, fetched.page.url) for one in entries[:ENTRIES_MAX]]
    about = Metadata(
        description=collapse_whitespace(_json_member(feed, "description")),
        language=_json_member(feed, "language"),
    )
    title = collapse_whitespace(_json_member(feed, "title"))
    snapshot = _snapshot(fetched, kind, shown, title, about)
    odd = len(items) - len(entries)
    of_other_form = f"{_entries(odd)} of another form" if odd else ""
    return _reported(snapshot, _beyond(entries), of_other_form)


def _json_entry(one: Mapping[str, _Json], base: str) -> _Entry:
    authors = _json_list(one, "authors") or _json_list(one, "author")  # version 1.0
    names = (author.get("name") if isinstance(author, dict) else author for author in authors)
    files = (file for file in _json_list(one, "attachments") if isinstance(file, dict))
    url = _json_member(one, "url", "external_url")
    text = _json_member(one, "content_html") or _as_html(_json_member(one, "content_text"))
    texts = (text, _as_html(_json_member(one, "summary")))
    tags = (collapse_whitespace(_json_text(tag)) for tag in _json_list(one, "tags"))
    return _Entry(
        title=collapse_whitespace(_json_member(one, "title")),
        url=_absolute(base, url) if url else "",
        date=_json_member(one, "date_published", "date_modified"),
        texts=tuple(filter(None, texts)),
        base=base,
        author=_joined(map(_json_text, names)),
        categories=tuple(filter(None, tags)),
        enclosures=_enclosures(
            base, ((_json_member(file, "url"), _json_member(file, "mime_type")) for file in files)
        ),
    )


def _as_html(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _json_member(one: Mapping[str, _Json], *names: str) -> str:
    """Return the first text among the members of these names."""
    return next(filter(None, (_json_text(one.get(name)) for name in names)), "")


def _json_text(value: _Json) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number or isinstance(value, str) else ""


def _json_list(one: Mapping[str, _Json], name: str) -> Sequence[_Json]:
    """Return a list; a single value that stands for a list of one as a list."""
    value = one.get(name)
    return value if isinstance(value, list) else [value] if value else []


def _snapshot(
    fetched: Fetched, kind: str, shown: Sequence[_Entry], title: str, about: Metadata
) -> PageSnapshot:
    blocks: list[Block] = []
    if about.description and about.description != title:
        blocks.append(Paragraph((TextSpan(about.description),)))
    for entry in shown:
        blocks.append(Heading(2, (TextSpan(entry.title or entry.url, url=entry.url),)))
        lines = (_joined((entry.date, entry.author)), _joined(entry.categories))
        blocks += (Paragraph((TextSpan(line, italic=True),)) for line in lines if line)
        blocks += _content(entry, attrs.evolve(fetched.page, url=entry.base))
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
    return attrs.evolve(
        snapshot,
        title=title or snapshot.title,
        links=tuple(links),
        media=tuple(attrs.evolve(one, number=number) for number, one in enumerate(media, 1)),
        metadata=about,
    )


def _content(entry: _Entry, page: LoadedPage) -> Blocks:
    """Return the text of an entry, after the blocks of its summary that it does not contain."""
    content: Blocks = ()
    known = ""
    for html in entry.texts:
        found = take_snapshot(PageSource(page, html), Selection()).content
        letters = [_letters(block) for block in found]
        if known:
            found = tuple(
                block for block, own in zip(found, letters, strict=True) if own not in known
            )
        content = (*found, *content)
        known = "".join((known, *letters))
    return content


def _letters(block: Block) -> str:
    """Return the letters and digits of a block, which an excerpt shares with the whole text."""
    runs = (run.text for run in runs_in((block,)) if isinstance(run, TextSpan))
    text = block.text if isinstance(block, Code) else "".join(runs)
    return "".join(filter(str.isalnum, text))


def _reported(snapshot: PageSnapshot, *unread: str) -> PageSnapshot:
    """Return a snapshot with a notice of what was not read: phrases, or empty texts."""
    if phrases := "; ".join(filter(None, unread)):
        cut = snapshot.cut or "unread_parts"
        return attrs.evolve(snapshot, cut=cut, notice=f"Not read: {phrases}.")
    return snapshot


def _beyond(entries: Sequence[object]) -> str:
    """Return a phrase for the entries beyond the limit; empty if there are none."""
    left = len(entries) - ENTRIES_MAX
    return f"{_entries(left)} after the first {ENTRIES_MAX:,}" if left > 0 else ""


def _entries(count: int) -> str:
    return f"{count:,} {'entry' if count == 1 else 'entries'}"


def _name(node: ET.Element) -> str:
    return node.tag.rpartition("}")[2].lower()


def _first(node: ET.Element, name: str) -> ET.Element | None:
    """Return the first child of a name, those in the namespace of the element before others.

    It is no file, which Media RSS names ``content``, too.
    """
    found = [one for one in node if _name(one) == name and "url" not in one.attrib]
    namespace = node.tag.rpartition("}")[0]
    own = (one for one in found if one.tag.rpartition("}")[0] == namespace)
    return next(chain(own, found), None)


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
        case kind if kind == "xhtml" or len(child):
            for inner in child.iter():
                inner.tag = _name(inner)
            try:
                html = (ET.tostring(one, "unicode", method="html") for one in child)
                return "".join((escape(child.text or ""), *html))
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
        texts=tuple(filter(None, bodies)),
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


def _detect(declared: str, body: bytes) -> str:
    """Return a media type of XML for a feed that is sent as a page, or without a type."""
    is_vague = declared in UNSAID or declared == "text/html"
    return "application/xml" if is_vague and begins_as_feed(body) else ""


FEEDS = Format({}, _detect, is_feed, lambda fetched, kind, _: feed_snapshot(fetched, kind))
