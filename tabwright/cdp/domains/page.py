"""The Page domain: loading, frames, dialogs, and scripts that run in every new document."""

from typing import Literal, TypeAlias

from tabwright.cdp.wire import JSON, CDPCommand, Event, Nothing, Shape, present

ImageFormat: TypeAlias = Literal["jpeg", "png", "webp"]


class Navigated(Shape, frozen=True):
    """The start of a navigation.

    Attributes:
        frame_id: the frame that navigates.
        loader_id: the new document; empty if the old one stays (a fragment).
        error_text: why it failed, for example ``net::ERR_NAME_NOT_RESOLVED``; empty if it did not.
        is_download: whether the response is a download instead of a page.
    """

    frame_id: str
    loader_id: str = ""
    error_text: str = ""
    is_download: bool = False

    @property
    def stays(self) -> bool:
        """Return whether the page keeps its document: only the fragment differs."""
        return not (self.loader_id or self.error_text or self.is_download)


class Data(Shape, frozen=True):
    """Bytes in base64."""

    data: str


class World(Shape, frozen=True):
    """The id of an isolated world's execution context."""

    execution_context_id: int


class FrameDetached(Event, frozen=True):
    """A frame was removed, or moved to another process (``swap``)."""

    method = "Page.frameDetached"
    frame_id: str
    reason: str = "remove"


class LifecycleEvent(Event, frozen=True):
    """A frame's document reached a stage: ``DOMContentLoaded``, ``load``, and others."""

    method = "Page.lifecycleEvent"
    frame_id: str
    loader_id: str
    name: str


class FrameStartedNavigating(Event, frozen=True):
    """A frame starts to navigate; `navigation_type` is ``differentDocument`` or another."""

    method = "Page.frameStartedNavigating"
    frame_id: str
    url: str
    loader_id: str
    navigation_type: str


class DialogOpening(Event, frozen=True):
    """The page opened a dialog and is blocked until it is answered."""

    method = "Page.javascriptDialogOpening"
    type: str
    message: str
    default_prompt: str = ""


class DialogClosed(Event, frozen=True):
    """The dialog was closed, by an answer or with its document."""

    method = "Page.javascriptDialogClosed"
    result: bool


class FileChooserOpened(Event, frozen=True):
    """The page opened a file chooser; `backend_node_id` is its file field."""

    method = "Page.fileChooserOpened"
    backend_node_id: int = 0


def enable() -> CDPCommand[Nothing]:
    """Page.enable; without it a dialog blocks the page forever."""
    return CDPCommand("Page.enable", {}, Nothing)


def set_lifecycle_events_enabled() -> CDPCommand[Nothing]:
    """Page.setLifecycleEventsEnabled."""
    return CDPCommand("Page.setLifecycleEventsEnabled", {"enabled": True}, Nothing)


def navigate(url: str) -> CDPCommand[Navigated]:
    """Page.navigate; replies when the navigation is committed or has failed."""
    return CDPCommand("Page.navigate", {"url": url}, Navigated)


def bring_to_front() -> CDPCommand[Nothing]:
    """Page.bringToFront."""
    return CDPCommand("Page.bringToFront", {}, Nothing)


def stop_loading() -> CDPCommand[Nothing]:
    """Page.stopLoading; also unblocks an evaluate that waits for a pending navigation."""
    return CDPCommand("Page.stopLoading", {}, Nothing)


def create_isolated_world(frame_id: str) -> CDPCommand[World]:
    """Page.createIsolatedWorld: shares the page's DOM, but not its JavaScript globals."""
    return CDPCommand(
        "Page.createIsolatedWorld", {"frameId": frame_id, "worldName": "tabwright"}, World
    )


def handle_dialog(*, accept: bool, text: str | None = None) -> CDPCommand[Nothing]:
    """Page.handleJavaScriptDialog; `text` is the answer to a prompt."""
    params = present(accept=accept, promptText=text)
    return CDPCommand("Page.handleJavaScriptDialog", params, Nothing)


def intercept_file_chooser(*, enabled: bool) -> CDPCommand[Nothing]:
    """Page.setInterceptFileChooserDialog: file choosers are reported instead of shown."""
    return CDPCommand("Page.setInterceptFileChooserDialog", {"enabled": enabled}, Nothing)


