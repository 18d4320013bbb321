"""The Browser domain: the browser as a whole."""

from collections.abc import Iterable

from tabwright.cdp.wire import JSON, CDPCommand, Event, Nothing, Shape, present


class Version(Shape, frozen=True):
    """The product name and version, such as ``Chrome/156.0.8078.79``."""

    product: str
    user_agent: str


def get_version() -> CDPCommand[Version]:
    """Browser.getVersion."""
    return CDPCommand("Browser.getVersion", {}, Version)


def close() -> CDPCommand[Nothing]:
    """Browser.close; the reply comes before the end."""
    return CDPCommand("Browser.close", {}, Nothing)


def deny_downloads(context_id: str | None = None) -> CDPCommand[Nothing]:
    """Browser.setDownloadBehavior deny; by default Chromium writes to ~/Downloads without asking.

    It is set for each context; None is that of the profile. Refused downloads are reported.
    """
    params: dict[str, JSON] = {"behavior": "deny", "eventsEnabled": True}
    if context_id is not None:
        params["browserContextId"] = context_id
    return CDPCommand("Browser.setDownloadBehavior", params, Nothing)


class DownloadWillBegin(Event, frozen=True):
    """A page started a download; `guid` is its name in the folder."""

    method = "Browser.downloadWillBegin"
    frame_id: str
    guid: str
    url: str
    suggested_filename: str = ""


class DownloadProgress(Event, frozen=True):
    """The progress of a download; `state` is ``inProgress``, ``completed`` or ``canceled``."""

    method = "Browser.downloadProgress"
    guid: str
    total_bytes: float = 0
    received_bytes: float = 0
    state: str = ""


def allow_downloads(folder: str, context_id: str | None) -> CDPCommand[Nothing]:
    """Browser.setDownloadBehavior: save a context's downloads, under generated names."""
    params: dict[str, JSON] = {
        "behavior": "allowAndName",
        "downloadPath": folder,
        "eventsEnabled": True,
    }
    if context_id is not None:
        params["browserContextId"] = context_id
    return CDPCommand("Browser.setDownloadBehavior", params, Nothing)


def cancel_download(guid: str, context_id: str | None) -> CDPCommand[Nothing]:
    """Browser.cancelDownload."""
    params: dict[str, JSON] = {"guid": guid}
    if context_id is not None:
        params["browserContextId"] = context_id
    return CDPCommand("Browser.cancelDownload", params, Nothing)


def grant_permissions(permissions: Iterable[str], context_id: str | None) -> CDPCommand[Nothing]:
    """Browser.grantPermissions to every origin of a context, and reject all others."""
    params = present(permissions=list(permissions), browserContextId=context_id)
    return CDPCommand("Browser.grantPermissions", params, Nothing)


def reset_permissions(context_id: str | None) -> CDPCommand[Nothing]:
    """Browser.resetPermissions of a context."""
    return CDPCommand("Browser.resetPermissions", present(browserContextId=context_id), Nothing)
