"""The browser's accessibility tree in reading order.

Chromium lists the nodes in no order to rely on; the children of each are named by their ids.
"""

from collections.abc import Iterator

from tabwright.cdp.domains.accessibility import AXNode, AXTree
from tabwright.content.html.accessibility_tree import STATES
from tabwright.protocol.snapshot import AccessibleNode
from tabwright.text.lines import collapsed

PASSED_OVER = frozenset({"none", "generic", "InlineTextBox", "LineBreak"})
"""Roles that say nothing; what is in them stands in their place."""


def accessible_nodes(tree: AXTree) -> tuple[AccessibleNode, ...]:
    """The nodes that say something, each under the nearest one above it that does."""
    return tuple(_walked(tree))


def _walked(tree: AXTree) -> Iterator[AccessibleNode]:
    by_id = {node.node_id: node for node in tree.nodes}
    ahead = [(node.node_id, 0, "") for node in tree.nodes[:1]]
    while ahead:
        node_id, depth, above = ahead.pop()
        node = by_id.pop(node_id, None)  # a node that is named twice is told once
        if node is None:
            continue
        if told := _told(node, above):
            yield _accessible(node, depth)
            above = _text(node.name.value)
        ahead += [(child, depth + told, above) for child in reversed(node.child_ids)]


def _told(node: AXNode, above: str) -> bool:
    """Whether a node says something that the one above it, with its name, does not say."""
    role = _text(node.role.value)
    if role == "StaticText":
        return not node.ignored and _text(node.name.value) not in above
    return not node.ignored and role not in PASSED_OVER


def _accessible(node: AXNode, depth: int) -> AccessibleNode:
    return AccessibleNode(
        depth,
        role=_text(node.role.value),
        name=_text(node.name.value),
        value=_text(node.value.value),
        states=tuple(_states(node)),
    )


def _states(node: AXNode) -> Iterator[str]:
    found = {one.name: one.value.value for one in node.properties}
    for name in STATES:
        match found.get(name):
            case None | False | "false":
                pass
            case True | "true":
                yield name
            case value:
                yield f"{name}={_text(value)}"


def _text(value: object) -> str:
    match value:
        case str():
            return collapsed(value)
        case bool() | None:
            return ""
        case float() | int():
            return f"{value:g}"
        case _:
            return ""
