"""A call of a tool from start to end, with its progress."""

from collections.abc import Awaitable, Callable
from itertools import count
from typing import Protocol, TypeAlias

import attrs
import outcome
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.mcp.client_questions import (
    CallClient,
    ClientRequest,
    ConfirmationQuestion,
    SamplingQuestion,
)
from tabwright.mcp.tool import ToolResult
from tabwright.protocol.progress import ProgressEvent

# Progress on its way to an MCP client, which may be slow.

ALIVE_EVERY_S = 15.0
"""Clients cancel a call without progress; the shortest time-out in use is 30 s."""


@attrs.frozen
class TaskLine:
    """An event of a task, as a text to show."""

    text: str

    def __str__(self) -> str:
        return self.text


CallProgress: TypeAlias = ProgressEvent | SamplingQuestion | ConfirmationQuestion | TaskLine
"""Progress of a running call; its `str` is a text to show."""


class Steps(Protocol):
    """Takes the steps of a call while somebody waits for its result."""

    def put(self, step: CallProgress, /) -> None:
        """Add the next step; never waits."""
        ...

    def ends_with(self, question: ClientRequest, /) -> bool:
        """Return whether the wait must end for this question to the client."""
        ...

    async def forward(self) -> None:
        """Pass the steps on until cancelled."""
        ...


class ProgressSender:
    """Sends the progress of a call to one client; of a growing answer, only the newest text.

    Args:
        client: who called.
        name: of the call.
        shown: converts a text for display, for example by masking secrets.
    """

    def __init__(self, client: CallClient, name: str, shown: Callable[[str], str] = str) -> None:
        self._client = client
        self._name = name
        self._shown = shown
        self._news = trio.Event()
        self._latest: CallProgress | None = None
        self._questions: list[ClientRequest] = []
        self._numbers = count(1)

    def put(self, step: CallProgress) -> None:
        """Add the next step; never waits."""
        self._latest = step
        if (
            isinstance(step, ClientRequest)
            and not self._client.asked_by_result
            and self._client.capabilities.can_be_asked(step)
        ):
            self._questions.append(step)
        self._news.set()

    def ends_with(self, question: ClientRequest) -> bool:
        """Return whether the call must end to ask its client this question."""
        return self._client.asked_by_result and self._client.capabilities.can_be_asked(question)

    async def forward(self) -> None:
        """Send the steps, and repeat the latest as a sign of life, until cancelled."""
        async with trio.open_nursery() as asking:
            while True:
                with trio.move_on_after(ALIVE_EVERY_S):
                    await self._news.wait()
                self._news = trio.Event()
                while self._questions:
                    question = self._questions.pop()
                    asking.start_soon(self._client.ask, question, self._name)
                if self._latest is not None:
                    number = next(self._numbers)
                    await self._client.report_progress(number, self._shown(str(self._latest)))


OnCallProgress: TypeAlias = Callable[[CallProgress], None]
"""Called with the progress of a call, and with questions for its client; never blocks."""

Work: TypeAlias = Callable[[OnCallProgress], Awaitable[ToolResult]]
"""The work of a tool; its progress is sent to the client."""


@attrs.frozen
class CallContext:
    """The client that called a tool.

    Attributes:
        thinks: whether it offers its model.
        confirms: whether it can ask its user a question.
        shows_urls: whether it can show its user a page, so that a person can solve a CAPTCHA.
        asked_by_result: whether each question ends the call, so that only a few are possible.
    """

    on_progress: OnCallProgress
    thinks: bool
    asked_by_result: bool
    confirms: bool = False
    shows_urls: bool = False


@attrs.define(eq=False)
class RunningCall:
    """The work of a call, which can outlive the call that started it.

    Since the protocol of 2026-07-28 a server asks its client a question by ending the call, and the
    client answers by calling again; the work continues meanwhile.

    Attributes:
        question: the pending question to the client; None before the first.
    """

    _work: Work
    question: ClientRequest | None = attrs.field(default=None, init=False)
    _steps: Steps | None = attrs.field(default=None, init=False)
    _unasked: ClientRequest | None = attrs.field(default=None, init=False)
    _end: outcome.Outcome[ToolResult] | None = attrs.field(default=None, init=False)
    _news: trio.Event = attrs.field(factory=trio.Event, init=False)
    _scope: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)

    async def run(self) -> None:
        """Do the work, and keep its result."""
        with self._scope:
            try:
                self._end = outcome.Value(await self._work(self._on_progress))
            except Exception as error:  # noqa: BLE001  (raised where the call waits)
                self._end = outcome.Error(error)
        self._news.set()

    def cancel(self) -> None:
        """Cancel the work, unless it has ended."""
        self._scope.cancel()

    async def result(self, steps: Steps) -> ToolResult | ClientRequest:
        """Wait for the result, or for a question that ends the call; report the steps.

        Raises:
            TabwrightError: the work failed.
        """
        self._steps = steps
        async with background_nursery() as nursery:
            nursery.start_soon(steps.forward)
            while self._end is None:
                asked, self._unasked = self._unasked, None
                if asked is not None and steps.ends_with(asked):
                    self.question = asked
                    return asked
                await self._news.wait()
                self._news = trio.Event()
            return self._end.unwrap()

    def _on_progress(self, step: CallProgress) -> None:
        if self._steps is not None:
            self._steps.put(step)
        if isinstance(step, ClientRequest):
            self._unasked = step
        self._news.set()
