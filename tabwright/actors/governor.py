"""The RateGovernor: when a site may be turned to again."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

import attrs
import trio

from tabwright.actors.keeping import Care
from tabwright.cdp.background import open_background
from tabwright.config.engines import WEB, Pace
from tabwright.protocol.leases import Permit

CARE = Care(mailbox_max=256, at_once=256)
"""Waiting costs nothing, and one site's wait must not hold up another's."""


@attrs.define(eq=False)
class _Gate:
    """What one site allows: `slots` requests at a time, each start after `next_start_s`."""

    pace: Pace
    slots: trio.Semaphore
    turn: trio.Lock = attrs.field(factory=trio.Lock)
    next_start_s: float = float("-inf")

    @asynccontextmanager
    async def passed(self) -> AsyncGenerator[None]:
        """Waits for the turn, and has a slot for the block. A cancelled waiter leaves no trace."""
        async with AsyncExitStack() as slot:
            async with self.turn:  # the slot comes second, or order is lost when two come free
                await slot.enter_async_context(self.slots)
                await trio.sleep_until(self.next_start_s)
                self.next_start_s = trio.current_time() + self.pace.min_interval_s
            yield


class RateGovernor:
    """Answers `Permit`, first come first served for each site."""

    def __init__(self, nursery: trio.Nursery, paces: Mapping[str, Pace]) -> None:
        self._nursery = nursery
        self._paces = paces
        self._gates: dict[str, _Gate] = {}

    async def permit(self, request: Permit, /) -> None:
        """See `Permit`."""
        await self._nursery.start(self._hold, request)

    async def _hold(self, request: Permit, task_status: trio.TaskStatus[None]) -> None:
        async with self._gate(request.site).passed():
            task_status.started()
            await request.over.wait()

    def _gate(self, site: str) -> _Gate:
        if site not in self._gates:
            pace = self._paces.get(site) or self._paces[WEB]
            self._gates[site] = _Gate(pace, trio.Semaphore(pace.concurrency))
        return self._gates[site]


@asynccontextmanager
async def rate_governor(paces: Mapping[str, Pace]) -> AsyncGenerator[RateGovernor]:
    """The life of a governor; stopping it ends every permit."""
    async with open_background() as nursery:
        yield RateGovernor(nursery, paces)
