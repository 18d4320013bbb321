"""Running what would hold up the loop somewhere else."""

from collections.abc import Callable
from typing import Protocol, TypeVar

ResultT = TypeVar("ResultT")


class Offload(Protocol):
    """Runs a function that computes or waits for the disk, somewhere, and waits for its result.

    A seam, because a real thread under a simulated clock makes the clock jump.
    """

    async def __call__(self, work: Callable[[], ResultT], /) -> ResultT:
        """Runs `work`."""
        ...
