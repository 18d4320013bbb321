"""Hints in the words of playwright-mcp."""

import pytest

from tabwright.mcp.playwright.tools import PLAYWRIGHT, playwright_tools
from tabwright.page.render import render_outcome
from tabwright.protocol.actions import Dialog, Outcome

TOOLS = {tool.name for tool in playwright_tools()}


@pytest.mark.parametrize("theirs", PLAYWRIGHT.sentences.values())
def test_what_is_said_there_names_tools_that_there_are(theirs):
    named = {word.strip("(.,:;)") for word in theirs.split() if "browser_" in word}
    assert named <= TOOLS


def test_a_dialog_is_to_be_answered_by_the_tool_of_that_name():
    asked = Dialog("confirm", "Use dialog, will you?")
    assert render_outcome(Outcome("Clicked.", dialog=asked), PLAYWRIGHT) == (
        'Clicked.\nA dialog is waiting for an answer: confirm "Use dialog, will you?".\n'
        "Answer it with browser_handle_dialog."
    )
