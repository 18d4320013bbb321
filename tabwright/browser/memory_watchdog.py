"""What a browser takes of the machine's memory, and what is done where that is too much.

A page that takes too much is ended, and nothing but that page. A browser that has grown too large
in all is not used for new work any more: it goes when the work in it has ended.
"""

import logging
from contextlib import suppress
from typing import Protocol

import attrs
import trio

from tabwright.cdp.domains import system_info
from tabwright.cdp.errors import CDPError
from tabwright.cdp.session import CDPSession

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
                            "A page was ended: its process takes %d MB.", size // 1_000_000
                        )
                        table.kill(process.id)
