"""The metadata of a page: its head, and its JSON-LD."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import unescape
from typing import TypeAlias

import attrs
import msgspec
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.html.element_path import RECORDS_MAX, VALUE_CHARACTERS_MAX
from tabwright.content.html.tree import Addresses
from tabwright.protocol.snapshot import Metadata
from tabwright.text.lines import collapse_whitespace

# JSON-LD in the vocabulary of schema.org.

Json: TypeAlias = "str | float | bool | Sequence[Json] | Mapping[str, Json] | None"
Record: TypeAlias = Mapping[str, Json]

DEPTH_MAX = 6
"""Maximum nesting of lists and records, of JSON-LD or of microdata."""

_SUBJECTS = ("article", "posting", "report", "review", "recipe", "product", "course", "webpage")
"""Words in the types of a page's main record, the most likely first; not those of site records."""


@attrs.frozen
class LinkedData:
    """The JSON-LD records of a page, the main record first.

    Attributes:
        places: the path of each record: the number of its script, and its place in there.
    """

    records: Sequence[Record] = ()
    places: Sequence[str] = ()

    @classmethod
    def of(cls, document: LexborHTMLParser) -> "LinkedData":
        """Read the records of a document; JSON that is not valid is ignored."""
        scripts = document.css("script[type='application/ld+json' i]")
        found = [
            located
            for number, script in enumerate(scripts)
            for located in _records(_decoded(script.text()), f"[{number}]", 0)
        ]
        ordered = sorted(found[:RECORDS_MAX], key=lambda located: _distance(located[1]))
        return cls([record for _, record in ordered], [place for place, _ in ordered])

    def text(self, *names: str) -> str:
        """Return the first of these properties that a record has, as text."""
        texts = (_text(record.get(name), 0) for record in self.records for name in names)
        return next(filter(None, texts), "")


def _decoded(text: str) -> Json:
    for written in (str, _corrected):
        with suppress(msgspec.MsgspecError, RecursionError, UnicodeError):
            decoded: Json = msgspec.json.decode(written(text))
            return decoded
    return None


