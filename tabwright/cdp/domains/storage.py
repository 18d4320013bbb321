"""The Storage domain."""

from tabwright.cdp.wire import CDPCommand, Nothing


def get_cookies() -> CDPCommand[Nothing]:
    """Storage.getCookies of the browser's own context; the result is ignored."""
    return CDPCommand("Storage.getCookies", {}, Nothing)
