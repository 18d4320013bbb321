"""The links of a page: one for each URL, with links in the main content first."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from urllib.parse import unquote

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.element_path import (
    NAME_CHARACTERS_MAX,
    descendants,
    picture_label,
)
from tabwright.content.html.media import alternative, drawing_name, drawing_text
from tabwright.content.html.tables import characters_of, runs_in
from tabwright.content.html.tree import TEXT, Addresses
from tabwright.protocol.blocks import Blocks, TextSpan
from tabwright.protocol.snapshot import LinkKind, PageLink
from tabwright.text.lines import collapse_whitespace, shortened

ANCHORS = "a[href], area[href]"

NOFOLLOW = frozenset({"nofollow", "sponsored", "ugc"})
"""Values of ``rel`` by which a page does not vouch for a link."""

FILES = frozenset(
    {"7z", "apk", "avi", "bz2", "csv", "deb", "dmg", "doc", "docx", "epub", "exe", "flac", "gz"}
    | {"ics", "iso", "jar", "m4a", "m4v", "mkv", "mobi", "mov", "mp3", "mp4", "mpg", "msi", "odp"}
    | {"ods", "odt", "ogg", "opus", "pdf", "pkg", "ppt", "pptx", "rar", "rpm", "rtf", "tar", "tgz"}
    | {"torrent", "vcf", "wav", "webm", "wma", "wmv", "xls", "xlsx", "xz", "zip", "zst"}
)
"""Path suffixes of files to download rather than pages."""

_URL = re.compile(r"\w+://(?:[^/?#]*@)?([^/?#:]*)[^/?#]*([^?#]*)")
"""The host and the path of a URL."""

_PICTURES = "audio, canvas, embed, iframe, img, input, math, object, picture, video"
"""Content of a link that is no icon."""

_PARTS = "div, p, h1, h2, h3, h4, h5, h6, li, br"
"""Elements whose text is separated from the text before them, in a link around several elements."""


@attrs.frozen
class FoundLink:
    """A link at its position in the page.

    Attributes:
        node: the id of its element.
        text: its text or name.
        is_file: whether the page offers it for download.
        followed: whether crawlers may follow it.
    """

    node: int
    url: str
    text: str
    is_file: bool = False
    followed: bool = True


def name_icon_links(document: LexborHTMLParser, addresses: Addresses) -> None:
    """Label the links that show only an icon and have no label.

    The label is the name of the icon, its letters, or the end of the URL; the last one only if no
    other link to it has a text or a label.
    """
    icons: list[LexborNode] = []
    named: set[str | None] = set()
    here = addresses.page.partition("#")[0]
    for node in document.css("a[href]"):
        href = node.attributes.get("href")
        name = _icon_name(node)
        if name is None:
            named.add(href)
            continue
        if alternative(node):
            named.add(href)
        elif addresses.linked(href).partition("#")[0] in {"", here}:
            continue  # a link to a part of the page, such as the heading before it
        elif name:
            node.attrs["aria-label"] = name
            named.add(href)
        elif node.first_child is not None and node.css_first(_PICTURES) is None:
            icons.append(node)
        _set_apart(node)
    for node in icons:
        href = node.attributes.get("href")
        if href not in named:
            end = _end_of(addresses.linked(href), addresses.page)
            node.attrs["aria-label"] = shortened(end)


def _set_apart(node: LexborNode) -> None:
    """Keep the name of an icon apart from elements beside it, as the icon is."""
    if node.prev is not None and node.prev.is_element_node:
        node.insert_before(" ")
    if node.next is not None and node.next.is_element_node:
        node.insert_after(" ")


def _icon_name(link: LexborNode) -> str | None:
    """Return the name of the icon that a link consists of; None if the link has other content."""
    letters: list[str] = []
    names: list[str] = []
    unread: set[int] = set()
    for node in descendants(link):
        is_unread = bool(unread) and node.parent is not None and node.parent.mem_id in unread
        if node.tag == TEXT:
            text = collapse_whitespace(node.text_content)
            if text and not is_unread:
                return None
            letters += filter(str.isalpha, text.split())
            continue
        attributes = node.attributes
        if is_unread or attributes.get("aria-hidden") == "true":
            unread.add(node.mem_id)
        if attributes.get("alt") or picture_label(node):
            return None
        names.append(collapse_whitespace(attributes.get("aria-label") or attributes.get("title")))
    drawings = link.css("svg")
    if any(map(drawing_text, drawings)):
        return None
    found = (*(drawing_name(one) for one in drawings), *names)
    return next(filter(None, found), " ".join(letters))


def _end_of(url: str, page: str) -> str:
    """Return the host of a link to another site, or else the last part of its path, or address."""
    host = _split(url)[0]
    if host and host != _split(page)[0]:
        return host
    address = url.partition("#")[0] if host else url.partition(":")[2].partition("?")[0]
    return collapse_whitespace(unquote(address.rstrip("/").rpartition("/")[2]))


def found_links(document: LexborHTMLParser, addresses: Addresses) -> tuple[FoundLink, ...]:
    """Return all links of a document, in document order."""
    found: list[FoundLink] = []
    for node in document.css(ANCHORS):
        attributes = node.attributes
        if url := addresses.linked(attributes.get("href")):
            followed = NOFOLLOW.isdisjoint((attributes.get("rel") or "").lower().split())
            is_file = "download" in attributes
            found.append(FoundLink(node.mem_id, url, _text(node), is_file, followed))
    return tuple(found)


def anchors_in(document: LexborHTMLParser) -> AbstractSet[int]:
    """Return the ids of the elements that are links."""
    return {node.mem_id for node in document.css(ANCHORS)}


def numbered_links(
    found: Sequence[FoundLink], left: AbstractSet[int], content: Blocks, page: str
) -> tuple[PageLink, ...]:
    """Return the links of a page, numbered from 1.

    Args:
        found: in document order.
        left: the ids of the elements that are not boilerplate.
        content: the main content, whose links come first, in its order.
        page: the page's URL.
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
        boilerplate=frozenset(link.url for link in found)
        - frozenset(link.url for link in found if link.node in left)
        - shown.keys(),
    )
    followed = {link.url for link in found if link.followed}
    refused = {link.url for link in found} - followed
    return tuple(
        PageLink(number, text[:NAME_CHARACTERS_MAX], url, kinds.kind_of(url), url not in refused)
        for number, (url, text) in enumerate(texts.items(), start=1)
    )


