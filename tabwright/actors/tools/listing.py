"""A tool as ``tools/list`` names it: every word of it costs each conversation of an agent."""

from collections.abc import Iterator

import msgspec

from tabwright.actors.tools.schema import PLAIN, RARE, JSONObject
from tabwright.mcp.tool import Effects, Tool

TOLD = frozenset({"type", "description", "enum", "items"})
"""What is said of an argument; of its bounds a call that oversteps them is told, and what has a
default may as well be left out."""


def listed_tool(tool: Tool[object], *, output_schemas: bool = False) -> JSONObject:
    """What a client is told of a tool."""
    outputs: JSONObject = {"outputSchema": tool.output_schema} if output_schemas else {}
    hints = dict(_hints(tool.effects))
    annotations: JSONObject = {"annotations": hints} if hints else {}
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": _terse(tool.input_schema),
        **outputs,
        **annotations,
    }


class _Schema(msgspec.Struct):
    properties: dict[str, dict[str, object]]
    required: list[str]


def _terse(schema: JSONObject) -> JSONObject:
    whole = msgspec.convert(schema, _Schema)
    properties = {
        name: _shortened(one)
        for name, one in whole.properties.items()
        if not RARE.items() <= one.items()
    }
    required: JSONObject = {"required": whole.required} if whole.required else {}
    return {"type": "object", "properties": properties, **required}


def _shortened(argument: dict[str, object]) -> JSONObject:
    told = TOLD - {"description"} if PLAIN.items() <= argument.items() else TOLD
    return {key: value for key, value in _one_type(argument).items() if key in told}


def _one_type(argument: dict[str, object]) -> dict[str, object]:
    """The argument; one that may also be of another type than text is listed as text.

    Few clients understand a choice of types. A call may use any of them, or its spelling as text.
    """
    if "anyOf" not in argument:
        return argument
    ways = msgspec.convert(argument["anyOf"], list[dict[str, object]])
    return {**argument, **next(one for one in ways if one["type"] == "string")}


def _hints(effects: Effects) -> Iterator[tuple[str, bool]]:
    """The annotations that differ from what MCP assumes; what only looks needs no more words."""
    if effects.read_only:
        yield "readOnlyHint", True
    else:
        if not effects.destructive:
            yield "destructiveHint", False
        if effects.idempotent:
            yield "idempotentHint", True
    if not effects.open_world:
        yield "openWorldHint", False
