"""Imports of heavy modules in a thread, while the event loop serves a client."""

import gc
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

import trio

ImportedT = TypeVar("ImportedT")

TURN_S = 0.0005
"""How long a thread that imports keeps the event loop waiting, in seconds (default 0.005).

Launching a browser and opening a page need the loop a hundred times for a moment.
"""

_TURNS = threading.Lock()
"""Held while a thread imports: two would restore what the other has set."""


async def import_late(what: Callable[[], ImportedT]) -> ImportedT:
    """Run a function that imports modules in a thread, and return what it returns.

    Cancellation abandons the thread.
    """

    def run() -> ImportedT:
        """Import without delaying others much."""
        with _TURNS, _unobtrusive():
            return what()

    return await trio.to_thread.run_sync(run, abandon_on_cancel=True)


@contextmanager
def _unobtrusive() -> Generator[None]:
    """Take short turns, and exclude the imported modules from garbage collection.

    It would scan them repeatedly.
    """
    before_s = sys.getswitchinterval()
    sys.setswitchinterval(TURN_S)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()
        sys.setswitchinterval(before_s)
