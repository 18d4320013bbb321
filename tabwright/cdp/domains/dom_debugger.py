"""The DOMDebugger domain: what scripts listen to."""

from tabwright.cdp.command import Command
from tabwright.cdp.wire import Shape


class Listener(Shape, frozen=True):
    """A listener, and the event that it is for."""

    type: str


class Listeners(Shape, frozen=True):
    """The listeners of one object."""

    listeners: tuple[Listener, ...] = ()


def get_event_listeners(object_id: str) -> Command[Listeners]:
    """DOMDebugger.getEventListeners: those of the object itself, whoever has added them."""
    return Command("DOMDebugger.getEventListeners", {"objectId": object_id}, Listeners)
