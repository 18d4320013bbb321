"""Sentences in the code name only actions that a navigator has."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import tabwright
from tabwright.agent.prompts import AGENT
from tabwright.protocol.errors import HintKind

SOURCES = Path(tabwright.__file__).parent

FOLDERS = ("page", "sessions")
"""Where actions are done and refused."""

WITHOUT_ACTION = re.compile(
    r"snapshot|\b(wait_for|upload|fill_form|max_tokens|hidden=)\b|with (dialog|network)\b"
)
"""What navigators do not have."""

UNREACHABLE_SENTENCES = {
    "Use a ref or a label from an outline.",
    "Check the selector, or take a ref from a snapshot.",
    "The file is not a heap snapshot.",
    "The heap snapshot is larger than ",
    "Use a file of heap_snapshot.",
}
"""Said of what no action of theirs does: forms at once, bodies of answers, heap snapshots."""

UNREACHABLE_HINTS = {HintKind.LIST_REQUESTS}
"""The same as hints."""


def sentences() -> Iterator[str]:
    """Yield the texts in the code that contain a space, except docstrings."""
    for folder in FOLDERS:
        for file in (SOURCES / folder).rglob("*.py"):
            nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
            unsaid = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
            constants = (node for node in nodes if isinstance(node, ast.Constant))
            texts = (node.value for node in constants if id(node) not in unsaid)
            yield from (text for text in texts if isinstance(text, str) and " " in text)


def test_sentences_name_only_actions_of_the_navigator():
    reported = set(sentences()) - UNREACHABLE_SENTENCES | {
        AGENT.sentences[kind] for kind in HintKind if kind not in UNREACHABLE_HINTS
    }
    assert len(reported) > 2 * len(AGENT.sentences)
    assert [one for one in reported if WITHOUT_ACTION.search(one)] == []
