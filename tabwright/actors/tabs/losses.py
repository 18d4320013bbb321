"""What the loss of a tab means to whoever works in it."""

from collections.abc import Generator
from contextlib import contextmanager

from tabwright.protocol.errors import (
    BrowserDied,
    PageFailed,
    TabClosed,
    TabLost,
    Unanswered,
    Undelivered,
)


@contextmanager
def loss_told() -> Generator[None]:
    """Says of a tab that was lost what has ended it, as it says it itself.

    A loss that nobody knows the reason of stays what it is, as does that of any other actor.

    Raises:
        BrowserDied: the browser ended.
        PageFailed: the page did; `TabLost` where it is gone.
    """
    try:
        yield
    except (Undelivered, Unanswered) as loss:
        match loss.__cause__:
            case BrowserDied(message=what, advice=advice, hints=hints):
                raise BrowserDied(what, advice=advice, hints=hints) from loss
            case TabClosed():
                raise TabLost("Its page has closed it.") from loss
            case TabLost(reason=reason):
                raise TabLost(reason) from loss
            case PageFailed(message=what, advice=advice, hints=hints):
                raise PageFailed(what, advice=advice, hints=hints) from loss
            case _:
                raise
