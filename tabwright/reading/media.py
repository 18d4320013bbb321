"""The pictures, videos, sounds and canvases of a page."""

from collections.abc import Iterator, Mapping
from itertools import chain

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.media import alternative, is_dot, picture_url, pixels
from tabwright.content.html.tree import Addresses
from tabwright.protocol.snapshot import MediaKind, Medium
from tabwright.text.lines import collapsed

_KINDS: Mapping[str, MediaKind] = {
    "img": "image",
    "video": "video",
    "audio": "audio",
    "canvas": "canvas",
}


UNSPOKEN = frozenset({"chapters", "metadata"})
"""Kinds of tracks that are no captions (HTML, section 4.8.11.11)."""


def media_of(document: LexborHTMLParser, addresses: Addresses) -> tuple[Medium, ...]:
    """What the page shows or plays, in its order.

    Left out are pictures that count readers, and those that stand in the page itself without a
    word on what they show.
    """
    found = (_media(node, addresses) for node in document.css(", ".join(_KINDS)))
    numbered = enumerate(chain.from_iterable(found), start=1)
    return tuple(attrs.evolve(medium, number=number) for number, medium in numbered)


def _media(node: LexborNode, addresses: Addresses) -> Iterator[Medium]:
    kind = _KINDS[node.tag or ""]
    attributes = node.attributes
    medium = Medium(
        number=0,
        kind=kind,
        url=_url(kind, node, addresses),
        alt=alternative(node),
        title=collapsed(attributes.get("title")),
        width=pixels(attributes.get("width")),
        height=pixels(attributes.get("height")),
        captions=_captions(kind, node, addresses),
    )
    if kind != "image" or ((medium.url or medium.alt) and not is_dot(node)):
        yield medium
    if poster := addresses.loaded(attributes.get("poster")):
        yield Medium(0, "image", poster, medium.alt)


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
