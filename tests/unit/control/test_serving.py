"""Answers of the control channel, and its robustness against misbehaving clients."""

import json
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import wait_all_tasks_blocked

from tabwright.concurrency.lines import LINE_BYTES_MAX
from tabwright.concurrency.nursery import background_nursery
from tabwright.concurrency.timers import STALL_S
from tabwright.config.loader import override, settings_from
from tabwright.control.server import CLIENTS_MAX, serve_control
from tabwright.control.transport import LogInRequest, ServerSocket, running_servers
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.session_data import StorageState
from tabwright.protocol.tab import OriginStorage
from tabwright.sessions.store import Saved, SessionFiles

LIST = b'{"jsonrpc":"2.0","id":1,"method":"interventions"}\n'

BYTES = st.binary(max_size=300)
PARTS = st.one_of(
    BYTES,
    st.just(b"\n"),
    st.just(LIST),
    BYTES.map(lambda text: b'{"jsonrpc":"2.0","id":1,"method":"%s"}\n' % text),
    BYTES.map(lambda text: b'{"jsonrpc":"2.0","id":"%s","method":"pool"}\n' % text),
)


async def connected(server: ServerSocket) -> trio.SocketStream:
    return await trio.open_unix_socket(server.place)


async def output(stream: trio.SocketStream) -> bytes:
    """Return everything that the server sends until it closes the connection."""
    received = b""
    try:
        async for part in stream:
            received += part
    except trio.BrokenResourceError:  # it hung up with something unread
        pass
    return received


async def asked(server: ServerSocket, line: bytes) -> Any:
    async with await connected(server) as stream:
        await stream.send_all(line)
        received = await output(stream)
    assert received.endswith(b"\n")
    assert received.count(b"\n") == 1
    return json.loads(received)


def request(method: str, **params: object) -> bytes:
    message = {"jsonrpc": "2.0", "id": "a", "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


async def test_control_server_answers_every_method(tabwright, serve_client) -> None:
    async with serve_client(tabwright) as server:
        listed = await asked(server, request("interventions"))
        opened = await asked(server, request("answer", id="7f3a", answer="open"))
        stands = await asked(server, request("pool"))
        reset = await asked(server, request("reset_back_off"))
        again = await asked(server, request("pool"))
    assert {answer["id"] for answer in (listed, opened, stands, reset)} == {"a"}
    assert [one["id"] for one in listed["result"]] == ["7f3a"]
    assert tabwright.answered == [("7f3a", "open")]
    assert opened["result"]["state"] == "in_progress"
    assert stands["result"]["pool"]["lowered_max_tabs"] == {"mojeek": 1}
    (tab,) = stands["result"]["pool"]["tabs"]
    assert stands["result"]["now_s"] - tab["since_s"] == pytest.approx(12, abs=5)
    assert [rate["site"] for rate in stands["result"]["rates"]] == ["bing", "mojeek"]
    assert reset == {"jsonrpc": "2.0", "id": "a", "result": None}
    assert again["result"]["pool"]["lowered_max_tabs"] == {}


async def test_log_in_updates_only_the_open_session_of_the_same_file(
    new_client, serve_client, tmp_path: Path
) -> None:
    chosen = settings_from(override(session__dir=str(tmp_path)))
    old, new = (Cookie("who", value, "shop.example") for value in ("nobody", "eve"))
    outdated, renewed = (Cookie("visit", value, "news.example") for value in ("1", "2"))
    shown = OriginStorage("https://shop.example", (("theme", "dark"),))
    untouched = OriginStorage("https://news.example", (("read", "3"),))
    earlier = Saved(cookies=(old, outdated), storage=(untouched,))
    later = Saved(cookies=(new, outdated), storage=(untouched, shown))
    path = SessionFiles(tmp_path).write("shop", later)
    SessionFiles(tmp_path).write("other", later)
    before = StorageState((old, renewed))
    new_client_ = new_client(settings=chosen, states={"shop": before})

    def log_in(session: str, file: Path) -> bytes:
        return request("log_in", **attrs.asdict(LogInRequest.of(session, file, earlier, later)))

    async with serve_client(new_client_) as server:
        elsewhere = await asked(server, log_in("shop", tmp_path / "old" / "shop.json"))
        closed = await asked(server, log_in("other", tmp_path / "other.json"))
        assert (elsewhere["result"], closed["result"]) == (False, False)
        assert new_client_.states == {"shop": before}
        used = await asked(server, log_in("shop", path))
    assert used["result"] is True
    assert new_client_.states == {"shop": StorageState((new, renewed), (shown,))}


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        (b"\n", -32700, "not JSON"),
        (b"{\n", -32700, "not JSON"),
        (b"\xff\xfe\n", -32700, "not JSON"),
        (b"GET / HTTP/1.1\r\n", -32700, "not JSON"),
        (b"[" * 60_000 + b"\n", -32700, "not JSON"),
        (LIST.strip() + LIST, -32700, "not JSON"),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}\n', -32600, "can't decode byte 0xff"),
        (b'{"jsonrpc":"2.0","id":"\xff","method":"pool"}\n', -32600, "can't decode byte 0xff"),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"answer","params":{"id":"\xff","answer":"open"}}\n',
            -32602,
            "can't decode byte 0xff",
        ),
        (b"[]\n", -32600, "Expected `object`"),
        (b"null\n", -32600, "Expected `object`"),
        (b'{"jsonrpc":"1.0","id":1,"method":"pool"}\n', -32600, "'1.0'"),
        (b'{"jsonrpc":"2.0","method":"pool"}\n', -32600, "`id`"),
        (b'{"jsonrpc":"2.0","id":1}\n', -32600, "`method`"),
        (b'{"jsonrpc":"2.0","id":1,"method":"fly"}\n', -32601, "There are interventions, answer"),
        (request("answer", id="7f3a", answer="solve it"), -32602, "$.answer"),
        (request("answer", answer="open"), -32602, "`id`"),
        (request("answer", id=7, answer="open"), -32602, "$.id"),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"answer","params":null}\n',
            -32602,
            "Expected `object`",
        ),
    ],
)
async def test_malformed_request_is_rejected_without_side_effects(
    line: bytes, code: int, says: str, tabwright, serve_client
) -> None:
    async with serve_client(tabwright) as server:
        answer = await asked(server, line)
        assert answer["error"]["code"] == code
        assert says in answer["error"]["message"]
        assert tabwright.answered == []
        assert (await asked(server, LIST))["id"] == 1


