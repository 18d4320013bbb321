"""Processes that are killed for their memory, and browsers that have grown too large."""

import os
import subprocess
import sys

import attrs
import pytest
import trio

from tabwright.browser import watchdogs
from tabwright.browser.watchdogs import POLL_S, MemoryWatchdog, OwnProcesses
from tabwright.cdp.domains.system_info import Processes, ProcessInfo
from tabwright.cdp.errors import SessionEnded
from tabwright.cdp.wire import CDPCommand

NAMED = (ProcessInfo("browser", 1), ProcessInfo("renderer", 2), ProcessInfo("renderer", 3))


@attrs.define
class Table:
    """A fake machine with processes of given sizes."""

    sizes: dict[int, int]
    killed: list[int] = attrs.field(factory=list)

    def memory_bytes(self, pid: int) -> int:
        return self.sizes.get(pid, 0)

    def kill(self, pid: int) -> None:
        self.killed.append(pid)
        self.sizes.pop(pid)


@attrs.define
class Root:
    """A fake browser that lists its processes until it is gone."""

    looks: int

    @property
    def failure(self) -> type[SessionEnded] | None:
        return None if self.looks else SessionEnded

    async def execute(self, command: CDPCommand[Processes]) -> Processes:
        await trio.lowlevel.checkpoint()
        self.looks -= 1
        return Processes(tuple(NAMED))


@pytest.mark.parametrize(
    ("sizes", "killed", "exceeded"),
    [
        ({1: 100, 2: 50, 3: 100}, [], False),
        ({1: 100, 2: 101, 3: 20}, [2], False),
        ({1: 180, 2: 71, 3: 50}, [], True),
        ({1: 500}, [], True),
    ],
    ids=["modest", "page", "all together", "browser"],
)
async def test_memory_watchdog_kills_large_pages_and_flags_the_browser(
    sizes, killed, exceeded, autojump_clock, monkeypatch
):
    monkeypatch.setattr(watchdogs, "PAGE_BYTES_MAX", 100)
    watch, table = MemoryWatchdog(bytes_max=300), Table(dict(sizes))
    await watch.run(Root(looks=1), table)
    assert table.killed == killed
    assert watch.exceeded == exceeded
    assert watch.used_bytes == sum(sizes.values())


async def test_watchdog_polls_until_browser_is_gone(autojump_clock):
    began_s = trio.current_time()
    await MemoryWatchdog(1).run(Root(looks=5), Table({}))
    assert trio.current_time() - began_s == pytest.approx(5 * POLL_S)


def test_process_memory_is_measured_and_process_killed():
    table = OwnProcesses()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert table.memory_bytes(os.getpid()) > 10_000_000
        table.kill(child.pid)
        assert child.wait() != 0
    assert table.memory_bytes(child.pid) == 0
    table.kill(child.pid)
