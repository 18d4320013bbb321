"""Tools that pages offer (WebMCP) as MCP tools: named by their origin, fenced and confirmed."""

import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from secrets import token_hex
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

import attrs
import msgspec
import trio

from tabwright.mcp.arguments import JSONObject, object_schema
from tabwright.mcp.client_questions import ConfirmationQuestion
from tabwright.mcp.page_results import evaluation_result
from tabwright.mcp.tool import Tool, ToolAnnotations, ToolContext, ToolResult, listed_tool
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.inspection import CallPageTool, PageTool
from tabwright.protocol.untrusted_text import Quoted, fence_untrusted

if TYPE_CHECKING:
    from tabwright.client import Tabwright

NAME_MAX = 64
"""Maximum length of a tool's name that every client accepts."""

SHOWN_MAX = 4000
"""Maximum characters of arguments that a user can be asked to confirm."""

CONFIRM_S = 120.0
"""Seconds for the user to confirm a call."""

_FENCE = re.compile(r"</?untrusted \w+>")
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")

GivenArguments: TypeAlias = dict[str, object]


class _Property(msgspec.Struct):
    type: str = ""


class _InputSchema(msgspec.Struct):
    properties: dict[str, _Property] = {}
    required: list[str] = []


class _Content(msgspec.Struct):
    type: str
    text: str


class _Output(msgspec.Struct):
    content: list[_Content]


@attrs.frozen(kw_only=True)
class PageMCPTool(Tool[GivenArguments]):
    """A tool of a page; only the page knows which arguments it accepts."""

    def ignored_arguments(self, _: JSONObject, /) -> tuple[str, ...]:
        """Return no names: the page reads all arguments."""
        return ()

    def read_arguments(self, given: JSONObject) -> GivenArguments:
        """Return the arguments as they are."""
        return dict(given)


class PageTools:
    """The tools of the pages that are open in sessions, as one client sees them."""

    def __init__(self, tabwright: "Tabwright") -> None:
        self._tabwright = tabwright
        self._tools = dict[str, Mapping[str, PageMCPTool]]()

    @property
    def listing(self) -> list[JSONObject]:
        """The entries of `tools/list`."""
        return [listed_tool(tool) for tools in self._tools.values() for tool in tools.values()]

    def tool(self, name: str) -> PageMCPTool | None:
        """Return the tool of that name; None if no page offers it."""
        return next((tools[name] for tools in self._tools.values() if name in tools), None)

    async def refresh(self, session: str, changed: Callable[[], Awaitable[None]]) -> None:
        """Find the tools that a session's page offers now; call `changed` if they differ."""
        if self._tabwright.settings.acting.page_tools == "off":
            return
        with suppress(TabwrightError, trio.ClosedResourceError, trio.BrokenResourceError):
            offered = await self._tabwright.session(session).page_tools()
            others = [tools for name, tools in self._tools.items() if name != session]
            found = mcp_tools(session, offered, taken=frozenset[str]().union(*others))
            if _offers(found) != _offers(self._tools.get(session, {})):
                self._tools.pop(session, None)
                if found:
                    self._tools[session] = found
                await changed()


def _offers(tools: Mapping[str, PageMCPTool]) -> list[tuple[str, str, bool]]:
    """Return what a client sees of the tools of a page, without the nonces of their fences."""
    return [
        (name, _FENCE.sub("", tool.description), tool.annotations.read_only)
        for name, tool in tools.items()
    ]


def mcp_tools(
    session: str, tools: tuple[PageTool, ...], taken: Collection[str]
) -> Mapping[str, PageMCPTool]:
    """Return the tools of a session's page by their MCP names, none of which is `taken`."""
    named = dict[str, PageMCPTool]()
    for tool in tools:
        name = _name(tool)
        number = 1
        while name in named or name in taken:
            number += 1
            name = f"{_name(tool)[: NAME_MAX - 4]}_{number}"
        named[name] = _mcp_tool(name, session, tool)
    return named


def _name(tool: PageTool) -> str:
    host = _UNFIT.sub("_", urlsplit(tool.origin).netloc.replace(":", "_"))
    return f"page_{host}_{_UNFIT.sub('_', tool.name)}"[:NAME_MAX]


def _mcp_tool(name: str, session: str, tool: PageTool) -> PageMCPTool:
    async def call(arguments: GivenArguments, context: ToolContext) -> ToolResult:
        """Call the tool in the session's page, once the user has confirmed it."""
        tabwright = context.tabwright
        given = msgspec.json.encode(arguments).decode()
        if not tool.read_only and tabwright.settings.acting.page_tools == "confirm":
            await _confirm(tool, given, context)
        evaluation = await tabwright.session(session).inspect(
            CallPageTool(tool.name, tool.origin, given)
        )
        masked = tabwright.parts.secrets.masked(_text(evaluation.json))
        budget = tabwright.settings.reading.outline_tokens_max
        return evaluation_result(evaluation, masked, context.names, budget)

    theirs = (Quoted(tool.description), Quoted(f"Input schema: {tool.input_schema or '{}'}"))
    ours = f"Tool of the page at {tool.origin}, open in the session {session!r}."
    return PageMCPTool(
        name=name,
        description=fence_untrusted((ours, *theirs), token_hex(3)),
        group="act",
        annotations=ToolAnnotations(read_only=tool.read_only),
        arguments=dict,
        handler=call,
        output_schema=object_schema({"json": {"type": "string"}}, required=["json"]),
        input_schema=_shape(tool.input_schema),
    )


def _shape(schema: str) -> JSONObject:
    """Return the names and types of a page's schema, without its texts."""
    try:
        known = msgspec.json.decode(schema or "{}", type=_InputSchema)
    except msgspec.DecodeError:
        known = _InputSchema()
    types = {"string", "number", "integer", "boolean", "array", "object"}
    properties: dict[str, object] = {
        name: {"type": one.type} if one.type in types else {}
        for name, one in known.properties.items()
        if not _UNFIT.search(name) and len(name) <= NAME_MAX
    }
    return object_schema(properties, required=[one for one in known.required if one in properties])


def _text(output: str) -> str:
    """Return the text of a result in MCP's form, or the result itself."""
    try:
        parts = msgspec.json.decode(output, type=_Output).content
    except msgspec.DecodeError:
        return output
    return "\n".join(part.text for part in parts)


async def _confirm(tool: PageTool, given: str, context: ToolContext) -> None:
    """Let the user confirm a call that may change something.

    Raises:
        BadInput: the client cannot ask its user, or the user declined.
    """
    if not context.client.confirms:
        raise BadInput(
            "The tool of the page may change something, and this client cannot ask its user.",
            advice="The user can set acting.page_tools: allow.",
        )
    if len(given) > SHOWN_MAX:
        raise BadInput(
            f"The user would have to confirm more than {SHOWN_MAX} characters of arguments.",
            advice="Pass shorter arguments.",
        )
    what = f"its tool {tool.name[:NAME_MAX]!r} with {given}"
    question = ConfirmationQuestion(f"Allow the page {tool.origin} to run {what}?")
    context.client.on_progress(question)
    if not await question.confirmed(CONFIRM_S):
        raise BadInput("The user did not confirm the call.", advice="Do not call it again.")
