"""Requests from the network that the server must check, limit or refuse."""

import itertools
import json
import socket
from contextlib import AsyncExitStack
from functools import partial

import httpx2
import pytest
import trio

from tabwright.testing.replica.server import ServerResponse, open_server
from tests.support.hanging_site import HangingSite

from .conftest import ACCEPTED, ANN, INFO, connected, exchange, post

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO}


STATUS_BY_HEADERS = [
    ({}, 200),
    ({"Host": "localhost:1"}, 200),
    ({"Host": "[::1]:1"}, 200),
    ({"Host": "rebound.example"}, 421),
    ({"Host": "localhost.rebound.example"}, 421),
    ({"Host": "127.0.0.1.rebound.example"}, 421),
    ({"Host": ""}, 421),
    ({"Host": "[::1"}, 421),
    ({"Host": "rebound.example@localhost"}, 421),
    ({"Origin": ""}, 403),
    ({"Origin": "http://[::1"}, 403),
    ({"Origin": "https://evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": "http://localhost:1", "Host": "localhost:1"}, 200),
    ({"Origin": "http://localhost:2", "Host": "localhost:1"}, 403),
    ({"Content-Type": "text/plain"}, 400),
]


async def test_host_and_origin_headers_decide_whether_a_request_passes(open_http_server):
    async with open_http_server() as server:
        seen = [
            (headers, (await post(server, "", "initialize", HELLO, **headers)).status_code)
            for headers, _ in STATUS_BY_HEADERS
        ]
    assert seen == STATUS_BY_HEADERS


async def test_named_hosts_and_origins_pass_with_cors(open_http_server):
    options = ("--allow-host", "browser.example", "--allow-origin", "https://app.example")
    app = {"Host": "browser.example", "Origin": "https://app.example"}
    async with open_http_server(*options) as server:
        answer = await post(server, "", "initialize", HELLO, **app)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "https://app.example"
        other = await post(
            server, "", "initialize", HELLO, **{**app, "Origin": "https://a.example"}
        )
        assert other.status_code == 403


PROTECTED = [
    "/health/../metrics",
    "/health%2f..%2fmetrics",
    "/.well-known/../metrics",
    "/%6detrics",
    "//metrics",
    "/metrics/",
    "/mcp/",
    "/metrics;/health",
    "http://localhost/metrics",
]


