"""What CDP says, in the words of the house: the one place where its errors become refusals."""

from collections.abc import Generator
from contextlib import contextmanager

import trio

from tabwright.cdp.domains import runtime
from tabwright.cdp.errors import CDPError, ConnectionLost
from tabwright.protocol.errors import BrowserDied, PageFailed


@contextmanager
def refusing() -> Generator[None]:
    """Turns the CDP errors of the block into refusals.

    Raises:
        BrowserDied: the browser went away.
        PageFailed: the page did, or the browser would not do what it was asked, or not in time.
    """
    try:
        yield
    except ConnectionLost as error:
        raise BrowserDied(
            f"The browser ended in the middle of the work: {error.reason}.",
            advice="Ask again; a new browser is started.",
        ) from error
    except CDPError as error:
        raise PageFailed(f"The page failed: {error.text}.", advice="Ask again.") from error
    except trio.TooSlowError as error:
        raise PageFailed("The page hangs: it does not respond.", advice="Ask again.") from error


def script_failed(thrown: runtime.ExceptionDetails) -> PageFailed:
    """What is said where a script of ours threw."""
    return PageFailed(f"A script of ours failed in the page: {thrown.what}")
