"""Tools: descriptions for clients, arguments and handlers; and the tools that a client can call.

The tools are listed before anything heavy is imported. A module of a tool therefore imports what
only its handler needs within the handler.
"""

import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import attrs
import msgspec

from tabwright.config.loader import Layer, LayerEntry, LayerRank, overlay
from tabwright.config.session_settings import session_settings
from tabwright.config.settings import TOOL_GROUPS, Settings
from tabwright.mcp.arguments import (
    RARE,
    JSONObject,
    argument_error,
    ignored_arguments,
    meant,
    object_schema,
    schema_of,
    unknown_argument_error,
)
from tabwright.mcp.client_questions import ConfirmationQuestion, SamplingQuestion
from tabwright.protocol.errors import BadInput, ErrorCode, NavigationFailed, TabwrightError
from tabwright.protocol.progress import OnProgress, ProgressEvent
from tabwright.protocol.snapshot import Thumbnail
from tabwright.protocol.untrusted_text import Parts
from tabwright.text.hints import OWN, ToolNames
from tabwright.text.similarity import did_you_mean

if TYPE_CHECKING:
    from tabwright.client import Tabwright

ArgsT = TypeVar("ArgsT")

_log = logging.getLogger("tabwright.gateway")


@attrs.frozen(kw_only=True)
class ToolAnnotations:
    """The effects of a tool, for clients that ask their user first (MCP, tool annotations).

    Attributes:
        read_only: whether it changes nothing.
        destructive: whether it can make irreversible changes, for example with a click that sends.
        idempotent: whether repeating it has no further effect.
        open_world: whether it interacts with the outside world, for example the web.
    """

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = True


READS = ToolAnnotations(read_only=True, idempotent=True)
"""For a tool that only reads."""

ACTS = ToolAnnotations(destructive=True)
"""For a tool that can cause irreversible changes on a page."""

SETS = ToolAnnotations(destructive=True, idempotent=True)
"""The same, but idempotent."""

LOOKS = ToolAnnotations(idempotent=True)
"""For a tool that changes nothing outside the browser."""

KEEPS = ToolAnnotations(idempotent=True, open_world=False)
"""For a tool that only changes tabwright's own state."""


# Settings of a call: arguments override those of the session, which override those of the user.

ARGUMENTS = {
    "language": "search.language",
    "links": "reading.links",
    "max_tier": "reading.max_tier",
    "max_tokens": "reading.max_tokens",
}
"""Arguments of calls that set settings."""


def request_layer(arguments: object) -> Layer:
    """Return the settings that the arguments of a call change; None changes nothing."""
    entries: dict[str, LayerEntry] = {}
    for name, key in ARGUMENTS.items():
        value: object = getattr(arguments, name, None)
        if value is not None:
            entries[key] = LayerEntry(value, name)
    return Layer(LayerRank.REQUEST, entries)


async def call_settings(tabwright: "Tabwright", arguments: object) -> Settings:
    """Return the settings of a call.

    Raises:
        BadInput: the settings that it opens its session with cannot be used.
    """
    session: str = getattr(arguments, "session", "")
    opening: Mapping[str, object] = getattr(arguments, "settings", {})
    if opening:
        own = session_settings(tabwright.settings, opening)
    elif session:
        own = await tabwright.session(session).settings()
    else:
        own = tabwright.settings
    return overlay(own, request_layer(arguments))


# What a handler is given, and what it returns.


@attrs.frozen
class TaskLine:
    """An event of a task, as a text to show."""

    text: str

    def __str__(self) -> str:
        return self.text


CallProgress: TypeAlias = ProgressEvent | SamplingQuestion | ConfirmationQuestion | TaskLine
"""Progress of a running call; its `str` is a text to show."""

OnCallProgress: TypeAlias = Callable[[CallProgress], None]
"""Called with the progress of a call, and with questions for its client; never blocks."""


@attrs.frozen
class CallContext:
    """The client that called a tool.

    Attributes:
        thinks: whether it offers its model.
        confirms: whether it can ask its user a question.
        shows_urls: whether it can show its user a page, so that a person can solve a CAPTCHA.
        asked_by_result: whether each question ends the call, so that only a few are possible.
    """

    on_progress: OnCallProgress
    thinks: bool
    asked_by_result: bool
    confirms: bool = False
    shows_urls: bool = False


