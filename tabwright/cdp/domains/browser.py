"""The Browser domain: the browser as a whole."""

from tabwright.cdp.command import Command
from tabwright.cdp.wire import JSON, Event, Nothing, Shape


class Version(Shape, frozen=True):
    """What the browser says it is, such as ``Chrome/156.0.8078.79``."""

    product: str
    user_agent: str


def get_version() -> Command[Version]:
    """Browser.getVersion."""
    return Command("Browser.getVersion", {}, Version)


def close() -> Command[Nothing]:
    """Browser.close; the reply comes before the end."""
    return Command("Browser.close", {}, Nothing)


def deny_downloads(context_id: str | None = None) -> Command[Nothing]:
    """Browser.setDownloadBehavior deny; by default Chromium writes to ~/Downloads unasked.

    Each context has to be told for itself; None is that of the profile.
    """
    params: dict[str, JSON] = {"behavior": "deny"}
    if context_id is not None:
        params["browserContextId"] = context_id
    return Command("Browser.setDownloadBehavior", params, Nothing)


class DownloadWillBegin(Event, frozen=True):
    """A page gives a file; `guid` is what it is called in the folder."""

    method = "Browser.downloadWillBegin"
    frame_id: str
    guid: str
    url: str
    suggested_filename: str = ""


class DownloadProgress(Event, frozen=True):
    """How far a download is; `state` is ``inProgress``, ``completed`` or ``canceled``."""

    method = "Browser.downloadProgress"
    guid: str
    total_bytes: float = 0
    received_bytes: float = 0
    state: str = ""


def allow_downloads(folder: str, context_id: str | None) -> Command[Nothing]:
    """Browser.setDownloadBehavior: of a context into a folder, under names of Chromium's own."""
    params: dict[str, JSON] = {
        "behavior": "allowAndName",
        "downloadPath": folder,
        "eventsEnabled": True,
    }
    if context_id is not None:
        params["browserContextId"] = context_id
    return Command("Browser.setDownloadBehavior", params, Nothing)


def cancel_download(guid: str, context_id: str | None) -> Command[Nothing]:
    """Browser.cancelDownload."""
    params: dict[str, JSON] = {"guid": guid}
    if context_id is not None:
        params["browserContextId"] = context_id
    return Command("Browser.cancelDownload", params, Nothing)
