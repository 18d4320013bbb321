"""What CDP says, in the words of the house: the one place where its errors become refusals."""

from collections.abc import Generator
from contextlib import contextmanager

import trio

from tabwright.cdp.domains import runtime
from tabwright.cdp.errors import (
    CDPError,
    ConnectionLost,
    FrameTooLarge,
    MalformedReply,
    SessionEnded,
    TargetCrashed,
    UnsendableText,
)
from tabwright.concurrency.nursery import one_of_a_kind
from tabwright.protocol.errors import BadInput, BrowserDied, PageFailed, TabClosed, TabLost


@contextmanager
def refusing() -> Generator[None]:
    """Turns the CDP errors of the block into refusals.

    Raises:
        BadInput: the browser cannot be asked that.
        BrowserDied: the browser went away.
        TabClosed: the page was closed, by itself or by somebody at its window.
        TabLost: it crashed.
        PageFailed: it went away, or the browser would not do what it was asked, or not in time.
    """
    try:
        with _ungrouped():
            yield
    except ConnectionLost as error:
        raise BrowserDied(
            f"The browser ended in the middle of the work: {error.reason}.",
            advice="Ask again; a new browser is started.",
        ) from error
    except (FrameTooLarge, UnsendableText) as error:
        raise BadInput(
            f"The browser cannot be asked that: {error.text}.",
            advice="Ask for less at a time, in text that UTF-8 can carry.",
        ) from error
    except SessionEnded as error:
        raise TabClosed from error
    except TargetCrashed as error:
        raise TabLost("The page crashed.") from error
    except MalformedReply as error:
        raise PageFailed(
            f"The page failed: {error.text}.", advice="Ask for less at a time, or again."
        ) from error
    except CDPError as error:
        raise PageFailed(f"The page failed: {error.text}.", advice="Ask again.") from error
    except trio.TooSlowError as error:
        raise PageFailed("The page hangs: it does not respond.", advice="Ask again.") from error


@contextmanager
def _ungrouped() -> Generator[None]:
    """Where a page ends under several tasks of the block, the error of one stands for all."""
    try:
        yield
    except Exception as error:
        if (one := one_of_a_kind(error, CDPError)) is error:
            raise
        raise one from one.__cause__


def script_failed(thrown: runtime.ExceptionDetails) -> PageFailed:
    """What is said where a script of ours threw."""
    return PageFailed(f"A script of ours failed in the page: {thrown.what}")
