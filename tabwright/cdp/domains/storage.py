"""The Storage domain."""

from tabwright.cdp.wire import CDPCommand, Nothing


def get_cookies() -> CDPCommand[Nothing]:
    """Storage.getCookies of the browser's own context; the result is ignored."""
    return CDPCommand("Storage.getCookies", {}, Nothing)


def clear_local_storage(origin: str) -> CDPCommand[Nothing]:
    """Storage.clearDataForOrigin: the ``localStorage`` of an origin in the page's context."""
    params = {"origin": origin, "storageTypes": "local_storage"}
    return CDPCommand("Storage.clearDataForOrigin", params, Nothing)
