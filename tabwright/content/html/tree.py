"""The tree of a page: parsing, attributes, URLs, and a walk without recursion."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import chain, repeat
from typing import Protocol
from urllib.parse import urlsplit

import ada_url
import attrs
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from tabwright.content.html.sanitize import limit_source, sanitize_html
from tabwright.content.html.streamed_parts import place_streamed_parts
from tabwright.protocol.snapshot import FrameSource, PageSource
from tabwright.protocol.web_urls import URL_CHARACTERS_MAX

LINKED = frozenset({"http", "https", "mailto", "tel"})
"""Schemes of links; scripts and data URLs are excluded."""

LOADED = frozenset({"http", "https"})
"""Schemes of pictures, frames and forms."""

_STRIPPED = "".join(map(chr, range(0x21)))
_PASSED_OVER = re.compile(r"[\t\r\n]")
"""Characters that browsers ignore in a URL (WHATWG URL, section 4.4)."""

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*(?=:)")
_UNWRITABLE = re.compile(
    r"[\s<>\"`\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)
"""Characters that would end a URL within a text, are invisible, or control a terminal."""


@attrs.define(eq=False)
class Addresses:
    """Resolves the URLs of one document, each only once.

    Attributes:
        page: the document's URL.
        base: the base of relative URLs.
    """

    page: str
    base: str
    _scheme: str = attrs.field(init=False)
    _origin: str = attrs.field(init=False)
    _document: str = attrs.field(init=False)
    _known: dict[str, tuple[str, str]] = attrs.field(factory=dict[str, tuple[str, str]], init=False)

    def __attrs_post_init__(self) -> None:
        self._scheme, self._origin = origin_of(self.base)
        self._document = self.base.partition("#")[0]

    @classmethod
    def of(cls, document: LexborHTMLParser, page: str) -> "Addresses":
        """Return the resolver for a document at `page`, which can set a base (HTML, 4.2.3)."""
        own = cls(page, page)
        base = document.css_first("base[href]")
        named = own.loaded(base.attributes.get("href")) if base else ""
        return cls(page, named) if named else own

    def linked(self, address: str | None) -> str:
        """Return the URL of a link; empty if it is not allowed."""
        return self._absolute(address, LINKED)

    def loaded(self, address: str | None) -> str:
        """Return the URL of a resource; empty if it is not allowed."""
        return self._absolute(address, LOADED)

    def _absolute(self, address: str | None, schemes: AbstractSet[str]) -> str:
        if not address:
            return ""
        known = self._known.get(address)
        if known is None:
            stripped = address.strip(_STRIPPED)
            if stripped in {"", "#"} or len(stripped) > URL_CHARACTERS_MAX:
                url = ""
            elif _UNWRITABLE.search(stripped):
                url = _UNWRITABLE.sub(_percent, self._joined(_PASSED_OVER.sub("", stripped)))
            else:
                url = self._joined(stripped)
            known = self._known[address] = url, scheme_of(url)
        url, scheme = known
        return url if scheme in schemes else ""

    def _joined(self, address: str) -> str:
        """Resolve a URL; common forms take a fast path."""
        if scheme := scheme_of(address):
            rest = address[len(scheme) :]
            if scheme not in LOADED or rest.startswith("://"):
                return scheme + rest
        if address.startswith("//"):
            return f"{self._scheme}:{address}"
        if address.startswith("/") and "/." not in address and "\\" not in address:
            return self._origin + address
        if address.startswith("#"):
            return self._document + address
        try:
            return ada_url.join_url(self.base, address)
        except ValueError:
            return ""


def origin_of(url: str) -> tuple[str, str]:
    """Return a URL's scheme, and everything before its path."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme, f"{parts.scheme}://{parts.netloc}"


def scheme_of(address: str) -> str:
    """Return the scheme of a URL in lower case; empty for a relative one."""
    match = _SCHEME.match(address)
    return match[0].lower() if match else ""


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


# Attributes of elements, as browsers read them.

_INTEGER = re.compile(r"\s*([+-]?\d{1,9})")


def number_in(text: str | None) -> int | None:
    """Parse the integer at the start of an attribute (HTML, section 2.3.4.1); otherwise None."""
    match = _INTEGER.match(text or "")
    return int(match[1]) if match else None


# Parsing a page as one tree, with shadow roots and frames in place.

SHADOW_ROOT = "shadow-root"
"""The element that replaces the template of a shadow root."""

FRAME_DEPTH_MAX = 5
"""Frames in more frames than these stay empty."""

_OPTIONS = LexborDocumentOptions.WO_EVENTS
"""With events, parsing the options of a ``select`` takes quadratic time."""

_TEMPLATES = "template[shadowrootmode]"


def parsed(source: PageSource) -> LexborHTMLParser:
    """Parse any source, up to the size that `limit_source` allows."""
    source = limit_source(source)
    document = LexborHTMLParser(sanitize_html(source.html), options=_OPTIONS)
    place_streamed_parts(document)
    frames = document.css("iframe")
    if document.css_matches(_TEMPLATES):
        is_laid_out = source.is_laid_out
        frames += _open_shadow_roots(document, document.root, is_laid_out=is_laid_out)
    if any(one.html for one in source.frames) or any("srcdoc" in one.attributes for one in frames):
        _fill_frames(document, frames, source)
    for link in document.css("svg a[href]"):  # selectors ignore prefixes, attributes have them
        if "href" not in link.attributes:  # SVG 2, section 16.1.5
            href = link.attributes.get("xlink:href")
            del link.attrs["xlink:href"]
            link.attrs["href"] = href
    return document


