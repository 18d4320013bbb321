"""The DOMDebugger domain: event listeners."""

from tabwright.cdp.wire import JSON, CDPCommand, Shape


class EventListener(Shape, frozen=True):
    """A listener and its event."""

    type: str


class Listeners(Shape, frozen=True):
    """The listeners of one object."""

    listeners: tuple[EventListener, ...] = ()


def get_event_listeners(object_id: str) -> CDPCommand[Listeners]:
    """DOMDebugger.getEventListeners: the listeners of the object itself, added in any world."""
    # Without `pierce`, Chromium returns only the listeners of the handle's own world.
    params: dict[str, JSON] = {"objectId": object_id, "pierce": True}
    return CDPCommand("DOMDebugger.getEventListeners", params, Listeners)
