"""Timers: exponential back-off between attempts, and idle time-outs."""

import math
import random
from collections.abc import Generator
from contextlib import contextmanager

import attrs
import trio


@attrs.frozen
class Backoff:
    """Pauses that double from one attempt to the next.

    Attributes:
        first_s: the first pause.
        max_s: where the doubling ends.
        jitter: the part of each pause that chance takes off, so that not all try again at once.
    """

    first_s: float
    max_s: float = math.inf
    jitter: float = 0.5

    def pause_s(self, times: int, chance: random.Random) -> float:
        """How long to wait after `times` failures; `times` is at least one."""
        full_s = min(self.max_s, self.first_s * 2.0 ** (times - 1))
        return full_s * (1 - self.jitter * chance.random())


class IdleTimer:
    """Counts what is going on, and knows since when there was nothing."""

    def __init__(self) -> None:
        self._busy = 0
        self._idle = trio.Event()
        self._idle.set()
        self._since_s = trio.current_time()

    @contextmanager
    def interrupted(self) -> Generator[None]:
        """Something goes on while the block runs; blocks may overlap."""
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
        """Wait until nothing is going on."""
        await self._idle.wait()

    async def lasts(self, idle_s: float) -> None:
        """Wait until nothing has been going on for `idle_s` seconds on end."""
        while (left_s := self._left_s(idle_s)) > 0:
            await trio.sleep(left_s)

    def _left_s(self, idle_s: float) -> float:
        return idle_s if self._busy else self._since_s + idle_s - trio.current_time()
