"""The Accessibility domain: the tree for screen readers."""

from tabwright.cdp.wire import JSON, CDPCommand, Shape, present, spelled


class AXValue(Shape, frozen=True):
    """A role, a name, or the value of a property."""

    value: str | bool | float | list[object] | dict[str, object] | None = None


class AXProperty(Shape, frozen=True):
    """A state, such as ``checked``."""

    name: str
    value: AXValue


class AXNode(Shape, frozen=True):
    """A node; its children are given by their ids.

    Attributes:
        backend_node_id: of its DOM node; 0 for none.
    """

    node_id: str
    backend_node_id: int = spelled("backendDOMNodeId", default=0)
    ignored: bool = False
    role: AXValue = AXValue()
    name: AXValue = AXValue()
    value: AXValue = AXValue()
    properties: tuple[AXProperty, ...] = ()
    child_ids: tuple[str, ...] = ()


class AXTree(Shape, frozen=True):
    """The result of ``Accessibility.getFullAXTree``; the first node is the root."""

    nodes: tuple[AXNode, ...]


def get_full_tree(frame_id: str | None = None) -> CDPCommand[AXTree]:
    """Accessibility.getFullAXTree: of a frame; None for the main frame."""
    return CDPCommand("Accessibility.getFullAXTree", present(frameId=frame_id), AXTree)


def get_node(object_id: str) -> CDPCommand[AXTree]:
    """Accessibility.getPartialAXTree: the node of one element."""
    params: dict[str, JSON] = {"objectId": object_id, "fetchRelatives": False}
    return CDPCommand("Accessibility.getPartialAXTree", params, AXTree)
