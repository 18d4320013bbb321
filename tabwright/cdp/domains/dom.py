"""The DOM domain: parts that scripts cannot access: closed shadow roots, frames, files."""

from collections.abc import Iterator, Sequence

from tabwright.cdp.domains.runtime import RemoteObject
from tabwright.cdp.wire import JSON, CDPCommand, Nothing, Shape


class DOMNode(Shape, frozen=True):
    """A node and its descendants; `shadow_root_type`: ``open``, ``closed`` or ``user-agent``."""

    backend_node_id: int
    shadow_root_type: str = ""
    children: "tuple[DOMNode, ...]" = ()
    shadow_roots: "tuple[DOMNode, ...]" = ()

    def closed_roots(self) -> "Iterator[DOMNode]":
        """Yield every closed shadow root in this node and below, outermost first."""
        if self.shadow_root_type == "closed":
            yield self
        for node in (*self.shadow_roots, *self.children):
            yield from node.closed_roots()


class DOMDocument(Shape, frozen=True):
    """The document of a page."""

    root: DOMNode


class Resolved(Shape, frozen=True):
    """A handle on a node."""

    object: RemoteObject


def get_document() -> CDPCommand[DOMDocument]:
    """DOM.getDocument, whole, with every shadow root."""
    return CDPCommand("DOM.getDocument", {"depth": -1, "pierce": True}, DOMDocument)


LISTENING = "listening"
"""The group of handles on elements with listeners."""


def resolve_node(backend_node_id: int, context_id: int, *, group: str = "") -> CDPCommand[Resolved]:
    """DOM.resolveNode: a handle on the node in one execution context.

    With a `group`, `runtime.release_objects` releases it.
    """
    params: dict[str, JSON] = {"backendNodeId": backend_node_id, "executionContextId": context_id}
    if group:
        params["objectGroup"] = group
    return CDPCommand("DOM.resolveNode", params, Resolved)


def resolve_in_page(backend_node_id: int) -> CDPCommand[Resolved]:
    """DOM.resolveNode: a handle on the node in the page's own world."""
    return CDPCommand("DOM.resolveNode", {"backendNodeId": backend_node_id}, Resolved)


class DescribedNode(Shape, frozen=True):
    """A node without its descendants.

    Attributes:
        local_name: of an element, its name.
        frame_id: of a frame element, its frame.
        shadow_roots: of an element, its shadow roots, including closed ones.
        attributes: of an element, names and values in turn.
    """

    backend_node_id: int
    local_name: str = ""
    frame_id: str = ""
    shadow_roots: tuple[DOMNode, ...] = ()
    attributes: tuple[str, ...] = ()


class Description(Shape, frozen=True):
    """The result of ``DOM.describeNode``."""

    node: DescribedNode


def describe_node(object_id: str) -> CDPCommand[Description]:
    """DOM.describeNode, without descendants except for shadow roots."""
    params: dict[str, JSON] = {"objectId": object_id, "depth": 0, "pierce": True}
    return CDPCommand("DOM.describeNode", params, Description)


def describe_backend_node(backend_node_id: int) -> CDPCommand[Description]:
    """DOM.describeNode of a node that only the browser identified."""
    return CDPCommand("DOM.describeNode", {"backendNodeId": backend_node_id}, Description)


def set_files(paths: Sequence[str], *, object_id: str) -> CDPCommand[Nothing]:
    """DOM.setFileInputFiles: as if a person had chosen them."""
    params: dict[str, JSON] = {"files": list(paths), "objectId": object_id}
    return CDPCommand("DOM.setFileInputFiles", params, Nothing)


def set_files_of(paths: Sequence[str], backend_node_id: int) -> CDPCommand[Nothing]:
    """DOM.setFileInputFiles for a node that only the browser identified."""
    params: dict[str, JSON] = {"files": list(paths), "backendNodeId": backend_node_id}
    return CDPCommand("DOM.setFileInputFiles", params, Nothing)


class RequestedNode(Shape, frozen=True):
    """The id of a node, valid while the domain is enabled."""

    node_id: int


def enable() -> CDPCommand[Nothing]:
    """DOM.enable; nodes can have ids from then on."""
    return CDPCommand("DOM.enable", {}, Nothing)


def disable() -> CDPCommand[Nothing]:
    """DOM.disable."""
    return CDPCommand("DOM.disable", {}, Nothing)


def get_root() -> CDPCommand[Nothing]:
    """DOM.getDocument, for its effect: the descendants of the document can be requested."""
    return CDPCommand("DOM.getDocument", {"depth": 0}, Nothing)


def request_node(object_id: str) -> CDPCommand[RequestedNode]:
    """DOM.requestNode: the id of the node that a handle is on."""
    return CDPCommand("DOM.requestNode", {"objectId": object_id}, RequestedNode)
