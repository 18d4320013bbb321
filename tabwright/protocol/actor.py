"""How roles, requests and those who take requests fit together, as types."""

from collections.abc import Callable, Coroutine
from typing import Any, Generic, Protocol, TypeVar, cast

import attrs

RoleT_co = TypeVar("RoleT_co", covariant=True)
RoleT_contra = TypeVar("RoleT_contra", contravariant=True)
AnswerT = TypeVar("AnswerT")
AnswerT_co = TypeVar("AnswerT_co", covariant=True)


class Request(Protocol[RoleT_contra, AnswerT_co]):
    """A value that knows which method of a role answers it."""

    async def visit(self, role: RoleT_contra, /) -> AnswerT_co:
        """Has `role` answer this request."""
        ...


@attrs.frozen
class Invoke(Generic[RoleT_contra, AnswerT_co]):
    """The request for a method of a role that has no arguments, such as `BrowserPool.pool`.

    Attributes:
        method: as the role declares it.
    """

    method: Callable[[RoleT_contra], Coroutine[Any, Any, AnswerT_co]]

    @property
    def trace_name(self) -> str:
        """The name of the method; see `request_name`."""
        return self.method.__name__

    async def visit(self, role: RoleT_contra, /) -> AnswerT_co:
        """Has the method of that name answer: an actor does not inherit from its role."""
        own = getattr(role, self.trace_name)
        # `role` satisfies the role that declares the method, so its own method has the same type.
        return await cast("Callable[[], Coroutine[Any, Any, AnswerT_co]]", own)()


def request_name(request: Request[Any, object]) -> str:
    """The name of a request in traces; its content may be private and stays out.

    It is that of its class. A request that stands for many has a `trace_name` of its own.
    """
    name: str = getattr(request, "trace_name", type(request).__name__)
    return name


class Address(Protocol[RoleT_co]):
    """Accepts requests for the actor that plays a role; all that others know of it."""

    async def ask(self, request: Request[RoleT_co, AnswerT], /) -> AnswerT:
        """Waits for the answer.

        The caller's deadline travels with the request. Cancelling the caller stops the work.

        Raises:
            Refusal: the actor said no.
            Undelivered: the request was never started.
            Unanswered: it was started, and the actor crashed or stopped.
        """
        ...

    async def tell(self, request: Request[RoleT_co, object], /) -> None:
        """Waits for room, not for the answer; once there is room, the request runs to its end.

        Raises:
            Undelivered: the actor has stopped.
        """
        ...

    def notify(self, request: Request[RoleT_co, object], /) -> bool:
        """Never waits; says whether there was room."""
        ...


class Expiry(Protocol):
    """Something that will be over; an event of the event loop is one."""

    async def wait(self) -> None:
        """Waits until it is over."""
        ...


# Running blocking work outside the event loop.

ResultT = TypeVar("ResultT")


class Offload(Protocol):
    """Runs a function that computes or waits for the disk, somewhere, and waits for its result.

    Injected, because a real thread under a simulated clock makes the clock jump.
    """

    async def __call__(self, work: Callable[[], ResultT], /) -> ResultT:
        """Runs `work`."""
        ...
