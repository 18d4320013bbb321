"""The connection to a browser, interrupted, overloaded or shared, in a real Chromium."""

import os
import signal
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import attrs
import pytest
import trio

from tabwright import Environment
from tabwright.cdp import pipe
from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.domains import browser, target
from tabwright.cdp.session import CDPSession
from tabwright.cdp.websocket import open_websocket_link
from tabwright.cdp.wire import CDPCommand, Shape
from tabwright.concurrency.nursery import background_nursery
from tabwright.page import frames
from tabwright.protocol.errors import BadInput, PageFailed, TabwrightError

pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

FOREVER = "fetch('/never'); new Promise(() => {})"
MIB = 1 << 20
BLOCKED_S = 2.0
"""Longer than anything here may wait for us."""


@attrs.define(eq=False)
class Cutter:
    """A wire log that kills the browsers at the next method that is not in `methods`.

    Attributes:
        methods: at which it has killed them, in order.
        armed: whether it is to kill them.
    """

    kill: Callable[[], None]
    methods: list[str] = attrs.field(factory=list[str])
    armed: bool = False

    def __call__(self, line: str) -> None:
        arrow, *words = line.split(maxsplit=4)
        method = next((word for word in words if "." in word and word[0].isupper()), "")
        if self.armed and arrow == "=>" and method not in {"", *self.methods}:
            self.armed = False
            self.methods.append(method)
            self.kill()


@pytest.mark.nightly
async def test_link_cut_at_any_command_ends_call_and_next_call_succeeds(oracle, members):
    """Cut at each distinct command; a call that has just begun may be retried."""

    def kill() -> None:
        for pid in members.browsers:
            os.kill(pid, signal.SIGKILL)

    cutter = Cutter(kill)
    async with oracle("goes", environment=Environment(wire_log=cutter)) as trial:
        while not cutter.armed:
            cutter.armed = True
            with trio.fail_after(60):
                try:
                    await trial.browse("/article")
                except TabwrightError as error:
                    assert error.retryable
                if not cutter.armed:
                    await trial.browse("/article")
        cutter.armed = False
    assert {"Target.createTarget", "Page.navigate", "Runtime.callFunctionOn"} < {*cutter.methods}


async def test_oversized_frame_fails_only_its_own_call(oracle, monkeypatch):
    monkeypatch.setattr(pipe, "FRAME_BYTES_MAX", 8 * MIB)
    async with oracle() as trial:
        error = await trial.refused(partial(trial.value, f"'x'.repeat({20 * MIB})"))
        assert await trial.value("'x'.repeat(10)") == '"xxxxxxxxxx"'
        await trial.value(f"console.log('x'.repeat({20 * MIB})); 1")
        assert await trial.value("'said'") == '"said"'
    assert isinstance(error, PageFailed)
    assert "too large" in error.message
    assert "Request less" in error.advice


async def test_commands_that_cannot_be_sent_are_refused_as_bad_input(oracle):
    async with oracle() as trial:
        large = await trial.refused(partial(trial.value, f"1 // {'x' * (70 * MIB)}"))
        half = await trial.refused(partial(trial.value, "'\ud800'"))
    assert isinstance(large, BadInput)
    assert isinstance(half, BadInput)
    assert "bytes" in large.message
    assert "surrogates" in half.message


async def test_cancelled_large_command_leaves_the_connection_usable(oracle):
    script = f"'{'x' * (8 * MIB)}'.length"
    async with oracle() as trial:
        for after_s in (0.0, 0.005, 0.02, 0.05, 0.1):
            with trio.move_on_after(after_s):
                await trial.value(script)
            with trio.fail_after(60):
                assert await trial.value("6 * 7") == "42"


async def test_event_flood_during_blocked_event_loop_does_not_break_session(
    oracle, web, monkeypatch
):
    monkeypatch.setattr(frames, "ANSWER_S", 60.0)  # the flood is slower on a busy machine
    web.put(
        "/flood",
        "<script>function flood(left = 500) { for (let i = 0; i < 20; i++) console.log(i);"
        " if (left) setTimeout(flood, 5, left - 1) }</script>",
    )
    async with oracle() as trial:
        await trial.enter("/flood")
        await trial.value("flood(); 1")
        time.sleep(BLOCKED_S)  # noqa: ASYNC251 - the whole point
        with trio.fail_after(60):
            assert await trial.value("6 * 7") == "42"


class Targets(Shape, frozen=True):
    """Result of ``Target.getTargets``."""

    target_infos: tuple[target.TargetInfo, ...]


def address(folder: Path) -> str:
    """Return the CDP address of the browser with its profile in a folder."""
    (file,) = folder.glob("*/profile/DevToolsActivePort")
    port, path = file.read_text().split("\n")
    return f"ws://127.0.0.1:{port}{path}"


@asynccontextmanager
async def somebody_else(folder: Path) -> AsyncGenerator[CDPSession]:
    """Connect a second CDP client to the browser of a folder."""
    async with open_websocket_link(address(folder)) as link, background_nursery() as talking:
        connection = CDPConnection(link)
        talking.start_soon(connection.run)
        yield connection.root


async def test_page_closed_by_another_client_is_reported_as_closed(oracle, temporary):
    async with oracle(browser__port_base=0) as trial, somebody_else(temporary) as other:
        await trial.enter("/table")
        closing = trio.Event()

        async def close() -> None:
            await closing.wait()
            found = await other.execute(CDPCommand("Target.getTargets", {}, Targets))
            (one,) = [info for info in found.target_infos if info.url.endswith("/table")]
            await other.execute(target.close_target(one.target_id))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(close)
            error = await trial.refused_amid(partial(trial.value, FOREVER), "/never", closing.set)
    assert isinstance(error, PageFailed)
    assert "closed" in error.message


@pytest.mark.nightly
async def test_browser_closed_by_another_client_is_replaced(oracle, temporary):
    async with oracle("goes", browser__port_base=0) as trial:
        ending = trio.Event()

        async def end() -> None:
            async with somebody_else(temporary) as other:
                await ending.wait()
                await other.execute(browser.close())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(end)
            error = await trial.refused_amid(partial(trial.browse, "/never"), "/never", ending.set)
    assert error.retryable
