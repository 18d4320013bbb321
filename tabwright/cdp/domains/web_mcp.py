"""The WebMCP domain (experimental): tools that a page offers to agents.

Chromium has it with the feature ``WebMCP`` (https://webmachinelearning.github.io/webmcp).
"""

from typing import Literal

from tabwright.cdp.wire import JSON, CDPCommand, Event, Nothing, Raw, Shape

FEATURE = "WebMCP"
"""The feature of Chromium that gives pages the API."""


class ToolHints(Shape, frozen=True):
    """Hints of the page about a tool."""

    read_only: bool = False


class OfferedTool(Shape, frozen=True):
    """A tool of a page; `input_schema` is a JSON schema."""

    name: str
    description: str
    frame_id: str
    input_schema: Raw = Raw(b"{}")
    annotations: ToolHints | None = None


class WithdrawnTool(Shape, frozen=True):
    """A tool that a page no longer offers."""

    name: str
    frame_id: str


class ToolsAdded(Event, frozen=True):
    """A page offers tools; after `enable`, all that it offers already."""

    method = "WebMCP.toolsAdded"
    tools: tuple[OfferedTool, ...]


class ToolsRemoved(Event, frozen=True):
    """A page no longer offers tools; not sent when its document goes."""

    method = "WebMCP.toolsRemoved"
    tools: tuple[WithdrawnTool, ...]


class ToolResponded(Event, frozen=True):
    """The answer to a call; `output` only if it was completed."""

    method = "WebMCP.toolResponded"
    invocation_id: str
    status: Literal["Completed", "Canceled", "Error"]
    output: Raw = Raw(b"null")
    error_text: str = ""


class Invocation(Shape, frozen=True):
    """A running call."""

    invocation_id: str


EVENTS = (ToolsAdded, ToolsRemoved)


def enable() -> CDPCommand[Nothing]:
    """WebMCP.enable."""
    return CDPCommand("WebMCP.enable", {}, Nothing)


def invoke_tool(frame_id: str, name: str, given: Raw) -> CDPCommand[Invocation]:
    """WebMCP.invokeTool with a JSON object; `ToolResponded` has the answer."""
    params: dict[str, JSON] = {"frameId": frame_id, "toolName": name, "input": given}
    return CDPCommand("WebMCP.invokeTool", params, Invocation)


def cancel_invocation(invocation_id: str) -> CDPCommand[Nothing]:
    """WebMCP.cancelInvocation."""
    return CDPCommand("WebMCP.cancelInvocation", {"invocationId": invocation_id}, Nothing)
