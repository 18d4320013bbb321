"""The tools listed for a client, and errors for unknown tools and wrong arguments."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from random import Random

import pytest
import trio
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import open_tabwright
from tabwright.config.engines import load_engines
from tabwright.config.loader import override, settings_from
from tabwright.mcp.registry import toolbox
from tabwright.testing.demo import text_of
from tabwright.testing.determinism import simulated_environment
from tabwright.testing.fake import FakeSite, fake_launcher


@asynccontextmanager
async def client(**settings: object) -> AsyncGenerator[Client]:
    random = Random(0)
    chosen = settings_from(override(**settings))
    environment = simulated_environment(fake_launcher(FakeSite(), random), random)
    async with open_tabwright(chosen, environment) as tabwright, trio.open_nursery() as nursery:
        async with Client(MCPGateway(tabwright, nursery).server) as opened:
            yield opened


async def names(opened: Client) -> list[str]:
    return [tool.name for tool in (await opened.list_tools()).tools]


async def test_a_tool_that_is_not_listed_can_be_called(autojump_clock):
    async with client() as opened:
        listed = await names(opened)
        answer = await opened.call_tool("session_list", {})
    assert "session_list" not in listed
    assert text_of(answer) == "No session is open."


@pytest.mark.parametrize(
    ("settings", "language"),
    [
        ({}, "zh-CN"),
        ({"network__languages": ["de", "en"]}, "de"),
        ({"network__languages": ["de"], "search__language": "en-US"}, "en-US"),
    ],
)
async def test_default_language_of_answers_is_in_the_schema(settings, language, autojump_clock):
    async with client(**settings) as opened:
        tools = {tool.name: tool for tool in (await opened.list_tools()).tools}
    schema = tools["google_ai_search"].input_schema["properties"]["language"]
    assert schema["default"] == language


async def test_only_tools_of_the_chosen_groups_are_available(autojump_clock):
    async with client(mcp__tools=("sessions",)) as opened:
        listed = await names(opened)
        with pytest.raises(MCPError, match="it is in the group read"):
            await opened.call_tool("browse", {"url": "http://a.example/"})
    every = toolbox(settings_from(), load_engines()).tools
    assert listed == [tool.name for tool in every if tool.group == "sessions"]
    assert "session_list" in listed


async def test_unknown_tool_error_suggests_the_nearest_name(autojump_clock):
    async with client() as opened:
        with pytest.raises(MCPError, match=r"Unknown tool: brows\. Did you mean browse\?"):
            await opened.call_tool("brows", {})


async def test_unknown_argument_error_suggests_the_nearest_name(autojump_clock):
    async with client() as opened:
        wrong = await opened.call_tool("browse", {"url": "http://a.example/", "max_token": 5})
    assert wrong.is_error
    assert "Did you mean max_tokens?" in text_of(wrong)
    assert wrong.meta["tabwright/error"]["kind"] == "bad_input"


async def test_arguments_without_effect_are_reported(autojump_clock):
    async with client() as opened:
        listed = await opened.call_tool("session_list", {"reasoning": "to see", "timeout": 9})
    assert not listed.is_error
    assert text_of(listed).endswith("reasoning, timeout.")


async def test_playwright_tool_names_are_offered_in_compat_mode(autojump_clock):
    async with client(mcp__compat="playwright") as opened:
        listed = await names(opened)
        unknown = await opened.call_tool("click", {"ref": "1.2"})
        tabs = await opened.call_tool("browser_tabs", {"action": "list"})
    assert len(listed) == 25
    assert all(name.startswith("browser_") for name in listed)
    assert unknown.is_error  # as there: not an error of the protocol
    assert not tabs.is_error


async def test_output_schema_is_listed_if_enabled(autojump_clock):
    async with client(mcp__structured_content=True) as opened:
        (browse,) = [one for one in (await opened.list_tools()).tools if one.name == "browse"]
    assert browse.output_schema is not None
    assert {"url", "title", "text"} <= set(browse.output_schema["required"])
