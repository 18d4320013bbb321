"""A tool as one value: its description, its arguments and its handler."""

import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from random import Random
from textwrap import dedent

import attrs
import trio
from mcp.client.client import Client

from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import open_tabwright
from tabwright.config.loader import settings_from
from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import READS, AnyTool, Tool, ToolContext, ToolResult, Toolset
from tabwright.mcp.tool_calls import ToolCalls
from tabwright.plugins.playwright.tools import PLAYWRIGHT
from tabwright.protocol.errors import BadInput
from tabwright.protocol.progress import AnswerProgress
from tabwright.protocol.snapshot import Thumbnail
from tabwright.protocol.untrusted_text import Quoted
from tabwright.testing.demo import text_of
from tabwright.testing.determinism import simulated_environment
from tabwright.testing.fake import FakeSite, fake_launcher
from tabwright.text.hints import OWN

PICTURE = Thumbnail(0, "", "", "image/jpeg", b"jpeg", 1, 1)


@attrs.frozen
class SumArguments:
    numbers: tuple[int, ...]


async def add(arguments: SumArguments, context: ToolContext) -> ToolResult:
    sessions = await context.tabwright.list_sessions()
    context.on_progress(AnswerProgress("adding"))
    total = sum(arguments.numbers)
    record = {"total": total, "sessions": len(sessions)}
    return ToolResult(("The sum:", Quoted(str(total))), record, (PICTURE,))


async def refuse(arguments: SumArguments, context: ToolContext) -> ToolResult:
    raise BadInput(f"{arguments.numbers} have no sum.", advice="Give others.")


async def fail(arguments: SumArguments, context: ToolContext) -> ToolResult:
    raise ZeroDivisionError


async def is_playwright(arguments: SumArguments, context: ToolContext) -> ToolResult:
    return ToolResult(str(context.names is PLAYWRIGHT))


def tool(handler) -> AnyTool:
    return Tool(
        name="sum",
        description="Add numbers.",
        group="read",
        annotations=READS,
        arguments=SumArguments,
        handler=handler,
        output_schema=object_schema({"total": {"type": "integer"}}, required=["total"]),
    )


@asynccontextmanager
async def client(handler, names=OWN) -> AsyncGenerator[Client]:
    random = Random(0)
    environment = simulated_environment(fake_launcher(FakeSite(), random), random)
    tools = Toolset(tools=(tool(handler),), instructions="", names=names)
    async with (
        open_tabwright(settings_from(), environment) as tabwright,
        trio.open_nursery() as nursery,
    ):
        async with Client(
            MCPGateway(tabwright, nursery, ToolCalls(tabwright, nursery, tools)).server
        ) as opened:
            yield opened


async def test_custom_tool_is_listed_and_called(autojump_clock):
    steps: list[str | None] = []

    async def on_event(progress: float, total: float | None, message: str | None) -> None:
        steps.append(message)

    async with client(add) as opened:
        [listed] = (await opened.list_tools()).tools
        result = await opened.call_tool("sum", {"numbers": ["1", 2]}, progress_callback=on_event)
    assert listed.name == "sum"
    assert set(listed.input_schema["properties"]) == {"numbers"}
    assert not result.is_error
    assert text_of(result).splitlines()[0] == "The sum:"
    assert result.meta["tabwright/record"] == {"total": 3}
    assert [one.type for one in result.content] == ["text", "image"]
    assert steps == ["adding"]


async def test_handler_that_refuses_is_an_error_with_its_kind(autojump_clock):
    async with client(refuse) as opened:
        result = await opened.call_tool("sum", {"numbers": [1]})
    assert result.is_error
    assert result.meta["tabwright/error"]["kind"] == "bad_input"


async def test_handler_with_a_bug_is_an_internal_error(autojump_clock):
    async with client(fail) as opened:
        result = await opened.call_tool("sum", {"numbers": [1]})
    assert result.is_error
    assert result.meta["tabwright/error"]["kind"] == "internal"


async def test_invalid_arguments_never_reach_the_handler(autojump_clock):
    async with client(fail) as opened:
        result = await opened.call_tool("sum", {"numbers": ["many"]})
    assert result.meta["tabwright/error"]["kind"] == "bad_input"


async def test_handler_is_given_the_names_of_the_toolset(autojump_clock):
    async with client(is_playwright, PLAYWRIGHT) as opened:
        assert text_of(await opened.call_tool("sum", {"numbers": []})) == "True"


def test_listing_tools_imports_nothing_that_only_handlers_need():
    script = """
        import sys

        from tabwright.config.engines import load_engines
        from tabwright.plugins.playwright.tools import playwright_tools
        from tabwright.mcp.registry import tools

        assert (*tools("en-US", load_engines()), *playwright_tools())
        heavy = ("mcp", "mcp_types", "pydantic", "httpcore2", "tabwright.client")
        packages = ("content", "page", "reader", "search", "agent", "http", "browser")
        prefixes = tuple(f"tabwright.{name}" for name in packages)
        print(*(name for name in sys.modules if name in heavy))
        print(*(name for name in sys.modules if name.startswith(prefixes)))
    """
    command = [sys.executable, "-c", dedent(script)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout.split() == []
