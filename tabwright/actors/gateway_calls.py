"""What a tool does for an MCP client, from the call that begins it to the one that ends it."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import attrs
import mcp_types as mcp
import outcome
import trio

from tabwright.actors.gateway_steps import Steps
from tabwright.cdp.background import open_background
from tabwright.protocol.searching import PersonNeeded, Progress, Step

Work: TypeAlias = Callable[[Progress], Awaitable[mcp.CallToolResult]]
"""The work of a tool; its progress is told to the client."""


@attrs.define(eq=False)
class RunningCall:
    """The work of one call, which may outlive the call that began it.

    Since the protocol of 2026-07-28 a server asks its client something by ending the call, and the
    client answers by calling again; the work goes on meanwhile.

    Attributes:
        question: what the client was asked in between; None before.
    """

    _work: Work
    question: PersonNeeded | None = attrs.field(default=None, init=False)
    _steps: Steps | None = attrs.field(default=None, init=False)
    _unasked: PersonNeeded | None = attrs.field(default=None, init=False)
    _end: outcome.Outcome[mcp.CallToolResult] | None = attrs.field(default=None, init=False)
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

    async def result(self, steps: Steps, *, may_ask: bool) -> mcp.CallToolResult | PersonNeeded:
        """Waits for the result, or if `may_ask` for a question to the client; tells the steps.

        Raises:
            TabwrightError: the work failed.
        """
        self._steps = steps
        async with open_background() as nursery:
            nursery.start_soon(steps.forward)
            while self._end is None:
                if may_ask and self._unasked is not None:
                    self.question, self._unasked = self._unasked, None
                    return self.question
                await self._news.wait()
                self._news = trio.Event()
            return self._end.unwrap()

    def _hear(self, step: Step) -> None:
        if self._steps is not None:
            self._steps.put(step)
        if isinstance(step, PersonNeeded):
            self._unasked = step
        self._news.set()
