"""The reference page about playwright-mcp's tools matches the data and our tools."""

import json
import subprocess
import sys
from pathlib import Path

from tabwright.plugins.playwright.tools import playwright_tools

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "write_playwright_reference.py"
TOOLS = json.loads(Path(__file__).with_name("playwright_mcp_tools.json").read_text())["tools"]


def test_reference_page_is_up_to_date_with_its_script() -> None:
    checked = subprocess.run([sys.executable, SCRIPT, "--check"], check=False)
    assert checked.returncode == 0, f"run {SCRIPT.relative_to(ROOT)}"


def test_compat_tools_are_a_subset_of_playwright_tools() -> None:
    assert {tool.name for tool in playwright_tools()} <= {tool["name"] for tool in TOOLS}


def test_all_arguments_of_served_tools_are_accepted() -> None:
    ours = {tool.name: tool.input_schema["properties"] for tool in playwright_tools()}
    missing = {
        (tool["name"], argument)
        for tool in TOOLS
        for argument in tool["arguments"]
        if tool["name"] in ours and argument not in ours[tool["name"]]
    }
    assert missing == set()
