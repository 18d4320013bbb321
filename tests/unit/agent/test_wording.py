"""Our sentences in the words of a navigator."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tabwright
from tabwright.agent.wording import NAVIGATORS

SOURCES = Path(tabwright.__file__).parent

FOLDERS = ("actors/tabs/acting", "actors/sessions")
"""Where actions are done and refused."""

WITHOUT_ACTION = re.compile(
    r"snapshot|\b(wait_for|upload|fill_form|max_tokens|hidden=)\b|with (dialog|network)\b"
)
"""What navigators do not have."""

UNHEARD = {
    "Take a ref or a label of a snapshot.",
    "List them with network.",
    "Check the selector, or take a ref from a snapshot.",
}
"""Said of what no action of theirs does: forms at once, and the bodies of answers."""


@pytest.fixture(scope="module")
def said() -> str:
    """All that we say anywhere else."""
    files = (file for file in SOURCES.rglob("*.py") if file.name != "wording.py")
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


@pytest.mark.parametrize("ours", NAVIGATORS.theirs)
def test_what_a_navigator_is_told_otherwise_is_said_here(ours, said):
    assert ours in said


def sentences() -> Iterator[str]:
    """Texts of the code with a sentence in them; no docstrings."""
    for folder in FOLDERS:
        for file in (SOURCES / folder).rglob("*.py"):
            nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
            unsaid = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
            constants = (node for node in nodes if isinstance(node, ast.Constant))
            texts = (node.value for node in constants if id(node) not in unsaid)
            yield from (text for text in texts if isinstance(text, str) and " " in text)


def test_no_sentence_names_an_action_that_a_navigator_does_not_have():
    told = set(sentences()) - UNHEARD
    assert len(told) > len(NAVIGATORS.theirs)
    assert [one for one in map(NAVIGATORS.reworded, told) if WITHOUT_ACTION.search(one)] == []
