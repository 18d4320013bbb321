"""What a tool does for an MCP client, from the call that begins it to the one that ends it."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import attrs
import outcome
import trio

from tabwright.actors.gateway.questions import ClientQuestion
from tabwright.actors.gateway.steps import Steps, Told
from tabwright.concurrency.nursery import open_background
from tabwright.mcp.client_requests import ModelWanted
from tabwright.mcp.results import Answer
from tabwright.protocol.ai_search import PersonNeeded

Hear: TypeAlias = Callable[[Told], None]
"""Is told how the work of a call goes, and brings questions before its client; never blocks."""

Work: TypeAlias = Callable[[Hear], Awaitable[Answer]]
"""The work of a tool; its progress is told to the client."""


@attrs.frozen
class Caller:
    """The client for whom a tool works.

    Attributes:
        thinks: whether it offers its model.
        asked_by_result: whether each question ends its call, so that there may be but a few.
    """

    hear: Hear
    thinks: bool
    asked_by_result: bool


@attrs.define(eq=False)
class RunningCall:
    """The work of one call, which may outlive the call that began it.

    Since the protocol of 2026-07-28 a server asks its client something by ending the call, and the
    client answers by calling again; the work goes on meanwhile.

    Attributes:
        question: what the client was asked in between; None before.
    """

    _work: Work
    question: ClientQuestion | None = attrs.field(default=None, init=False)
    _steps: Steps | None = attrs.field(default=None, init=False)
    _unasked: ClientQuestion | None = attrs.field(default=None, init=False)
    _end: outcome.Outcome[Answer] | None = attrs.field(default=None, init=False)
    _news: trio.Event = attrs.field(factory=trio.Event, init=False)
    _scope: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)

    async def run(self) -> None:
        """Works, and keeps what comes of it."""
        with self._scope:
            try:
                self._end = outcome.Value(await self._work(self._hear))
            except Exception as error:  # noqa: BLE001  (raised where the call waits)
                self._end = outcome.Error(error)
        self._news.set()

    def cancel(self) -> None:
        """Ends the work; what has ended is left alone."""
        self._scope.cancel()

    async def result(self, steps: Steps) -> Answer | ClientQuestion:
        """Waits for the result, or for a question that ends the call; tells the steps.

        Raises:
            TabwrightError: the work failed.
        """
        self._steps = steps
        async with open_background() as nursery:
            nursery.start_soon(steps.forward)
            while self._end is None:
                asked, self._unasked = self._unasked, None
                if asked is not None and steps.ends_with(asked):
                    self.question = asked
                    return asked
                await self._news.wait()
                self._news = trio.Event()
            return self._end.unwrap()

    def _hear(self, step: Told) -> None:
        if self._steps is not None:
            self._steps.put(step)
        if isinstance(step, PersonNeeded | ModelWanted):
            self._unasked = step
        self._news.set()
