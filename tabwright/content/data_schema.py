"""Reads the JSON Schema that a caller wants filled in.

Programs write optional values as ``anyOf`` with the type null, and put nested objects into
``$defs``.
"""

from collections.abc import Mapping
from typing import Annotated, get_args

import msgspec
from msgspec import Meta

from tabwright.protocol.errors import BadInput
from tabwright.protocol.structured_data import DataSchema, ValueType

PROPERTIES_MAX = 200
"""Maximum number of properties of a schema, including nested ones."""

DEPTH_MAX = 5
"""Maximum nesting of a schema."""

ADVICE = (
    'Use an object such as {"type": "object", "properties": {"price": {"type": "number"}}}, '
    "or an array of such objects."
)


class _SchemaNode(msgspec.Struct):
    """A JSON Schema as it is given; a required property needs no schema of its own.

    Attributes:
        any_of: alternatives, of which the first that is not null is used; so are `one_of` and
            `all_of`.
        ref: the place of the schema to use, in `defs` or `definitions` of the whole schema.
    """

    type: str | list[str] = ""
    properties: dict[str, "_SchemaNode"] = {}
    required: list[str] | bool = False
    items: "_SchemaNode | None" = None
    selector: Annotated[str, Meta(max_length=1000)] = ""
    attribute: Annotated[str, Meta(max_length=100)] = ""
    any_of: list["_SchemaNode"] = msgspec.field(name="anyOf", default=[])
    one_of: list["_SchemaNode"] = msgspec.field(name="oneOf", default=[])
    all_of: list["_SchemaNode"] = msgspec.field(name="allOf", default=[])
    ref: str = msgspec.field(name="$ref", default="")
    defs: dict[str, "_SchemaNode"] = msgspec.field(name="$defs", default={})
    definitions: dict[str, "_SchemaNode"] = {}


def read_schema(schema: Mapping[str, object]) -> DataSchema:
    """Return the schema of a JSON Schema; keywords other than ours are ignored.

    Raises:
        BadInput: it is not the schema of an object or of an array of objects.
    """
    try:
        node = msgspec.convert(schema, _SchemaNode)
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadInput(f"The schema is not valid: {error}.", advice=ADVICE) from error
    places = {f"#/$defs/{name}": one for name, one in node.defs.items()}
    places |= {f"#/definitions/{name}": one for name, one in node.definitions.items()}
    whole = _schema(node, places, 0)
    content = whole.items if whole.type == "array" else whole
    if content is None or content.type != "object" or not content.properties:
        raise BadInput("The schema names no properties.", advice=ADVICE)
    if _count(whole) > PROPERTIES_MAX:
        raise BadInput(f"The schema has more than {PROPERTIES_MAX} properties.", advice=ADVICE)
    return whole


def _schema(given: _SchemaNode, places: Mapping[str, _SchemaNode], depth: int) -> DataSchema:
    node = _meant(given, places)
    required = node.required if isinstance(node.required, list) else []
    properties = node.properties | {
        name: _SchemaNode() for name in required if name not in node.properties
    }
    if depth > DEPTH_MAX:
        raise BadInput(f"The schema is nested more than {DEPTH_MAX} deep.", advice=ADVICE)
    named = [node.type] if isinstance(node.type, str) else node.type
    implied = "object" if properties else "array" if node.items else "string"
    kind = next((one for one in named if one not in {"", "null"}), implied)
    if kind not in get_args(ValueType):
        raise BadInput(f"The schema has the unknown type {kind!r}.", advice=ADVICE)
    return DataSchema(
        type=msgspec.convert(kind, ValueType),
        properties={name: _schema(one, places, depth + 1) for name, one in properties.items()},
        items=_schema(node.items, places, depth + 1) if node.items else None,
        selector=given.selector or node.selector,
        attribute=given.attribute or node.attribute,
    )


def _meant(node: _SchemaNode, places: Mapping[str, _SchemaNode]) -> _SchemaNode:
    """Return the schema that another one names, or its first alternative that is not null."""
    for _ in range(DEPTH_MAX):
        alternatives = (*node.any_of, *node.one_of, *node.all_of)
        if node.ref and node.ref not in places:
            raise BadInput(f"The schema has no {node.ref}.", advice=ADVICE)
        if node.ref:
            node = places[node.ref]
        elif alternatives and not node.properties:
            node = next((one for one in alternatives if one.type != "null"), alternatives[0])
        else:
            return node
    raise BadInput(f"The schema refers to others more than {DEPTH_MAX} times.", advice=ADVICE)


def _count(schema: DataSchema) -> int:
    inner = sum(map(_count, schema.properties.values()))
    return 1 + inner + (_count(schema.items) if schema.items else 0)
