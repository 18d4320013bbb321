"""Timers: exponential backoff between attempts, idle time-outs, and limits that are lifted."""

import math
import random
from collections.abc import Generator
from contextlib import contextmanager

import attrs
import trio

STALL_S = 30.0
"""Seconds after which a client that neither sends nor takes what it should is considered gone."""

DOUBLINGS_MAX = 100
"""More doublings lengthen no pause that anybody waits for, and a thousand exceed a float."""


@attrs.frozen
class Backoff:
    """Pauses that double from one attempt to the next.

    Attributes:
        first_s: the first pause.
        max_s: the maximum pause.
        jitter: the maximum share of each pause that is randomly subtracted, to spread attempts.
    """

    first_s: float
    max_s: float = math.inf
    jitter: float = 0.5

    def pause_s(self, times: int, chance: random.Random) -> float:
        """Return the pause after `times` failures; `times` is at least one."""
        full_s = min(self.max_s, self.first_s * 2.0 ** min(times - 1, DOUBLINGS_MAX))
        return full_s * (1 - self.jitter * chance.random())


class IdleTimer:
    """Counts running work, and measures how long there has been none."""

    def __init__(self) -> None:
        self._busy = 0
        self._idle = trio.Event()
        self._idle.set()
        self._since_s = trio.current_time()

    @contextmanager
    def interrupted(self) -> Generator[None]:
        """Count the block as running work; blocks may overlap."""
        if not self._busy:
            self._idle = trio.Event()
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1
            self._since_s = trio.current_time()
            if not self._busy:
                self._idle.set()

    async def begins(self) -> None:
        """Wait until there is no running work."""
        await self._idle.wait()

    async def lasts(self, idle_s: float) -> None:
        """Wait until there has been no running work for `idle_s` seconds."""
        while (left_s := self._left_s(idle_s)) > 0:
            await trio.sleep(left_s)

    def _left_s(self, idle_s: float) -> float:
        return idle_s if self._busy else self._since_s + idle_s - trio.current_time()


async def lift(limit: trio.CancelScope) -> None:
    """Lift the deadline of a scope; if it has passed, the scope is cancelled here.

    It can have passed in a last step that cannot be cancelled, such as the start of a process.
    """
    if limit.cancel_called:
        await trio.lowlevel.checkpoint()
    limit.deadline = math.inf
