"""Reads the JSON Schema that a caller wants filled in."""

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
    """A JSON Schema as it is given."""

    type: str | list[str] = ""
    properties: dict[str, "_SchemaNode"] = {}
    items: "_SchemaNode | None" = None
    selector: Annotated[str, Meta(max_length=1000)] = ""
    attribute: Annotated[str, Meta(max_length=100)] = ""


def read_schema(schema: Mapping[str, object]) -> DataSchema:
    """Return the schema of a JSON Schema; keywords other than ours are ignored.

    Raises:
        BadInput: it is not the schema of an object or of an array of objects.
    """
    try:
        node = msgspec.convert(schema, _SchemaNode)
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadInput(f"The schema is not valid: {error}.", advice=ADVICE) from error
    whole = _schema(node, 0)
    content = whole.items if whole.type == "array" else whole
    if content is None or content.type != "object" or not content.properties:
        raise BadInput("The schema names no properties.", advice=ADVICE)
    if _count(whole) > PROPERTIES_MAX:
        raise BadInput(f"The schema has more than {PROPERTIES_MAX} properties.", advice=ADVICE)
    return whole


def _schema(node: _SchemaNode, depth: int) -> DataSchema:
    if depth > DEPTH_MAX:
        raise BadInput(f"The schema is nested more than {DEPTH_MAX} deep.", advice=ADVICE)
    named = [node.type] if isinstance(node.type, str) else node.type
    implied = "object" if node.properties else "array" if node.items else "string"
    kind = next((one for one in named if one not in {"", "null"}), implied)
    if kind not in get_args(ValueType):
        raise BadInput(f"The schema has the unknown type {kind!r}.", advice=ADVICE)
    return DataSchema(
        type=msgspec.convert(kind, ValueType),
        properties={name: _schema(one, depth + 1) for name, one in node.properties.items()},
        items=_schema(node.items, depth + 1) if node.items else None,
        selector=node.selector,
        attribute=node.attribute,
    )


def _count(schema: DataSchema) -> int:
    inner = sum(map(_count, schema.properties.values()))
    return 1 + inner + (_count(schema.items) if schema.items else 0)
