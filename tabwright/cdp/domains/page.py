"""The Page domain: loading, frames, dialogs, and scripts that run in every new document."""

from typing import Literal, TypeAlias

from tabwright.cdp.command import Command, present
from tabwright.cdp.wire import JSON, Event, Nothing, Shape

ImageFormat: TypeAlias = Literal["jpeg", "png", "webp"]


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


class Data(Shape, frozen=True):
    """Bytes in base64."""

    data: str


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
    default_prompt: str = ""


class DialogClosed(Event, frozen=True):
    """The dialog is gone, by an answer or with its document."""

    method = "Page.javascriptDialogClosed"
    result: bool


class FileChooserOpened(Event, frozen=True):
    """The page asks for files; `backend_node_id` is the field that they go into."""

    method = "Page.fileChooserOpened"
    backend_node_id: int = 0


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


def handle_dialog(*, accept: bool, text: str | None = None) -> Command[Nothing]:
    """Page.handleJavaScriptDialog; `text` is what a prompt is answered with."""
    params = present(accept=accept, promptText=text)
    return Command("Page.handleJavaScriptDialog", params, Nothing)


def intercept_file_chooser(*, enabled: bool) -> Command[Nothing]:
    """Page.setInterceptFileChooserDialog: the page's wish for files is told of, not shown."""
    return Command("Page.setInterceptFileChooserDialog", {"enabled": enabled}, Nothing)


def capture_screenshot(
    image_format: ImageFormat, quality: int | None, clip: JSON = None, *, beyond: bool = False
) -> Command[Data]:
    """Page.captureScreenshot.

    Args:
        image_format: png takes no quality.
        quality: 0 to 100.
        clip: ``Page.Viewport``: x, y, width, height, scale in CSS pixels; None for what is seen.
        beyond: whether the clip may lie outside of what is seen.
    """
    params = present(
        format=image_format,
        quality=quality,
        clip=clip,
        captureBeyondViewport=beyond,
        optimizeForSpeed=image_format != "png",  # it would be twice as large
    )
    return Command("Page.captureScreenshot", params, Data)


def print_to_pdf(*, landscape: bool, background: bool) -> Command[Data]:
    """Page.printToPDF, on the paper that the page wants."""
    params: dict[str, JSON] = {
        "landscape": landscape,
        "printBackground": background,
        "preferCSSPageSize": True,
    }
    return Command("Page.printToPDF", params, Data)


# Scripts that run in every new document of a page.


class AddedScript(Shape, frozen=True):
    """By what a script is removed again."""

    identifier: str


def add_script(source: str) -> Command[AddedScript]:
    """Page.addScriptToEvaluateOnNewDocument: before the page's own, where those do not see it."""
    return Command(
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": source, "worldName": "tabwright"},
        AddedScript,
    )


def remove_script(identifier: str) -> Command[Nothing]:
    """Page.removeScriptToEvaluateOnNewDocument."""
    return Command("Page.removeScriptToEvaluateOnNewDocument", {"identifier": identifier}, Nothing)
