"""Clients that hang up, servers that are signaled, and other threads, with Chromium."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from queue import SimpleQueue
from typing import TypeAlias

import pytest
import trio

from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.sessions import Sessions

pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

ANSWERED_S = 30

OpenReading: TypeAlias = Callable[[], AbstractAsyncContextManager[trio.Process]]


def message(number: int, method: str, **params: object) -> bytes:
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(request).encode() + b"\n"


@pytest.fixture
def open_reading(write_config, members, until, web) -> OpenReading:
    """Open servers that are in the middle of a call that never ends."""
    client = {"name": "test", "version": "1"}
    greeting = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    call = {"name": "browse", "arguments": {"url": web.url("/never"), "min_tier": 2}}

    @asynccontextmanager
    async def opened() -> AsyncGenerator[trio.Process]:
        server = await trio.lowlevel.open_process(
            [sys.executable, "-m", "tabwright", "serve", "--config", str(write_config())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(members.folder)},
        )
        async with server.stdin:
            await server.stdin.send_all(message(1, "initialize", **greeting))
            await server.stdin.send_all(message(2, "tools/call", **call))
            await until(lambda: web.asked("/never"))
            yield server
            await until(lambda: members.gone)

    return opened


async def test_client_disconnect_during_a_call_ends_the_server_cleanly(open_reading):
    async with open_reading() as server:
        await server.stdin.aclose()
        with trio.fail_after(ANSWERED_S):
            assert await server.wait() == 0


async def test_second_signal_ends_server_without_waiting_for_browser(open_reading, members):
    async with open_reading() as server:
        os.kill(*members.browsers, signal.SIGSTOP)
        server.send_signal(signal.SIGINT)
        server.send_signal(signal.SIGTERM)
        with trio.fail_after(ANSWERED_S):  # which of the two comes first is the system's to say
            assert await server.wait() - 128 in {signal.SIGINT, signal.SIGTERM}


def test_a_client_runs_in_a_thread_that_is_not_the_main_one(web, members):
    titles = SimpleQueue[str]()

    async def read() -> None:
        chosen = override(browser__profile=None, network__allow_private=True, network__proxy="none")
        async with open_tabwright(settings_from(chosen)) as tabwright:
            titles.put((await tabwright.read(web.url("/article"), ReadOptions(min_tier=2))).title)

    thread = threading.Thread(target=trio.run, args=(read,))
    thread.start()
    thread.join(ANSWERED_S)
    assert "nurseries" in titles.get_nowait()
    assert members.gone


async def test_a_session_that_is_closed_leaves_no_task(oracle):
    async with oracle() as trial:
        await trial.enter("/table", session="another")
        await trial.tabwright.parts.sessions.ask(Sessions.close, "another")
