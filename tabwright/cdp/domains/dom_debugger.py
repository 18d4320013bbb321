"""The DOMDebugger domain: event listeners."""

from tabwright.cdp.wire import JSON, CDPCommand, Shape


class EventListener(Shape, frozen=True):
    """A listener: its event, and the node that it was added to."""

    type: str
    backend_node_id: int = 0


class Listeners(Shape, frozen=True):
    """The listeners of one object."""

    listeners: tuple[EventListener, ...] = ()


def get_event_listeners(object_id: str) -> CDPCommand[Listeners]:
    """DOMDebugger.getEventListeners: the listeners of the object itself, added in any world."""
    # Without `pierce`, Chromium returns only the listeners of the handle's own world.
    params: dict[str, JSON] = {"objectId": object_id, "pierce": True}
    return CDPCommand("DOMDebugger.getEventListeners", params, Listeners)


def get_page_listeners(object_id: str) -> CDPCommand[Listeners]:
    """DOMDebugger.getEventListeners: those of a node and all nodes in it, except in shadow roots.

    Args:
        object_id: a handle in the page's own world. Chromium gives every node in it an object of
            that world, and a handle of another world, or `pierce`, breaks those of other worlds.
    """
    params: dict[str, JSON] = {"objectId": object_id, "depth": -1, "pierce": False}
    return CDPCommand("DOMDebugger.getEventListeners", params, Listeners)
