"""The Browser domain: the browser as a whole."""

from tabwright.cdp.command import Command
from tabwright.cdp.wire import Nothing, Shape


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


def deny_downloads() -> Command[Nothing]:
    """Browser.setDownloadBehavior deny; by default Chromium writes to ~/Downloads unasked."""
    return Command("Browser.setDownloadBehavior", {"behavior": "deny"}, Nothing)
