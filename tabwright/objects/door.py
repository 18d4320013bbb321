"""How a call reaches tabwright: at once, or from the event loop or thread of another program."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias, TypeVar

from tabwright.concurrency.nursery import isolate_callback
from tabwright.protocol.progress import OnProgress, ignore_progress

AnswerT = TypeVar("AnswerT")

Work: TypeAlias = Callable[[OnProgress], Awaitable[AnswerT]]
"""Starts a call inside tabwright, with the callback for its progress."""


class Door(Protocol):
    """Runs calls where tabwright runs."""

    async def __call__(
        self, work: Work[AnswerT], progress: OnProgress = ignore_progress, /
    ) -> AnswerT:
        """Run `work` and return its answer. Cancellation cancels it, and waits for its end.

        Args:
            work: the call.
            progress: is called with each step; its error ends the call and is raised.
        """
        ...


async def same_loop(work: Work[AnswerT], progress: OnProgress = ignore_progress, /) -> AnswerT:
    """Run a call in the task that makes it; see `Door`."""
    with isolate_callback(progress) as on_progress:
        return await work(on_progress)
