"""The lines of one client, from the first to the end of input."""

import json
from types import SimpleNamespace

import trio
from mcp.server.lowlevel.server import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler

from tabwright.actors.gateway.lines import DRAIN_S, LineSession

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


async def test_the_end_waits_for_no_subscription(autojump_clock):
    server = Server("test", on_subscriptions_listen=ListenHandler(InMemorySubscriptionBus()))
    sent: list[dict[str, object]] = []
    acknowledged = trio.Event()

    async def send(line: bytes) -> None:
        sent.append(json.loads(line))
        acknowledged.set()

    incoming, lines = trio.open_memory_channel[bytes](1)
    params = {"notifications": {"toolsListChanged": True}, "_meta": MODERN}
    listen = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(LineSession(SimpleNamespace(server=server), send, set()).run, lines)
        await incoming.send(json.dumps(listen).encode())
        await acknowledged.wait()
        ended = trio.current_time()
        incoming.close()
    assert trio.current_time() - ended < DRAIN_S
    assert sent[-1]["id"] == 1
