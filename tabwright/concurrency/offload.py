"""Where work goes that would hold up the loop: see `tabwright.protocol.actor.Offload`."""

from collections.abc import Callable
from typing import TypeVar

import attrs
import trio

ResultT = TypeVar("ResultT")

THREADS_MAX = 4
"""Of our own, abandoned ones included: the host's threads are not ours to use up."""


@attrs.frozen
class ThreadOffload:
    """Offloads to a thread; cancelled, it leaves the thread to end by itself."""

    limiter: trio.CapacityLimiter = attrs.field(factory=lambda: trio.CapacityLimiter(THREADS_MAX))

    async def __call__(self, work: Callable[[], ResultT], /) -> ResultT:
        """Runs `work`."""
        return await trio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self.limiter)
