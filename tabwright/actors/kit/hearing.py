"""Telling somebody outside the house how a search or a task goes, whose code may fail."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

import trio

StepT = TypeVar("StepT")


@contextmanager
def guarded(progress: Callable[[StepT], None]) -> Generator[Callable[[StepT], None]]:
    """A progress for the block that never raises where it is called, in the midst of an actor.

    Raises:
        Exception: what `progress` raised first; the block is cancelled then.
    """
    failure: Exception | None = None
    block = trio.CancelScope()

    def heard(step: StepT) -> None:
        """`progress`, up to its first error; never raises."""
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
