"""Calls answered before the SDK is imported, with the same bytes as the SDK."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from random import Random

import attrs
import pytest
import trio
import trio.lowlevel

from tabwright import Session, Tabwright
from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import open_tabwright
from tabwright.cli import early_calls
from tabwright.cli.early_calls import QUIET_S, EarlyCalls, serve_client
from tabwright.cli.mcp_session import LineSession
from tabwright.config.loader import override, settings_from
from tabwright.control.transport import running_servers
from tabwright.mcp import results
from tabwright.mcp.handshake import HANDSHAKE_VERSIONS, TASKS, InitializeHandshake
from tabwright.mcp.stdio import DRAIN_S
from tabwright.mcp.tool import READS, Tool, ToolContext, ToolResult, Toolset
from tabwright.mcp.tool_calls import ToolCalls
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.inspection import PageTool
from tabwright.protocol.progress import AnswerProgress, HumanNeededProgress
from tabwright.protocol.untrusted_text import STRUCTURED, Quoted
from tabwright.testing.determinism import simulated_environment
from tabwright.testing.fake import FakePage, FakeSite, fake_launcher

PAGE = "https://page.example/"
SITE = FakeSite(
    pages={PAGE: FakePage("<html><body><h1>Tides \x7f\u2028 &amp; “moons”</h1></body></html>")}
)
CAPTCHA = "https://www.google.com/sorry/index?continue=x"
SHOWS_URLS = {"elicitation": {"url": {}}}


def line(method: str, number: object = None, **params: object) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(
        {name: value for name, value in message.items() if value is not None}
    ).encode()


def initialize(version: str = "2025-11-25", **capabilities: object) -> bytes:
    client = {"name": "test", "version": "1"}
    return line(
        "initialize", 1, protocolVersion=version, capabilities=capabilities, clientInfo=client
    )


def call(number: object, name: str, arguments: object = None, **params: object) -> bytes:
    return line("tools/call", number, name=name, arguments=arguments or {}, **params)


INITIALIZED = line("notifications/initialized")


@attrs.frozen
class NoArguments:
    pass


def tool(name: str, handler: Callable[[NoArguments, ToolContext], object]) -> Tool[NoArguments]:
    return Tool(
        name=name,
        description="A test.",
        group="act",
        annotations=READS,
        arguments=NoArguments,
        handler=handler,
        output_schema={"type": "object", "properties": {}},
    )


async def step(_arguments, context):
    context.on_progress(AnswerProgress("one"))
    await trio.sleep(1)
    return ToolResult((Quoted("done"),), {"numbers": [1, 2.5, 1e16, 1e-7, True, None]})


async def brief(_arguments, _context):
    await trio.sleep(DRAIN_S / 2)
    return ToolResult("done")


async def fail(_arguments, _context):
    await trio.lowlevel.checkpoint()
    raise PageFailed("The page crashed.", advice="Reload it.")


async def bug(_arguments, _context):
    await trio.lowlevel.checkpoint()
    raise ZeroDivisionError


async def hang(_arguments, _context):
    await trio.sleep_forever()


async def ask(_arguments, context):
    declined = trio.Event()
    context.on_progress(HumanNeededProgress("Please.", CAPTCHA, 300, declined.set))
    await declined.wait()
    return ToolResult("declined")


TOOLS = Toolset(
    tools=tuple(tool(work.__name__, work) for work in (step, brief, fail, bug, hang, ask)),
    instructions="",
)


@asynccontextmanager
async def simulated() -> AsyncGenerator[Tabwright]:
    random = Random(0)
    settings = settings_from(override(acting__downloads=None))
    environment = simulated_environment(fake_launcher(SITE, random), random)
    async with open_tabwright(settings, environment) as tabwright:
        yield tabwright


@attrs.define
class Wire:
    """A client's connection: the lines it sends and the answers it receives."""

    lines: trio.MemorySendChannel[bytes]
    sent: list[bytes]
    early: EarlyCalls
    left: trio.MemoryReceiveChannel[bytes]
    serve_by_sdk: Callable[[], object]

    def answer(self, number: object) -> object:
        """Return the answer to a request, or None if there is none yet."""
        return next((one for one in map(json.loads, self.sent) if one.get("id") == number), None)


@asynccontextmanager
async def served(*, tools: Toolset | None = None) -> AsyncGenerator[Wire]:
    """Serve a client with early calls only, until `serve_by_sdk` is called."""
    sent: list[bytes] = []
    lines, backlog = trio.open_memory_channel[bytes](99)
    to_sdk, left = trio.open_memory_channel[bytes](99)
    async with simulated() as tabwright, trio.open_nursery() as nursery:

        async def send(answer: bytes) -> None:
            await trio.lowlevel.checkpoint()
            sent.append(answer)

        calls = ToolCalls(tabwright, nursery, tools)
        handshake = InitializeHandshake(calls.tools)
        early = EarlyCalls(calls, handshake, send, nursery)

        async def receive() -> None:
            """Process each line as `serve` does."""
            async with pass_on:
                async for one in backlog:
                    handshake.reply(one)
                    await pass_on.send(one)

        def serve_by_sdk() -> None:
            early.over = True
            gateway = MCPGateway(tabwright, nursery, calls, early.connect)
            nursery.start_soon(LineSession(gateway, send, {1}).run, left)

        pass_on, passed = trio.open_memory_channel[bytes](99)
        nursery.start_soon(receive)
        nursery.start_soon(early.sort, passed, to_sdk)
        yield Wire(lines, sent, early, left, serve_by_sdk)
        nursery.cancel_scope.cancel()


