"""The Storage domain."""

from tabwright.cdp.command import Command
from tabwright.cdp.wire import Nothing


def get_cookies() -> Command[Nothing]:
    """Storage.getCookies of the browser's own context; what they are is not looked at."""
    return Command("Storage.getCookies", {}, Nothing)
