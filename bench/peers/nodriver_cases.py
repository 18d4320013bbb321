"""The cases on nodriver and on zendriver, which have one interface."""

# ruff: noqa: S101  (an assertion is what makes the number a measurement)

import asyncio
import sys
from typing import Any
from urllib.parse import urlsplit

from cases import AT_ONCE, EVENTS, EXPRESSION, FLOOD, LARGE, LARGE_BYTES, OPERATIONS, Stopwatch


async def main(library: Any, *, plain_handlers: bool) -> None:
    """Run the cases that standard input names.

    Args:
        library: nodriver or zendriver.
        plain_handlers: whether a plain function is a cheaper event handler than a coroutine:
            nodriver starts a task for each coroutine, zendriver a thread for each plain call.
    """
    address = urlsplit(sys.argv[1])
    browser = await library.start(host=address.hostname, port=address.port)
    tab = await browser.get("about:blank", new_tab=True, new_window=True)
    await tab.send(library.cdp.runtime.enable())
    cases = Cases(library.cdp.runtime, tab)
    hear = cases.hear if plain_handlers else cases.hear_in_coroutine
    tab.add_handler(library.cdp.runtime.ConsoleAPICalled, hear)
    while case := (await asyncio.to_thread(sys.stdin.readline)).strip():
        watch = Stopwatch()
        await getattr(cases, case)()
        watch.report(case)
    await tab.close()


class Cases:
    """Each case as a method."""

    def __init__(self, runtime: Any, tab: Any) -> None:
        self._runtime = runtime
        self._tab = tab
        self._received = 0
        self._all_received = asyncio.Event()

    def hear(self, _event: object, *_rest: object) -> None:
        """Count an event."""
        self._received += 1
        if self._received == EVENTS:
            self._all_received.set()

    async def hear_in_coroutine(self, event: object, *_rest: object) -> None:
        """Count an event, as a coroutine."""
        self.hear(event)

    async def _evaluate(self, expression: str, count: int) -> Any:
        for _ in range(count):
            command = self._runtime.evaluate(expression, return_by_value=True)
            evaluated = (await self._tab.send(command))[0]
        return evaluated.value

    async def sequential(self) -> None:
        """Run one command at a time."""
        assert await self._evaluate(EXPRESSION, OPERATIONS["sequential"]) == 2

    async def in_flight(self) -> None:
        """Run many commands at once."""
        each = OPERATIONS["in_flight"] // AT_ONCE
        await asyncio.gather(*(self._evaluate(EXPRESSION, each) for _ in range(AT_ONCE)))

    async def large(self) -> None:
        """Run commands with large results."""
        assert len(await self._evaluate(LARGE, OPERATIONS["large"])) == LARGE_BYTES

    async def flood(self) -> None:
        """Receive many events."""
        self._received = 0
        self._all_received.clear()
        await self._tab.send(self._runtime.evaluate(FLOOD))
        await self._all_received.wait()