async def lines_of(*requests: bytes, by_sdk: bool, tools: Toolset | None = None) -> list[bytes]:
    """Return all lines that the server sends for requests sent one after another."""
    async with served(tools=tools) as wire:
        if by_sdk:
            wire.serve_by_sdk()
        for request in requests:
            await wire.lines.send(request)
            await trio.sleep(60)  # of virtual time: all is done
        if not by_sdk:
            assert [one async for one in nowait(wire.left)] == [*requests[:2]]
        return wire.sent


async def nowait(channel: trio.MemoryReceiveChannel[bytes]) -> AsyncGenerator[bytes]:
    while channel.statistics().current_buffer_used:
        yield await channel.receive()


@pytest.fixture(autouse=True)
def known_nonces(monkeypatch) -> None:
    monkeypatch.setattr(results, "_nonce", lambda: "12345678")


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("step", {}),
        ("step", {"_meta": {"progressToken": "t"}}),
        ("step", {"_meta": {"progressToken": 0, STRUCTURED: True}}),
        ("fail", {}),
        ("bug", {}),
        ("step", {"arguments": {"unknown": 1}}),
    ],
)
async def test_early_call_answer_is_identical_to_sdk_answer(version, name, params, autojump_clock):
    request = line("tools/call", "a", **{"name": name, "arguments": {}, **params})
    requests = (initialize(version), INITIALIZED, request)
    early = await lines_of(*requests, by_sdk=False, tools=TOOLS)
    assert early == await lines_of(*requests, by_sdk=True, tools=TOOLS)
    assert early


@pytest.mark.parametrize("capabilities", [{}, {"sampling": {}, "elicitation": {}, "roots": {}}])
async def test_early_page_session_answers_are_identical_to_sdk_answers(
    capabilities, autojump_clock
):
    requests = (
        initialize(**capabilities),
        INITIALIZED,
        call(2, "navigate", {"url": PAGE, "format": "outline"}),
        call(3, "snapshot", {"format": "outline"}, _meta={STRUCTURED: True}),
        call(4, "browse", {"url": PAGE}),
        call(5, "navigate", {"url": "https://nowhere.example/"}),
        call(6, "screenshot", {}),
        call(7, "click", {"ref": "9.9"}),
    )
    early = await lines_of(*requests, by_sdk=False)
    assert early == await lines_of(*requests, by_sdk=True)
    assert len(early) == 6


@pytest.mark.parametrize(
    "left",
    [
        line("tools/list", 2),
        call(2, "unknown"),
        call(2, "step", task={"ttl": 1}),
        call(2, "step", requestState="x"),
        call(2, "step", _meta={"progressToken": True}),
        call(2, "step", _meta={"io.modelcontextprotocol/clientCapabilities": {}}),
        call(2, "step").replace(b'"id": 2', b'"id": true'),
        call(2, "step").replace(b'"arguments": {}', b'"arguments": null'),
        b"[]",
    ],
)
async def test_message_unsupported_by_early_server_is_left_to_sdk(left, autojump_clock):
    async with served(tools=TOOLS) as wire:
        for one in (initialize(), INITIALIZED, call(9, "hang"), left):
            await wire.lines.send(one)
        with trio.fail_after(60):
            await wire.early.sdk_needed.wait()
        assert [one async for one in nowait(wire.left)][2:] == [left]


@pytest.mark.parametrize("before", [(), (initialize(extensions={TASKS: {}}),)])
async def test_call_before_handshake_or_with_tasks_extension_is_left_to_sdk(before, autojump_clock):
    async with served(tools=TOOLS) as wire:
        for one in (*before, call(2, "step")):
            await wire.lines.send(one)
        await trio.sleep(60)
        assert [one async for one in nowait(wire.left)][-1] == call(2, "step")
        assert not wire.sent


async def test_cancelled_call_ends_without_an_answer(autojump_clock):
    async with served(tools=TOOLS) as wire:
        for one in (initialize(), call("a", "hang")):
            await wire.lines.send(one)
        await trio.sleep(60)
        await wire.lines.send(line("notifications/cancelled", requestId="a"))
        await trio.sleep(60)
        assert not wire.sent
        assert [one async for one in nowait(wire.left)] == [initialize()]


async def test_sdk_is_not_needed_by_calls_and_rest(autojump_clock):
    async with served(tools=TOOLS) as wire:
        await wire.lines.send(initialize())
        await wire.lines.send(call(2, "step"))
        await trio.testing.wait_all_tasks_blocked()
        await wire.early.wait_until_quiet()
        assert trio.current_time() == pytest.approx(1 + QUIET_S, abs=0.1)
        await trio.sleep(60)
        assert not wire.early.sdk_needed.is_set()


