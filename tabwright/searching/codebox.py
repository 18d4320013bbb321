"""The box round a code block: a line with the language, the code, and a line of caution."""

import re
from collections.abc import Iterable

import attrs

from tabwright.search.ai_mode.page_state import Node
from tabwright.searching.furniture import is_notice

_LANGUAGE = re.compile(r"[A-Za-z][\w+#./-]{0,19}|Plain [Tt]ext|Visual Basic")
_BLOCKS = frozenset({"heading", "list", "table", "quote", "rule", "code"})


def code_box(box: Node) -> Node | None:
    """The code of the box with its language, or None if the box holds more than one code block.

    Only the smallest box that has text beside the code counts: its line before the code is the
    language, its line after the code is furniture.
    """
    parts = _parts(box.kids)
    codes = [index for index, part in enumerate(parts) if part.kind == "code"]
    if len(codes) != 1 or any(_has_code_and_text(kid) for kid in box.kids):
        return None
    before, after = parts[: codes[0]], parts[codes[0] + 1 :]
    if len(before) > 1 or len(after) > 1 or not _is_code_box(before, after):
        return None
    language = " ".join(_text(part) for part in before)
    code = parts[codes[0]]
    return attrs.evolve(code, language=code.language or language)


def _is_code_box(before: list[Node], after: list[Node]) -> bool:
    if before:
        return _LANGUAGE.fullmatch(_text(before[0])) is not None
    return bool(after) and is_notice(_text(after[0]))


def _parts(nodes: Iterable[Node]) -> list[Node]:
    """The lines and blocks below the nodes, boxes opened; each line is a box of its own."""
    parts: list[Node] = []
    line: list[Node] = []
    for node in (*nodes, Node("box")):
        if node.kind != "box" and node.kind not in _BLOCKS:
            line.append(node)
            continue
        if _text_of(line):
            parts.append(Node("box", kids=tuple(line)))
        line = []
        parts += _parts(node.kids) if node.kind == "box" and node.kids else []
        parts += [node] if node.kind in _BLOCKS else []
    return parts


def _has_code_and_text(node: Node) -> bool:
    kinds = {part.kind for part in _parts((node,))}
    return "code" in kinds and len(kinds) > 1


def _text(node: Node) -> str:
    return _text_of((node,))


def _text_of(nodes: Iterable[Node]) -> str:
    return " ".join("".join(_characters(nodes)).split())


def _characters(nodes: Iterable[Node]) -> Iterable[str]:
    for node in nodes:
        yield node.text
        yield from _characters(node.kids)
