"""JSON schemas: of arguments, from the classes that hold them; of what tools give."""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

JSONObject: TypeAlias = Mapping[str, object]

RARE = {"rare": True}
"""Marks the schema of an argument that few calls want."""


class _Definition(msgspec.Struct):
    properties: dict[str, dict[str, object]]
    required: list[str] = []


class _Schemas(msgspec.Struct, rename={"definitions": "$defs"}):
    definitions: dict[str, _Definition]


def object_schema(properties: JSONObject, *, required: list[str]) -> JSONObject:
    """The JSON schema of an object."""
    return {"type": "object", "properties": properties, "required": required}


def schema_of(arguments: type, **known: JSONObject) -> JSONObject:
    """The schema of a class of arguments, whose types and defaults say all there is.

    Args:
        arguments: the class, of attrs or msgspec.
        known: of an argument what only a running program knows, over what its class says.
    """
    schemas = msgspec.convert(msgspec.json.schema(arguments), _Schemas).definitions
    whole = schemas.pop(arguments.__name__)
    properties: dict[str, object] = {
        name: {**_plain(one, schemas), **known.get(name, {})}
        for name, one in whole.properties.items()
    }
    return object_schema(properties, required=whole.required)


def _plain(schema: JSONObject, others: Mapping[str, _Definition]) -> dict[str, object]:
    """Without what only says that a thing may be left out, and in one piece."""
    whole = dict(schema)
    match whole.get("anyOf"):
        case [dict() as sole, {"type": "null"}]:
            del whole["anyOf"]
            whole |= msgspec.convert(sole, dict[str, object])
        case _:
            pass
    match whole.pop("prefixItems", None):
        case [dict() as first, *_]:  # of a pair both are alike
            whole["items"] = msgspec.convert(first, dict[str, object])
        case _:
            pass
    match whole:
        case {"items": {"$ref": str(place)}}:
            whole["items"] = _inner(others[place.rpartition("/")[2]], others)
        case {"items": dict() as items}:
            whole["items"] = _plain(msgspec.convert(items, dict[str, object]), others)
        case {"enum": [str(), *_]}:
            whole = {"type": "string", **whole}
        case {"enum": _}:
            whole = {"type": "integer", **whole}
        case _:
            pass
    if not whole.get("default", True):  # what is left out anyway: None, nothing, no
        del whole["default"]
    return whole


def _inner(definition: _Definition, others: Mapping[str, _Definition]) -> JSONObject:
    properties: dict[str, object] = {
        name: _plain(one, others) for name, one in definition.properties.items()
    }
    return object_schema(properties, required=definition.required)