async def serve_to_the_end(
    *requests: bytes, tools: Toolset = TOOLS, answers_awaited: int = 0
) -> list[object]:
    """Serve a client that closes its input after some answers; return their ids."""
    random, answers = Random(0), list[object]()
    environment = simulated_environment(fake_launcher(SITE, random), random)
    handshake = InitializeHandshake(tools)
    to_server, lines = trio.open_memory_channel[bytes](99)

    async def send(answer: bytes) -> None:
        await trio.lowlevel.checkpoint()
        answers.append(json.loads(answer).get("id"))
        if len(answers) == answers_awaited:
            to_server.close()

    for request in requests:
        handshake.reply(request)
        await to_server.send(request)
    if not answers_awaited:
        to_server.close()
    settings = settings_from(override(acting__downloads=None))
    await serve_client(settings, environment, handshake, lines, send)
    return answers


@pytest.fixture
def sdk_imports(monkeypatch) -> list[str]:
    """A list that gets an item each time a server begins to import the SDK."""
    imports, import_modules = list[str](), early_calls.import_modules

    def noting(names) -> None:
        imports.extend(name for name in names if name == "tabwright.cli.mcp_session")
        import_modules(names)

    monkeypatch.setattr(early_calls, "import_modules", noting)
    return imports


@pytest.mark.parametrize(
    ("requests", "answered"),
    [
        ((), []),
        ((initialize(), INITIALIZED), []),
        ((initialize(), INITIALIZED, call(2, "fail")), [2]),
        ((initialize(), INITIALIZED, call(2, "brief"), call(3, "hang")), [2]),
    ],
)
async def test_sdk_is_not_imported_if_early_server_handles_all_input(
    requests, answered, sdk_imports, autojump_clock
):
    assert await serve_to_the_end(*requests) == answered
    assert not sdk_imports


async def test_sdk_answers_what_is_left_to_it_at_the_end_of_input(sdk_imports, autojump_clock):
    requests = (initialize(), INITIALIZED, call(2, "brief"), line("resources/templates/list", 3))
    assert 3 in await serve_to_the_end(*requests)
    assert len(sdk_imports) == 1


async def test_control_socket_is_there_while_the_first_call_runs(
    sdk_imports, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))

    async def see_server(_arguments, _context):
        while not running_servers():
            await trio.sleep(0.01)
        return ToolResult("seen")

    tools = Toolset(tools=(tool("see_server", see_server),), instructions="")
    sent = (initialize(), INITIALIZED, call(2, "see_server"))
    with trio.fail_after(60):
        assert await serve_to_the_end(*sent, tools=tools, answers_awaited=1) == [2]
    assert not sdk_imports
    assert not running_servers()


async def test_tool_list_is_left_to_sdk_once_page_offers_tools(monkeypatch, autojump_clock):
    async def page_tools(_session):
        await trio.lowlevel.checkpoint()
        return (PageTool("count", "Count the basket.", PAGE, read_only=True),)

    monkeypatch.setattr(Session, "page_tools", page_tools)
    async with served(tools=TOOLS) as wire:
        for one in (initialize(), INITIALIZED):
            await wire.lines.send(one)
        await trio.sleep(1)
        asked = line("tools/list", 3)
        assert wire.early.handshake.reply(asked) is not None
        await wire.lines.send(call(2, "step"))
        await trio.sleep(60)
        assert "notifications/tools/list_changed" in str(wire.sent)
        assert wire.early.handshake.reply(asked) is None


async def test_early_call_continues_after_sdk_takeover_and_can_be_cancelled(autojump_clock):
    async with served(tools=TOOLS) as wire:
        for one in (initialize(), INITIALIZED, call(2, "step"), call(3, "hang")):
            await wire.lines.send(one)
        await trio.testing.wait_all_tasks_blocked()
        wire.serve_by_sdk()
        await wire.lines.send(call(4, "step"))
        await wire.lines.send(line("notifications/cancelled", requestId=3))
        await trio.sleep(60)
        assert wire.answer(2)["result"] == wire.answer(4)["result"]
        assert wire.answer(3) is None
        with trio.fail_after(1):
            await wire.early.drain(60)


async def test_elicitation_of_early_call_is_sent_through_sdk(autojump_clock):
    async with served(tools=TOOLS) as wire:
        for one in (initialize(**SHOWS_URLS), INITIALIZED, call(2, "ask")):
            await wire.lines.send(one)
        with trio.fail_after(60):
            await wire.early.sdk_needed.wait()
        wire.serve_by_sdk()
        await trio.sleep(1)
        (asked,) = (one for one in map(json.loads, wire.sent) if "method" in one)
        assert asked["method"] == "elicitation/create"
        assert asked["params"]["url"] == CAPTCHA
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}}
        await wire.lines.send(json.dumps(answer).encode())
        await trio.sleep(1)
        assert "declined" in str(wire.answer(2))
