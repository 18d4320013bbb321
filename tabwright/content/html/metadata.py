"""What a page says of itself, in its head for the most part."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import attrs
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.html.tree import Addresses
from tabwright.protocol.snapshot import Metadata
from tabwright.reading.linked_data import LinkedData
from tabwright.text.lines import collapsed

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
class Account:
    """All that a page says of itself.

    Attributes:
        values: what it says under each name, in lower case.
    """

    values: Mapping[str, Sequence[str]]
    linked_data: LinkedData

    @classmethod
    def of(cls, document: LexborHTMLParser) -> "Account":
        """The account of a document."""
        values: dict[str, list[str]] = {}
        for name, value in islice(_values(document), VALUES_MAX):
            values.setdefault(name, []).append(value)
        return cls(values, LinkedData.of(document))

    def first(self, *names: str) -> str:
        """What is said under the first of these names that anything is said under."""
        return next((self.values[name][0] for name in names if name in self.values), "")


def metadata_of(account: Account, document: LexborHTMLParser, addresses: Addresses) -> Metadata:
    """The page's own account, in our words."""
    data = account.linked_data
    root = document.css_first("html")
    language = (root.attributes.get("lang") if root else "") or account.first("content-language")
    return Metadata(
        description=account.first(*DESCRIPTION) or data.text("description"),
        keywords=_keywords(account),
        canonical=_canonical(document, addresses) or addresses.loaded(account.first("og:url")),
        language=language or account.first("og:locale").replace("_", "-"),
        charset=_charset(document, account),
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


def title_of(account: Account, document: LexborHTMLParser) -> str:
    """The title; else what the page is called elsewhere, or its first heading."""
    title = document.css_first("head > title")
    heading = document.css_first("h1")
    return (
        (title and collapsed(title.text())[:VALUE_CHARACTERS_MAX])
        or account.first(*TITLE)
        or account.linked_data.text("headline", "name")
        or (heading and collapsed(heading.text())[:VALUE_CHARACTERS_MAX])
        or ""
    )


def _values(document: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    for node in document.css("meta[content]"):
        said = node.attributes
        value = collapsed((said["content"] or "")[:VALUE_CHARACTERS_MAX])
        for key in ("property", "name", "itemprop", "http-equiv"):
            if value and (name := said.get(key)):
                yield name.lower(), value


def _keywords(account: Account) -> tuple[str, ...]:
    said = account.first("keywords", "news_keywords").replace(";", ",").split(",")
    words = [word.strip() for word in said if word.strip()]
    return tuple(dict.fromkeys(words or account.values.get("article:tag", ())))[:KEYWORDS_MAX]


def _canonical(document: LexborHTMLParser, addresses: Addresses) -> str:
    node = document.css_first("link[rel~=canonical i][href]")
    return addresses.loaded(node.attributes["href"]) if node else ""


def _charset(document: LexborHTMLParser, account: Account) -> str:
    node = document.css_first("meta[charset]")
    declared = node.attributes["charset"] if node else ""
    return (declared or account.first("content-type").partition("charset=")[2]).strip().lower()


def _author(document: LexborHTMLParser, account: Account) -> str:
    """A name; some pages say the address of a profile instead."""
    named = (account.first(name) for name in AUTHOR)
    said = (name for name in named if name and "://" not in name)
    node = document.css_first("[rel=author], [itemprop=author]")
    return (
        next(said, "")
        or account.linked_data.text("author", "creator")
        or (collapsed(node.text())[:VALUE_CHARACTERS_MAX] if node else "")
    )


def _time(document: LexborHTMLParser) -> str:
    node = document.css_first("time[pubdate], time[itemprop=datePublished]") or (
        document.css_first("time[datetime]")
    )
    return collapsed(node.attributes.get("datetime")) if node else ""
