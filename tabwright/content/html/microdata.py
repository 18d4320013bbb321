"""Records that a page declares: JSON-LD, and microdata items (HTML, section 5)."""

from collections.abc import Container, Iterable, Iterator, Mapping
from html import unescape
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.element_path import (
    ELEMENTS_MAX,
    RECORDS_MAX,
    VALUE_CHARACTERS_MAX,
    ElementPaths,
    attribute,
    visible_text,
)
from tabwright.content.html.metadata import DEPTH_MAX, Json, LinkedData
from tabwright.content.html.tree import TEXT, Addresses
from tabwright.protocol.structured_data import DataField, DataRecord, RecordGroup, Scalar
from tabwright.text.lines import collapse_whitespace, shortened

FIELDS_MAX = 1_000
"""Maximum number of values of a record."""

REFERRED_MAX = 20
"""Maximum number of values of a record that stand for a reference to it."""

NO_RECORDS: Mapping[str, tuple[str, Json]] = {}

URL_ATTRIBUTES: Mapping[str, str] = {
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    **dict.fromkeys(("a", "area", "link"), "href"),
    "object": "data",
}
"""The attribute that is the value of an element, if it is a URL (HTML, section 5.2.4)."""

VALUE_ATTRIBUTES: Mapping[str, str] = {"meta": "content", "data": "value", "meter": "value"}
"""The attribute that is the value of an element, if it is a text."""


def linked_group(linked: LinkedData) -> RecordGroup | None:
    """Return the JSON-LD records of a page, each value with its path; None without any."""
    located = list(zip(linked.places, linked.records, strict=True))
    by_id: dict[str, tuple[str, Json]] = {
        str(one["@id"]): (place, one) for place, one in located if "@id" in one and len(one) > 1
    }
    records = [
        _record(f"json-ld:{place}", _values("", record, place, 0, by_id))
        for place, record in located
    ]
    kept = tuple(record for record in records if record.fields)
    return RecordGroup("json-ld", "json-ld:", kept) if kept else None


def _record(source: str, fields: Iterator[DataField]) -> DataRecord:
    """Return a record of the first fields, with the number of the others."""
    return DataRecord(source, tuple(islice(fields, FIELDS_MAX)), omitted=sum(1 for _ in fields))


def _values(
    name: str,
    value: Json,
    place: str,
    depth: int,
    by_id: Mapping[str, tuple[str, Json]] = NO_RECORDS,
) -> Iterator[DataField]:
    """Yield the texts, numbers and booleans of a JSON value; the context is left out.

    In place of a reference (JSON-LD 1.1, section 3.3) are the first values of the record that it
    names, of those in `by_id`.
    """
    match value:
        case str():
            if text := collapse_whitespace(unescape(value)):
                text = shortened(text, VALUE_CHARACTERS_MAX)
                yield DataField(name, text, f"json-ld:{place}")
        case bool() | int() | float():
            yield DataField(name, value, f"json-ld:{place}")
        case {"@id": str(known), **more} if depth and not more and known in by_id:
            referred_place, referred = by_id[known]
            yield from islice(_values(name, referred, referred_place, depth), REFERRED_MAX)
        case Mapping() if depth < DEPTH_MAX:
            for key, one in value.items():
                if key != "@context":
                    inner = f"{name}.{key}" if name else key
                    yield from _values(inner, one, f"{place}.{key}", depth + 1, by_id)
        case [*values] if depth < DEPTH_MAX:
            for number, one in enumerate(values):
                yield from _values(name, one, f"{place}[{number}]", depth + 1, by_id)
        case _:
            pass


def microdata_groups(
    document: LexborHTMLParser, paths: ElementPaths, addresses: Addresses
) -> Iterator[RecordGroup]:
    """Yield the top-level microdata items of a page, grouped by type."""
    named = {node.attributes["id"] or "": node for node in reversed(document.css("[id]"))}
    groups: dict[str, list[DataRecord]] = {}
    referred = {
        one for node in document.css("[itemref]") for one in attribute(node, "itemref").split()
    }
    items = islice(document.css("[itemscope]"), ELEMENTS_MAX)
    for item in islice((one for one in items if _is_top_level(one, referred)), RECORDS_MAX):
        record = _item_record(item, _properties(item, named), paths, addresses)
        if record.fields:
            groups.setdefault(attribute(item, "itemtype"), []).append(record)
    for kind, records in groups.items():
        yield RecordGroup("microdata", records[0].source, tuple(records), title=kind)


def _is_top_level(item: LexborNode, referred: Container[str]) -> bool:
    """Return whether an item is a property of no other one, although many say that they are."""
    if "itemprop" not in item.attributes:
        return True
    if attribute(item, "id") in referred:
        return False
    above = item.parent
    while above is not None and "itemscope" not in above.attributes:
        if attribute(above, "id") in referred:
            return False
        above = above.parent
    return above is None


def _item_record(
    item: LexborNode,
    properties: Iterable[tuple[LexborNode, list[str]]],
    paths: ElementPaths,
    addresses: Addresses,
) -> DataRecord:
    """Return a record of the first values of an item, with the number of its other properties."""
    fields: list[DataField] = []
    omitted = 0
    for node, names in properties:
        if len(fields) >= FIELDS_MAX:
            omitted += len(names)
            continue
        source, value = _item_value(node, addresses)
        if value != "":
            path = f"{paths.of(node)}{source}"
            fields += (DataField(name, value, path) for name in names)
    omitted += max(0, len(fields) - FIELDS_MAX)
    return DataRecord(paths.of(item), tuple(fields[:FIELDS_MAX]), omitted)


def _properties(
    item: LexborNode, named: Mapping[str, LexborNode]
) -> Iterator[tuple[LexborNode, list[str]]]:
    """Yield the elements with values in document order, and their names, dotted in nested items."""
    referred = [named[one] for one in attribute(item, "itemref").split() if one in named]
    pending: list[tuple[LexborNode, str]] = [
        *((one, "") for one in reversed(referred)),
        *((one, "") for one in reversed(list(item.iter()))),
    ]
    visited: set[int] = {item.mem_id}
    while pending and len(visited) < ELEMENTS_MAX:
        node, names = pending.pop()
        if node.mem_id in visited or node.tag == TEXT:
            continue
        visited.add(node.mem_id)
        inner = names
        attributes = node.attributes
        if properties := attribute(node, "itemprop").split():
            if "itemscope" in attributes:
                inner = f"{names}{properties[0]}."
            else:
                yield node, [f"{names}{one}" for one in properties]
        elif "itemscope" in attributes:  # an item of its own
            continue
        if inner.count(".") <= DEPTH_MAX:
            pending += [(one, inner) for one in reversed(list(node.iter()))]


def _item_value(node: LexborNode, addresses: Addresses) -> tuple[str, Scalar]:
    """Return the value of a property, and the end of its source: ``@`` and the attribute."""
    tag = node.tag or ""
    if name := URL_ATTRIBUTES.get(tag):
        return f"@{name}", addresses.linked(node.attributes.get(name))
    name = VALUE_ATTRIBUTES.get(tag, "datetime" if tag == "time" else "")
    if "content" in node.attributes:  # many pages give other elements one, too
        name = "content"
    if name and (value := attribute(node, name)):
        return f"@{name}", value
    return "", visible_text(node)
