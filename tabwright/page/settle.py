"""How a page settles after an action: no navigation, no request, and no change for two frames.

Changes are counted by a mutation observer in the page (``js/settle.js``). Each wait has a time
limit.
"""

from collections.abc import AsyncIterator
from contextlib import suppress

import attrs
import trio

from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.wire import Event
from tabwright.concurrency.nursery import background_nursery
from tabwright.page.events.network_log import RequestLog
from tabwright.page.frames import FrameManager
from tabwright.page.navigation import NavigationWatcher
from tabwright.protocol.snapshot import LoadedPage

CALM_MS = 250
"""Milliseconds for the document to be unchanged for two frames; script animations never are."""

LATE_MS = 200
"""Milliseconds for a page to react at all: many wait a moment before they do.

No event reports a timer, and a listener in the page's own world would be visible to the page. Later
reactions are reported with the next outcome.
"""

SETTLE_S = 5.0
"""Seconds for requests that the action began; `wait_for` is for longer ones."""

LOAD_S = 20.0
"""Seconds for the document of a resulting navigation."""


GOING_S = 10.0
"""Seconds for a page that navigates again and again, for example by reloading itself."""


@attrs.frozen
class SettleResult:
    """The result of waiting for a page to settle.

    Attributes:
        loaded: the page that was loaded; None if there was no navigation.
        busy: whether it did not settle.
    """

    loaded: LoadedPage | None = None
    busy: bool = False


@attrs.frozen(eq=False)
class StabilityWaiter:
    """A detector of a settled page: no navigation, no requests, two frames without change."""

    documents: FrameManager
    requests: RequestLog

    async def stirred(self) -> bool:
        """Return whether anything in the page has changed since the last call, or is busy."""
        return await self.documents.ask_main("stirred", answer=bool) or self.requests.busy

    async def rest(
        self, loading: NavigationWatcher, events: AsyncIterator[Event], *, may_be_late: bool = False
    ) -> SettleResult:
        """Wait until the page has settled. `events` start before the action.

        Raises:
            BadInput, NavigationFailed, PageFailed: the outcome of a navigation by the action.
        """
        end = trio.current_time() + SETTLE_S
        enough = trio.current_time() + GOING_S
        loaded: LoadedPage | None = None
        late_ms = LATE_MS if may_be_late else 0
        while await self._leaves(loading, events, end, late_ms):
            if trio.current_time() > enough:
                return SettleResult(loaded, busy=True)
            with trio.move_on_after(LOAD_S) as waiting:
                came = await loading.follow(events)
                loaded = loaded if loading.stays else came
            if waiting.cancelled_caught:
                return SettleResult(loading.page if loading.has_come else loaded, busy=True)
            loading, late_ms = loading.again(), 0
            end = trio.current_time() + SETTLE_S
        return SettleResult(loaded, busy=self.requests.busy)

    async def _leaves(
        self,
        loading: NavigationWatcher,
        events: AsyncIterator[Event],
        end: float,
        late_ms: int,
    ) -> bool:
        """Return whether the page begins a navigation before it has settled."""
        async with background_nursery() as watching:
            with trio.CancelScope() as until_left:
                watching.start_soon(_cancel_at_leaving, loading, events, until_left)
                with trio.move_on_at(end):
                    # A document that has just disappeared is not a failure: the next one follows.
                    while True:
                        with suppress(CommandFailed):
                            await self.documents.ask_main("quiet", CALM_MS, late_ms, answer=bool)
                        if not self.requests.busy:
                            break
                        await self.requests.rests()
        return loading.begun


async def _cancel_at_leaving(
    loading: NavigationWatcher, events: AsyncIterator[Event], scope: trio.CancelScope
) -> None:
    await loading.begins(events)
    scope.cancel()