@attrs.frozen
class ToolContext:
    """The dependencies of a handler.

    Attributes:
        tabwright: the only way to browsers, sessions and searches.
        client: the caller, and whether it offers its model.
        names: how hints name other tools to this client.
    """

    tabwright: "Tabwright"
    client: CallContext
    names: ToolNames = OWN

    @property
    def on_progress(self) -> OnProgress:
        """Report the progress of the call to the client."""
        return self.client.on_progress

    async def settings(self, arguments: object) -> Settings:
        """Return the settings of a call with these arguments; see `call_settings`.

        Raises:
            BadInput: the settings that it opens its session with cannot be used.
        """
        return await call_settings(self.tabwright, arguments)


def _as_parts(parts: Parts | str) -> Parts:
    return (parts,) if isinstance(parts, str) else parts


@attrs.frozen
class ToolResult:
    """The result of a tool.

    Attributes:
        parts: for the model, in order; plain strings are our own text.
        structured: for programs; its texts are page text, except those listed in its schema.
        images: for the model, too.
        is_error: whether it describes a failure.
        error: details of the failure for programs.
    """

    parts: Parts = attrs.field(converter=_as_parts)
    structured: JSONObject = attrs.field(factory=dict[str, object])
    images: tuple[Thumbnail, ...] = ()
    is_error: bool = False
    error: JSONObject | None = None


HTTP = (ErrorCode.HTTP_CLIENT, ErrorCode.HTTP_SERVER)


def failed(parts: Parts, error: TabwrightError | None = None) -> ToolResult:
    """Return a tool error with its kind and next steps in the metadata."""
    if error is not None:
        is_page_missing = isinstance(error, NavigationFailed) and error.code in HTTP
        is_daily = isinstance(error, BadInput) or is_page_missing  # it needs no review
        level = logging.INFO if is_daily else logging.WARNING
        _log.log(level, "A call failed: %s", error.kind, exc_info=error)
    internal: dict[str, object] = {"kind": "internal", "retryable": False, "effect": "unknown"}
    return ToolResult(parts, is_error=True, error=error.details() if error else internal)


# The tool.


def _schema_of_arguments(tool: "AnyTool") -> JSONObject:
    return schema_of(tool.arguments)


def _title_of(tool: "AnyTool") -> str:
    return tool.name.replace("_", " ").capitalize()


@attrs.frozen(kw_only=True)
class Tool(Generic[ArgsT]):
    """A tool: its advertised description, its arguments and its handler.

    Attributes:
        title: its name for people, by default with spaces.
        group: its group for `--tools`.
        handler: executes a call; raises `TabwrightError` on failure.
        output_schema: of what it returns for programs; by default, an object without any.
    """

    name: str
    description: str
    group: str
    annotations: ToolAnnotations
    arguments: type[ArgsT]
    handler: Callable[[ArgsT, ToolContext], Awaitable[ToolResult]]
    output_schema: JSONObject = attrs.field(factory=lambda: object_schema({}, required=[]))
    title: str = attrs.Factory(_title_of, takes_self=True)
    input_schema: JSONObject = attrs.Factory(_schema_of_arguments, takes_self=True)

    def ignored_arguments(self, given: JSONObject, /) -> tuple[str, ...]:
        """Return the names of arguments that a call can have without any effect."""
        return ignored_arguments(given, self.input_schema)

    def read_arguments(self, given: JSONObject) -> ArgsT:
        """Convert the arguments of a call; see `tabwright.mcp.arguments`.

        Raises:
            BadInput: an argument is missing, unknown, or of the wrong type; lists the accepted
                values.
        """
        given = meant(given, self.input_schema)
        if refusal := unknown_argument_error(self.name, given, self.input_schema):
            raise refusal
        try:
            return msgspec.convert(given, self.arguments)
        except msgspec.ValidationError as error:
            raise argument_error(self.name, str(error), self.input_schema) from error


AnyTool: TypeAlias = Tool[Any]
"""A tool in a list of tools with different argument types; each is typed at its definition."""


# The listing of a tool. Every conversation of an agent pays for each of its words.

DEFAULT_GROUPS = ("search", "read", "act")
"""The groups that are listed by default: a conversation can spare about this many tokens."""

LISTED = frozenset({"type", "description", "enum", "items", "default", "maximum"})
"""The keywords of an argument's JSON schema that are listed. Lower bounds are 0 or 1.

The default of ``session`` is left out, because every tool has it, and in the default groups its
description as well.
"""


def listed_tool(tool: AnyTool, *, output_schemas: bool = False) -> JSONObject:
    """Return the entry of a tool in `tools/list`."""
    titles: JSONObject = {} if tool.title == _title_of(tool) else {"title": tool.title}
    outputs: JSONObject = {"outputSchema": tool.output_schema} if output_schemas else {}
    hints = dict(_hints(tool.annotations))
    annotations: JSONObject = {"annotations": hints} if hints else {}
    return {
        "name": tool.name,
        **titles,
        "description": tool.description,
        "inputSchema": _terse(tool.input_schema, whole=tool.group not in DEFAULT_GROUPS),
        **outputs,
        **annotations,
    }


