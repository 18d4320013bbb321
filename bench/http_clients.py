"""Measure the latency of `snapshot` over HTTP, for one client and for many concurrent clients.

    python bench/http_clients.py --clients 200 --pause 10

One server, `tabwright serve --http`; each client has an MCP session, a browser session and a small
page of its own, and 50 of them are one user. The clients call `snapshot` and then pause, as models
do between calls: for a random time around `--pause` seconds. Before and
after, one of them calls on its own, with the same pages open. Without a pause (`--pause 0`) calls
wait for each other, and the result is the throughput.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx2
import msgspec
import trio

from tabwright.testing.replica.server import Exchange, Seen, html, open_server

START_S = 60
CALL_S = 300
OPENING_AT_ONCE = 8
CLIENTS_OF_USER = 50
"""A user can have 64 sessions."""

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
PAGE = "<title>Page</title><h1>Page</h1>" + "".join(
    f"<p>Row {n} <a href='/{n}'>Open {n}</a> <button>Buy {n}</button></p>" for n in range(12)
)


class Result(msgspec.Struct, frozen=True):
    """The result of a call."""

    isError: bool = False  # noqa: N815  (the name of the protocol)


class Answer(msgspec.Struct, frozen=True):
    """The response to a call."""

    result: Result | None = None


def token_of(number: int) -> str:
    """Return the token of the user whose client has that number."""
    return f"the token of user {number // CLIENTS_OF_USER:08}".replace(" ", "-")


class BenchClient:
    """A client with an MCP session and a page."""

    def __init__(self, url: str, http: httpx2.AsyncClient, number: int) -> None:
        self._url, self._http, self._name = url, http, f"s{number}"
        self._headers = {
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {token_of(number)}",
        }

    async def open(self, page_url: str) -> None:
        """Begin the MCP session, and open the page."""
        response = await self._post("initialize", HELLO)
        self._headers["Mcp-Session-Id"] = response.headers["mcp-session-id"]
        await self.call("navigate", {"url": page_url, "format": "outline"})

    async def snapshot(self) -> float:
        """Take a snapshot, and return the seconds that it took."""
        began_s = trio.current_time()
        await self.call("snapshot", {"format": "outline"})
        return trio.current_time() - began_s

    async def call(self, tool: str, arguments: dict[str, object]) -> None:
        """Call a tool."""
        given = {"name": tool, "arguments": {**arguments, "session": self._name}}
        text = (await self._post("tools/call", given)).text
        line = next(line for line in text.splitlines() if line.startswith('data: {"'))
        answer = msgspec.json.decode(line.removeprefix("data: "), type=Answer)
        if answer.result is None or answer.result.isError:
            raise RuntimeError(text)

    async def _post(self, method: str, params: object) -> httpx2.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        response = await self._http.post(self._url, json=body, headers=self._headers)
        return response.raise_for_status()


@asynccontextmanager
async def open_bench_server(clients: int, folder: Path) -> AsyncGenerator[str]:
    """Start a server with a tab for each client, and yield its URL."""
    tokens = folder / "tokens"
    users = range(0, clients, CLIENTS_OF_USER)
    tokens.write_text("".join(f"user{first} {token_of(first)}\n" for first in users))
    config = folder / "config.yaml"
    config.write_text(
        json.dumps(
            {
                "network": {"allow_private": True, "proxy": "none"},
                "browser": {"profile": None},
                "pool": {"max_reading_tabs": clients},
                "server": {"user_calls_max": 2 * clients, "calls_max": 2 * clients},
                "session": {"dir": str(folder / "sessions")},
                "log": {"dir": None},
            }
        )
    )
    command = [sys.executable, "-m", "tabwright", "serve", "--http", "127.0.0.1:0"]
    command += ["--config", str(config), "--token-file", str(tokens)]
    process = await trio.lowlevel.open_process(command, stdout=subprocess.PIPE, env=os.environ)
    if process.stdout is None:
        raise RuntimeError("no pipe")
    try:
        with trio.fail_after(START_S):
            line = await process.stdout.receive_some()
        yield line.decode().split()[-1]
    finally:
        process.terminate()
        with trio.CancelScope(shield=True):
            await process.wait()


async def measure(clients: Sequence[BenchClient], calls: int, pause_s: float) -> list[float]:
    """Let all clients call and pause concurrently; return the times of all calls."""
    took_s = list[float]()

    async def use(client: BenchClient) -> None:
        await trio.sleep(random.random() * pause_s)  # noqa: S311
        for _ in range(calls):
            took_s.append(await client.snapshot())
            await trio.sleep(random.uniform(0.5, 1.5) * pause_s)  # noqa: S311

    async with trio.open_nursery() as nursery:
        for client in clients:
            nursery.start_soon(use, client)
    return took_s


def line_of(label: str, took_s: Sequence[float]) -> str:
    """Return a row of the table."""
    cuts = statistics.quantiles(took_s, n=100)
    ms = " / ".join(f"{cut * 1000:.1f}" for cut in (cuts[49], cuts[94], cuts[98]))
    return f"{label:24} {ms} ms (median / p95 / p99 of {len(took_s)})"


async def run(options: argparse.Namespace) -> None:
    """Run the measurements, and print the table."""
    log = list[Seen]()

    async def answer(exchange: Exchange) -> None:
        await exchange.answer(html(PAGE))

    with tempfile.TemporaryDirectory() as folder:
        async with (
            open_server(answer, log) as port,
            open_bench_server(options.clients, Path(folder)) as url,
            httpx2.AsyncClient(timeout=CALL_S, limits=httpx2.Limits(max_connections=None)) as http,
            trio.open_nursery() as nursery,
        ):
            clients = [BenchClient(url, http, number) for number in range(options.clients)]
            opening = trio.CapacityLimiter(OPENING_AT_ONCE)

            async def open_one(client: BenchClient) -> None:
                async with opening:
                    await client.open(f"http://127.0.0.1:{port}/")

            began_s = trio.current_time()
            async with trio.open_nursery() as starting:
                for client in clients:
                    starting.start_soon(open_one, client)
            print(f"{options.clients} pages opened in {trio.current_time() - began_s:.1f} s")
            alone = partial(measure, clients[:1], options.alone, 0.05)
            await measure(clients[:1], 5, 0)
            print(line_of("one, before", one := await alone()), flush=True)
            began_s = trio.current_time()
            many = await measure(clients, options.calls, options.pause)
            rate = len(many) / (trio.current_time() - began_s)
            print(line_of(f"{len(clients)} at once", many), f"{rate:.1f} calls/s", flush=True)
            print(line_of("one, after", later := await alone()))
            p99 = [statistics.quantiles(took_s, n=100)[98] for took_s in (one + later, many)]
            print(f"p99 ratio: {p99[1] / p99[0]:.2f}")
            nursery.cancel_scope.cancel()


def main() -> None:
    """Read the options, and run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--calls", type=int, default=5, help="of each client")
    parser.add_argument("--alone", type=int, default=200, help="calls of the one client")
    parser.add_argument("--pause", type=float, default=10, help="mean time between calls, in s")
    trio.run(run, parser.parse_args())


if __name__ == "__main__":
    main()
