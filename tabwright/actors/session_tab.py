"""The tab of a session: leased once it is needed, kept between requests, with the same cookies."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import attrs
import trio

from tabwright.actors.address import Address
from tabwright.actors.turns import tell_wait
from tabwright.protocol.asking import Asked
from tabwright.protocol.errors import Unanswered, Undelivered
from tabwright.protocol.fetching import Fetcher, GetCookies, SetCookies
from tabwright.protocol.leases import ChangeUse, Lease, LeaseTab, Supervisor, TabUse
from tabwright.protocol.searching import Progress
from tabwright.protocol.tabs import GetTabCookies, SetTabCookies, Tab


@attrs.define(eq=False)
class SessionTab:
    """A tab that is there when it is asked for."""

    session: str
    supervisor: Address[Supervisor]
    fetcher: Address[Fetcher]
    _lease: Lease | None = attrs.field(default=None, init=False)
    _over: trio.Event = attrs.field(factory=trio.Event, init=False)

    @property
    def open(self) -> bool:
        """Whether there is one now."""
        return self._lease is not None

    @asynccontextmanager
    async def working(self, progress: Progress) -> AsyncGenerator[Asked[Tab]]:
        """The tab, at work for the block.

        What the block does not get through is given up, storage and all; the cookies of before
        are not.

        Raises:
            TabsBusy, BrowserUnavailable: there is none to be had.
        """
        try:
            lease = await self._ready(progress)
            yield lease.tab
            cookies = await lease.tab.ask(GetTabCookies())
            await self.fetcher.ask(SetCookies(self.session, cookies))
            await self.supervisor.ask(ChangeUse(lease.number, TabUse.KEPT))
        except BaseException:
            self.give_back()
            raise

    def give_back(self) -> None:
        """Has the tab closed, if there is one."""
        self._over.set()
        self._lease = None

    async def _ready(self, progress: Progress) -> Lease:
        """A tab with the session's cookies: the one that is there, unless it has been lost."""
        if self._lease is not None:
            queued = partial(tell_wait, progress)
            try:
                change = ChangeUse(self._lease.number, TabUse.READING, queued)
                await self.supervisor.ask(change)
                return await self._with_cookies(self._lease)
            except (Undelivered, Unanswered):
                self.give_back()
        return await self._with_cookies(await self._leased(progress))

    async def _leased(self, progress: Progress) -> Lease:
        self._over = trio.Event()
        purpose = f"session {self.session}"
        queued = partial(tell_wait, progress)
        wish = LeaseTab(self._over, TabUse.READING, purpose, private=True, queued=queued)
        self._lease = await self.supervisor.ask(wish)
        return self._lease

    async def _with_cookies(self, lease: Lease) -> Lease:
        cookies = await self.fetcher.ask(GetCookies(self.session))
        await lease.tab.ask(SetTabCookies(cookies))  # without any too: a lost tab says so
        return lease
