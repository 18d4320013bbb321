"""Pictures, lazy ones included, videos, sounds and canvases of a page."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.tree import Addresses
from tabwright.protocol.snapshot import MediaItem, MediaKind
from tabwright.text.lines import collapse_whitespace

LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-original-src", "data-url")
"""Where pages keep the address of a picture that a script loads when it comes into sight."""

LAZY_SETS = ("data-srcset", "data-lazy-srcset", "data-original-set")

_CANDIDATE = re.compile(r"([^\s,]\S*[^\s,])(?:\s+([\d.]{1,9})[wx])?\s*(?:,|$)")

_NUMBER = re.compile(r"\s*(\d{1,5})(?:\.\d*)?\s*(?:px)?\s*$")


def picture_url(node: LexborNode, addresses: Addresses) -> str:
    """Where an ``img`` is loaded from; empty where that is nowhere."""
    return next(filter(None, _urls(node, addresses)), "")


def best_candidate(srcset: str | None, addresses: Addresses) -> str:
    """The address of the largest picture of a ``srcset`` (HTML, section 4.8.4.2.1)."""
    candidates = _CANDIDATE.findall(srcset or "")
    found = ((_size(size), addresses.loaded(address)) for address, size in candidates)
    return max(((size, url) for size, url in found if url), default=(0.0, ""))[1]


def alternative(node: LexborNode) -> str:
    """What a picture shows, in words."""
    attributes = node.attributes
    return collapse_whitespace(
        attributes.get("alt") or attributes.get("aria-label") or attributes.get("title")
    )


def pixels(length: str | None) -> int | None:
    """A width or a height as pages write it, in CSS pixels; None for one in other units."""
    match = _NUMBER.match(length or "")
    return int(match[1]) if match else None


def is_dot(node: LexborNode) -> bool:
    """Whether nobody sees the picture: it is there to count readers."""
    attributes = node.attributes
    sizes = (pixels(attributes.get("width")), pixels(attributes.get("height")))
    return all(size is not None and size <= 1 for size in sizes)


def _urls(node: LexborNode, addresses: Addresses) -> Iterator[str]:
    """The addresses in the order of trust; a script's plan goes before what holds its place."""
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
    """What stands right behind it for browsers that run no scripts."""
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


# All media of a page.

_KINDS: Mapping[str, MediaKind] = {
    "img": "image",
    "video": "video",
    "audio": "audio",
    "canvas": "canvas",
}


UNSPOKEN = frozenset({"chapters", "metadata"})
"""Kinds of tracks that are no captions (HTML, section 4.8.11.11)."""


def media_of(document: LexborHTMLParser, addresses: Addresses) -> tuple[MediaItem, ...]:
    """What the page shows or plays, in its order.

    Left out are pictures that count readers, and those that stand in the page itself without a
    word on what they show.
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
    )
    if kind != "image" or ((medium.url or medium.alt) and not is_dot(node)):
        yield medium
    if poster := addresses.loaded(attributes.get("poster")):
        yield MediaItem(0, "image", poster, medium.alt)


def _url(kind: MediaKind, node: LexborNode, addresses: Addresses) -> str:
    """Where a medium is loaded from; of several sources the first, as browsers try them."""
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
    """The tracks that say in words what there is to hear or see, the one that is shown first."""
    if kind in {"image", "canvas"}:
        return ()
    tracks = [track.attributes for track in node.css("track")]
    spoken = [track for track in tracks if (track.get("kind") or "").lower() not in UNSPOKEN]
    spoken.sort(key=lambda track: "default" not in track)
    return tuple(filter(None, (addresses.loaded(track.get("src")) for track in spoken)))