def _open_shadow_roots(
    document: LexborHTMLParser, within: LexborNode | None, *, is_laid_out: bool
) -> list[LexborNode]:
    """Lay out shadow roots as browsers do (DOM, section 4.8); return the frames in them, in order.

    Children fill the slots. The outermost roots come first.
    """
    frames: list[LexborNode] = []
    closed = deque(within.css(_TEMPLATES) if within is not None else ())
    hosts: set[int] = set()
    while closed:
        template = closed.popleft()
        host, fragments = template.parent, template.template_fragments()
        if (
            host is None or host.mem_id in hosts or not fragments
        ):  # a template in SVG is not an HTML template
            continue
        hosts.add(host.mem_id)
        root = document.create_node(SHADOW_ROOT)
        fragment = fragments[0]
        for node in list(fragment.iter(include_text=True)):
            root.insert_child(node, move=True)
        closed.extend(root.css(_TEMPLATES))
        frames += root.css("iframe")
        template.replace_with(root, move=True)
        _fill_slots(host, root, is_laid_out=is_laid_out)
    return frames


def _fill_frames(
    document: LexborHTMLParser, frames: Iterable[LexborNode], source: PageSource
) -> None:
    """Put the content of frames in their place, with absolute URLs."""
    addresses = Addresses.of(document, source.page.url)
    ahead = deque(zip(frames, chain(source.frames, repeat(FrameSource())), repeat(1)))
    while ahead:
        frame, content, depth = ahead.popleft()
        if html := content.html or frame.attributes.get("srcdoc"):
            shown = document.create_node("div")
            shown.inner_html = sanitize_html(html.encode("utf-8", "ignore").decode())
            url = addresses.loaded(frame.attributes.get("src"))
            frame.replace_with(shown, move=True)
            inner = shown.css("iframe")
            inner += _open_shadow_roots(document, shown, is_laid_out=source.is_laid_out)
            _make_absolute(shown, url)
            if depth < FRAME_DEPTH_MAX:
                contents = chain(content.frames, repeat(FrameSource()))
                ahead.extend(zip(inner, contents, repeat(depth + 1)))


def _make_absolute(shown: LexborNode, url: str) -> None:
    """Make URLs absolute; without a URL, as in ``srcdoc``, they are relative to the outer page."""
    own = Addresses(url, url)
    for name in ("href", "src", "action") if url else ():
        for node in shown.css(f"[{name}]"):
            if absolute := own.linked(node.attributes.get(name)):
                node.attrs[name] = absolute


def _fill_slots(host: LexborNode, root: LexborNode, *, is_laid_out: bool) -> None:
    """Fill the slots; children without a slot are hidden, and empty slots keep their content.

    Named slots are parts of a component: style sheets keep them apart, unless text is beside them.
    If the page `is_laid_out`, it has a space there already.
    """
    slots = {slot.attributes.get("name") or "": slot for slot in reversed(root.css("slot"))}
    named = {} if is_laid_out else {name: slot for name, slot in slots.items() if name}
    apart = {name for name, slot in named.items() if not _is_beside_text(slot)}
    for name in apart:
        slots[name].insert_before(" ")
    passed_on = {name for name, slot in slots.items() if _is_passed_on(slot)}
    filled: set[str] = set()
    for node in list(host.iter(include_text=True)):
        if node.mem_id == root.mem_id:
            continue
        name = node.attributes.get("slot") or ""
        if slot := slots.get(name):
            slot.insert_before(node, move=True)
            if name in passed_on and node.is_element_node:
                node.attrs["slot"] = slot.attributes.get("slot") or ""
            if name in apart:
                slot.insert_before(" ")
            filled.add(name)
        elif node.is_element_node:
            node.attrs["hidden"] = ""
        else:
            node.decompose()
    for name in filled:
        slots[name].attrs["hidden"] = ""


def _is_passed_on(slot: LexborNode) -> bool:
    """Return whether what fills a slot fills a slot of the element around it, too."""
    outer = slot.parent
    return outer is not None and any("shadowrootmode" in one.attributes for one in outer.iter())


def _is_beside_text(node: LexborNode) -> bool:
    return any(one is not None and one.is_text_node for one in (node.prev, node.next))


# Walking over a tree without recursion: a page can be nested to any depth.

TEXT = "-text"
"""The parser's tag name for text nodes."""


class Visitor(Protocol):
    """A visitor of a tree, in document order."""

    def text(self, text: str, /) -> None:
        """Visit a text."""
        ...

    def opens(self, tag: str, node: LexborNode, /) -> bool:
        """Visit an element; return whether to visit its content and its end."""
        ...

    def closes(self) -> None:
        """Visit the end of the innermost open element."""
        ...


def walk(root: LexborNode, visitor: Visitor) -> None:
    """Visit the root and everything in it."""
    parents: list[LexborNode] = []
    node = root
    while True:
        tag = node.tag or ""
        if tag == TEXT:
            visitor.text(node.text_content or "")
        elif visitor.opens(tag, node):
            child = node.first_child
            if child is not None:
                parents.append(node)
                node = child
                continue
            visitor.closes()
        while parents:
            following = node.next
            if following is not None:
                node = following
                break
            visitor.closes()
            node = parents.pop()
        else:
            return


def ancestors(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the elements around a node, the innermost first."""
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


NONE: AbstractSet[int] = frozenset()
"""The ids of no nodes."""

FRAME = frozenset({"html", "head", "body"})
"""Elements that every document has: they are never removed, whatever their attributes."""


def remove(nodes: Iterable[LexborNode], kept: AbstractSet[int] = NONE) -> None:
    """Remove nodes from their document, descendants before ancestors."""
    found = {node.mem_id: node for node in nodes}
    for number, node in reversed(found.items()):
        if number not in kept and node.tag not in FRAME:
            node.decompose()