async def test_error_response_has_kind_and_advice(tabwright, serve_client) -> None:
    async with serve_client(tabwright) as server:
        answer = await asked(server, request("answer", id="0000", answer="skip"))
    assert answer["error"] == {
        "code": -32000,
        "message": "There is no intervention '0000'.",
        "data": {
            "kind": "bad_input",
            "retryable": False,
            "effect": "none",
            "advice": "None waits.",
        },
    }


async def test_handler_bug_is_logged_and_the_server_keeps_serving(
    tabwright, serve_client, caplog
) -> None:
    async with serve_client(tabwright) as server:
        tabwright.gate = lambda: 1 / 0
        answer = await asked(server, request("pool"))
        assert answer["error"]["code"] == -32603
        assert "ZeroDivisionError" in caplog.text
        tabwright.gate = lambda: None
        assert "result" in await asked(server, request("pool"))


async def test_connection_bug_is_logged_and_closes_only_that_connection(
    tabwright, serve_client, monkeypatch, caplog
) -> None:
    async def fail(_client: object, _line: bytes) -> bytes:
        raise ZeroDivisionError

    async with serve_client(tabwright) as server:
        with monkeypatch.context() as broken:
            broken.setattr("tabwright.control.server._answer", fail)
            async with await connected(server) as stream:
                await stream.send_all(LIST)
                assert await output(stream) == b""
        (record,) = caplog.records
        assert record.getMessage() == "Answering a client failed"
        assert "ZeroDivisionError" in caplog.text
        assert "result" in await asked(server, LIST)


def test_arbitrary_input_does_not_prevent_serving_the_next_client(tabwright, serve_client) -> None:
    async def live(parts: list[bytes]) -> None:
        async with serve_client(tabwright) as server:
            async with await connected(server) as stream:
                try:
                    for part in parts:
                        await stream.send_all(part)
                    await stream.send_eof()
                except trio.BrokenResourceError:  # it has had its line, and hung up
                    pass
                received = await output(stream)
            assert received.count(b"\n") <= 1
            assert all(json.loads(line)["jsonrpc"] == "2.0" for line in received.splitlines())
            assert "result" in await asked(server, LIST)

    @settings(max_examples=100)
    @given(parts=st.lists(PARTS, max_size=4))
    def holds(parts: list[bytes]) -> None:
        trio.run(live, parts)

    holds()


async def test_fifty_clients_are_served_side_by_side(tabwright, serve_client) -> None:
    everybody, waiting = trio.Event(), 0

    def gate() -> object:
        nonlocal waiting
        waiting += 1
        if waiting == 50:
            everybody.set()
        return everybody.wait()

    tabwright.gate = gate
    answers: list[Any] = []

    async def ask(server: ServerSocket) -> None:
        answers.append(await asked(server, LIST))

    async with serve_client(tabwright) as server, trio.open_nursery() as nursery:
        for _ in range(50):
            nursery.start_soon(ask, server)
    assert len(answers) == 50
    assert all(answer["result"][0]["id"] == "7f3a" for answer in answers)


