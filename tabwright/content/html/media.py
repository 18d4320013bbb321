"""Pictures (including lazy ones), videos, audio and canvases of a page."""

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from itertools import accumulate, chain

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.tree import Addresses
from tabwright.protocol.snapshot import MediaItem, MediaKind
from tabwright.text.lines import collapse_whitespace

LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-original-src", "data-url")
"""Attributes with the URL of a picture that a script loads when it is scrolled into view."""

LAZY_SETS = ("data-srcset", "data-lazy-srcset", "data-original-set")

_CANDIDATE = re.compile(r"([^\s,]\S*[^\s,])(?:\s+([\d.]{1,9})[wx])?\s*(?:,|$)")

_NUMBER = re.compile(r"\s*(\d{1,5})(?:\.\d*)?\s*(?:px)?\s*$")


def picture_url(node: LexborNode, addresses: Addresses) -> str:
    """Return the URL of an ``img``; empty if it has none."""
    return next(filter(None, _urls(node, addresses)), "")


def best_candidate(srcset: str | None, addresses: Addresses) -> str:
    """Return the URL of the largest picture of a ``srcset`` (HTML, section 4.8.4.2.1)."""
    candidates = _CANDIDATE.findall(srcset or "")
    found = ((_size(size), addresses.loaded(address)) for address, size in candidates)
    return max(((size, url) for size, url in found if url), default=(0.0, ""))[1]


def alternative(node: LexborNode) -> str:
    """Return the alternative text of a picture."""
    attributes = node.attributes
    return collapse_whitespace(
        attributes.get("alt") or attributes.get("aria-label") or attributes.get("title")
    )


def pixels(length: str | None) -> int | None:
    """Parse a width or height in CSS pixels; None for other units."""
    match = _NUMBER.match(length or "")
    return int(match[1]) if match else None


def is_dot(node: LexborNode) -> bool:
    """Return whether the picture is an invisible tracking pixel."""
    attributes = node.attributes
    sizes = (pixels(attributes.get("width")), pixels(attributes.get("height")))
    return all(size is not None and size <= 1 for size in sizes)


def _urls(node: LexborNode, addresses: Addresses) -> Iterator[str]:
    """Yield the URLs, best first; those of lazy loading come before placeholders."""
    attributes = node.attributes
    for name in LAZY:
        if name in attributes:
            yield addresses.loaded(attributes[name])
    for name in LAZY_SETS:
        if name in attributes:
            yield best_candidate(attributes[name], addresses)
    yield addresses.loaded(attributes.get("src"))
    yield best_candidate(attributes.get("srcset"), addresses)
    parent = node.parent
    if parent is not None and parent.tag == "picture":
        for source in parent.iter():
            for name in ("srcset", *LAZY_SETS):
                yield best_candidate(source.attributes.get(name), addresses)
    yield _without_scripts(node, addresses)


def _without_scripts(node: LexborNode, addresses: Addresses) -> str:
    """Return the picture in a following ``noscript``."""
    following = node.next
    while following is not None and following.tag == "-text" and not following.text().strip():
        following = following.next
    if following is None or following.tag != "noscript":
        return ""
    picture = following.css_first("img[src]")
    return addresses.loaded(picture.attributes["src"]) if picture else ""


def _size(descriptor: str) -> float:
    try:
        return float(descriptor or 1)
    except ValueError:
        return 0.0


# The texts of a drawing.

DRAWING_CHARACTERS_MAX = 3_000
"""Maximum length of the texts of a drawing that are shown; the others are counted."""

_TEXTS = "text, foreignobject"
_HIDING = ("[display=none i]", "[style*='display:none' i]", "[style*='display: none' i]")
_HIDDEN = ", ".join(f"{one}, {one} *" for one in _HIDING)


def drawing_text(node: LexborNode) -> str:
    """Return the texts of an inline ``svg``, such as the numbers of a chart, after its name.

    It is empty for a drawing without texts: the names of icons are noise.
    """
    texts = list(drawn_texts(node, _TEXTS))
    if not texts:
        return ""
    ends = accumulate(len(text) + 2 for text in texts)
    count = sum(end <= DRAWING_CHARACTERS_MAX for end in ends)
    shown = texts[: max(1, count)]
    shown[0] = shown[0][:DRAWING_CHARACTERS_MAX]
    left = len(texts) - len(shown)
    name = drawing_name(node)
    more = f" ({left} more texts)" if left else ""
    return f"{name}: {', '.join(shown)}{more}" if name else f"{', '.join(shown)}{more}"


