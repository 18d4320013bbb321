"""Waiting for a page to come to rest after an action: by what it does, never by the clock."""

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
"""For the document to be still for two frames; one that is animated by scripts never is."""

LATE_MS = 200
"""For a page to do something at all: many wait a moment before they do.

No event tells of a timer, and to listen in the page's own world would be to change what it sees:
what comes later than this is told with the next outcome.
"""

SETTLE_S = 5.0
"""For requests that the action began; what takes longer is what `wait_for` is for."""

LOAD_S = 20.0
"""For the document that the page goes to."""


GOING_S = 10.0
"""For a page that goes on and on, as one that loads itself again and again."""


@attrs.frozen
class SettleResult:
    """How a page came to rest.

    Attributes:
        loaded: the page that it went to; None where it stayed.
        busy: whether it did not come to rest.
    """

    loaded: LoadedPage | None = None
    busy: bool = False


@attrs.frozen(eq=False)
class StabilityWaiter:
    """What tells that a page is at rest: no navigation, no requests, two frames without change."""

    documents: FrameManager
    requests: RequestLog

    async def stirred(self) -> bool:
        """Whether anything of the page has changed, or is under way, since this was last asked."""
        return await self.documents.ask_main("stirred", answer=bool) or self.requests.busy

    async def rest(
        self, loading: NavigationWatcher, events: AsyncIterator[Event], *, may_be_late: bool = False
    ) -> SettleResult:
        """Waits for it. `events` are those since before the action, as what `stirred` tells.

        Raises:
            BadInput, NavigationFailed, PageFailed: how a navigation ended that the action began.
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
        """Whether the page goes somewhere before it has come to rest."""
        async with background_nursery() as watching:
            with trio.CancelScope() as until_left:
                watching.start_soon(_cancel_at_leaving, loading, events, until_left)
                with trio.move_on_at(end):
                    await self._calm(late_ms)
        return loading.begun

    async def _calm(self, late_ms: int) -> None:
        while True:
            with suppress(CommandFailed):  # its document has just gone: what comes is heard of
                await self.documents.call(
                    await self.documents.main(), "quiet", CALM_MS, late_ms, answer=bool
                )
            if not self.requests.busy:
                return
            await self.requests.rests()


async def _cancel_at_leaving(
    loading: NavigationWatcher, events: AsyncIterator[Event], scope: trio.CancelScope
) -> None:
    await loading.begins(events)
    scope.cancel()
