"""The bridge between the lines of a client and the SDK's message streams."""

from collections.abc import Callable

import anyio
import mcp_types as mcp
import msgspec
import trio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel.server import NotificationOptions
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.client import Tabwright
from tabwright.concurrency.lines import LineReader
from tabwright.concurrency.nursery import background_nursery
from tabwright.control.json_rpc import INVALID_REQUEST, error_line, id_of, unfit_id
from tabwright.mcp.client_questions import CallClient
from tabwright.mcp.stdio import DRAIN_S, Send
from tabwright.mcp.tool_calls import ToolCalls


class LineSession:
    """One client of the gateway, as lines of JSON-RPC.

    Args:
        send: writes a line to the client.
        answered: ids of requests that were answered before the SDK was ready; the SDK receives
            them, too, and its answers to them are dropped.
    """

    def __init__(self, gateway: MCPGateway, send: Send, answered: set[str | int]) -> None:
        self._gateway = gateway
        self._send = send
        self._answered = answered
        self._pending: set[str | int] = set()
        self._answers = trio.lowlevel.ParkingLot()

    async def run(self, lines: trio.MemoryReceiveChannel[bytes]) -> None:
        """Serve the client until its lines end and the running calls are answered or cancelled."""
        to_server, server_in = anyio.create_memory_object_stream[SessionMessage | Exception]()
        server_out, from_server = anyio.create_memory_object_stream[SessionMessage]()
        server = self._gateway.server
        options = server.create_initialization_options(NotificationOptions(tools_changed=True))
        async with server_in, server_out, from_server, trio.open_nursery() as nursery:
            nursery.start_soon(server.run, server_in, server_out, options)
            nursery.start_soon(self._write, from_server)
            async with to_server:
                async for line in lines:
                    await self._read(line, to_server)
                nursery.cancel_scope.deadline = trio.current_time() + DRAIN_S
                while self._pending:
                    await self._answers.park()

    async def _read(
        self, line: bytes, to_server: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        if (unfit := unfit_id(line)) is not None:
            await self._send(
                error_line(INVALID_REQUEST, "the id is not a string or an integer", unfit)
            )
            return
        try:
            message = mcp.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError:
            await self._send(error_line(INVALID_REQUEST, "not a JSON-RPC message", id_of(line)))
            return
        match message:
            case mcp.JSONRPCRequest(method="subscriptions/listen"):
                pass  # answered for as long as the client is there; its end waits for none
            case mcp.JSONRPCRequest():
                self._pending.add(message.id)
            case mcp.JSONRPCNotification(method="notifications/cancelled", params=params):
                self._settle((params or {}).get("requestId"))
            case _:
                pass
        await to_server.send(SessionMessage(message))

    async def _write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async for outgoing in from_server:
            message = outgoing.message
            if isinstance(message, mcp.JSONRPCResponse | mcp.JSONRPCError):
                self._settle(message.id)
                if message.id in self._answered:
                    self._answered.discard(message.id)
                    continue
            fields = message.model_dump(by_alias=True, exclude_unset=True)
            await self._send(msgspec.json.encode(fields))  # as early calls do

    def _settle(self, request_id: object) -> None:
        if isinstance(request_id, str | int):
            self._pending.discard(request_id)
            self._answers.unpark_all()


async def serve_lines(  # noqa: PLR0913, PLR0917  (what it goes on with)
    tabwright: Tabwright,
    calls: ToolCalls,
    connect: Callable[[CallClient], None],
    answered: set[str | int],
    lines: trio.MemoryReceiveChannel[bytes],
    send: Send,
) -> None:
    """Serve one client until its lines end.

    Args:
        tabwright: for the client.
        calls: what runs the calls, some of which have begun.
        connect: is called with the client, once it can be asked questions.
        answered: the ids of requests whose answers were sent before.
        lines: of the client.
        send: writes a line to the client.
    """
    async with background_nursery() as background:
        gateway = MCPGateway(tabwright, background, calls, connect)
        await LineSession(gateway, send, answered).run(lines)


async def serve_connection(
    tabwright: Tabwright, client: trio.SocketStream, reader: LineReader
) -> None:
    """Serve one client until it closes its end.

    Args:
        tabwright: for the client.
        client: the connection, for what is sent.
        reader: of the lines of `client`.
    """
    to_session, lines = trio.open_memory_channel[bytes](0)
    async with background_nursery() as nursery, to_session:
        gateway = MCPGateway(tabwright, nursery)
        sending = trio.Lock()

        async def send(line: bytes) -> None:
            """Write a line."""
            async with sending:
                await client.send_all(line + b"\n")

        session = LineSession(gateway, send, set())

        async def receive() -> None:
            """Read lines until the client closes its end."""
            async with to_session:
                while (line := await reader.receive()) is not None:
                    await to_session.send(line)

        nursery.start_soon(receive)
        await session.run(lines)
