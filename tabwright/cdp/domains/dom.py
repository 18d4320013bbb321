"""The DOM domain: what scripts cannot see, closed shadow roots."""

from collections.abc import Iterator

from tabwright.cdp.command import Command
from tabwright.cdp.domains.runtime import RemoteObject
from tabwright.cdp.wire import Shape


class Node(Shape, frozen=True):
    """A node and all below it; `shadow_root_type`: ``open``, ``closed`` or ``user-agent``."""

    backend_node_id: int
    shadow_root_type: str = ""
    children: "tuple[Node, ...]" = ()
    shadow_roots: "tuple[Node, ...]" = ()

    def closed_roots(self) -> "Iterator[Node]":
        """Every closed shadow root in this node and below, outermost first."""
        if self.shadow_root_type == "closed":
            yield self
        for node in (*self.shadow_roots, *self.children):
            yield from node.closed_roots()


class Document(Shape, frozen=True):
    """The document of a page."""

    root: Node


class Resolved(Shape, frozen=True):
    """A handle on a node."""

    object: RemoteObject


def get_document() -> Command[Document]:
    """DOM.getDocument, whole, with every shadow root."""
    return Command("DOM.getDocument", {"depth": -1, "pierce": True}, Document)


def resolve_node(backend_node_id: int, context_id: int) -> Command[Resolved]:
    """DOM.resolveNode: a handle on the node in one execution context."""
    return Command(
        "DOM.resolveNode",
        {"backendNodeId": backend_node_id, "executionContextId": context_id},
        Resolved,
    )