async def test_connection_above_the_client_limit_is_closed_until_slots_free_up(
    tabwright, serve_client
) -> None:
    async with serve_client(tabwright) as server:
        silent = [await connected(server) for _ in range(CLIENTS_MAX)]
        await wait_all_tasks_blocked()
        async with await connected(server) as one_more:
            assert await output(one_more) == b""
        for stream in silent:
            await stream.aclose()
        await wait_all_tasks_blocked()
        assert "result" in await asked(server, LIST)


async def test_overlong_request_line_closes_the_connection(tabwright, serve_client) -> None:
    async with serve_client(tabwright) as server:
        async with await connected(server) as stream:
            with pytest.raises(trio.BrokenResourceError):
                while True:
                    await stream.send_all(b"x" * LINE_BYTES_MAX)
        assert "result" in await asked(server, LIST)


@pytest.mark.parametrize("part", [b"", b'{"jsonrpc":"2.0"', LIST[:-1]])
async def test_incomplete_request_line_closes_the_connection(
    part: bytes, tabwright, serve_client, autojump_clock
) -> None:
    async with serve_client(tabwright) as server:
        async with await connected(server) as stream:
            await stream.send_all(part)
            before_s = trio.current_time()
            assert await output(stream) == b""
            assert trio.current_time() - before_s == pytest.approx(STALL_S)
        async with await connected(server) as stream:
            await stream.send_all(part)
            await stream.send_eof()
            before_s = trio.current_time()
            assert await output(stream) == b""
            assert trio.current_time() == before_s


async def test_request_line_in_fragments_is_reassembled(tabwright, serve_client) -> None:
    async with serve_client(tabwright) as server, await connected(server) as stream:
        for number in range(len(LIST)):
            await stream.send_all(LIST[number : number + 1])
            await trio.lowlevel.checkpoint()
        assert json.loads(await output(stream))["id"] == 1


async def test_client_that_does_not_read_its_response_is_disconnected(
    tabwright, new_intervention, serve_client, autojump_clock
) -> None:
    tabwright.parts.queue = tuple(new_intervention(f"{number:05x}") for number in range(20_000))
    async with serve_client(tabwright) as server:
        async with await connected(server) as stream:
            await stream.send_all(LIST)
            await trio.sleep(2 * STALL_S)
            received = await output(stream)
            assert not received.endswith(b"\n")
        assert len((await asked(server, LIST))["result"]) == 20_000


@pytest.mark.parametrize("line", [LIST, LIST[:9], b""], ids=["asked", "half", "silent"])
async def test_client_disconnect_frees_its_connection_slot(
    line: bytes, tabwright, serve_client
) -> None:
    go_on = trio.Event()
    tabwright.gate = go_on.wait
    async with serve_client(tabwright) as server:
        for _ in range(CLIENTS_MAX):
            async with await connected(server) as stream:
                await stream.send_all(line)
        await wait_all_tasks_blocked()
        go_on.set()
        await wait_all_tasks_blocked()
        assert "result" in await asked(server, LIST)


@pytest.mark.parametrize("client", ["none", "silent", "waiting"])
async def test_cancellation_removes_the_control_socket(
    client: str, tabwright, runtime_folder
) -> None:
    tabwright.gate = trio.sleep_forever
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_control, tabwright)
        await wait_all_tasks_blocked()
        (server,) = running_servers()
        async with await connected(server) as stream:
            await stream.send_all({"waiting": LIST}.get(client, b""))
            if client == "none":
                await stream.aclose()
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
    assert list((runtime_folder / "tabwright").iterdir()) == []


async def test_failure_in_the_nursery_removes_the_control_socket(tabwright, runtime_folder) -> None:
    with pytest.raises(PageFailed):
        async with background_nursery() as nursery:
            nursery.start_soon(serve_control, tabwright)
            await wait_all_tasks_blocked()
            assert len(running_servers()) == 1
            raise PageFailed("gone")
    assert list((runtime_folder / "tabwright").iterdir()) == []


async def test_failure_to_create_control_socket_is_logged_as_a_warning(
    tabwright, runtime_folder, monkeypatch, tmp_path, caplog
) -> None:
    (runtime_folder / "tabwright").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / ("y" * 120)))
    await serve_control(tabwright)
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert "`tabwright top` and `view` cannot reach this server" in record.getMessage()
    assert "path too long" in record.getMessage()