def drawn_texts(node: LexborNode, selector: str) -> Iterator[str]:
    """Yield the texts of elements of a drawing that are shown."""
    for one in node.css(f":is({selector}):not({_HIDDEN})"):
        if not _is_substitute(one) and (text := collapse_whitespace(one.text(separator=" "))):
            yield text


def drawing_name(node: LexborNode) -> str:
    """Return the name of an inline ``svg``; empty if it has none."""
    title = next((one.text() for one in node.iter() if one.tag == "title"), "")
    return collapse_whitespace(node.attributes.get("aria-label") or title)


def _is_substitute(node: LexborNode) -> bool:
    """Return whether a text is for programs that cannot show the HTML beside it."""
    parent = node.parent
    return (
        node.tag == "text"
        and parent is not None
        and parent.tag == "switch"
        and parent.css_first("foreignobject") is not None
    )


# All media of a page.

_KINDS: Mapping[str, MediaKind] = {
    "img": "image",
    "video": "video",
    "audio": "audio",
    "canvas": "canvas",
}


UNSPOKEN = frozenset({"chapters", "metadata"})
"""Kinds of tracks that are not captions (HTML, section 4.8.11.11)."""


def media_of(document: LexborHTMLParser, addresses: Addresses) -> tuple[MediaItem, ...]:
    """Return the page's media, in document order.

    Tracking pixels are left out, and so are pictures that are embedded in the page and have no
    alternative text.
    """
    found = (_media(node, addresses) for node in document.css(", ".join(_KINDS)))
    numbered = enumerate(chain.from_iterable(found), start=1)
    return tuple(attrs.evolve(medium, number=number) for number, medium in numbered)


def _media(node: LexborNode, addresses: Addresses) -> Iterator[MediaItem]:
    kind = _KINDS[node.tag or ""]
    attributes = node.attributes
    medium = MediaItem(
        number=0,
        kind=kind,
        url=_url(kind, node, addresses),
        alt=alternative(node),
        title=collapse_whitespace(attributes.get("title")),
        width=pixels(attributes.get("width")),
        height=pixels(attributes.get("height")),
        captions=_captions(kind, node, addresses),
        drawn=kind == "canvas" and DRAWN in attributes,
        drawing=_drawing(attributes.get(DRAWN) or "") if kind == "canvas" else b"",
    )
    if kind != "image" or ((medium.url or medium.alt) and not is_dot(node)):
        yield medium
    if poster := addresses.loaded(attributes.get("poster")):
        yield MediaItem(0, "image", poster, medium.alt)


DRAWN = "data-drawn"
"""The attribute in which ``source.js`` passes on what a canvas shows."""

_DRAWING = "data:image/jpeg;base64,"


def _drawing(url: str) -> bytes:
    """Return the picture of a canvas; empty if it was not read."""
    try:
        return b64decode(url.removeprefix(_DRAWING)) if url.startswith(_DRAWING) else b""
    except ValueError:  # written by a page that was read without a tab
        return b""


def _url(kind: MediaKind, node: LexborNode, addresses: Addresses) -> str:
    """Return the URL of a medium; of several sources the first, as in browsers."""
    match kind:
        case "image":
            return picture_url(node, addresses)
        case "canvas":
            return ""
        case _:
            given = (one.attributes.get("src") for one in (node, *node.css("source")))
            urls = (addresses.loaded(address) for address in given)
            return next((url for url in urls if url), "")


def _captions(kind: MediaKind, node: LexborNode, addresses: Addresses) -> tuple[str, ...]:
    """Return the URLs of its caption tracks, the default track first."""
    if kind in {"image", "canvas"}:
        return ()
    tracks = [track.attributes for track in node.css("track")]
    spoken = [track for track in tracks if (track.get("kind") or "").lower() not in UNSPOKEN]
    spoken.sort(key=lambda track: "default" not in track)
    return tuple(filter(None, (addresses.loaded(track.get("src")) for track in spoken)))
