"""Type inference for tools: checked by mypy and pyright, never run."""

from typing import assert_type

import attrs

from tabwright.mcp.tool import READS, AnyTool, Tool, ToolContext, ToolResult
from tabwright.protocol.actions import Click, Outcome
from tabwright.protocol.inspection import Capture, Screenshot


@attrs.frozen
class Arguments:
    ref: str = ""


@attrs.frozen
class OtherArguments:
    query: str = ""


async def handle(arguments: Arguments, context: ToolContext) -> ToolResult:
    assert_type(await context.tabwright.session("default").act(Click(arguments.ref)), Outcome)
    assert_type(await context.tabwright.session("default").inspect(Capture()), Screenshot)
    return ToolResult("Clicked.")


async def handle_anything(arguments: object, context: ToolContext) -> ToolResult:
    del context
    return ToolResult(str(arguments))


async def return_text(arguments: Arguments, context: ToolContext) -> str:
    del context
    return arguments.ref


def tool_of_its_arguments() -> Tool[Arguments]:
    return Tool(
        name="click",
        description="",
        group="act",
        annotations=READS,
        arguments=Arguments,
        handler=handle,
        output_schema={},
    )


def arguments_are_known(tool: Tool[Arguments]) -> None:
    assert_type(tool.read_arguments({}), Arguments)


def handler_of_any_arguments_fits() -> tuple[AnyTool, ...]:
    general = Tool[OtherArguments](
        name="show",
        description="",
        group="act",
        annotations=READS,
        arguments=OtherArguments,
        handler=handle_anything,
        output_schema={},
    )
    return (general, tool_of_its_arguments())


def handler_of_other_arguments_is_an_error() -> Tool[OtherArguments]:
    return Tool[OtherArguments](
        name="click",
        description="",
        group="act",
        annotations=READS,
        arguments=OtherArguments,
        handler=handle,  # type: ignore[arg-type]
        output_schema={},
    )


def handler_that_returns_no_result_is_an_error() -> Tool[Arguments]:
    return Tool[Arguments](
        name="click",
        description="",
        group="act",
        annotations=READS,
        arguments=Arguments,
        handler=return_text,  # type: ignore[arg-type]
        output_schema={},
    )
