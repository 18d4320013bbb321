"""One MCP client's session over lines, from the first line to the end of input."""

import json
from types import SimpleNamespace

import pytest
import trio
from mcp.server.lowlevel.server import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler

from tabwright.cli.mcp_session import LineSession
from tabwright.control.json_rpc import INVALID_REQUEST
from tabwright.mcp.stdio import DRAIN_S

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


async def test_open_subscription_does_not_delay_end_of_input(autojump_clock):
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


async def answers_to(line: bytes) -> list[dict[str, object]]:
    """Return what a server without tools answers to one line before its input ends."""
    sent: list[dict[str, object]] = []

    async def send(answer: bytes) -> None:
        sent.append(json.loads(answer))

    incoming, lines = trio.open_memory_channel[bytes](1)
    async with trio.open_nursery() as nursery:
        session = LineSession(SimpleNamespace(server=Server("test")), send, set())
        nursery.start_soon(session.run, lines)
        await incoming.send(line)
        incoming.close()
    return sent


@pytest.mark.parametrize(
    ("request_id", "answered"),
    [
        ("null", None),
        ("1.5", 1.5),
        ("{}", None),
        ("[1]", None),
        ("true", None),
        ('"a"', "a"),
        ("7", 7),
        ("-3", -3),
    ],
)
@pytest.mark.parametrize(
    "rest", ['"method": "ping", "params": [1]', '"method": "tools/call", "params": {"n": %s}']
)
async def test_malformed_request_is_answered_with_its_id(
    rest, request_id, answered, autojump_clock
):
    rest = rest.replace("%s", "9" * 10_000)
    line = f'{{"jsonrpc": "2.0", "id": {request_id}, {rest}}}'.encode()
    sent = await answers_to(line)
    assert [one["id"] for one in sent] == [answered]
    assert "error" in sent[0]


@pytest.mark.parametrize("request_id", ["null", "1.5", "{}"])
async def test_request_with_invalid_id_gets_invalid_request_error(request_id, autojump_clock):
    line = f'{{"jsonrpc": "2.0", "id": {request_id}, "method": "ping"}}'.encode()
    (sent,) = await answers_to(line)
    assert sent["id"] == (1.5 if request_id == "1.5" else None)
    assert sent["error"]["code"] == INVALID_REQUEST
