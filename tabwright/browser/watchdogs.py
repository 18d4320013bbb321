"""Watchdogs of a browser: its memory, and whether its network service answers.

**Memory.** A page that takes too much is ended, and nothing but that page. A browser that has grown
too large in all is not used for new work any more: it goes when the work in it has ended.

**Network.** Chromium keeps connections and cookies in a process of its own, the network service. If
it dies, the browser starts another. If it is stopped or hangs, every navigation runs into its
time-out. Reading cookies requires an answer from that process.
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

LOOK_S = 1.0
"""Between two looks; a page can take some 400 MB in this time."""

RENDERER = "renderer"

_log = logging.getLogger("tabwright.actors")


class ProcessTable(Protocol):
    """The processes of the machine that the browser runs on."""

    def memory_bytes(self, pid: int) -> int:
        """What a process has for itself, without what it shares; 0 where it is gone."""
        ...

    def kill(self, pid: int) -> None:
        """Ends a process at once, if it is there."""
        ...


@attrs.frozen
class OwnProcesses:
    """Those of this machine, by psutil."""

    def memory_bytes(self, pid: int) -> int:
        """See `ProcessTable.memory_bytes`."""
        import psutil  # noqa: PLC0415  (not before there is a browser)

        with suppress(psutil.Error):
            memory = psutil.Process(pid).memory_info()
            return memory.rss - getattr(memory, "shared", 0)
        return 0

    def kill(self, pid: int) -> None:
        """See `ProcessTable.kill`."""
        import psutil  # noqa: PLC0415

        with suppress(psutil.Error):
            psutil.Process(pid).kill()


@attrs.define(eq=False)
class MemoryWatchdog:
    """Looks at the memory of one browser for as long as `run` does.

    Attributes:
        bytes_max: what it may take in all.
        page_bytes_max: what a process may take that shows pages.
        used_bytes: what it took at the latest look.
    """

    bytes_max: int
    page_bytes_max: int
    used_bytes: int = 0

    @property
    def exceeded(self) -> bool:
        """Whether it takes more than it may."""
        return self.used_bytes > self.bytes_max

    async def run(self, root: CDPSession, table: ProcessTable) -> None:
        """Looks every `LOOK_S` seconds, until the browser is gone; cancelled, it looks no more."""
        while root.failure is None:
            await trio.sleep(LOOK_S)
            with suppress(CDPError):
                found = await root.execute(system_info.get_process_info())
                used = {process: table.memory_bytes(process.id) for process in found.process_info}
                self.used_bytes = sum(used.values())
                for process, size in used.items():
                    if process.type == RENDERER and size > self.page_bytes_max:
                        _log.warning(
                            "A page was closed because its process used %d MB.", size // 1_000_000
                        )
                        table.kill(process.id)


PATIENCE_S: Final = 4.0
"""Pages are mostly there by then, so that nothing is asked as a rule."""

ANSWER_S: Final = 5.0
"""For the cookies of a context: a millisecond, or seconds where the machine is full."""

MISSES_MAX: Final = 2


class NetworkWatch:
    """Asks after the network service of one browser while pages take long to load."""

    def __init__(self) -> None:
        self._loads = 0
        self._begun = trio.Event()

    @contextmanager
    def loading(self) -> Generator[None]:
        """A page loads for the length of the block."""
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
    """Whether the network service does not answer, though the browser itself does."""
    for _ in range(MISSES_MAX):
        if await _answers(connection, storage.get_cookies()):
            return False
    return await _answers(connection, browser.get_version())


async def _answers(connection: CDPConnection, command: CDPCommand[object]) -> bool:
    with trio.move_on_after(ANSWER_S) as asking:
        with suppress(CDPError):  # a refusal is an answer too
            await connection.root.execute(command)
    return not asking.cancelled_caught
