"""Telling somebody outside the house how a search goes, whose code may fail."""

from collections.abc import Generator
from contextlib import contextmanager

import trio

from tabwright.protocol.searching import Progress, Step


@contextmanager
def guarded(progress: Progress) -> Generator[Progress]:
    """A progress for the block that never raises where it is called, in the midst of an actor.

    Raises:
        Exception: what `progress` raised first; the block is cancelled then.
    """
    failure: Exception | None = None
    block = trio.CancelScope()

    def heard(step: Step) -> None:
        nonlocal failure
        if failure is None:
            try:
                progress(step)
            except Exception as error:  # noqa: BLE001  (raised at the end of the block)
                failure = error
                block.cancel()

    with block:
        yield heard
    if failure is not None:
        raise failure
