"""The part of the browser pool that one principal of a shared server sees.

Contexts of different principals never meet: the name of a context is that of its principal and that
of its session. Nobody but the operator acts in the browser's own pages.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import attrs
import trio

from tabwright.protocol.actor import Address
from tabwright.protocol.browser_pool import (
    BrowserPool,
    Lease,
    LeaseTab,
    OpenPage,
    PoolState,
    Queued,
    TabUse,
)
from tabwright.protocol.errors import BadInput
from tabwright.protocol.progress import ignore_progress


@attrs.frozen(eq=False)
class PrincipalPool:
    """A `BrowserPool` that passes requests on in the name of a principal, with its folder."""

    _supervisor: Address[BrowserPool]
    _principal: str
    _downloads: str

    async def lease_tab(self, request: LeaseTab, /) -> Lease:
        if request.own:
            raise _own_pages_refused()
        context = f"{self._principal}/{request.context}" if request.context else ""
        named = attrs.evolve(
            request, context=context, principal=self._principal, downloads=self._downloads
        )
        return await self._supervisor.ask(BrowserPool.lease_tab, named)

    async def start_browser(self) -> None:
        await self._supervisor.ask(BrowserPool.start_browser)

    async def open_pages(self) -> tuple[OpenPage, ...]:
        """Refuse: those pages belong to the operator."""
        await trio.lowlevel.checkpoint()
        raise _own_pages_refused()

    async def end_unused(self) -> None:
        await self._supervisor.ask(BrowserPool.end_unused)

    async def change_use(self, number: int, use: TabUse, queued: Queued = ignore_progress) -> None:
        await self._supervisor.ask(BrowserPool.change_use, number, use, queued)

    async def back_off(self, engine: str, /) -> None:
        """Back off, for all principals."""
        await self._supervisor.ask(BrowserPool.back_off, engine)

    async def reset_back_off(self) -> None:
        """Refuse: limits that hold for all principals are the operator's."""
        await trio.lowlevel.checkpoint()
        raise BadInput(
            "The limit of searching tabs is shared by all users of this server.",
            advice="Its operator can run `tabwright top --reset`.",
        )

    async def pool(self) -> PoolState:
        """Return the state of the browsers, with the tabs of this principal alone."""
        state = await self._supervisor.ask(BrowserPool.pool)
        return attrs.evolve(
            state, tabs=tuple(tab for tab in state.tabs if tab.principal == self._principal)
        )

    async def check_proxy(self) -> str:
        return await self._supervisor.ask(BrowserPool.check_proxy)

    async def find_screen(self, worker: int, /) -> None:
        await self._supervisor.ask(BrowserPool.find_screen, worker)


def _own_pages_refused() -> BadInput:
    return BadInput(
        "A server that several users share does not act in the pages of its operator's browser.",
        advice="Use an ordinary session.",
    )


@asynccontextmanager
async def principal_pool(
    supervisor: Address[BrowserPool], principal: str, downloads: str
) -> AsyncGenerator[PrincipalPool]:
    """Run the pool of a principal. Its leases are tasks of the supervisor, and end with it."""
    await trio.lowlevel.checkpoint()
    yield PrincipalPool(supervisor, principal, downloads)
