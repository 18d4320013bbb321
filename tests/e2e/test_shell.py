"""The command line as a person uses it: searches, and queries to running servers."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
import trio

from tabwright.control.transport import running_servers
from tabwright.testing.replica import EngineScenario, open_replica
from tabwright.testing.replica.engines.results import truth

NOBODY = "No tabwright server is running. MCP clients start one with `tabwright serve`.\n"


@attrs.frozen
class Ended:
    code: int
    stdout: str
    stderr: str


Run = Callable[..., Awaitable[Ended]]


def command(*arguments: str | Path) -> list[str]:
    """Return a command that runs in its own process, with a known id."""
    return [sys.executable, "-m", "tabwright", *map(str, arguments)]


@pytest.fixture
def run(quick_tabwright: list[str]) -> Run:
    """Return a function that runs a tabwright command to its end."""

    async def run(*arguments: str | Path) -> Ended:
        whole = [*quick_tabwright, *map(str, arguments)]
        with trio.fail_after(120):
            done = await trio.run_process(
                whole, capture_stdout=True, capture_stderr=True, check=False
            )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@asynccontextmanager
async def serving(config: Path) -> AsyncGenerator[trio.Process]:
    """Run a server that answers requests; end it with the block by closing its input."""
    process = await trio.lowlevel.open_process(
        command("serve", "--config", config), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    try:
        with trio.fail_after(60):
            while process.pid not in {server.pid for server in running_servers()}:
                await trio.sleep(0.02)
        yield process
    finally:
        await process.stdin.aclose()
        await process.wait()


def children(pid: int) -> set[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return {int(child) for task in tasks for child in (task / "children").read_text().split()}


@pytest.fixture(autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory in which servers listen, separate for each test."""
    runtime = tmp_path_factory.mktemp("run")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.delenv("COLUMNS", raising=False)
    return runtime / "tabwright"


async def test_shell_commands_query_the_server_only_while_it_runs(
    write_config, folder, run
) -> None:
    config = write_config(pool={"workers": 2, "max_tabs": 3})
    assert await run("top", "--pool") == Ended(1, "", NOBODY)
    async with serving(config) as server:
        pool = await run("top", "--pool")
        queue = await run("view", "captchas")
        record = await run("top", "--reset", "--json")
        unknown = await run("view", "captchas", "open", "0000")
    assert (pool.code, pool.stderr) == (0, "")
    assert pool.stdout.startswith("Tabs that can search, per browser: 3\n")
    assert pool.stdout.count("not running") == 4  # of two workers, for searches and for pages
    assert queue == Ended(0, "No intervention is open.\n", "")
    (one,) = json.loads(record.stdout)["servers"]
    assert one["server"] == server.pid
    assert "mojeek" in {rate["site"] for rate in one["rates"]}
    assert unknown.code == 2
    assert unknown.stderr == ("There is no intervention '0000'. No intervention is open.\n")
    assert server.returncode == 0
    assert list(folder.iterdir()) == []
    assert await run("view", "captchas") == Ended(1, "", NOBODY)


async def test_pool_command_queries_all_running_servers(write_config, run) -> None:
    config = write_config()
    async with serving(config) as one, serving(config) as other:
        pool = await run("top", "--pool")
    heads = [line for line in pool.stdout.splitlines() if line.startswith("Server ")]
    assert heads == [f"Server {pid}" for pid in sorted((one.pid, other.pid))]


async def test_terminated_server_removes_its_socket(write_config, folder) -> None:
    async with serving(write_config()) as server:
        server.terminate()
        assert await server.wait() == 128 + signal.SIGTERM
        assert list(folder.iterdir()) == []


async def test_stale_socket_of_killed_server_is_removed_by_next_command(
    write_config, folder, run
) -> None:
    async with serving(write_config()) as server:
        server.kill()
        await server.wait()
        assert [place.name for place in folder.iterdir()] == [f"{server.pid}.sock"]
        assert await run("top", "--pool") == Ended(1, "", NOBODY)
        assert list(folder.iterdir()) == []


async def test_server_without_control_socket_warns_and_still_serves(
    write_config, tmp_path, monkeypatch, quick_tabwright
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / ("x" * 120)))
    server = await trio.lowlevel.open_process(
        [*quick_tabwright, "serve", "--config", str(write_config())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    async with server.stdin, server.stdout, server.stderr:
        with trio.fail_after(60):
            reported = await server.stderr.receive_some()
            await server.stdin.send_all(b'{"jsonrpc":"2.0","id":7,"method":"ping"}\n')
            answer = await server.stdout.receive_some()
        await server.stdin.aclose()
        await server.wait()
    assert b"WARNING" in reported
    assert b"cannot reach this server" in reported
    assert json.loads(answer)["id"] == 7


@pytest.mark.chromium
async def test_web_search_prints_merged_results_and_failed_engines(write_config, run) -> None:
    async with open_replica() as replica:
        config = write_config(replica)
        asked = ["search", "--web", "--config", config, "why", "so?", "--engines", "mojeek,ecosia"]
        replica.engines.play("ecosia", EngineScenario(status=403))
        listed = await run(*asked, "--limit", "5")
        found = await run(*asked, "--limit", "5", "--json")
    best = truth("mojeek", "why so?", 1)[0]
    assert listed.code == found.code == 0, listed.stderr
    assert listed.stdout.startswith("1. [")
    assert "(mojeek 1)" in listed.stdout.splitlines()[0]
    assert "Engines without results:\n- ecosia: " in listed.stdout
    record = json.loads(found.stdout)
    assert record["results"][0]["title"] == best.title
    assert [failure["engine"] for failure in record["failures"]] == ["ecosia"]
    assert len(record["results"]) == 5


@pytest.mark.chromium
async def test_an_interrupted_web_search_ends_at_once_and_leaves_no_browser(
    write_config, processes
) -> None:
    async with open_replica() as replica:
        replica.engines.play("mojeek", EngineScenario(hang=True))
        config = write_config(replica)
        search = await trio.lowlevel.open_process(
            command("search", "--web", "--config", config, "x", "--engines", "mojeek"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        async with search.stdout, search.stderr:
            with trio.fail_after(60):
                while not replica.engines.asked:
                    await trio.sleep(0.02)
                family = processes.family(children(search.pid))
                os.kill(search.pid, signal.SIGINT)
                output = (
                    [part async for part in search.stdout],
                    [part async for part in search.stderr],
                )
                assert await search.wait() == 128 + signal.SIGINT
    assert output == ([], [])
    assert family
    assert await processes.gone(family)
