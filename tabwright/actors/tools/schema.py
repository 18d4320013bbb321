"""JSON schemas of arguments, from the classes that hold them."""

from collections.abc import Mapping

import msgspec

from tabwright.actors.tools.tool import JSONObject


def schema_of(arguments: type) -> JSONObject:
    """The schema of a class of arguments, whose types and defaults say all there is."""
    generated = msgspec.json.schema(arguments)
    definition = msgspec.convert(generated["$defs"][arguments.__name__], _Definition)
    properties = {name: _plain(one) for name, one in definition.properties.items()}
    return {"type": "object", "properties": properties, "required": definition.required}


class _Definition(msgspec.Struct):
    properties: dict[str, dict[str, object]]
    required: list[str] = []


def _plain(schema: Mapping[str, object]) -> dict[str, object]:
    """Without what only says that a thing may be left out."""
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
    if "enum" in whole:
        whole = {"type": "string", **whole}
    if not whole.get("default", True):  # what is left out anyway: None, nothing, no
        del whole["default"]
    return whole