_PART = re.compile(r"""("(?:[^"\\]|\\.)*+"?)|/\*.*?(?:\*/|\Z)|//[^\n]*|,(?=\s*[}\]])""", re.DOTALL)
_ESCAPE = re.compile(r"""\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|(.?))""", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")


def _corrected(text: str) -> str:
    """Return JSON without comments, final commas, line breaks in strings, and unknown escapes."""
    text = text.strip().removeprefix("<!--").removeprefix("<![CDATA[")
    text = text.removesuffix(";").removesuffix("-->").removesuffix("]]>")

    def part(match: re.Match[str]) -> str:
        string = _CONTROL.sub(" ", match[1] or "")
        return _ESCAPE.sub(lambda escape: escape[0] if escape[1] else escape[2], string)

    return _PART.sub(part, text)


def _records(value: Json, place: str, depth: int) -> Iterator[tuple[str, Record]]:
    """Yield the records in a list or a graph, each with its path."""
    match value:
        case Mapping():
            graph = value.get("@graph")
            if graph and depth < DEPTH_MAX:
                yield from _records(graph, f"{place}.@graph", depth + 1)
            else:
                yield place, value
        case [*values] if depth < DEPTH_MAX:
            for number, one in enumerate(values):
                yield from _records(one, f"{place}[{number}]", depth + 1)
        case _:
            pass


def _distance(record: Record) -> int:
    """Return the rank of a record; the lowest is most likely the page's main record."""
    kind = _text(record.get("@type"), 0).lower()
    return next((place for place, word in enumerate(_SUBJECTS) if word in kind), len(_SUBJECTS))


def _text(value: Json, depth: int) -> str:
    """Return a value as text; a record as its name."""
    match value:
        case str():
            return collapse_whitespace(unescape(value))
        case Mapping() if depth < DEPTH_MAX:
            return _text(value.get("name"), depth + 1)
        case [*values] if depth < DEPTH_MAX:
            return ", ".join(filter(None, (_text(one, depth + 1) for one in values[:RECORDS_MAX])))
        case _:
            return ""


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
"""Names of metadata, the most reliable first."""


@attrs.frozen
class PageMetadata:
    """The metadata in a page's head.

    Attributes:
        values: values by name, in lower case.
    """

    values: Mapping[str, Sequence[str]]
    linked_data: LinkedData

    @classmethod
    def of(cls, document: LexborHTMLParser) -> "PageMetadata":
        """Read the metadata of a document."""
        values: dict[str, list[str]] = {}
        for name, value in _values(document):
            values.setdefault(name, []).append(value)
        return cls(values, LinkedData.of(document))

    def first(self, *names: str) -> str:
        """Return the value of the first of these names that has one."""
        return next((self.values[name][0] for name in names if name in self.values), "")


def metadata_of(
    account: PageMetadata, document: LexborHTMLParser, addresses: Addresses
) -> Metadata:
    """Return the page's metadata in our fields."""
    data = account.linked_data
    root = document.css_first("html")
    language = (root.attributes.get("lang") if root else "") or account.first("content-language")
    meta = document.css_first("meta[charset]")
    charset = (meta.attributes["charset"] if meta else "") or (
        account.first("content-type").partition("charset=")[2]
    )
    node = document.css_first("link[rel~=canonical i][href]")
    canonical = addresses.loaded(node.attributes.get("href")) if node else ""
    listed = account.first("keywords", "news_keywords").replace(";", ",").split(",")
    words = [word.strip() for word in listed if word.strip()]
    return Metadata(
        description=account.first(*DESCRIPTION) or data.text("description"),
        keywords=tuple(dict.fromkeys(words or account.values.get("article:tag", ()))),
        canonical=canonical or addresses.loaded(account.first("og:url")),
        language=language or account.first("og:locale").replace("_", "-"),
        charset=charset.strip().lower(),
        author=_author(document, account),
        site_name=account.first(*SITE) or data.text("publisher"),
        published=account.first(*PUBLISHED) or data.text("datePublished") or _time(document),
        robots=robots_rules(
            *account.values.get("robots", ()), *account.values.get("tabwright", ())
        ),
        modified=account.first(*MODIFIED) or data.text("dateModified"),
        open_graph={
            name.removeprefix("og:"): values[0]
            for name, values in account.values.items()
            if name.startswith("og:")
        },
    )


def robots_rules(*texts: str) -> tuple[str, ...]:
    """Return the rules for crawlers in lower case; ``none`` stands for two of them."""
    rules = [rule.strip() for text in texts for rule in text.lower().split(",")]
    if "none" in rules:
        rules += ["noindex", "nofollow"]
    return tuple(dict.fromkeys(filter(None, rules)))


def title_of(account: PageMetadata, document: LexborHTMLParser) -> str:
    """Return the title, or else a title in the metadata, or the first heading."""
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
        attributes = node.attributes
        value = collapse_whitespace((attributes["content"] or "")[:VALUE_CHARACTERS_MAX])
        for key in ("property", "name", "itemprop", "http-equiv"):
            if value and (name := attributes.get(key)):
                yield name.lower(), value


def _author(document: LexborHTMLParser, account: PageMetadata) -> str:
    """Return the author's name; URLs of profiles are ignored."""
    named = (account.first(name) for name in AUTHOR)
    authors = (name for name in named if name and "://" not in name)
    node = document.css_first("[rel=author], [itemprop=author]")
    return (
        next(authors, "")
        or account.linked_data.text("author", "creator")
        or (collapse_whitespace(node.text())[:VALUE_CHARACTERS_MAX] if node else "")
    )


def _time(document: LexborHTMLParser) -> str:
    node = document.css_first("time[pubdate], time[itemprop=datePublished]") or (
        document.css_first("time[datetime]")
    )
    return collapse_whitespace(node.attributes.get("datetime")) if node else ""
