"""The metadata of a page: its head, and its JSON-LD."""

from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from itertools import islice
from typing import TypeAlias

import attrs
import msgspec
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.html.tree import Addresses
from tabwright.protocol.snapshot import Metadata
from tabwright.text.lines import collapse_whitespace

# JSON-LD in the vocabulary of schema.org.

Json: TypeAlias = "str | float | bool | Sequence[Json] | Mapping[str, Json] | None"
Record: TypeAlias = Mapping[str, Json]

CHARACTERS_MAX = 500_000
"""What is longer is a catalogue, not an account of the page."""

RECORDS_MAX = 200
"""As many records of a page are looked at."""

DEPTH_MAX = 4
"""As deep lists and records stand inside one another and are still followed."""

_SUBJECTS = ("article", "posting", "report", "review", "recipe", "product", "course", "webpage")
"""Words in the types of what a page is about, the likeliest first; its site is not among them."""


@attrs.frozen
class LinkedData:
    """The records of a page, those of what it is about first."""

    records: Sequence[Record] = ()

    @classmethod
    def of(cls, document: LexborHTMLParser) -> "LinkedData":
        """Those of a document; what is no JSON is passed over."""
        scripts = document.css("script[type='application/ld+json' i]")
        found = [record for script in scripts for record in _records(_decoded(script.text()), 0)]
        return cls(sorted(found[:RECORDS_MAX], key=_distance))

    def text(self, *names: str) -> str:
        """The first of these properties that a record has, as text."""
        told = (_text(record.get(name), 0) for record in self.records for name in names)
        return next(filter(None, told), "")


def _decoded(text: str) -> Json:
    if len(text) > CHARACTERS_MAX:
        return None
    try:
        decoded: Json = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    return decoded


def _records(value: Json, depth: int) -> Iterator[Record]:
    """Those of a list, or of a graph."""
    match value:
        case Mapping():
            graph = value.get("@graph")
            yield from _records(graph, depth + 1) if graph and depth < DEPTH_MAX else [value]
        case [*values] if depth < DEPTH_MAX:
            for one in values:
                yield from _records(one, depth + 1)
        case _:
            pass


def _distance(record: Record) -> int:
    """How far a record is from what the page is about."""
    kind = _text(record.get("@type"), 0).lower()
    return next((place for place, word in enumerate(_SUBJECTS) if word in kind), len(_SUBJECTS))


def _text(value: Json, depth: int) -> str:
    """A value as text; a record by its name."""
    match value:
        case str():
            return collapse_whitespace(unescape(value))
        case Mapping() if depth < DEPTH_MAX:
            return _text(value.get("name"), depth + 1)
        case [*values] if depth < DEPTH_MAX:
            return ", ".join(filter(None, (_text(one, depth + 1) for one in values[:RECORDS_MAX])))
        case _:
            return ""


VALUE_CHARACTERS_MAX = 2_000
"""As much is kept of any value."""

VALUES_MAX = 500
"""As many values of a page are looked at."""

KEYWORDS_MAX = 50

DESCRIPTION = ("description", "og:description", "twitter:description", "dc.description")
AUTHOR = ("author", "article:author", "dc.creator", "parsely-author", "sailthru.author")
PUBLISHED = (
    *("article:published_time", "datepublished", "og:published_time", "parsely-pub-date"),
    *("sailthru.date", "dc.date", "dcterms.created", "pubdate", "publishdate", "date"),
)
MODIFIED = (
    *("article:modified_time", "datemodified", "og:updated_time", "dcterms.modified"),
    *("last-modified", "lastmod"),
)
SITE = ("og:site_name", "application-name")
TITLE = ("og:title", "twitter:title", "dc.title")
"""The names under which pages say things, the most trustworthy first."""


@attrs.frozen
class PageMetadata:
    """All that a page says of itself.

    Attributes:
        values: what it says under each name, in lower case.
    """

    values: Mapping[str, Sequence[str]]
    linked_data: LinkedData

    @classmethod
    def of(cls, document: LexborHTMLParser) -> "PageMetadata":
        """The account of a document."""
        values: dict[str, list[str]] = {}
        for name, value in islice(_values(document), VALUES_MAX):
            values.setdefault(name, []).append(value)
        return cls(values, LinkedData.of(document))

    def first(self, *names: str) -> str:
        """What is said under the first of these names that anything is said under."""
        return next((self.values[name][0] for name in names if name in self.values), "")


def metadata_of(
    account: PageMetadata, document: LexborHTMLParser, addresses: Addresses
) -> Metadata:
    """The page's own account, in our words."""
    data = account.linked_data
    root = document.css_first("html")
    language = (root.attributes.get("lang") if root else "") or account.first("content-language")
    meta = document.css_first("meta[charset]")
    charset = (meta.attributes["charset"] if meta else "") or (
        account.first("content-type").partition("charset=")[2]
    )
    node = document.css_first("link[rel~=canonical i][href]")
    canonical = addresses.loaded(node.attributes["href"]) if node else ""
    listed = account.first("keywords", "news_keywords").replace(";", ",").split(",")
    words = [word.strip() for word in listed if word.strip()]
    return Metadata(
        description=account.first(*DESCRIPTION) or data.text("description"),
        keywords=tuple(dict.fromkeys(words or account.values.get("article:tag", ())))[
            :KEYWORDS_MAX
        ],
        canonical=canonical or addresses.loaded(account.first("og:url")),
        language=language or account.first("og:locale").replace("_", "-"),
        charset=charset.strip().lower(),
        author=_author(document, account),
        site_name=account.first(*SITE) or data.text("publisher"),
        published=account.first(*PUBLISHED) or data.text("datePublished") or _time(document),
        modified=account.first(*MODIFIED) or data.text("dateModified"),
        open_graph={
            name.removeprefix("og:"): said[0]
            for name, said in account.values.items()
            if name.startswith("og:")
        },
    )


def title_of(account: PageMetadata, document: LexborHTMLParser) -> str:
    """The title; else what the page is called elsewhere, or its first heading."""
    title = document.css_first("head > title")
    heading = document.css_first("h1")
    return (
        (title and collapse_whitespace(title.text())[:VALUE_CHARACTERS_MAX])
        or account.first(*TITLE)
        or account.linked_data.text("headline", "name")
        or (heading and collapse_whitespace(heading.text())[:VALUE_CHARACTERS_MAX])
        or ""
    )


def _values(document: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    for node in document.css("meta[content]"):
        said = node.attributes
        value = collapse_whitespace((said["content"] or "")[:VALUE_CHARACTERS_MAX])
        for key in ("property", "name", "itemprop", "http-equiv"):
            if value and (name := said.get(key)):
                yield name.lower(), value


def _author(document: LexborHTMLParser, account: PageMetadata) -> str:
    """A name; some pages say the address of a profile instead."""
    named = (account.first(name) for name in AUTHOR)
    said = (name for name in named if name and "://" not in name)
    node = document.css_first("[rel=author], [itemprop=author]")
    return (
        next(said, "")
        or account.linked_data.text("author", "creator")
        or (collapse_whitespace(node.text())[:VALUE_CHARACTERS_MAX] if node else "")
    )


def _time(document: LexborHTMLParser) -> str:
    node = document.css_first("time[pubdate], time[itemprop=datePublished]") or (
        document.css_first("time[datetime]")
    )
    return collapse_whitespace(node.attributes.get("datetime")) if node else ""
