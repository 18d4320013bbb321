"""Calls of tools: from a name and arguments to the result on the wire, with their progress.

Calls that the SDK receives and calls that are answered before it is imported take this one way,
which needs no SDK.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from itertools import count
from math import inf
from typing import TYPE_CHECKING, Protocol, TypeAlias

import attrs
import outcome
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.apps import VIEW_TABS, ViewTabsArguments, app_tool
from tabwright.mcp.arguments import JSONObject
from tabwright.mcp.client_questions import (
    CallClient,
    ClientRequest,
)
from tabwright.mcp.page_tools import PageTools
from tabwright.mcp.registry import toolbox
from tabwright.mcp.results import CallResult, Renderer, refused
from tabwright.mcp.tool import (
    AnyTool,
    CallContext,
    CallProgress,
    OnCallProgress,
    ToolContext,
    ToolResult,
    Toolset,
    failed,
)
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.untrusted_text import STRUCTURED

if TYPE_CHECKING:
    from tabwright.client import Tabwright
    from tabwright.mcp.resources import Resources

_log = logging.getLogger("tabwright.gateway")

# Progress on its way to an MCP client, which may be slow.

ALIVE_EVERY_S = 15.0
"""Clients cancel a call without progress; the shortest time-out in use is 30 s."""


class Steps(Protocol):
    """Receives the steps of a call while a client waits for its result."""

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
        self._changed = trio.Event()
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
        self._changed.set()

    def ends_with(self, question: ClientRequest) -> bool:
        """Return whether the call must end to ask its client this question."""
        return self._client.asked_by_result and self._client.capabilities.can_be_asked(question)

    async def forward(self) -> None:
        """Send the steps, and repeat the latest as a sign of life, until cancelled."""
        async with trio.open_nursery() as asking:
            while True:
                with trio.move_on_after(ALIVE_EVERY_S):
                    await self._changed.wait()
                self._changed = trio.Event()
                while self._questions:
                    question = self._questions.pop()
                    asking.start_soon(self._client.ask, question, self._name)
                if self._latest is not None:
                    number = next(self._numbers)
                    await self._client.report_progress(number, self._shown(str(self._latest)))


# The work of a call, which can outlive it.

Work: TypeAlias = Callable[[OnCallProgress], Awaitable[ToolResult]]
"""The work of a tool; its progress is sent to the client."""


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
    _changed: trio.Event = attrs.field(factory=trio.Event, init=False)
    _scope: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)

    async def run(self) -> None:
        """Do the work, and keep its result."""
        with self._scope:
            try:
                self._end = outcome.Value(await self._work(self._on_progress))
            except Exception as error:  # noqa: BLE001  (raised where the call waits)
                self._end = outcome.Error(error)
        self._changed.set()

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
                await self._changed.wait()
                self._changed = trio.Event()
            return self._end.unwrap()

    def _on_progress(self, step: CallProgress) -> None:
        if self._steps is not None:
            self._steps.put(step)
        if isinstance(step, ClientRequest):
            self._unasked = step
        self._changed.set()


# From a name and arguments to the result on the wire.

Render: TypeAlias = Callable[[ToolResult | Exception], CallResult]
"""Returns the result of a call, or of its failure."""


@attrs.frozen
class ToolCall:
    """A call of a tool.

    Attributes:
        structured: whether its result has structured content even if the settings say no.
        arguments: as the tool reads them; None until `with_arguments`.
        ignored: names of arguments that have no effect, which the result reports.
    """

    tool: AnyTool
    structured: bool
    _renderer: Renderer
    arguments: object = None
    ignored: tuple[str, ...] = ()

    def with_arguments(self, given: JSONObject) -> "ToolCall":
        """Return the call with the arguments of the client.

        Raises:
            BadInput: the tool does not accept them.
        """
        ignored = self.tool.ignored_arguments(given)
        known = {name: value for name, value in given.items() if name not in ignored}
        return attrs.evolve(self, arguments=self.tool.read_arguments(known), ignored=ignored)

    def render(self, end: ToolResult | Exception) -> CallResult:
        """Return the result of the call, or of its failure."""
        match end:
            case ToolResult():
                result = end
            case TabwrightError():
                result = refused(end)
            case _:  # a bug in a tool must not end the server
                _log.error("%s failed", self.tool.name, exc_info=end)
                text = f"{self.tool.name} failed because of a bug in tabwright. See its log."
                result = failed((text,))
        if self.ignored:
            names = ", ".join(self.ignored)
            note = f"\nIgnored arguments that {self.tool.name} does not have: {names:.200}."
            result = attrs.evolve(result, parts=(*result.parts, note))
        return self._renderer.result(
            result,
            schema=self.tool.output_schema,
            tokens_max=getattr(self.arguments, "max_tokens", None) or 0,
            structured=self.structured,
        )


class ToolCalls:
    """The calls of the clients of one user; their work runs in `nursery`.

    Args:
        tools: the tools to serve; those of the settings by default.

    Attributes:
        watcher: notifies clients of changes; None before there are subscribers.
    """

    def __init__(
        self, tabwright: "Tabwright", nursery: trio.Nursery, tools: Toolset | None = None
    ) -> None:
        self._tabwright = tabwright
        self._nursery = nursery
        self.tools = tools or toolbox(tabwright.settings, tabwright.parts.searcher.engines)
        self.page_tools = PageTools(tabwright)
        self.renderer = Renderer.of(tabwright.parts.secrets, tabwright.settings)
        self.watcher: Resources | None = None

    def find(self, name: str, client: CallClient, meta: Mapping[str, object] | None) -> ToolCall:
        """Return a call of the tool of that name, without its arguments.

        Args:
            name: of the tool.
            client: who calls.
            meta: the metadata of the request.

        Raises:
            BadInput: there is no such tool, or it is not offered.
        """
        tool = (
            self.page_tools.tool(name)
            or app_tool(self.tools, name, client.capabilities.extensions)
            or self.tools.tool(name)
        )
        structured = tool is VIEW_TABS or bool((meta or {}).get(STRUCTURED))
        return ToolCall(tool, structured, self.renderer)

    def begin(self, call: ToolCall, client: CallClient) -> RunningCall:
        """Begin the work of a call, which is cancelled with it or outlives it."""

        async def work(on_progress: OnCallProgress) -> ToolResult:
            """Await the handler."""
            able = client.capabilities
            asker = CallContext(
                on_progress,
                able.thinks,
                client.asked_by_result,
                able.confirms,
                able.shows_urls,
            )
            given = ToolContext(self._tabwright, asker, self.tools.names)
            return await call.tool.handler(call.arguments, given)

        running = RunningCall(work)
        self._nursery.start_soon(running.run)
        return running

    async def end(
        self,
        call: ToolCall,
        running: RunningCall,
        client: CallClient,
        name: str,
        within_s: float = inf,
    ) -> ToolResult | ClientRequest | Exception | None:
        """Wait for the end of a call, or for its question to the client.

        Then clients are notified that it may have changed something. Cancellation cancels the call.

        Args:
            call: the call.
            running: its work.
            client: who called.
            name: of the call, for its progress.
            within_s: how long to wait; the call goes on after that.

        Returns:
            The result, the question, the failure, or None if neither came within the time.
        """
        try:
            with trio.move_on_after(within_s):
                return await running.result(ProgressSender(client, name, self.renderer.step))
        except Exception as error:  # noqa: BLE001  (`render` tells them apart)
            return error
        except BaseException:
            running.cancel()
            raise
        finally:
            self.note_changes(call.arguments, client)
        return None

    def note_changes(self, arguments: object, client: CallClient) -> None:
        """Notify clients that a call may have changed the browser and the tools of its page."""
        if isinstance(arguments, ViewTabsArguments):  # it changes nothing, and is called often
            return
        if self.watcher is not None:
            self._nursery.start_soon(self.watcher.send_updates)
        named: str = getattr(arguments, "session", "") or DEFAULT_SESSION
        changed = partial(self._send_tools_changed, client)
        self._nursery.start_soon(self.page_tools.refresh, named, changed)

    async def _send_tools_changed(self, client: CallClient) -> None:
        if self.watcher is None:
            await client.send_tools_changed()
        else:
            await self.watcher.send_tools_changed(client.send_tools_changed)
