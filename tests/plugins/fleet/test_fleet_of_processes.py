"""Crawls by the workers of a fleet, with a real Redis and processes that are killed."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random

import httpx2
import pytest
import trio

from tabwright.plugins.fleet.redis import open_redis
from tabwright.plugins.fleet.redis_jobs import RedisJobQueue
from tabwright.plugins.fleet.settings import FleetSettings
from tabwright.testing.replica.server import Exchange, Seen, html, open_server
from tests.support.redis_server import RedisServer

PAGES = 24
SLOW_S = 0.03
LIMIT_S = 300.0
REAL = [sys.executable, "-m", "tabwright"]
Run = Callable[..., Awaitable[None]]
ALLOWED = ("--set", "network.allow_private=true", "--set", "network.proxy=none")
SOON = ("--set", "fleet.lease_s=10")
"""The pages of a worker that was killed are read again after so many seconds."""


@asynccontextmanager
async def serving() -> AsyncGenerator[tuple[str, list[Seen]]]:
    """Serve a tree of pages, each with a delay."""
    seen: list[Seen] = []

    async def handle(exchange: Exchange) -> None:
        await trio.sleep(SLOW_S)
        name = exchange.path.strip("/")
        if name and not name.isdecimal():
            await exchange.answer(html("<h1>Not found</h1>", status=404))
            return
        number = int(name or 0)
        below = [one for one in (2 * number + 1, 2 * number + 2) if one < PAGES]
        links = "".join(f'<li><a href="/{one}">Page {one}</a></li>' for one in below)
        text = f"<h1>Page {number}</h1><p>The text of page {number}.</p><ul>{links}</ul>"
        await exchange.answer(html(f"<title>Page {number}</title><main>{text}</main>"))

    async with open_server(handle, seen) as port:
        yield f"http://127.0.0.1:{port}", seen


@asynccontextmanager
async def working(command: list[str], *fleet: str) -> AsyncGenerator[list[trio.Process]]:
    """Run two workers; terminate those that are left, and check their exit."""
    workers: list[trio.Process] = []
    try:
        for _ in range(2):
            started = [*command, "fleet", "worker", *fleet, *ALLOWED, "--concurrency", "4"]
            workers.append(await trio.lowlevel.open_process(started, stdout=subprocess.DEVNULL))
        yield workers
        left = [one for one in workers if one.poll() is None]
        for one in left:
            one.terminate()
        with trio.fail_after(LIMIT_S):
            codes = [await one.wait() for one in left]
        assert set(codes) <= {128 + signal.SIGTERM, -signal.SIGTERM}  # or it was still starting
    finally:
        for one in workers:
            if one.poll() is None:
                one.kill()
            with trio.CancelScope(shield=True):
                await one.wait()


@pytest.fixture
def fleet(fleet_settings: FleetSettings) -> tuple[str, ...]:
    assert fleet_settings.redis is not None
    return ("--queue", fleet_settings.redis, "--set", f"fleet.name={fleet_settings.name}")


@pytest.fixture
def run(quick_tabwright: list[str]) -> Run:
    """Run a command that must succeed."""

    async def run(*arguments: str) -> None:
        command = [*quick_tabwright, *arguments, *ALLOWED]
        with trio.fail_after(LIMIT_S):
            done = await trio.run_process(
                command, capture_stdout=True, capture_stderr=True, check=False
            )
        assert done.returncode == 0, done.stderr.decode()

    return run


async def until(seen: list[Seen], count: int) -> None:
    with trio.fail_after(LIMIT_S):
        while len(seen) < count:
            await trio.sleep(0.01)


def records(path: Path) -> list[Mapping[str, object]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line.pop("timing", None)
    return lines


def batch(tmp_path: Path, url: str) -> tuple[str, ...]:
    urls = tmp_path / "urls.txt"
    urls.write_text("\n".join(f"{url}/{number or ''}" for number in range(PAGES)))
    output = str(tmp_path / "out.ndjson")
    return ("read", "--batch", str(urls), "--batch-output", output, "--tier", "1")


def texts(path: Path) -> list[str]:
    assert all(one["success"] for one in records(path))
    return [str(one["title"]) for one in records(path)]


ALL = [f"Page {number}" for number in range(PAGES)]


@pytest.mark.nightly
async def test_distributed_crawl_with_a_dying_worker_matches_a_local_crawl(
    tmp_path: Path, fleet: tuple[str, ...], run: Run
) -> None:
    here, there = tmp_path / "here.ndjson", tmp_path / "there.ndjson"
    async with serving() as (url, seen):
        crawl = ("crawl", url, "--ordered", "--no-js")
        await run(*crawl, "-o", str(here))
        seen.clear()
        async with working(REAL, *fleet, *SOON) as workers, trio.open_nursery() as nursery:

            async def kill() -> None:
                await until(seen, PAGES // 3)
                os.kill(workers[0].pid, signal.SIGKILL)

            nursery.start_soon(kill)
            await run(*crawl, "-o", str(there), *fleet)
    assert records(there) == records(here)
    assert len(records(there)) == PAGES


async def test_batch_rerun_after_a_kill_collects_results_without_rereading(
    tmp_path: Path, fleet: tuple[str, ...], run: Run, quick_tabwright: list[str]
) -> None:
    async with serving() as (url, seen), working(quick_tabwright, *fleet):
        reading = batch(tmp_path, url)
        process = await trio.lowlevel.open_process(
            [*REAL, *reading, *fleet, *ALLOWED], stderr=subprocess.DEVNULL
        )
        await until(seen, PAGES // 3)
        process.kill()
        await process.wait()
        await run(*reading, *fleet)
        requested = Counter(one.path for one in seen)
    assert texts(tmp_path / "out.ndjson") == ALL
    assert all(requested[f"/{number or ''}"] == 1 for number in range(PAGES))


@pytest.mark.parametrize(("name", "jobs"), [("browse", PAGES), ("crawl", 1)])
async def test_interrupted_command_reports_it_and_leaves_no_jobs(
    name: str,
    jobs: int,
    tmp_path: Path,
    fleet: tuple[str, ...],
    fleet_settings: FleetSettings,
) -> None:
    async with serving() as (url, _), open_redis(fleet_settings, Random(1)) as redis:
        crawl = ("crawl", url, "-o", str(tmp_path / "out.ndjson"))
        reading = crawl if name == "crawl" else batch(tmp_path, url)
        async with trio.open_nursery() as nursery:
            started = [*REAL, *reading, *fleet, *ALLOWED]
            with (tmp_path / "stderr.txt").open("wb") as sent:
                process = await nursery.start(
                    partial(trio.run_process, started, stderr=sent, check=False)
                )
            queue = RedisJobQueue(redis)
            with trio.fail_after(LIMIT_S):
                while (await queue.state()).waiting < jobs:
                    await trio.sleep(0.05)
                process.send_signal(signal.SIGINT)
                assert await process.wait() == 128 + signal.SIGINT
        state = await queue.state()
    printed = (tmp_path / "stderr.txt").read_text()
    assert "Interrupted: 0 " in printed
    assert "Traceback" not in printed
    assert (state.waiting, state.running) == (0, 0)


async def test_batch_continues_after_a_redis_restart(
    tmp_path: Path, run: Run, quick_tabwright: list[str], own_redis_server: RedisServer
) -> None:
    redis = own_redis_server
    fleet = ("--queue", redis.url)
    async with (
        serving() as (url, seen),
        working(quick_tabwright, *fleet),
        trio.open_nursery() as nursery,
    ):

        async def restart() -> None:
            await until(seen, PAGES // 3)
            redis.kill()
            await trio.sleep(0.5)
            redis.start()

        nursery.start_soon(restart)
        await run(*batch(tmp_path, url), *fleet)
    assert texts(tmp_path / "out.ndjson") == ALL


async def test_missing_redis_ends_a_command_at_once_and_names_the_server(
    quick_tabwright: list[str],
) -> None:
    reading = ("read", "http://127.0.0.1:9/", "--queue", "redis://me:hush@127.0.0.1:9")
    done = await trio.run_process([*quick_tabwright, *reading], capture_stderr=True, check=False)
    sent = done.stderr.decode()
    assert done.returncode == 1
    assert "redis://127.0.0.1:9 " in sent
    assert "hush" not in sent


@pytest.mark.smoke
async def test_worker_serves_health_readiness_and_metrics(
    fleet: tuple[str, ...], quick_tabwright: list[str]
) -> None:
    started = [*quick_tabwright, "fleet", "worker", *fleet, *ALLOWED, "--health", "127.0.0.1:0"]
    async with trio.open_nursery() as nursery:
        process = await nursery.start(
            partial(trio.run_process, started, stdout=subprocess.PIPE, check=False)
        )
        try:
            sent = b""
            with trio.fail_after(LIMIT_S):
                while sent.count(b"\n") < 2:
                    sent += await process.stdout.receive_some()
            url = sent.decode().split()[-1]
            async with httpx2.AsyncClient(timeout=LIMIT_S) as http:
                answers = {
                    path: await http.get(f"{url}/{path}") for path in ("health", "ready", "metrics")
                }
        finally:
            process.terminate()
            with trio.CancelScope(shield=True):
                ended = await process.wait()
    assert {path: one.status_code for path, one in answers.items()} == dict.fromkeys(answers, 200)
    assert answers["ready"].json() == {"ready": True}
    assert "tabwright_worker_capacity 8.0" in answers["metrics"].text
    assert ended == 128 + signal.SIGTERM


def test_worker_with_health_address_in_use_does_not_start(
    fleet: tuple[str, ...], quick_tabwright: list[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        command = [*quick_tabwright, "fleet", "worker", *fleet, "--health", address]
        ended = subprocess.run(command, capture_output=True, check=False)
    assert ended.returncode == 2
    assert address in ended.stderr.decode()
