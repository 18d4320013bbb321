"""The context of the running task: its actor, and the trail of requests that led to it.

The order prevents deadlocks: an actor can wait only for actors that were started before it. The
order of a child extends that of its supervisor, so that an actor that can wait for the supervisor
can wait for the child, and the supervisor itself cannot.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

import attrs


@attrs.frozen
class TaskContext:
    """A point in the order of starting and in the trail of requests.

    Attributes:
        order: start numbers from the outermost supervisor inwards; empty outside every actor.
        trail: the callers, outermost first, such as ``("mcp#12", "supervisor", "tab-3")``.
    """

    order: tuple[int, ...] = ()
    trail: tuple[str, ...] = ()

    def may_wait_on(self, other: tuple[int, ...]) -> bool:
        """Return whether code in this context may wait for the actor with the order `other`."""
        return not self.order or other < self.order


OUTSIDE = TaskContext()
_here: ContextVar[TaskContext] = ContextVar("tabwright_place", default=OUTSIDE)


def current_context() -> TaskContext:
    """Return the context of the running task."""
    return _here.get()


@contextmanager
def use_context(place: TaskContext) -> Generator[None]:
    """Run the block in the context `place`; tasks started inside inherit it."""
    token = _here.set(place)
    try:
        yield
    finally:
        _here.reset(token)