def _text(node: LexborNode) -> str:
    """Return a link's text, or else the name of the link or its picture."""
    child = node.first_child
    is_card = child is not None and child.next is not None and node.css_first(_PARTS) is not None
    if text := collapse_whitespace(node.text(separator=" " if is_card else "")):
        return text
    picture = node.css_first("img[alt]") if child else None
    return (picture and alternative(picture)) or alternative(node)


@attrs.frozen
class _Kinds:
    """Classifies the links of one page.

    Attributes:
        document: the page's URL without a fragment.
        host: the page's host, without a ``www.``.
        files: URLs that the page offers for download.
        boilerplate: URLs that occur only in boilerplate.
    """

    document: str
    host: str
    files: AbstractSet[str]
    boilerplate: AbstractSet[str]

    def kind_of(self, url: str) -> LinkKind:
        """Return the kind of a link to the URL."""
        document, mark, _ = url.partition("#")
        host, end = _split(url)
        if mark and document == self.document:
            return "anchor"
        if url in self.files or end in FILES:
            return "download"
        if url in self.boilerplate:
            return "navigation"
        is_same_site = (
            host == self.host or host.endswith(f".{self.host}") or self.host.endswith(f".{host}")
        )
        return "content" if is_same_site else "external"


def _split(url: str) -> tuple[str, str]:
    """Return a URL's host without ``www.``, and the suffix of its path after the last dot."""
    match = _URL.match(url)
    if match is None:
        return "", ""
    host, path = match.groups()
    _, dot, end = path.rpartition("/")[2].rpartition(".")
    return host.lower().removeprefix("www."), end.lower() if dot else ""
