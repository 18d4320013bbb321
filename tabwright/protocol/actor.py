"""The types that connect roles, requests and actors."""

from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, Generic, Protocol, TypeVar, TypeVarTuple, cast

import attrs

RoleT_co = TypeVar("RoleT_co", covariant=True)
RoleT_contra = TypeVar("RoleT_contra", contravariant=True)
AnswerT = TypeVar("AnswerT")
ArgumentTs = TypeVarTuple("ArgumentTs")
AnswerT_co = TypeVar("AnswerT_co", covariant=True)


class Request(Protocol[RoleT_contra, AnswerT_co]):
    """A value that names the method of a role that answers it."""

    async def visit(self, role: RoleT_contra, /) -> AnswerT_co:
        """Call the method of `role` that answers this request."""
        ...


@attrs.frozen(init=False)
class Invoke(Generic[RoleT_contra, AnswerT_co]):
    """The request for a method of a role, such as `BrowserPool.pool`, with its arguments.

    Attributes:
        method: as the role declares it; its arguments are positional.
        arguments: for the method.
    """

    method: Callable[Concatenate[RoleT_contra, ...], Coroutine[Any, Any, AnswerT_co]]
    arguments: tuple[object, ...]

    def __init__(
        self,
        method: Callable[[RoleT_contra, *ArgumentTs], Coroutine[Any, Any, AnswerT_co]],
        *arguments: *ArgumentTs,
    ) -> None:
        object.__setattr__(self, "method", method)  # as attrs sets a frozen field
        object.__setattr__(self, "arguments", arguments)

    @property
    def trace_name(self) -> str:
        """Return the name of the method; see `request_name`."""
        return self.method.__name__

    async def visit(self, role: RoleT_contra, /) -> AnswerT_co:
        """Call the method by its name, because an actor does not inherit from its role."""
        own = getattr(role, self.trace_name)
        # `role` satisfies the role that declares the method, so its own method has the same type.
        return await cast("Callable[..., Coroutine[Any, Any, AnswerT_co]]", own)(*self.arguments)


def request_name(request: Request[Any, object]) -> str:
    """Return the name of a request for traces, without its content, which may be private.

    The default is the name of its class. A request type that stands for several requests has a
    `trace_name`.
    """
    name: str = getattr(request, "trace_name", type(request).__name__)
    return name


class Address(Protocol[RoleT_co]):
    """Accepts requests for the actor that plays a role; the only reference to that actor."""

    async def ask(self, request: Request[RoleT_co, AnswerT], /) -> AnswerT:
        """Send a request and wait for the answer.

        The caller's deadline travels with the request. Cancelling the caller stops the work.

        Raises:
            Refusal: the actor refused it.
            Undelivered: the request was never started.
            Unanswered: it was started, and the actor crashed or stopped.
        """
        ...

    async def tell(self, request: Request[RoleT_co, object], /) -> None:
        """Send a request and wait only until the mailbox has room; the request runs to its end.

        Raises:
            Undelivered: the actor has stopped.
        """
        ...

    def notify(self, request: Request[RoleT_co, object], /) -> bool:
        """Send a request without waiting; return whether the mailbox had room for it."""
        ...


class Expiry(Protocol):
    """A condition that ends, for example an event of the event loop."""

    async def wait(self) -> None:
        """Wait until it ends."""
        ...


# Running blocking work outside the event loop.

ResultT = TypeVar("ResultT")


class Offload(Protocol):
    """Runs a function that computes or does file I/O outside the event loop, and awaits its result.

    It is injected because a real thread under a simulated clock makes the clock jump.
    """

    async def __call__(self, work: Callable[[], ResultT], /) -> ResultT:
        """Run `work` and return its result."""
        ...
