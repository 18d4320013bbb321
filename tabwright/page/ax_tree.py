"""The browser's accessibility tree in reading order, with that of its frames.

Chromium lists the nodes in no reliable order; each node names its children by id. The document of a
frame has a tree of its own, and a frame of another site a process of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import attrs
import trio

from tabwright.cdp.domains import accessibility, dom
from tabwright.cdp.domains.accessibility import AXNode, AXTree
from tabwright.cdp.errors import CDPError
from tabwright.cdp.session import CDPSession
from tabwright.content.html.accessibility_tree import STATES
from tabwright.page.frame_sources import FRAMES_MAX, FRAMES_S, LEVELS_MAX
from tabwright.page.isolated_worlds import document_url, run_in_frame
from tabwright.page.open_page import AttachedPage
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.snapshot import AccessibleNode
from tabwright.protocol.urls import Bounds, check_place
from tabwright.text.lines import collapse_whitespace

FRAME = "Iframe"
"""The role of a frame."""

NO_FRAMES: Mapping[str, Sequence[AccessibleNode]] = {}

PASSED_OVER = frozenset({"none", "generic", "InlineTextBox", "LineBreak"})
"""Roles without meaning; their children take their place."""


async def read_tree(opened: AttachedPage, bounds: Bounds) -> tuple[AccessibleNode, ...]:
    """Return the accessibility tree of a page, with the allowed frames that answer in time.

    Raises:
        CDPError: the page is gone.
    """
    return await _read(opened, opened.session, None, bounds, LEVELS_MAX)


async def _read(
    opened: AttachedPage, session: CDPSession, frame_id: str | None, bounds: Bounds, levels: int
) -> tuple[AccessibleNode, ...]:
    tree = await session.execute(accessibility.get_full_tree(frame_id))
    frames: dict[str, Sequence[AccessibleNode]] = {}

    async def read(frame: AXNode) -> None:
        """Read one frame, unless it is gone or not allowed."""
        with suppress(CDPError, TabwrightError):
            described = await session.execute(dom.describe_backend_node(frame.backend_node_id))
            inner_id = described.node.frame_id

            async def work(own: CDPSession) -> tuple[AccessibleNode, ...]:
                """Return the nodes of the frame."""
                check_place(await document_url(own, inner_id), bounds)
                return await _read(opened, own, inner_id, bounds, levels - 1)

            _, *nodes = await run_in_frame(opened, session, inner_id, work)  # the first is its root
            frames[frame.node_id] = [attrs.evolve(one, depth=one.depth - 1) for one in nodes]

    if levels:
        with trio.move_on_after(FRAMES_S):
            async with trio.open_nursery() as reading:
                for node in [one for one in tree.nodes if is_frame(one)][:FRAMES_MAX]:
                    reading.start_soon(read, node)
    return accessible_nodes(tree, frames)


def is_frame(node: AXNode) -> bool:
    """Return whether a node is a frame that is shown."""
    return not node.ignored and node.role.value == FRAME


def accessible_nodes(
    tree: AXTree, frames: Mapping[str, Sequence[AccessibleNode]] = NO_FRAMES
) -> tuple[AccessibleNode, ...]:
    """Return the meaningful nodes, each under its nearest meaningful ancestor.

    Args:
        tree: of a document.
        frames: the nodes of the documents of its frames, by the ids of the frames in the tree.
    """
    found: list[AccessibleNode] = []
    by_id = {node.node_id: node for node in tree.nodes}
    ahead = [(node.node_id, 0, "") for node in tree.nodes[:1]]
    while ahead:
        node_id, depth, above = ahead.pop()
        node = by_id.pop(node_id, None)  # a node that is named twice is listed once
        if node is None:
            continue
        if is_listed := _is_worth_listing(node, above):
            found.append(
                AccessibleNode(
                    depth,
                    role=_text(node.role.value),
                    name=_text(node.name.value),
                    value=_text(node.value.value),
                    states=tuple(_states(node)),
                )
            )
            above = _text(node.name.value)
            inner = frames.get(node_id, ())
            found += [attrs.evolve(one, depth=depth + 1 + one.depth) for one in inner]
        ahead += [(child, depth + is_listed, above) for child in reversed(node.child_ids)]
    return tuple(found)


def _is_worth_listing(node: AXNode, above: str) -> bool:
    """Return whether a node adds anything to its parent and the parent's name."""
    role = _text(node.role.value)
    if role == "StaticText":
        return not node.ignored and _text(node.name.value) not in above
    return not node.ignored and role not in PASSED_OVER


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
            return collapse_whitespace(value)
        case bool() | None:
            return ""
        case float() | int():
            return f"{value:g}"
        case _:
            return ""
