"""Structured content for programs: our own values as they are, and page text in fences.

The schema of a tool says which texts are ours: those of an enumeration, and those that have a
pattern. Any other text may have been written by a page.
"""

import re
from collections.abc import Mapping

import msgspec

from tabwright.mcp.arguments import JSONObject
from tabwright.protocol.untrusted_text import marked

LISTED_MAX = 100
"""The maximum number of list items if structured content was not requested."""


class _Schema(msgspec.Struct, rename={"names": "additionalProperties"}):
    """The relevant parts of a schema.

    Attributes:
        names: of the values of an object whose names come from a page.
    """

    properties: dict[str, "_Schema"] = {}
    items: "_Schema | None" = None
    enum: list[object] = []
    pattern: str = ""
    names: "_Schema | None" = None

    def is_ours(self, text: str) -> bool:
        """Return whether only tabwright can have written a text."""
        return text in self.enum or bool(self.pattern and re.fullmatch(self.pattern, text))


_ANY = _Schema()


def facts(record: object, schema: JSONObject) -> dict[str, object]:
    """Return the parts of a record that no page can have written: numbers, booleans, our words."""
    known = _facts(record, msgspec.convert(schema, _Schema))
    return msgspec.convert(known, dict[str, object]) if known else {}


def _facts(value: object, schema: _Schema) -> object:
    match value:
        case bool() | int() | float():
            return value
        case str():
            return value if schema.is_ours(value) else None
        case dict():
            pairs = msgspec.convert(value, dict[str, object])
            known = {
                name: _facts(pairs[name], inner)
                for name, inner in schema.properties.items()
                if name in pairs
            }
            return {name: one for name, one in known.items() if one is not None} or None
        case list():
            inner = msgspec.convert(value, list[object])[:LISTED_MAX]
            each = (_facts(one, schema.items or _ANY) for one in inner)
            return [one for one in each if one is not None] or None
        case _:
            return None


def fenced_record(record: object, schema: JSONObject, nonce: str) -> JSONObject:
    """Return the record with fence marks round each text that a page may have written."""
    whole = _fenced(record, msgspec.convert(schema, _Schema), nonce)
    return msgspec.convert(whole, dict[str, object])


def _fenced(value: object, schema: _Schema, nonce: str) -> object:
    match value:
        case str():
            return value if not value or schema.is_ours(value) else marked(value, nonce)
        case dict():
            pairs = msgspec.convert(value, dict[str, object])
            if schema.names is not None:
                return {
                    marked(name, nonce): _fenced(pairs[name], schema.names, nonce) for name in pairs
                }
            return {
                name: _fenced(one, schema.properties.get(name, _ANY), nonce)
                for name, one in pairs.items()
            }
        case list() | tuple():
            inner = msgspec.convert(value, list[object])
            return [_fenced(one, schema.items or _ANY, nonce) for one in inner]
        case _:
            return value


def shortened_record(record: object, bytes_max: int) -> Mapping[str, object]:
    """Return the record with lists and texts cut until it has at most `bytes_max` bytes."""
    whole = msgspec.convert(record, dict[str, object])
    length = bytes_max
    while len(msgspec.json.encode(whole)) > bytes_max and length:
        length //= 4
        whole = msgspec.convert(_cut(record, length), dict[str, object])
    return whole


def _cut(value: object, length: int) -> object:
    match value:
        case str() if len(value) > length:
            end = value.rfind("\n</untrusted ")
            return value[: max(length, 24)] + value[end:] if end > 0 else value[:length]
        case dict():
            pairs = msgspec.convert(value, dict[str, object]).items()
            return {name: _cut(one, length) for name, one in pairs}
        case list():
            return [
                _cut(one, length) for one in msgspec.convert(value, list[object])[: length // 8 + 1]
            ]
        case _:
            return value
