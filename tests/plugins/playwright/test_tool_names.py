"""Hints that use the tool names of playwright-mcp."""

import pytest

from tabwright.page.render import render_outcome
from tabwright.plugins.playwright.tools import PLAYWRIGHT, playwright_tools
from tabwright.protocol.actions import Dialog, Outcome

TOOLS = {tool.name for tool in playwright_tools()}


@pytest.mark.parametrize("theirs", PLAYWRIGHT.sentences.values())
def test_playwright_hints_name_only_existing_tools(theirs):
    named = {word.strip("(.,:;)") for word in theirs.split() if "browser_" in word}
    assert named <= TOOLS


def test_dialog_notice_names_the_playwright_dialog_tool():
    asked = Dialog("confirm", "Use dialog, will you?")
    assert render_outcome(Outcome("Clicked.", dialog=asked), PLAYWRIGHT) == (
        'Clicked.\nA dialog is waiting for an answer: confirm "Use dialog, will you?".\n'
        "Answer it with browser_handle_dialog."
    )
