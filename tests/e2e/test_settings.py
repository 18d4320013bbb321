"""Settings of a user apply to a server that an MCP client starts."""

import os
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from tabwright.testing.demo import text_of


@pytest.mark.parametrize(
    ("variables", "arguments", "language"),
    [
        ({}, [], "zh-CN"),
        ({"LC_ALL": "", "LANG": "fr_FR.UTF-8"}, [], "fr-FR"),
        ({"XDG_CONFIG_HOME": "OWN", "LC_ALL": "fr_FR.UTF-8"}, [], "de-DE"),
        ({"XDG_CONFIG_HOME": "OWN"}, ["--config", os.devnull], "zh-CN"),
        ({"XDG_CONFIG_HOME": "OWN", "TABWRIGHT_SEARCH__LANGUAGE": "ja-JP"}, [], "ja-JP"),
        ({"TABWRIGHT_SEARCH__LANGUAGE": "ja-JP"}, ["--set", "search.language=ko-KR"], "ko-KR"),
    ],
)
async def test_server_settings_follow_arguments_then_environment_then_config(
    variables: dict[str, str],
    arguments: list[str],
    language: str,
    tmp_path: Path,
    quick_tabwright: list[str],
) -> None:
    own = tmp_path / "tabwright" / "config.yaml"
    own.parent.mkdir()
    own.write_text("search: {language: de-DE}\n")
    chosen = {name: str(tmp_path) if text == "OWN" else text for name, text in variables.items()}
    command, *client = quick_tabwright
    server = StdioServerParameters(
        command=command,
        args=[*client, "serve", *arguments],
        env={**os.environ, **chosen},
    )
    async with Client(server) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        empty = await client.call_tool("google_ai_search", {"query": " "})
    schema = tools["google_ai_search"].input_schema["properties"]["language"]
    assert schema["default"] == language
    assert empty.is_error
    words = {
        "zh-CN": "错误",
        "fr-FR": "Erreur",
        "de-DE": "Fehler",
        "ja-JP": "エラー",
        "ko-KR": "오류",
    }
    assert words[language] in text_of(empty)
