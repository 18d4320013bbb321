"""CDP errors, the loss of a tab and timeouts as errors of the protocol."""

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
from tabwright.page.outline_text import escape_refs, truncate
from tabwright.protocol.errors import (
    BadInput,
    BrowserDied,
    Effect,
    PageFailed,
    TabClosed,
    TabLost,
    TimeOut,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.untrusted_text import Quoted


@contextmanager
def translate_cdp_errors() -> Generator[None]:
    """Translate the CDP errors of the block to refusals.

    Raises:
        BadInput: the browser does not support the request.
        BrowserDied: the browser is gone.
        TabClosed: the page was closed, by itself or by a person at its window.
        TabLost: the page crashed.
        PageFailed: the page is gone, or the browser refused the request, or did not respond in
            time.
    """
    try:
        with _ungrouped():
            yield
    except ConnectionLost as error:
        raise BrowserDied(
            ("The browser ended during the call: ", Quoted(error.reason), "."),
            advice="Try again; a new browser is started.",
        ) from error
    except (FrameTooLarge, UnsendableText) as error:
        raise BadInput(
            ("The browser rejected the request: ", Quoted(error.text), "."),
            advice="Request less at a time, as valid UTF-8 text.",
        ) from error
    except SessionEnded as error:
        raise TabClosed from error
    except TargetCrashed as error:
        raise TabLost("The page crashed.") from error
    except MalformedReply as error:
        raise PageFailed(
            ("The page failed: ", Quoted(error.text), "."),
            advice="Request less at a time, or try again.",
        ) from error
    except CDPError as error:
        raise PageFailed(
            ("The page failed: ", Quoted(error.text), "."), advice="Try again."
        ) from error
    except trio.TooSlowError as error:
        raise PageFailed("The page hangs: it does not respond.", advice="Try again.") from error


@contextmanager
def _ungrouped() -> Generator[None]:
    """Replace a group with one of its errors if several tasks fail because the page ended."""
    try:
        yield
    except Exception as error:
        if (one := one_of_a_kind(error, CDPError)) is error:
            raise
        raise one from one.__cause__


def script_failed(thrown: runtime.ExceptionDetails) -> PageFailed:
    """Return the error for an exception in one of our scripts."""
    return PageFailed(("A tabwright script failed in the page: ", Quoted(thrown.what)))


def unsent_form(field: str) -> PageFailed:
    """Return the error for a form that a field keeps from being submitted, with its reason."""
    failure = PageFailed(
        ("The form was not submitted: ", Quoted(escape_refs(truncate(field)))),
        advice="Fill it in as the page requires.",
        retryable=False,
    )
    failure.effect = Effect.DONE  # what was filled in stays
    return failure


# The loss of a tab.


@contextmanager
def translate_tab_loss() -> Generator[None]:
    """Translate the loss of a tab to the reason that it reports.

    A loss without a known reason is not translated, and neither is that of any other actor.

    Raises:
        BrowserDied: the browser ended.
        PageFailed: the page failed; `TabLost` if it is gone.
    """
    try:
        yield
    except (Undelivered, Unanswered) as loss:
        match loss.__cause__:
            case BrowserDied(chunks=what, advice=advice, hints=hints):
                raise BrowserDied(what, advice=advice, hints=hints) from loss
            case TabClosed():
                raise TabLost("The page closed it.") from loss
            case TabLost(reason=reason):
                raise TabLost(reason) from loss
            case PageFailed(chunks=what, advice=advice, hints=hints):
                raise PageFailed(what, advice=advice, hints=hints) from loss
            case _:
                raise


# The time limit of a page load.


@contextmanager
def navigation_timeout(what: str, within_s: float) -> Generator[None]:
    """Limit the block to the time that ``network.page_timeout_s`` allows; `what` is loading.

    Raises:
        TimeOut: it did not load in time.
    """
    try:
        with trio.fail_after(within_s):
            yield
    except trio.TooSlowError as error:
        raise TimeOut(
            (Quoted(what), f" did not load within {within_s:g} s."),
            advice="Try again, or raise network.page_timeout_s.",
        ) from error
