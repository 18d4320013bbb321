"""Answers given before the SDK is imported equal the answers of the SDK."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from random import Random

import pytest
import trio

from tabwright import Tabwright
from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import open_tabwright
from tabwright.cli.mcp_session import LineSession
from tabwright.config.engines import load_engines
from tabwright.config.loader import settings_from
from tabwright.mcp.apps import APP_TYPE, APPS
from tabwright.mcp.browser_calls import BrowserRequest
from tabwright.mcp.handshake import HANDSHAKE_VERSIONS, InitializeHandshake
from tabwright.mcp.registry import toolbox
from tabwright.protocol.browser_pool import BrowserUse
from tabwright.testing.determinism import simulated_environment
from tabwright.testing.fake import FakeSite, fake_launcher

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

WITH_APPS = {"extensions": {APPS: {"mimeTypes": [APP_TYPE]}}}


def line(number: int, method: str, **params: object) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode()


def initialize(version: str, capabilities: Mapping[str, object] | None = None) -> bytes:
    client = {"name": "test", "version": "1"}
    able = dict(capabilities or {})
    return line(1, "initialize", protocolVersion=version, capabilities=able, clientInfo=client)


def simulated_client() -> AbstractAsyncContextManager[Tabwright]:
    random = Random(0)
    return open_tabwright(
        settings_from(), simulated_environment(fake_launcher(FakeSite(), random), random)
    )


@asynccontextmanager
async def sdk_session() -> AsyncGenerator[
    tuple[trio.MemorySendChannel[bytes], trio.MemoryReceiveChannel[bytes]]
]:
    to_server, lines = trio.open_memory_channel[bytes](10)
    answers, from_server = trio.open_memory_channel[bytes](10)
    async with simulated_client() as tabwright, trio.open_nursery() as nursery:
        session = LineSession(MCPGateway(tabwright, nursery), answers.send, set())
        nursery.start_soon(session.run, lines)
        yield to_server, from_server
        await to_server.aclose()


async def sdk_answers(*messages: bytes) -> list[object]:
    async with sdk_session() as (to_server, from_server):
        answers: list[object] = []
        for message in messages:
            await to_server.send(message)
            answers.append(json.loads(await from_server.receive()))
        return answers


def greeted(*messages: bytes) -> list[object]:
    greeting = InitializeHandshake(toolbox(settings_from(), load_engines()))
    replies = [greeting.reply(message) for message in messages]
    return [None if reply is None else json.loads(reply.line) for reply in replies]


@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, "2026-07-28", "1999-01-01", ""])
async def test_early_answers_match_the_sdk_in_the_handshake_era(version):
    messages = (initialize(version), line(2, "tools/list"), line(3, "ping"))
    assert greeted(*messages) == await sdk_answers(*messages)


async def test_early_answers_match_the_sdk_in_the_modern_era():
    messages = (line(1, "server/discover", _meta=MODERN), line(2, "tools/list", _meta=MODERN))
    assert greeted(*messages) == await sdk_answers(*messages)


async def test_early_tool_list_for_an_apps_client_matches_the_sdk():
    messages = (initialize("2025-11-25", WITH_APPS), line(2, "tools/list"))
    answers = greeted(*messages)
    assert "view_tabs" in str(answers)
    assert answers == await sdk_answers(*messages)
    modern = {**MODERN, "io.modelcontextprotocol/clientCapabilities": WITH_APPS}
    messages = (line(1, "tools/list", _meta=modern),)
    answers = greeted(*messages)
    assert "view_tabs" in str(answers)
    assert answers == await sdk_answers(*messages)


def test_handshake_leaves_other_messages_to_the_sdk():
    greeting = InitializeHandshake(toolbox(settings_from(), load_engines()))
    assert greeting.reply(line(1, "tools/list")) is None
    assert greeting.reply(line(2, "tools/call", name="browse")) is None
    assert greeting.reply(b'{"jsonrpc":"2.0","method":"notifications/initialized"}') is None
    assert greeting.reply(b"[]") is None
    greeting.over = True
    assert greeting.reply(initialize("2025-11-25")) is None


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("navigate", {"url": "https://site.test", "format": "outline"}, BrowserUse.PAGES),
        ("navigate", {"url": "https://site.test", "min_tier": 2}, BrowserUse.PAGES),
        ("navigate", {"url": "https://site.test"}, None),
        ("google_ai_search", {"query": "tides"}, BrowserUse.SEARCH),
        ("browse", {"url": "https://site.test"}, None),
        ("navigate", ["outline"], None),
        ({"navigate": 1}, {}, None),
    ],
)
def test_first_call_that_needs_a_browser_requests_its_start(name, arguments, wanted):
    request = BrowserRequest()
    request.take(line(1, "tools/call", name=name, arguments=arguments))
    assert request.made.is_set() == (wanted is not None)
    assert request.use == (wanted or BrowserUse.ALL)


@pytest.mark.parametrize("other", [b"", b"[]", b'{"method": "tools/', line(1, "tools/list")])
def test_other_messages_request_no_browser(other):
    request = BrowserRequest()
    request.take(other)
    assert not request.made.is_set()


def test_first_request_for_a_browser_decides():
    request = BrowserRequest()
    for name in ("browse", "web_search", "browser_navigate"):
        request.take(line(1, "tools/call", name=name, arguments={}))
    assert request.use is BrowserUse.SEARCH


async def test_sdk_response_to_an_already_answered_handshake_is_dropped():
    sent: list[bytes] = []
    to_server, lines = trio.open_memory_channel[bytes](10)

    async def send(answer: bytes) -> None:
        sent.append(answer)

    async with simulated_client() as tabwright, trio.open_nursery() as nursery:
        await to_server.send(initialize("2025-11-25"))
        await to_server.send(line(2, "ping"))
        await to_server.aclose()
        await LineSession(MCPGateway(tabwright, nursery), send, {1}).run(lines)
    assert [json.loads(answer)["id"] for answer in sent] == [2]
