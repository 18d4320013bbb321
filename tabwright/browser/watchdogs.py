"""Watchdogs of a browser: its memory, its response, and that of its network service.

**Memory.** A page that uses too much memory is ended, and only that page. A browser that has grown
too large in total gets no new work: it is closed when its current work has ended.

**Heartbeat.** A browser that is stopped or hangs stays connected. It is asked for its version every
few seconds, and given up if it sends nothing.

**Network.** Chromium keeps connections and cookies in a separate process, the network service. If
it dies, the browser starts another. If it is stopped or hangs, every navigation times out.
Reading cookies requires a response from that process.
"""

import logging
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final, Protocol

import attrs
import trio

from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.domains import browser, storage, system_info
from tabwright.cdp.errors import CDPError
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import CDPCommand

POLL_S = 1.0
"""Seconds between two checks; a page can allocate some 400 MB in this time."""

PAGE_BYTES_MAX = 2_000_000_000
"""Bytes of memory for a process that shows pages."""

RENDERER = "renderer"

_log = logging.getLogger("tabwright.actors")


class ProcessTable(Protocol):
    """The processes of the machine that the browser runs on."""

    def memory_bytes(self, pid: int) -> int:
        """Return the memory of a process without its shared part; 0 if the process is gone."""
        ...

    def kill(self, pid: int) -> None:
        """Kill a process, if it exists."""
        ...


@attrs.frozen
class OwnProcesses:
    """The processes of this machine, by psutil."""

    def memory_bytes(self, pid: int) -> int:
        import psutil  # noqa: PLC0415  (not before a browser runs)

        with suppress(psutil.Error):
            memory = psutil.Process(pid).memory_info()
            return memory.rss - getattr(memory, "shared", 0)
        return 0

    def kill(self, pid: int) -> None:
        import psutil  # noqa: PLC0415

        with suppress(psutil.Error):
            psutil.Process(pid).kill()


@attrs.define(eq=False)
class MemoryWatchdog:
    """A watchdog of the memory of one browser while `run` runs.

    Attributes:
        bytes_max: the maximum of the whole browser.
        used_bytes: the memory at the latest check.
    """

    bytes_max: float
    used_bytes: int = 0

    @property
    def exceeded(self) -> bool:
        """Return whether the browser uses more memory than allowed."""
        return self.used_bytes > self.bytes_max

    async def run(self, root: CDPSession, table: ProcessTable) -> None:
        """Check every `POLL_S` seconds until the browser is gone; stop if cancelled."""
        while root.failure is None:
            await trio.sleep(POLL_S)
            with suppress(CDPError):
                found = await root.execute(system_info.get_process_info())
                used: dict[system_info.ProcessInfo, int] = {}
                for process in found.process_info:
                    used[process] = table.memory_bytes(process.id)
                    await trio.lowlevel.checkpoint()  # a browser can have hundreds of processes
                self.used_bytes = sum(used.values())
                for process, size in used.items():
                    if process.type == RENDERER and size > PAGE_BYTES_MAX:
                        _log.warning(
                            "A page was closed because its process used %d MB.", size // 1_000_000
                        )
                        table.kill(process.id)


ANSWER_S: Final = 5.0
"""Seconds to return the version or the cookies: usually 1 ms, seconds under heavy load."""

MISSES_MAX: Final = 2
"""Commands in a row without a response before a browser is given up."""

HEARTBEAT_INTERVAL_S: Final = 2.0
"""Seconds between two heartbeats."""


async def heartbeat(connection: CDPConnection) -> None:
    """Give up a browser that is stopped or hangs: its connection alone would not show that.

    A browser that is busy with a page still sends other messages and is not given up.
    """
    misses = 0
    while misses < MISSES_MAX:
        await trio.sleep(HEARTBEAT_INTERVAL_S)
        last_received_s = connection.frames_received
        with trio.move_on_after(ANSWER_S), suppress(CDPError):  # any response counts
            await connection.root.execute(browser.get_version())
        misses = misses + 1 if connection.frames_received == last_received_s else 0
    connection.give_up("it does not respond")


PATIENCE_S: Final = 4.0
"""Seconds after which a page is slow; most pages load earlier, so that usually nothing is sent."""


class NetworkWatch:
    """A watchdog of the network service of one browser while pages load slowly."""

    def __init__(self) -> None:
        self._loads = 0
        self._begun = trio.Event()

    @contextmanager
    def loading(self) -> Generator[None]:
        """Mark a page as loading during the block."""
        self._loads += 1
        self._begun.set()
        try:
            yield
        finally:
            self._loads -= 1

    async def run(self, connection: CDPConnection) -> None:
        """Give the browser up once its network service does not respond; runs until cancelled."""
        while True:
            await self._begun.wait()
            await trio.sleep(PATIENCE_S)
            if not self._loads:
                self._begun = trio.Event()
            elif await _hangs(connection):
                connection.give_up("its network service does not respond")
                return


async def _hangs(connection: CDPConnection) -> bool:
    """Return whether the network service does not respond although the browser itself does."""
    for _ in range(MISSES_MAX):
        if await _answers(connection, storage.get_cookies()):
            return False
    return await _answers(connection, browser.get_version())


async def _answers(connection: CDPConnection, command: CDPCommand[object]) -> bool:
    with trio.move_on_after(ANSWER_S) as asking:
        with suppress(CDPError):  # a refusal is a response too
            await connection.root.execute(command)
    return not asking.cancelled_caught
