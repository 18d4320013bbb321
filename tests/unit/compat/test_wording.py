"""Our sentences in the words of playwright-mcp."""

from pathlib import Path

import pytest

import tabwright
from tabwright.acting.telling import outcome_text
from tabwright.actors.compat.playwright import playwright_tools
from tabwright.actors.compat.wording import PLAYWRIGHTS, THEIRS
from tabwright.protocol.outcomes import Dialog, Outcome

SOURCES = Path(tabwright.__file__).parent
TOOLS = {tool.name for tool in playwright_tools()}


@pytest.fixture(scope="module")
def said() -> str:
    """All that we say anywhere else."""
    files = (file for file in SOURCES.rglob("*.py") if file.name != "wording.py")
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


@pytest.mark.parametrize("ours", THEIRS)
def test_what_is_said_otherwise_there_is_said_here(ours, said):
    assert ours in said


@pytest.mark.parametrize("theirs", THEIRS.values())
def test_what_is_said_there_names_tools_that_there_are(theirs):
    named = {word.strip(".,:;") for word in theirs.split() if word.startswith("browser_")}
    assert named <= TOOLS


def test_a_dialog_is_to_be_answered_by_the_tool_of_that_name():
    text = outcome_text(Outcome("Clicked.", dialog=Dialog("confirm", "Use dialog, will you?")))
    assert PLAYWRIGHTS.reworded(text) == (
        'Clicked.\nThe page waits for an answer: confirm "Use dialog, will you?".\n'
        "Answer it with browser_handle_dialog."
    )
