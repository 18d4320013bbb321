"""The types that connect roles and actors."""

from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

RoleT_co = TypeVar("RoleT_co", covariant=True)
AnswerT = TypeVar("AnswerT")
AnswerT_co = TypeVar("AnswerT_co", covariant=True)
ParametersT = ParamSpec("ParametersT")


class Address(Protocol[RoleT_co]):
    """Accepts requests for the actor that plays a role; the only reference to that actor.

    A request is a method of the role, as the role declares it, and its arguments; ``ask`` and the
    others call the method of this name of the actor. Example::

        picture = await tab.ask(Tab.inspect, Capture())
    """

    async def ask(
        self,
        method: Callable[Concatenate[RoleT_co, ParametersT], Awaitable[AnswerT]],
        /,
        *args: ParametersT.args,
        **kwargs: ParametersT.kwargs,
    ) -> AnswerT:
        """Send a request and wait for the answer.

        The caller's deadline travels with the request. Cancelling the caller stops the work.

        Raises:
            Refusal: the actor refused it.
            Undelivered: the request was never started.
            Unanswered: it was started, and the actor crashed or stopped.
        """
        ...

    async def tell(
        self,
        method: Callable[Concatenate[RoleT_co, ParametersT], Awaitable[object]],
        /,
        *args: ParametersT.args,
        **kwargs: ParametersT.kwargs,
    ) -> None:
        """Send a request and wait only until the mailbox has room; the request runs to its end.

        Raises:
            Undelivered: the actor has stopped.
        """
        ...

    def notify(
        self,
        method: Callable[Concatenate[RoleT_co, ParametersT], Awaitable[object]],
        /,
        *args: ParametersT.args,
        **kwargs: ParametersT.kwargs,
    ) -> bool:
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
