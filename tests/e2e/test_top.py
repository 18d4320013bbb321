"""`tabwright top` in a terminal, with servers that start, work and are killed."""

import json
import signal
import sys

import pytest
import trio

from tabwright.testing.demo import text_of
from tabwright.testing.replica.server import ServerResponse, open_server
from tests.support.terminal import open_terminal

TABWRIGHT = [sys.executable, "-m", "tabwright"]
NOBODY = "No tabwright server is running."


@pytest.fixture(autouse=True)
def runtime(tmp_path_factory, monkeypatch):
    """Give each test its own directories for the sockets and state of servers."""
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path_factory.mktemp("run")))


async def answered(exchange) -> None:
    await exchange.answer(ServerResponse(b"<title>A \x1b[2Jpage</title><p>Text.</p>"))


@pytest.fixture
def run(quick_tabwright: list[str]):
    """Return a function that runs a tabwright command to its end."""

    async def run(*arguments: str) -> tuple[int, str, str]:
        command = [*quick_tabwright, *arguments]
        with trio.fail_after(60):
            done = await trio.run_process(
                command, capture_stdout=True, capture_stderr=True, check=False
            )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return run


async def test_top_follows_starting_and_ending_servers_and_restores_terminal(
    write_config, open_client, run, quick_tabwright
):
    assert (await run("top"))[0] == 1
    async with open_terminal([*TABWRIGHT, "top"], columns=80, lines=24) as terminal:
        await terminal.until(NOBODY)
        async with open_server(answered, []) as port, open_client(write_config()) as client:
            url = f"http://127.0.0.1:{port}/"
            read = await client.call_tool("navigate", {"url": url, "session": "mine"})
            assert not read.is_error, text_of(read)
            lost = await client.call_tool(
                "navigate", {"url": "http://127.0.0.1:1/", "session": "mine"}
            )
            assert lost.is_error
            await terminal.until("mine")
            await terminal.until("A [2Jpage")
            await terminal.until("A call failed: navigation_failed")
            code, text, _ = await run("top", "--once")
            assert (code, "Session" in text) == (0, True)
            code, record, _ = await run("top", "--json")
            (server,) = json.loads(record)["servers"]
            assert [one["name"] for one in server["sessions"]] == ["mine"]
            assert server["memory_bytes"] > 1_000_000
        await terminal.until(NOBODY)
        terminal.keys("q")
        assert await terminal.ended() == 0
        assert terminal.screen.modes == {7, 25}
    async with open_terminal([*quick_tabwright, "top"], columns=30, lines=6) as terminal:
        await terminal.until("No tabwright server")
        terminal.signal(signal.SIGINT)
        assert await terminal.ended() == 130
        assert terminal.screen.modes == {7, 25}
