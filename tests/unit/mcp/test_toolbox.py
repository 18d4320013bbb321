"""The tools that a client may list and call, and the token cost of the listing."""

import json

import pytest

from tabwright.config.engines import load_engines
from tabwright.config.loader import override, settings_from
from tabwright.config.settings import TOOL_GROUPS
from tabwright.mcp.registry import toolbox
from tabwright.mcp.tool import DEFAULT_GROUPS, Toolset, listed_tool
from tabwright.plugin import built_in_groups
from tabwright.protocol.errors import BadInput, SettingsError

CHARACTERS_PER_TOKEN = 4

FOR_DEVELOPERS = ("storage", "network", "verify", "performance")
"""Groups for developers of pages, which are never listed by default."""

OPT_IN = (*FOR_DEVELOPERS, "data", "crawl", "trace")
"""Groups that few conversations need, each with a limit of its own."""


def tools(**settings: object) -> Toolset:
    return toolbox(settings_from(override(**settings)), load_engines())


def names(box: Toolset) -> list[object]:
    return [listed["name"] for listed in box.listing]


def tokens(box: Toolset) -> float:
    compact = json.dumps(box.listing, separators=(",", ":"), ensure_ascii=False)
    return len(compact) / CHARACTERS_PER_TOKEN


def assert_listing_costs_at_most(tokens_max: int, box: Toolset) -> None:
    cost = tokens(box)
    assert cost <= tokens_max, "Shorten the descriptions of tools and arguments in these groups."


def test_default_and_usual_listings_stay_within_their_token_limits() -> None:
    usual = tuple(group for group in TOOL_GROUPS if group not in OPT_IN)
    assert_listing_costs_at_most(4500, tools(mcp__tools=usual))
    assert_listing_costs_at_most(2000, tools())


@pytest.mark.parametrize("group", OPT_IN)
def test_listing_of_an_opt_in_group_costs_at_most_700_tokens(group: str) -> None:
    assert_listing_costs_at_most(700, tools(mcp__tools=(group,)))


def test_default_groups_are_listed_and_all_tools_are_callable() -> None:
    box = tools()
    listed = [tool.name for tool in box.tools if tool.group in DEFAULT_GROUPS]
    assert names(box) == listed
    assert {"google_ai_search", "browse", "click"} <= set(listed)
    assert "evaluate" not in listed
    assert box.tool("evaluate").name == "evaluate"


TOOLS_MAX, DEFAULT_TOOLS = 40, 16


def test_tools_are_at_most_forty_and_sixteen_by_default() -> None:
    box = tools()
    assert len(box.every) <= TOOLS_MAX
    assert len(box.listing) == DEFAULT_TOOLS
    assert all(tool.title for tool in box.every)


def test_every_accepted_argument_is_listed_except_in_the_default_groups() -> None:
    for tool in tools().every:
        listed = listed_tool(tool)["inputSchema"]["properties"]
        if tool.group not in DEFAULT_GROUPS:
            assert set(listed) == set(tool.input_schema["properties"]), tool.name


def test_only_chosen_groups_are_listed_and_callable() -> None:
    box = tools(mcp__tools=("debug",))
    assert names(box) == [tool.name for tool in tools().tools if tool.group == "debug"]
    assert box.tool("console").name == "console"
    with pytest.raises(BadInput) as refused:
        box.tool("click")
    assert str(refused.value) == (
        "The tool click is not available: it is in the group act. "
        "The user can start tabwright serve --tools act,debug."
    )


def test_unknown_tool_error_suggests_the_nearest_and_lists_all() -> None:
    box = tools(mcp__tools=("debug",))
    with pytest.raises(BadInput) as refused:
        box.tool("consol")
    assert str(refused.value) == (
        f"Unknown tool: consol. Did you mean console? There are: {', '.join(map(str, names(box)))}."
    )


def test_unknown_group_is_a_settings_error_that_lists_all_groups() -> None:
    with pytest.raises(SettingsError) as refused:
        tools(mcp__tools=("act", "raed"))
    assert "mcp.tools: there is no group 'raed'" in str(refused.value)
    assert f"There are: {', '.join(TOOL_GROUPS)}" in str(refused.value)


def test_every_group_has_tools() -> None:
    assert {tool.group for tool in tools().every} == {*TOOL_GROUPS, *built_in_groups()}


def test_output_schemas_are_listed_only_if_enabled() -> None:
    assert all("outputSchema" not in listed for listed in tools().listing)
    assert all("outputSchema" in listed for listed in tools(mcp__structured_content=True).listing)


def test_argument_schemas_contain_no_empty_schema() -> None:
    for tool in tools().tools:
        assert ": {}" not in json.dumps(tool.input_schema["properties"]), tool.name
