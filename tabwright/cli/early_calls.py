"""Serving a client from its first call on, without the official SDK until a message needs it.

The import of the SDK would compete with a call for the CPU, and takes a third of the memory. The
answers are exactly those of the SDK (a test compares them); calls in a form that only the SDK knows
are left to it.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import attrs
import msgspec
import trio

from tabwright.actors.kit.context import TaskContext, use_context
from tabwright.app import OTHER_MODULES, import_modules, open_tabwright
from tabwright.cli.late_imports import import_late
from tabwright.concurrency.nursery import background_nursery
from tabwright.concurrency.timers import IdleTimer
from tabwright.config.settings import Settings
from tabwright.control.json_rpc import INTERNAL_ERROR, error_line
from tabwright.environment import Environment
from tabwright.mcp.arguments import JSONObject
from tabwright.mcp.client_questions import (
    CallClient,
    ClientCapabilities,
    ClientRequest,
    capabilities_of,
)
from tabwright.mcp.handshake import CLIENT, TASKS, InitializeHandshake
from tabwright.mcp.stdio import DRAIN_S, LINES_MAX, Send
from tabwright.mcp.tool import ToolResult
from tabwright.mcp.tool_calls import ToolCall, ToolCalls
from tabwright.protocol.errors import BadInput

if TYPE_CHECKING:
    from tabwright.client import Tabwright

_log = logging.getLogger("tabwright.gateway")

QUIET_S = 0.3
"""A client is quiet if it has sent no call for this long after an answer, in seconds."""

RequestId: TypeAlias = str | int


class _Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    arguments: dict[str, object] = {}
    meta: dict[str, object] = msgspec.field(default_factory=dict[str, object], name="_meta")


class _CallMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call in the form that each version of the handshake era knows."""

    jsonrpc: Literal["2.0"]
    id: RequestId
    method: str
    params: _Params


class _CancelledParams(msgspec.Struct, frozen=True, rename="camel"):
    request_id: RequestId


class _CancelledMessage(msgspec.Struct, frozen=True):
    params: _CancelledParams


class _Message(msgspec.Struct, frozen=True):
    method: str = ""


_FORMS: Mapping[str, type[_CallMessage | _CancelledMessage]] = {
    "tools/call": _CallMessage,
    "notifications/cancelled": _CancelledMessage,
}


def _read(line: bytes) -> _Message | _CallMessage | _CancelledMessage:
    """Return a message as far as it is known here."""
    message = _Message()
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        message = msgspec.json.decode(line, type=_Message)
        if form := _FORMS.get(message.method):
            return msgspec.json.decode(line, type=form)
    return message


@attrs.frozen
class EarlyClient:
    """The client of an early call; see `tabwright.mcp.client_questions.CallClient`."""

    capabilities: ClientCapabilities
    _progress_token: RequestId | None
    _send: Callable[[JSONObject], Awaitable[None]]
    _handshake: InitializeHandshake
    _sdk_client: Callable[[], Awaitable[CallClient]]

    @property
    def asked_by_result(self) -> bool:
        """Return False, as for each client of the handshake era."""
        return False

    async def report_progress(self, number: int, text: str, /) -> None:
        """Report a step of the call."""
        token = self._progress_token
        if token is not None:
            params = {"progressToken": token, "progress": number, "message": text}
            await self._send({"method": "notifications/progress", "params": params})

    async def ask(self, question: ClientRequest, name: str, /) -> None:
        """Ask the client through the SDK, once it is ready."""
        client = await self._sdk_client()
        await client.ask(question, name)

    async def send_tools_changed(self) -> None:
        """Notify the client that the list of tools has changed."""
        self._handshake.tools_changed = True
        await self._send({"method": "notifications/tools/list_changed"})


