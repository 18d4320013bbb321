"""Shared parts of playwright-mcp's tools: older names of arguments, and their hints."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TypeVar

import attrs
import msgspec

from tabwright.mcp.arguments import JSONObject, object_schema
from tabwright.mcp.tool import ACTS, READS, Tool, ToolAnnotations, ToolContext, ToolResult
from tabwright.plugins.playwright.targets import PlaywrightArguments
from tabwright.protocol.errors import TabwrightError

ArgsT = TypeVar("ArgsT", bound=PlaywrightArguments)

OLDER_NAMES: Mapping[str, str] = {
    "ref": "target",
    "startRef": "startTarget",
    "endRef": "endTarget",
}
"""Older names of arguments."""


@attrs.frozen(kw_only=True)
class PlaywrightTool(Tool[ArgsT]):
    """A tool that also accepts older names of its arguments."""

    def read_arguments(self, given: JSONObject) -> ArgsT:
        return super().read_arguments(_renamed(given))


def _renamed(given: JSONObject) -> dict[str, object]:
    whole = {OLDER_NAMES.get(name, name): value for name, value in given.items()}
    with suppress(msgspec.ValidationError):  # reported where all arguments are read
        fields = msgspec.convert(whole.get("fields"), list[dict[str, object]])
        whole["fields"] = [_renamed(field) for field in fields]
    return whole


def playwright_tool(  # noqa: PLR0913  (the parts of a tool)
    name: str,
    description: str,
    arguments: type[ArgsT],
    handler: Callable[[ArgsT, ToolContext], Awaitable[ToolResult]],
    annotations: ToolAnnotations = ACTS,
    *,
    group: str | None = None,
) -> PlaywrightTool[ArgsT]:
    """Return a tool whose errors name the tools that its clients know.

    Without a group, the tool is always offered.
    """

    async def handle(arguments: ArgsT, context: ToolContext) -> ToolResult:
        """Call `handler`, and rewrite the advice of its errors with the client's tool names."""
        try:
            return await handler(arguments, context)
        except TabwrightError as error:
            error.advice = context.names.advice(error)
            raise

    return PlaywrightTool(
        name=name,
        description=description,
        group=group or ("read" if annotations is READS else "act"),
        annotations=annotations,
        arguments=arguments,
        handler=handle,
        output_schema=object_schema({}, required=[]),
    )
