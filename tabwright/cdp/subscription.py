"""Events that somebody waits for, between the reader and the one who waits."""

from collections import deque
from collections.abc import Callable
from typing import Generic, Protocol, Self, TypeVar

import trio

from tabwright.cdp import wire
from tabwright.cdp.conversation import Failure
from tabwright.cdp.wire import Event, Raw

EventT_co = TypeVar("EventT_co", bound=Event, covariant=True)


class Listener(Protocol):
    """The reader's side of a subscription."""

    def offer(self, method: str, params: Raw) -> None:
        """Takes the event if it is of a type asked for; never waits."""
        ...

    def fail(self, failure: Failure) -> None:
        """Ends the iteration with an error once the queue is empty."""
        ...


class Subscription(Generic[EventT_co]):
    """An asynchronous iterator over the events of one session, of the types asked for.

    Subscribe before acting, or the event is missed: it hears from when it was made. It is a context
    manager, whose end is the end of its hearing; a task that is to take the events gets it as an
    argument, for what a task does first comes too late. The queue is bounded, and the reader never
    waits: when the queue is full the oldest event is dropped and counted. Waiting for the next
    event is a checkpoint only where there is none yet; cancellation loses no event.

    Attributes:
        dropped: events that were thrown away because nobody took them in time.
    """

    def __init__(
        self,
        types: tuple[type[EventT_co], ...],
        capacity: int,
        leave: Callable[[Listener], None],
    ) -> None:
        self.dropped = 0
        self._leave = leave
        self._closed = False
        self._types = {event_type.method: event_type for event_type in types}
        self._queue = deque[tuple[str, Raw]](maxlen=capacity)
        self._failure: Failure | None = None
        self._waiting = trio.lowlevel.ParkingLot()

    def offer(self, method: str, params: Raw) -> None:
        """See `Listener.offer`."""
        if method in self._types:
            self.dropped += len(self._queue) == self._queue.maxlen
            self._queue.append((method, params))
            if self._waiting:
                self._waiting.unpark()

    def fail(self, failure: Failure) -> None:
        """See `Listener.fail`."""
        self._failure = failure
        self._waiting.unpark_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hears no more; what was heard is still given, and then the iteration ends."""
        if not self._closed:
            self._closed = True
            self._leave(self)
            self._waiting.unpark_all()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> EventT_co:
        while not self._queue:
            if self._closed:
                raise StopAsyncIteration
            if self._failure is not None:
                raise self._failure("waiting for " + " or ".join(self._types))
            await self._waiting.park()
        method, params = self._queue.popleft()
        return wire.decode(params, self._types[method], method)
