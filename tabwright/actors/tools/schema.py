"""JSON schemas: of arguments, from the classes that hold them; of what tools give."""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

JSONObject: TypeAlias = Mapping[str, object]

RARE = {"rare": True}
"""Marks the schema of an argument that few calls want."""

ELEMENT = {"element": True}
"""Marks the schema of an argument that names an element of a page."""

ADDRESS = {"address": True}
"""Marks the schema of an argument that is a URL, whose scheme may be left out."""

PLAIN = {"plain": True}
"""Marks the schema of an argument whose name says enough."""


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
    whole = schemas[arguments.__name__]
    properties: dict[str, object] = {
        name: {**_plain(one, schemas), **known.get(name, {})}
        for name, one in whole.properties.items()
    }
    return object_schema(properties, required=whole.required)


class _SchemaNode(
    msgspec.Struct,
    omit_defaults=True,
    rename={
        "any_of": "anyOf",
        "prefix_items": "prefixItems",
        "ref": "$ref",
        "more": "additionalProperties",
        "above": "exclusiveMinimum",
        "items_min": "minItems",
        "items_max": "maxItems",
    },
):
    """An argument as msgspec describes it."""

    type: str = ""
    description: str = ""
    enum: list[str | int] = []
    items: "_SchemaNode | bool | None" = None
    default: object = None
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    items_min: int | None = None
    items_max: int | None = None
    properties: dict[str, "_SchemaNode"] = {}
    required: list[str] = []
    more: "_SchemaNode | None" = None
    rare: bool = False
    plain: bool = False
    element: bool = False
    address: bool = False
    any_of: list["_SchemaNode"] = []
    prefix_items: list["_SchemaNode"] = []
    ref: str = ""


class _Schemas(msgspec.Struct, rename={"definitions": "$defs"}):
    definitions: dict[str, _SchemaNode]


def _plain(argument: _SchemaNode, others: Mapping[str, _SchemaNode]) -> dict[str, object]:
    """Without what only says that a thing may be left out, and in one piece."""
    match argument.any_of:
        case [sole, _SchemaNode(type="null")]:
            return _plain(sole, others)
        case _:
            pass
    if argument.ref:
        argument = others[argument.ref.rpartition("/")[2]]
    whole = msgspec.convert(msgspec.to_builtins(argument), dict[str, object])
    if argument.enum:
        kind = "string" if isinstance(argument.enum[0], str) else "integer"
        whole = {"type": kind, **whole}
    for one in (argument.items, *argument.prefix_items):  # of a pair both are alike
        whole |= {"items": _plain(one, others)} if isinstance(one, _SchemaNode) else {}
    if argument.properties:
        inner = {name: _plain(one, others) for name, one in argument.properties.items()}
        whole["properties"] = inner
    if not argument.default:  # what is left out anyway: None, nothing, no
        whole.pop("default", None)
    whole.pop("prefixItems", None)
    return whole
