"""When a frame of the answer stream is due."""

import trio

from tabwright.testing.replica.scenario import Clock
from tabwright.testing.replica.stream import Frame


class Pace:
    """The clock of all streams of a scenario: its time runs, or goes on step by step."""

    def __init__(self, clock: Clock) -> None:
        self._stepped = clock == "stepped"
        self._steps = trio.Semaphore(0)

    def step(self, frames: int) -> None:
        """Releases the next frames, those that wait longest first; others need not wait then."""
        for _ in range(frames):
            self._steps.release()

    async def due(self, frame: Frame) -> None:
        """Waits until it is the turn of a frame."""
        if self._stepped:
            await self._steps.acquire()
        else:
            await trio.sleep(frame.delay_s)