async def test_no_path_spelling_bypasses_the_token(open_http_server, tokens):
    async with open_http_server("--token-file", tokens) as server:
        answers = {
            path: await exchange(server, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for path in PROTECTED
        }
    passed = {
        path: answer
        for path, answer in answers.items()
        if answer.split()[1] not in {b"401", b"404"} or b"tabwright_" in answer
    }
    assert not passed


STATUS_BY_HEAD = [
    ("GET /health HTTP/1.1\r\nHost: localhost\r\nHost: a.example\r\n\r\n", b"400"),
    ("GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + 200_000 * "a" + "\r\n\r\n", b"431"),
    ("OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a.example\r\n\r\n", b"403"),
]


async def test_malformed_or_oversized_request_headers_are_refused(open_http_server):
    async with open_http_server() as server:
        seen = [(head, (await exchange(server, head)).split()[1]) for head, _ in STATUS_BY_HEAD]
    assert seen == STATUS_BY_HEAD


async def test_slow_headers_and_idle_connections_are_ended(open_http_server):
    async with open_http_server() as server, AsyncExitStack() as stack:
        slow, *idle = [await stack.enter_async_context(await connected(server)) for _ in range(300)]
        with trio.fail_after(60):
            with pytest.raises(trio.BrokenResourceError):
                for character in itertools.chain("GET / HTTP/1.1\r\nX: ", itertools.repeat("x")):
                    await slow.send_all(character.encode())
                    await trio.sleep(0.1)
            assert (await post(server, "", "initialize", HELLO)).status_code == 200
            for one in idle:
                assert await one.receive_some() == b""


@pytest.mark.smoke
async def test_request_without_valid_token_gets_401_except_health_checks(open_http_server, tokens):
    async with open_http_server("--token-file", tokens) as server:
        missing = await post(server, "", "initialize", HELLO)
        wrong = await post(server, f"{ANN}x", "initialize", HELLO)
        right = await post(server, ANN, "initialize", HELLO)
        async with httpx2.AsyncClient() as http:
            states = [(await http.get(f"{server.origin}/{name}")) for name in ("health", "ready")]
    assert [missing.status_code, wrong.status_code, right.status_code] == [401, 401, 200]
    assert missing.headers["www-authenticate"] == "Bearer"
    assert 'error="invalid_token"' in wrong.headers["www-authenticate"]
    assert [state.status_code for state in states] == [200, 200]


async def test_invalid_tokens_are_throttled_without_delaying_valid_ones(open_http_server, tokens):
    taken = list[float]()

    async def ask(server, token):
        began = trio.current_time()
        await post(server, token, "initialize", HELLO)
        taken.append(trio.current_time() - began)

    async with open_http_server("--token-file", tokens) as server:
        await post(server, ANN, "initialize", HELLO)
        async with trio.open_nursery() as nursery:
            for number in range(8):
                nursery.start_soon(ask, server, f"guess number {number}")
            await ask(server, ANN)
            assert len(taken) == 1
    assert all(one >= 1 for one in taken[1:])


async def test_server_on_a_public_address_without_tokens_does_not_start(run_tabwright):
    ended = run_tabwright("serve", "--http", "0.0.0.0:0")
    assert ended.returncode == 2
    assert "--token-file" in ended.stderr


async def test_address_in_use_is_named_in_the_error(run_tabwright):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = run_tabwright("serve", "--http", address)
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) <= 2
    assert address in ended.stderr


async def test_missing_token_file_is_created_with_owner_only_permissions(
    open_http_server, tmp_path
):
    path = tmp_path / "new" / "tokens"
    async with open_http_server("--token-file", str(path)) as server:
        token = path.read_text().split()[1]
        assert (await post(server, token, "initialize", HELLO)).status_code == 200
    assert path.stat().st_mode & 0o777 == 0o600


async def test_single_user_settings_are_refused_on_a_multi_user_server(run_tabwright, tokens):
    given = ("--token-file", tokens, "--set", "session.own=default")
    ended = run_tabwright("serve", "--http", "127.0.0.1:0", *given)
    assert ended.returncode == 2
    assert "session.own" in ended.stderr


async def test_a_body_that_is_too_large_is_refused(open_http_server):
    async with open_http_server() as server, httpx2.AsyncClient(timeout=60) as http:
        headers = {"Accept": ACCEPTED, "Content-Type": "application/json"}
        large = await http.post(server.url, content=b" " * (5 << 20), headers=headers)
    assert large.status_code == 413


async def test_calls_beyond_limit_get_retry_after_header(open_http_server):
    """Keep the first call busy with a page that never answers."""
    async with (
        trio.open_nursery() as nursery,
        open_http_server(server={"user_calls_max": 1}) as server,
        HangingSite() as hanging,
    ):
        opened = await post(server, "", "initialize", HELLO)
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        page = {"name": "browse", "arguments": {"url": hanging.url, "max_tier": 1}}
        nursery.start_soon(partial(post, server, "", "tools/call", page, **session))
        await hanging.asked.wait()
        full = await post(server, "", "tools/list", {}, **session)
        nursery.cancel_scope.cancel()
    assert full.status_code == 429
    assert int(full.headers["retry-after"]) >= 1
    assert "1 of your calls" in json.loads(full.text)["error"]


async def test_metrics_count_calls_by_tool_and_outcome(open_http_server, tokens):
    async with open_http_server("--token-file", tokens) as server:
        opened = await post(server, ANN, "initialize", HELLO)
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        for name in ("session_list", "snapshot", "no such tool"):
            await post(server, ANN, "tools/call", {"name": name, "arguments": {}}, **session)
        async with httpx2.AsyncClient() as http:
            assert (await http.get(f"{server.origin}/metrics")).status_code == 401
            bearer = {"Authorization": f"Bearer {ANN}"}
            figures = (await http.get(f"{server.origin}/metrics", headers=bearer)).text
    assert 'tabwright_call_seconds_count{end="ok",tool="session_list"} 1.0' in figures
    assert 'tabwright_call_seconds_count{end="failed",tool="snapshot"} 1.0' in figures
    assert 'tabwright_call_seconds_count{end="failed",tool="other"} 1.0' in figures
    assert "tabwright_running_calls 0.0" in figures
    assert "tabwright_utilisation 0.0" in figures
    assert 'tabwright_memory_bytes{of="server"}' in figures


async def test_a_call_is_a_span_of_its_callers_trace(open_http_server, monkeypatch):
    """Send a `traceparent` in the request's metadata, and collect the spans."""
    received = list[bytes]()

    async def collect(exchange):
        received.append(exchange.body)
        await exchange.answer(ServerResponse(b"{}", content_type="application/json"))

    trace = "0af7651916cd43dd8448eb211c80319c"
    async with open_server(collect, []) as port:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        async with open_http_server("--set", "log.traces=true") as server:
            opened = await post(server, "", "initialize", HELLO)
            session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
            meta = {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}
            call = {"name": "session_list", "arguments": {}, "_meta": meta}
            await post(server, "", "tools/call", call, **session)
    sent = b"".join(received)
    assert bytes.fromhex(trace) in sent
    assert b"session_list" in sent
