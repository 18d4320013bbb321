"""The parts of a page that were streamed after it, with scripts that put them in their place.

Such a page has a placeholder for each part that is late, and ends with these parts as they come,
hidden or in templates. Without its scripts, they are put in their place here.
"""

import re
from contextlib import suppress

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

PLACEHOLDER_NODES_MAX = 100
"""A longer placeholder is kept."""

_PLACES = "template[id], noscript[id], [id^='afph']"
"""Elements that can be the place of a part."""

_PARTS = (
    "template[id]:not([shadowrootmode]), [id][hidden]"
    ", [id][style*='display:none' i], [id][style*='display: none' i]"
)

_STRING = re.compile(r"([\"'`])([^\"'`\s]{1,80})\1")
"""A string of a script, which can be an id."""


def place_streamed_parts(document: LexborHTMLParser) -> None:
    """Put streamed parts in the place of what they replace."""
    places = _places_in(document.root)
    removed = document.create_node("div")  # at the end, as nodes in it may be met again
    for part in document.css(_PARTS) if places else ():
        place = places.get(_place_of(part, places))
        content = _content_of(part)
        if place is not None:
            places |= _places_in(content)
            with suppress(SelectolaxError):  # a place in its own part
                for node in _exchange(content, place):
                    removed.insert_child(node, move=True)
                removed.insert_child(part, move=True)
    removed.decompose()


def _places_in(node: LexborNode | None) -> dict[str, LexborNode]:
    """Return the places of parts by their ids; those of Marko can hold a placeholder."""
    places: dict[str, LexborNode] = {}
    for one in node.css(_PLACES) if node is not None else ():
        is_empty = not any(_content_of(one).iter(include_text=True))
        if one.id and (is_empty or one.id.startswith("afph")):
            places[one.id] = one
    return places


def _place_of(part: LexborNode, places: dict[str, LexborNode]) -> str:
    """Return the id of the place of a part; empty if it is not known.

    It follows from that of the part, or both are in the script after the part.
    """
    name = part.id or ""
    number = name.removeprefix("S:")
    derived = [name.replace("af", "afph", 1)]  # Marko
    derived += [f"B:{number}", f"P:{number}"] if number != name else [f"pl-{name}"]  # React, Solid
    found: list[str] = [one for one in derived if one in places]
    if found and found[0] != name:
        return found[0]
    if name in places:
        return ""
    script = part.next
    while script is not None and script.is_text_node:
        script = script.next
    if script is None or script.tag != "script":
        return ""
    named = {str(match[2]) for match in _STRING.finditer(script.text())}
    found = [one for one in named if one in places]
    return found[0] if name in named and len(found) == 1 else ""


def _content_of(part: LexborNode) -> LexborNode:
    """Return the node with the content of an element: for a template, that is a fragment."""
    fragments = part.template_fragments() if part.tag == "template" else ()
    return fragments[0] if fragments else part


def _exchange(content: LexborNode, place: LexborNode) -> list[LexborNode]:
    """Put a content before its place; return that, with the placeholder up to a comment after it.

    Raises:
        SelectolaxError: the place is in the content.
    """
    placeholder: list[LexborNode] = []
    end = place.next
    while end is not None and end.comment_content not in {"/$", place.id}:
        placeholder.append(end)
        end = end.next if len(placeholder) <= PLACEHOLDER_NODES_MAX else None
    for node in list(content.iter(include_text=True)):
        place.insert_before(node, move=True)
    return [place, *(placeholder if end is not None else ())]
