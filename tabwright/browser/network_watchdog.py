"""Finds a browser whose network service hangs: it answers, and no page of it ever loads.

Chromium keeps connections and cookies in a process of its own, the network service. If it dies, the
browser starts another. If it is stopped or hangs, every navigation runs into its time-out. Reading
cookies requires an answer from that process.
"""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final

import trio

from tabwright.cdp.command import CDPCommand
from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.domains import browser, storage
from tabwright.cdp.errors import CDPError

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
        """Give the browser up once its network service does not answer; runs until cancelled."""
        while True:
            await self._begun.wait()
            await trio.sleep(PATIENCE_S)
            if not self._loads:
                self._begun = trio.Event()
            elif await _hangs(connection):
                connection.give_up("its network service does not answer")
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
