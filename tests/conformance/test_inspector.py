"""Run the official MCP inspector on the server (`@modelcontextprotocol/inspector`)."""

import json
import sys
from pathlib import Path

import pytest
import yaml

from tabwright.config.settings import TOOL_GROUPS
from tabwright.plugin import built_in_groups

pytestmark = pytest.mark.node

ALL_TOOLS = ("--tools", ",".join((*TOOL_GROUPS, *built_in_groups())))


@pytest.fixture(params=["legacy", "modern"])
def ask_server(request, run_program, tmp_path):
    """Send one request to the server with the inspector, in each protocol era."""
    config: Path = tmp_path / "settings.yaml"
    settings = {
        "browser": {"profile": None},
        "network": {"proxy": "none"},
        "mcp": {"structured_content": True},
    }
    config.write_text(yaml.safe_dump(settings))
    server = (sys.executable, "-m", "tabwright", "serve", "--config", config)

    def ask(method: str, *options: str, serve: tuple[str, ...] = ()):
        era = ("--protocol-era", request.param, "--format", "json")
        chosen = (*era, "--method", method, *options)
        return run_program("mcp-inspector", "--cli", *chosen, "--", *server, *serve)

    return ask


def result_of(ended):
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)["result"]


@pytest.mark.parametrize(
    "serve", [(), ALL_TOOLS, ("--compat", "playwright")], ids=["default", "all", "playwright"]
)
def test_strict_lint_finds_no_problem_in_the_tool_schemas(serve, ask_server):
    ended = ask_server("tools/list", "--strict", serve=serve)
    assert result_of(ended)["tools"]
    assert "schemaFindings" not in json.loads(ended.stdout)
    assert ended.stderr == ""


def test_strict_lint_reports_an_invalid_tool_schema(run_program, served):
    listing = ("--method", "tools/list", "--strict", "--format", "json")
    ended = run_program("mcp-inspector", "--cli", *listing, "--server-url", served)
    [finding] = json.loads(ended.stdout)["schemaFindings"]
    assert "json_schema_2020_12_tool" in json.dumps(finding)


@pytest.mark.parametrize("what", ["resources", "prompts"])
def test_inspector_lists_resources_and_prompts(what, ask_server):
    assert result_of(ask_server(f"{what}/list"))[what]


def test_inspector_lists_resource_templates(ask_server):
    assert result_of(ask_server("resources/templates/list"))["resourceTemplates"]


def test_inspector_gets_prompt_with_arguments(ask_server):
    arguments = ("--prompt-name", "research", "--prompt-args", "question=Why?")
    [message] = result_of(ask_server("prompts/get", *arguments))["messages"]
    assert "Why?" in message["content"]["text"]


def test_inspector_calls_tool(ask_server):
    call = ("--tool-name", "session_list", "--tool-args-json", "{}")
    result = result_of(ask_server("tools/call", *call, serve=ALL_TOOLS))
    assert result["structuredContent"] == {"sessions": []}
