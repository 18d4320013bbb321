"""A tool: its description for clients, its arguments, and which tools a client can call."""

from collections.abc import Collection, Iterator
from typing import Generic, TypeVar

import attrs
import msgspec

from tabwright.config.settings import TOOL_GROUPS, ToolGroup
from tabwright.mcp.arguments import (
    PLAIN,
    RARE,
    JSONObject,
    argument_error,
    close_match,
    meant,
    schema_of,
    unknown_argument_error,
)
from tabwright.protocol.errors import BadInput

ArgumentsT_co = TypeVar("ArgumentsT_co", covariant=True)


@attrs.frozen(kw_only=True)
class ToolAnnotations:
    """What calling a tool may do, for clients that ask their user first (MCP, tool annotations).

    Attributes:
        read_only: whether it changes nothing.
        destructive: whether it may change what cannot be brought back, as a click that sends.
        idempotent: whether doing it twice does no more than doing it once.
        open_world: whether it deals with what is outside of this program, as the web.
    """

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = True


READS = ToolAnnotations(read_only=True, idempotent=True)
"""Of a tool that only looks."""

ACTS = ToolAnnotations(destructive=True)
"""Of a tool that may have a page do what cannot be brought back."""

SETS = ToolAnnotations(destructive=True, idempotent=True)
"""The same, where twice is as once."""

LOOKS = ToolAnnotations(idempotent=True)
"""Of a tool that changes nothing outside of the browser."""

KEEPS = ToolAnnotations(idempotent=True, open_world=False)
"""Of a tool that only changes what this program keeps."""


def _schema_of_arguments(tool: "Tool[object]") -> JSONObject:
    return schema_of(tool.arguments)


@attrs.frozen(kw_only=True)
class Tool(Generic[ArgumentsT_co]):
    """A tool as it is advertised, and the shape of its arguments.

    Attributes:
        group: what `--tools` switches it on by.
    """

    name: str
    description: str
    group: ToolGroup
    effects: ToolAnnotations
    arguments: type[ArgumentsT_co]
    output_schema: JSONObject
    input_schema: JSONObject = attrs.Factory(_schema_of_arguments, takes_self=True)

    def read_arguments(self, given: JSONObject) -> ArgumentsT_co:
        """The arguments of a call, as they are meant; see `tabwright.mcp.arguments`.

        Raises:
            BadInput: one is missing, unknown, or of the wrong type; with what is accepted.
        """
        given = meant(given, self.input_schema)
        if refusal := unknown_argument_error(self.name, given, self.input_schema):
            raise refusal
        try:
            return msgspec.convert(given, self.arguments)
        except msgspec.ValidationError as error:
            raise argument_error(self.name, str(error), self.input_schema) from error


# The listing of a tool: every word costs each conversation of an agent.

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


def _hints(effects: ToolAnnotations) -> Iterator[tuple[str, bool]]:
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


# The tools that a client can list and call.

DEFAULT_GROUPS: tuple[ToolGroup, ...] = ("search", "read", "act")
"""What is listed where nobody says otherwise: about what a conversation can spare."""


@attrs.frozen(kw_only=True)
class Toolset(Generic[ArgumentsT_co]):
    """The tools of a server.

    Attributes:
        tools: all that there are.
        listed, offered: the groups of those that a client is told of, and that it may call.
        instructions: what it may tell its model about them.
        output_schemas: whether it is told what shape their records have.
    """

    tools: tuple[Tool[ArgumentsT_co], ...]
    instructions: str
    listed: Collection[ToolGroup] = DEFAULT_GROUPS
    offered: Collection[ToolGroup] = TOOL_GROUPS
    output_schemas: bool = False

    @property
    def listing(self) -> list[JSONObject]:
        """What `tools/list` gives."""
        return [
            listed_tool(tool, output_schemas=self.output_schemas)
            for tool in self.tools
            if tool.group in self.listed
        ]

    def tool(self, name: str) -> Tool[ArgumentsT_co]:
        """The tool of that name.

        Raises:
            BadInput: there is none, or it is not offered.
        """
        known = {tool.name: tool for tool in self.tools}
        if name not in known:
            offered = [tool.name for tool in self.tools if tool.group in self.offered]
            raise BadInput(
                f"Unknown tool: {name}.{close_match(name, offered)}",
                advice=f"There are: {', '.join(offered)}.",
            )
        tool = known[name]
        if tool.group not in self.offered:
            raise BadInput(
                f"The tool {name} is not offered here: it is in the group {tool.group}.",
                advice=f"The user may start tabwright serve --tools {_with(tool, self.offered)}.",
            )
        return tool


def _with(tool: Tool[object], offered: Collection[ToolGroup]) -> str:
    return ",".join(group for group in TOOL_GROUPS if group in {*offered, tool.group})
