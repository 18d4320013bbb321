"""The time that a page has to be there."""

from collections.abc import Generator
from contextlib import contextmanager

import trio

from tabwright.protocol.errors import TimeOut


@contextmanager
def arriving(what: str, within_s: float) -> Generator[None]:
    """Gives the block the time that ``network.page_timeout_s`` allows; `what` is on its way.

    Raises:
        TimeOut: it was not there.
    """
    try:
        with trio.fail_after(within_s):
            yield
    except trio.TooSlowError as error:
        raise TimeOut(
            f"{what} was not there within {within_s:g} s.",
            advice="Try again, or raise network.page_timeout_s.",
        ) from error
