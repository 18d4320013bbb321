"""The shared part of playwright-mcp's tools: their hints."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import ACTS, READS, Tool, ToolAnnotations, ToolContext, ToolResult
from tabwright.plugins.playwright.targets import PlaywrightArguments
from tabwright.protocol.errors import TabwrightError

ArgsT = TypeVar("ArgsT", bound=PlaywrightArguments)


def playwright_tool(  # noqa: PLR0913  (the parts of a tool)
    name: str,
    description: str,
    arguments: type[ArgsT],
    handler: Callable[[ArgsT, ToolContext], Awaitable[ToolResult]],
    annotations: ToolAnnotations = ACTS,
    *,
    group: str | None = None,
) -> Tool[ArgsT]:
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

    return Tool(
        name=name,
        description=description,
        group=group or ("read" if annotations is READS else "act"),
        annotations=annotations,
        arguments=arguments,
        handler=handle,
        output_schema=object_schema({}, required=[]),
    )
