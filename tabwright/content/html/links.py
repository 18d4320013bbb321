"""The links of a page: one for each URL, those of the content before those round it."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.media import alternative
from tabwright.content.html.tables import characters_of, runs_in
from tabwright.content.html.tree import Addresses
from tabwright.protocol.blocks import Blocks, TextSpan
from tabwright.protocol.snapshot import LinkKind, PageLink
from tabwright.text.lines import collapse_whitespace

ANCHORS = "a[href], area[href]"

TEXT_CHARACTERS_MAX = 300
"""As much is kept of what a link shows: cards and whole articles may be links."""

FILES = frozenset(
    {"7z", "apk", "avi", "bz2", "csv", "deb", "dmg", "doc", "docx", "epub", "exe", "flac", "gz"}
    | {"ics", "iso", "jar", "m4a", "m4v", "mkv", "mobi", "mov", "mp3", "mp4", "mpg", "msi", "odp"}
    | {"ods", "odt", "ogg", "opus", "pdf", "pkg", "ppt", "pptx", "rar", "rpm", "rtf", "tar", "tgz"}
    | {"torrent", "vcf", "wav", "webm", "wma", "wmv", "xls", "xlsx", "xz", "zip", "zst"}
)
"""Ends of paths that are files to keep rather than pages."""

_URL = re.compile(r"\w+://(?:[^/?#]*@)?([^/?#:]*)[^/?#]*([^?#]*)")
"""The host and the path of a URL."""

_PARTS = "div, p, h1, h2, h3, h4, h5, h6, li, br"
"""What stands apart from the text before it, in a link round several things."""


@attrs.frozen
class FoundLink:
    """A link where it stands.

    Attributes:
        node: the id of its element.
        text: what it shows, or is called.
        is_file: whether the page offers it for download.
    """

    node: int
    url: str
    text: str
    is_file: bool = False


def found_links(document: LexborHTMLParser, addresses: Addresses) -> tuple[FoundLink, ...]:
    """All links of a document, in its order."""
    found: list[FoundLink] = []
    for node in document.css(ANCHORS):
        attributes = node.attributes
        if url := addresses.linked(attributes.get("href")):
            found.append(FoundLink(node.mem_id, url, _text(node), "download" in attributes))
    return tuple(found)


def anchors_in(document: LexborHTMLParser) -> AbstractSet[int]:
    """The ids of the elements that are links."""
    return {node.mem_id for node in document.css(ANCHORS)}


def numbered_links(
    found: Sequence[FoundLink], left: AbstractSet[int], content: Blocks, page: str
) -> tuple[PageLink, ...]:
    """The links of a page, numbered from 1.

    Args:
        found: in the order of the page.
        left: the ids of the elements that do not stand in the page's furniture.
        content: whose links come first, in its order.
        page: its URL.
    """
    shown: dict[str, str] = {}
    runs = groupby(runs_in(content), lambda run: run.url if isinstance(run, TextSpan) else "")
    for url, linked in runs:
        if url and not shown.get(url):
            shown[url] = characters_of(tuple(linked)).strip().replace("\n", " ")
    texts = dict.fromkeys([*shown, *(link.url for link in found)], "") | shown
    for link in (*filter(lambda link: link.node in left, found), *found):
        texts[link.url] = texts[link.url] or link.text
    kinds = _Kinds(
        document=page.partition("#")[0],
        host=_split(page)[0],
        files=frozenset(link.url for link in found if link.is_file),
        furniture=frozenset(link.url for link in found)
        - frozenset(link.url for link in found if link.node in left)
        - shown.keys(),
    )
    return tuple(
        PageLink(number, text[:TEXT_CHARACTERS_MAX], url, kinds.kind_of(url))
        for number, (url, text) in enumerate(texts.items(), start=1)
    )


def _text(node: LexborNode) -> str:
    """What a link shows; else what it, or the picture in it, is called."""
    child = node.first_child
    is_card = child is not None and child.next is not None and node.css_first(_PARTS) is not None
    if text := collapse_whitespace(node.text(separator=" " if is_card else "")):
        return text
    picture = node.css_first("img[alt]") if child else None
    return (picture and alternative(picture)) or alternative(node)


@attrs.frozen
class _Kinds:
    """Tells the links of one page apart.

    Attributes:
        document: the page's URL without a fragment.
        host: its own, without a ``www.``.
        files: the URLs that the page offers for download.
        furniture: those that stand in nothing but its furniture.
    """

    document: str
    host: str
    files: AbstractSet[str]
    furniture: AbstractSet[str]

    def kind_of(self, url: str) -> LinkKind:
        """What kind of link leads to the URL."""
        document, mark, _ = url.partition("#")
        host, end = _split(url)
        if mark and document == self.document:
            return "anchor"
        if url in self.files or end in FILES:
            return "download"
        if url in self.furniture:
            return "navigation"
        is_same_site = (
            host == self.host or host.endswith(f".{self.host}") or self.host.endswith(f".{host}")
        )
        return "content" if is_same_site else "external"


def _split(url: str) -> tuple[str, str]:
    """The host of a URL without its ``www.``, and what comes behind the last dot of its path."""
    match = _URL.match(url)
    if match is None:
        return "", ""
    host, path = match.groups()
    _, dot, end = path.rpartition("/")[2].rpartition(".")
    return host.lower().removeprefix("www."), end.lower() if dot else ""