def capture_screenshot(
    image_format: ImageFormat, quality: int | None, clip: JSON = None, *, beyond: bool = False
) -> CDPCommand[Data]:
    """Page.captureScreenshot.

    Args:
        image_format: png has no quality.
        quality: 0 to 100.
        clip: ``Page.Viewport``: x, y, width, height, scale in CSS pixels; None for the viewport.
        beyond: whether the clip may extend beyond the viewport.
    """
    params = present(
        format=image_format,
        quality=quality,
        clip=clip,
        captureBeyondViewport=beyond,
        optimizeForSpeed=image_format != "png",  # it would be twice as large
    )
    return CDPCommand("Page.captureScreenshot", params, Data)


class VisualViewport(Shape, frozen=True):
    """The visible part of a page, in CSS pixels."""

    page_x: float
    page_y: float
    client_width: float
    client_height: float


class LayoutMetrics(Shape, frozen=True):
    """The sizes of a page."""

    css_visual_viewport: VisualViewport


def get_layout_metrics() -> CDPCommand[LayoutMetrics]:
    """Page.getLayoutMetrics."""
    return CDPCommand("Page.getLayoutMetrics", {}, LayoutMetrics)


# The picture of a page as it changes.


class ScreencastMetadata(Shape, frozen=True):
    """The view that a frame shows, in CSS pixels, and when it was taken, in seconds since 1970."""

    device_width: float
    device_height: float
    timestamp: float
    offset_top: float = 0


class ScreencastFrame(Event, frozen=True):
    """A picture of the page as a JPEG in base64; the next ones come once it is acknowledged."""

    method = "Page.screencastFrame"
    data: str
    metadata: ScreencastMetadata
    session_id: int


def start_screencast(quality: int, side_max: int) -> CDPCommand[Nothing]:
    """Page.startScreencast: a picture now, and one after each change, of at most that size."""
    params: dict[str, JSON] = {
        "format": "jpeg",
        "quality": quality,
        "maxWidth": side_max,
        "maxHeight": side_max,
        "everyNthFrame": 1,
    }
    return CDPCommand("Page.startScreencast", params, Nothing)


def stop_screencast() -> CDPCommand[Nothing]:
    """Page.stopScreencast."""
    return CDPCommand("Page.stopScreencast", {}, Nothing)


def acknowledge_frame(session_id: int) -> CDPCommand[Nothing]:
    """Page.screencastFrameAck; pictures that come while two are not acknowledged are lost."""
    return CDPCommand("Page.screencastFrameAck", {"sessionId": session_id}, Nothing)


def print_to_pdf(*, landscape: bool, background: bool) -> CDPCommand[Data]:
    """Page.printToPDF, with the paper size that the page requests."""
    params: dict[str, JSON] = {
        "landscape": landscape,
        "printBackground": background,
        "preferCSSPageSize": True,
    }
    return CDPCommand("Page.printToPDF", params, Data)


# Scripts that run in every new document of a page.


class AddedScript(Shape, frozen=True):
    """The identifier for removing a script."""

    identifier: str


def add_script(source: str) -> CDPCommand[AddedScript]:
    """Page.addScriptToEvaluateOnNewDocument: runs before the page's scripts, unseen by them."""
    return CDPCommand(
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": source, "worldName": "tabwright"},
        AddedScript,
    )


def add_page_script(source: str) -> CDPCommand[Nothing]:
    """Page.addScriptToEvaluateOnNewDocument, in the world of the page's scripts."""
    return CDPCommand("Page.addScriptToEvaluateOnNewDocument", {"source": source}, Nothing)


def remove_script(identifier: str) -> CDPCommand[Nothing]:
    """Page.removeScriptToEvaluateOnNewDocument."""
    return CDPCommand(
        "Page.removeScriptToEvaluateOnNewDocument", {"identifier": identifier}, Nothing
    )


def reload() -> CDPCommand[Nothing]:
    """Page.reload; returns before the page has loaded."""
    return CDPCommand("Page.reload", {}, Nothing)