class _Schema(msgspec.Struct):
    properties: dict[str, dict[str, object]]
    required: list[str]


def _terse(schema: JSONObject, *, whole: bool) -> JSONObject:
    """Return the listed part of a schema, with the arguments that few calls need if `whole`."""
    known = msgspec.convert(schema, _Schema)
    properties = {
        name: {
            key: value
            for key, value in _one_type(one).items()
            if key in LISTED
            and (name != "session" or key == "type" or (whole and key != "default"))
        }
        for name, one in known.properties.items()
        if whole or not RARE.items() <= one.items()
    }
    required: JSONObject = {"required": known.required} if known.required else {}
    return {"type": "object", "properties": properties, **required}


def _one_type(argument: dict[str, object]) -> dict[str, object]:
    """Return the schema of an argument, as a string if it accepts several types.

    Few clients understand a choice of types. A call can use any of them, or write it as a string.
    """
    if "anyOf" not in argument:
        return argument
    ways = msgspec.convert(argument["anyOf"], list[dict[str, object]])
    return {**argument, **next(one for one in ways if one["type"] == "string")}


def _hints(annotations: ToolAnnotations) -> Iterator[tuple[str, bool]]:
    """Yield the annotations that differ from MCP's defaults."""
    if annotations.read_only:
        yield "readOnlyHint", True
    else:
        if not annotations.destructive:
            yield "destructiveHint", False
        if annotations.idempotent:
            yield "idempotentHint", True
    if not annotations.open_world:
        yield "openWorldHint", False


# The tools that a client can list and call.


@attrs.frozen(kw_only=True)
class Toolset:
    """The tools of a server.

    Attributes:
        tools: those that are listed, and the others of the core.
        more: imports the tools of plugins that can be called and are not listed.
        listed: groups whose tools are in `tools/list`.
        offered: groups whose tools can be called.
        instructions: instructions of the server for the client's model.
        output_schemas: whether output schemas are listed.
        live_view: whether a client can show the live view; see `tabwright.mcp.apps`.
        names: how hints name the tools.
        capabilities: what adds the tools of a group, for clients that know groups as capabilities;
            such clients expect an unknown tool to be reported as the result of the call.
    """

    tools: tuple[AnyTool, ...]
    instructions: str
    listed: Collection[str] = DEFAULT_GROUPS
    offered: Collection[str] = TOOL_GROUPS
    output_schemas: bool = False
    live_view: bool = False
    names: ToolNames = OWN
    capabilities: Mapping[str, str] = attrs.field(factory=dict[str, str])
    more: Callable[[], tuple[AnyTool, ...]] = tuple

    @property
    def every(self) -> tuple[AnyTool, ...]:
        """All tools, which takes the time to import those of plugins."""
        return tuple({tool.name: tool for tool in (*self.tools, *self.more())}.values())

    @property
    def listing(self) -> list[JSONObject]:
        """The entries of `tools/list`."""
        return [
            listed_tool(tool, output_schemas=self.output_schemas)
            for tool in self.tools
            if tool.group in self.listed
        ]

    def tool(self, name: str) -> AnyTool:
        """Return the tool of that name.

        Raises:
            BadInput: there is none, or it is not offered.
        """
        known = {tool.name: tool for tool in self.tools}
        if name not in known:
            known = {tool.name: tool for tool in self.every}
        if name not in known:
            offered = [tool.name for tool in known.values() if tool.group in self.offered]
            raise BadInput(
                f"Unknown tool: {name}.{did_you_mean(name, offered)}",
                advice=f"There are: {', '.join(offered)}.",
            )
        tool = known[name]
        if tool.group not in self.offered:
            raise BadInput(
                f"The tool {name} is not available: it is in the group {tool.group}.",
                advice=f"The user can start tabwright serve {self._option(tool)}.",
            )
        return tool

    def _option(self, tool: AnyTool) -> str:
        """Return the option of the server that offers a tool, too."""
        if tool.group in self.capabilities:
            return f"--caps {self.capabilities[tool.group]}"
        groups = dict.fromkeys((*self.offered, tool.group))
        order = {group: place for place, group in enumerate(TOOL_GROUPS)}
        named = sorted(groups, key=lambda group: order.get(group, len(order)))
        return f"--tools {','.join(named)}"


@attrs.frozen
class ToolsetOf:
    """The tools of a server that a plugin takes the place of.

    Attributes:
        make: returns them, for the settings of a server.
    """

    make: Callable[[Settings], Toolset]