@attrs.define(eq=False)
class EarlyCalls:
    """The calls of a client that come before the SDK is ready, and the lines left to the SDK.

    Attributes:
        calls: what runs the calls.
        handshake: what the client has declared.
        over: whether the SDK is ready; later calls are left to it.
        sdk_needed: set once a message or a call needs the SDK.
        before_sdk: what waits for the SDK, which is cancelled if the lines end and no message has
            needed it.
        ended_s: when the client closed its end, on the clock of trio; None before.
    """

    calls: ToolCalls
    handshake: InitializeHandshake
    _write: Send
    _nursery: trio.Nursery
    over: bool = attrs.field(default=False, init=False)
    sdk_needed: trio.Event = attrs.field(factory=trio.Event, init=False)
    before_sdk: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    ended_s: float | None = attrs.field(default=None, init=False)
    _running: dict[RequestId, trio.CancelScope] = attrs.field(
        factory=dict[RequestId, trio.CancelScope], init=False
    )
    _work: IdleTimer = attrs.field(factory=IdleTimer, init=False)
    _sdk_client: CallClient | None = attrs.field(default=None, init=False)
    _sdk_connected: trio.Event = attrs.field(factory=trio.Event, init=False)

    async def sort(
        self, lines: trio.MemoryReceiveChannel[bytes], to_sdk: trio.MemorySendChannel[bytes]
    ) -> None:
        """Begin the calls in a client's lines, and pass the other lines on, until they end."""
        async with to_sdk:
            async for line in lines:
                if not self._take(line):
                    await to_sdk.send(line)
        self.ended_s = trio.current_time()
        if not self.sdk_needed.is_set():
            self.before_sdk.cancel()

    async def wait_until_quiet(self) -> None:
        """Wait until the client has sent no call for `QUIET_S`."""
        await self._work.lasts(QUIET_S)

    async def drain(self, limit_s: float) -> None:
        """Wait for the running calls until `limit_s` seconds after the end of the lines."""
        ended_s = trio.current_time() if self.ended_s is None else self.ended_s
        with trio.move_on_at(ended_s + limit_s):
            await self._work.begins()

    def connect(self, client: CallClient) -> None:
        """Take the client as the SDK knows it, which can be asked questions."""
        self._sdk_client = client
        self._sdk_connected.set()

    async def _connected(self) -> CallClient:
        self.sdk_needed.set()
        while self._sdk_client is None:
            await self._sdk_connected.wait()
        return self._sdk_client

    def _take(self, line: bytes) -> bool:
        """Begin or cancel the call in a line; return False if the line is left to the SDK."""
        message = _read(line)
        match message:
            case _CancelledMessage(params=params) if params.request_id in self._running:
                self._running[params.request_id].cancel()
                return True
            case _CallMessage() if not self.over and self._begin(message):
                return True
            case _Message(method="initialize" | "notifications/initialized"):
                return False  # the SDK will know its client, and has nothing to answer
            case _:
                self.sdk_needed.set()
                return False

    def _begin(self, message: _CallMessage) -> bool:
        """Begin a call; return False if only the SDK can answer it."""
        meta, declared = message.params.meta, self.handshake.declared
        token = meta.get("progressToken")
        if declared is None or message.id in self._running or CLIENT in meta:
            return False
        if not isinstance(token, RequestId | None) or isinstance(token, bool):
            return False
        client = EarlyClient(
            capabilities_of(declared), token, self._send, self.handshake, self._connected
        )
        if TASKS in (client.capabilities.extensions or {}):
            return False
        try:
            call = self.calls.find(message.params.name, client, meta)
        except BadInput:
            return False
        scope = self._running[message.id] = trio.CancelScope()
        self._nursery.start_soon(self._answer, message, call, client, scope)
        return True

    async def _answer(
        self, message: _CallMessage, call: ToolCall, client: EarlyClient, scope: trio.CancelScope
    ) -> None:
        """Run a call to its end, and send its result; a cancelled one gets no answer."""
        with (
            self._work.interrupted(),
            scope,
            use_context(TaskContext(trail=(f"mcp#{message.id}",))),
        ):
            try:
                call = call.with_arguments(message.params.arguments)
            except BadInput as error:
                end: ToolResult | Exception = error
            else:
                end = await self._end(call, client, str(message.id))
            answer = _answer_line(message.id, call, end)
            del self._running[message.id]
            await self._write(answer)
        self._running.pop(message.id, None)

    async def _end(self, call: ToolCall, client: CallClient, name: str) -> ToolResult | Exception:
        end = await self.calls.end(call, self.calls.begin(call, client), client, name)
        if not isinstance(end, ToolResult | Exception):
            raise TypeError("a question ended a call of the handshake era")
        return end

    async def _send(self, message: JSONObject) -> None:
        await self._write(_line(message))


def _line(message: JSONObject) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", **message})


def _answer_line(request_id: RequestId, call: ToolCall, end: ToolResult | Exception) -> bytes:
    try:
        return _line({"id": request_id, "result": call.render(end)})
    except Exception:  # noqa: BLE001  (a bug must not end the server)
        _log.exception("The result of %s cannot be written", call.tool.name)
        text = "the result cannot be written"
        return error_line(INTERNAL_ERROR, text, msgspec.Raw(msgspec.json.encode(request_id)))


async def serve_client(
    settings: Settings,
    environment: Environment,
    handshake: InitializeHandshake,
    lines: trio.MemoryReceiveChannel[bytes],
    send: Send,
) -> None:
    """Run tabwright, and serve the client until its lines end, and the control socket beside it.

    Args:
        settings: of the server.
        environment: of the server.
        handshake: what the client has declared; over when the SDK is ready.
        lines: of the client, without those that were answered.
        send: writes a line to the client.
    """
    async with (
        open_tabwright(settings, environment) as tabwright,
        background_nursery() as background,
    ):
        calls = ToolCalls(tabwright, background, handshake.toolbox)
        early = EarlyCalls(calls, handshake, send, background)
        early.over = settings.log.traces  # the SDK makes the spans of calls
        to_sdk, left = trio.open_memory_channel[bytes](LINES_MAX)
        background.start_soon(early.sort, lines, to_sdk)
        background.start_soon(_serve_control, tabwright)
        background.start_soon(_import_others, early)
        with early.before_sdk:
            await early.sdk_needed.wait()
            await import_late(partial(import_modules, ["tabwright.cli.mcp_session"]))
            handshake.over = early.over = True
        if handshake.over:
            from tabwright.cli.mcp_session import serve_lines  # noqa: PLC0415  (imported by now)

            await serve_lines(tabwright, early.calls, early.connect, handshake.replayed, left, send)
        await early.drain(DRAIN_S)


async def _import_others(early: EarlyCalls) -> None:
    """Import what later calls need while the client is quiet."""
    await early.wait_until_quiet()
    await import_late(partial(import_modules, OTHER_MODULES))


async def _serve_control(tabwright: "Tabwright") -> None:
    """Serve the control socket, which the first call does not wait for."""
    await import_late(partial(import_modules, ["tabwright.control.server"]))
    from tabwright.control.server import serve_control  # noqa: PLC0415  (imported by now)

    await serve_control(tabwright)
