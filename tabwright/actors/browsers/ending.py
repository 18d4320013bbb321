"""The end of a browser that nobody wanted."""

from tabwright.cdp.chromium.limits import too_tight
from tabwright.protocol.errors import BrowserDied


def browser_died(what: str) -> BrowserDied:
    """What is said of it: `what` in a sentence, and the limit that may have been the cause."""
    return BrowserDied(f"{what} {too_tight()}".rstrip(), advice="Ask again; a new one is started.")
