"""Where the running task stands: in which actor, and on whose behalf.

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
        trail: who asked whom, outermost first, such as ``("mcp#12", "supervisor", "tab-3")``.
    """

    order: tuple[int, ...] = ()
    trail: tuple[str, ...] = ()

    def may_wait_on(self, other: tuple[int, ...]) -> bool:
        """Whether code standing here may wait for the actor that has the order `other`."""
        return not self.order or other < self.order


OUTSIDE = TaskContext()
_here: ContextVar[TaskContext] = ContextVar("tabwright_place", default=OUTSIDE)


def current_context() -> TaskContext:
    """The place of the running task."""
    return _here.get()


@contextmanager
def use_context(place: TaskContext) -> Generator[None]:
    """Runs the block at `place`; tasks started inside inherit it."""
    token = _here.set(place)
    try:
        yield
    finally:
        _here.reset(token)
