"""The Page domain: loading, frames, dialogs."""

from tabwright.cdp.command import Command
from tabwright.cdp.wire import Event, Nothing, Shape


class Navigated(Shape, frozen=True):
    """How a navigation began.

    Attributes:
        frame_id: the frame that navigates.
        loader_id: the new document; empty where the old one stays (a fragment).
        error_text: why it failed, as ``net::ERR_NAME_NOT_RESOLVED``; empty where it did not.
        is_download: the answer was not a page but a file.
    """

    frame_id: str
    loader_id: str = ""
    error_text: str = ""
    is_download: bool = False


class World(Shape, frozen=True):
    """The id of an isolated world's execution context."""

    execution_context_id: int


class LifecycleEvent(Event, frozen=True):
    """A frame's document came so far: ``DOMContentLoaded``, ``load``, and others."""

    method = "Page.lifecycleEvent"
    frame_id: str
    loader_id: str
    name: str


class FrameStartedNavigating(Event, frozen=True):
    """A frame begins to go somewhere; `navigation_type` is ``differentDocument`` or another."""

    method = "Page.frameStartedNavigating"
    frame_id: str
    url: str
    loader_id: str
    navigation_type: str


class DialogOpening(Event, frozen=True):
    """The page opened a dialog and stands still until it is answered."""

    method = "Page.javascriptDialogOpening"
    type: str
    message: str


def enable() -> Command[Nothing]:
    """Page.enable; without it a dialog blocks the page for ever."""
    return Command("Page.enable", {}, Nothing)


def set_lifecycle_events_enabled() -> Command[Nothing]:
    """Page.setLifecycleEventsEnabled."""
    return Command("Page.setLifecycleEventsEnabled", {"enabled": True}, Nothing)


def navigate(url: str) -> Command[Navigated]:
    """Page.navigate; replies when the navigation is committed or has failed."""
    return Command("Page.navigate", {"url": url}, Navigated)


def bring_to_front() -> Command[Nothing]:
    """Page.bringToFront."""
    return Command("Page.bringToFront", {}, Nothing)


def stop_loading() -> Command[Nothing]:
    """Page.stopLoading; also frees an evaluate that hangs behind a pending navigation."""
    return Command("Page.stopLoading", {}, Nothing)


def create_isolated_world(frame_id: str) -> Command[World]:
    """Page.createIsolatedWorld: sees the page's DOM, but none of what its scripts forged."""
    return Command(
        "Page.createIsolatedWorld", {"frameId": frame_id, "worldName": "tabwright"}, World
    )


def handle_dialog(*, accept: bool) -> Command[Nothing]:
    """Page.handleJavaScriptDialog."""
    return Command("Page.handleJavaScriptDialog", {"accept": accept}, Nothing)
