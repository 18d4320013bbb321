"""A page's source as one tree, with shadow roots and frames where they are shown."""

from collections import deque

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from tabwright.content.html.sanitize import tamed
from tabwright.content.html.tree import Addresses
from tabwright.protocol.snapshot import PageSource
from tabwright.reading.bounds import bounded

SHADOW_ROOT = "shadow-root"
"""The element that takes the place of a shadow root's template."""

SHADOW_ROOTS_MAX = 10_000
"""As many are opened, those inside of others included."""

_OPTIONS = LexborDocumentOptions.WO_EVENTS
"""With events, the choices of a select take the parser the square of their number."""

_TEMPLATES = "template[shadowrootmode]"


def parsed(source: PageSource) -> LexborHTMLParser:
    """The document, as far as `bounded` lets it go; any text will do."""
    source = bounded(source)
    document = LexborHTMLParser(tamed(source.html), options=_OPTIONS)
    if any(source.frames):
        _fill_frames(document, source)
    if "shadowrootmode" in source.html:
        _open_shadow_roots(document)
    return document


def _fill_frames(document: LexborHTMLParser, source: PageSource) -> None:
    """Puts what a frame shows in the frame's place, its addresses absolute."""
    addresses = Addresses.of(document, source.page.url)
    for frame, html in zip(document.css("iframe"), source.frames, strict=False):
        if html:
            shown = document.create_node("div")
            shown.inner_html = tamed(html.encode("utf-8", "ignore").decode())
            _make_absolute(shown, addresses.loaded(frame.attributes.get("src")))
            frame.replace_with(shown, move=True)


def _make_absolute(shown: LexborNode, url: str) -> None:
    """Without a URL, as that of ``srcdoc``, addresses are relative to the page round the frame."""
    own = Addresses(url, url)
    for name in ("href", "src", "action") if url else ():
        for node in shown.css(f"[{name}]"):
            if absolute := own.linked(node.attributes.get(name)):
                node.attrs[name] = absolute


def _open_shadow_roots(document: LexborHTMLParser) -> None:
    """As a browser lays them out (DOM, section 4.8): what a host holds goes into the slots."""
    closed = deque(document.css(_TEMPLATES))
    hosts: set[int] = set()
    while closed and len(hosts) < SHADOW_ROOTS_MAX:
        template = closed.popleft()
        host, fragments = template.parent, template.template_fragments()
        if host is None or host.mem_id in hosts or not fragments:  # in an svg it is none of HTML's
            continue
        hosts.add(host.mem_id)
        root = document.create_node(SHADOW_ROOT)
        _move(fragments[0], root)
        closed.extend(root.css(_TEMPLATES))
        template.replace_with(root, move=True)
        _fill_slots(host, root)


def _move(fragment: LexborNode, root: LexborNode) -> None:
    for node in list(fragment.iter(include_text=True)):
        root.insert_child(node, move=True)


def _fill_slots(host: LexborNode, root: LexborNode) -> None:
    """What no slot takes is not shown; a slot that takes nothing shows what is in itself."""
    slots = {slot.attributes.get("name") or "": slot for slot in reversed(root.css("slot"))}
    filled: set[str] = set()
    for node in list(host.iter(include_text=True)):
        if node.mem_id == root.mem_id:
            continue
        name = node.attributes.get("slot") or ""
        if slot := slots.get(name):
            slot.insert_before(node, move=True)
            filled.add(name)
        elif node.is_element_node:
            node.attrs["hidden"] = ""
        else:
            node.decompose()
    for name in filled:
        slots[name].attrs["hidden"] = ""
