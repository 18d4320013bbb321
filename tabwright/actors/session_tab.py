"""The tab of a session: leased once it is needed, kept between requests.

A new one has the cookies of the one before, and what its pages kept in ``localStorage``.
"""

import math
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager, suppress
from functools import partial

import attrs
import trio

from tabwright.actors.address import Address
from tabwright.actors.session_storage import SessionStorage
from tabwright.actors.turns import tell_wait
from tabwright.protocol.actions import TurnAway
from tabwright.protocol.asking import Asked
from tabwright.protocol.errors import (
    BrowserDied,
    TabClosed,
    TabLost,
    TabwrightError,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.fetching import Fetcher, GetCookies, SetCookies
from tabwright.protocol.leases import ChangeUse, Lease, LeaseTab, Supervisor, TabUse
from tabwright.protocol.outlines import Look, Place
from tabwright.protocol.searching import Progress
from tabwright.protocol.tabs import (
    GetTabCookies,
    GetTabStorage,
    SetTabCookies,
    SetTabStorage,
    Tab,
)

PLACE_S = 1.0
"""For a page to say where it is; one that hangs does not hold up who asks for all."""

COMES_AGAIN = "Take a snapshot: its page is loaded again, with the cookies and the storage."

TURN_AWAY_S = 2.0
"""For a tab to close pages that it has opened; they go with it otherwise."""

NOTE_S = 2.0
"""Between two times that a tab which is acted in is asked what a new one would need."""

STORAGE_S = 2.0
"""For a page to say what it keeps; one that hangs does not hold up what was read of it."""


@attrs.define(eq=False)
class SessionTab:
    """A tab that is there when it is asked for."""

    session: str
    supervisor: Address[Supervisor]
    fetcher: Address[Fetcher]
    storage: SessionStorage = attrs.field(factory=SessionStorage)
    _lease: Lease | None = attrs.field(default=None, init=False)
    _over: trio.Event = attrs.field(factory=trio.Event, init=False)
    _opening: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _users: int = attrs.field(default=0, init=False)
    _noted_s: float = attrs.field(default=-math.inf, init=False)

    @property
    def open(self) -> bool:
        """Whether there is one now."""
        return self._lease is not None

    @asynccontextmanager
    async def working(self, progress: Progress) -> AsyncGenerator[Asked[Tab]]:
        """The tab, at work for the block.

        What the block does not get through is given up; the cookies of before are not, nor is the
        storage.

        Raises:
            TabsBusy, BrowserUnavailable: there is none to be had.
        """
        try:
            lease = await self._ready(progress)
            yield lease.tab
            await self.note_storage()
            cookies = await lease.tab.ask(GetTabCookies())
            await self.fetcher.ask(SetCookies(self.session, cookies))
            await self.supervisor.ask(ChangeUse(lease.number, TabUse.KEPT))
        except BaseException:
            self.give_back()
            raise

    @asynccontextmanager
    async def acting(self, progress: Progress) -> AsyncGenerator[Asked[Tab]]:
        """The tab, acted in for the block, and kept whatever comes of that.

        Raises:
            TabClosed: its page has closed the tab.
            TabLost: the tab is gone otherwise, and everything in it.
            TabsBusy: too many work at the same time.
        """
        self._users += 1
        try:
            yield (await self._at_work(progress)).tab
        except TabClosed:
            self.give_back()
            raise
        except TabLost as loss:
            self.give_back()
            raise TabLost(loss.reason, advice=COMES_AGAIN) from loss
        except BrowserDied as loss:
            self.give_back()
            raise TabLost(loss.message, advice=COMES_AGAIN) from loss
        except (Undelivered, Unanswered) as loss:
            raise await self._end(loss) from loss
        finally:
            self._users -= 1
            if self._lease is not None and not self._users:
                self.supervisor.notify(ChangeUse(self._lease.number, TabUse.KEPT))

    async def adopt(self, target: str, beside: "SessionTab", progress: Progress) -> None:
        """Takes over a page that another of the session's tabs has opened.

        Raises:
            TabsBusy, PageFailed: it cannot be had.
        """
        async with self._opening:
            lease = await self._leased(progress, target, beside.worker)
        self.supervisor.notify(ChangeUse(lease.number, TabUse.KEPT))

    async def turn_away(self, targets: Collection[str]) -> None:
        """Has pages closed that its page has opened and nobody took over, also when cancelled."""
        if self._lease is not None and targets:
            with trio.move_on_after(TURN_AWAY_S, shield=True), suppress(TabwrightError):
                await self._lease.tab.ask(TurnAway(tuple(targets)))

    @property
    def worker(self) -> int | None:
        """The browser that it is in; None while there is none."""
        return self._lease.worker if self._lease else None

    async def place(self) -> Place | None:
        """Where its page is; None where it does not say so soon."""
        with trio.move_on_after(PLACE_S), suppress(TabwrightError):
            if self._lease is not None:
                return await self._lease.tab.ask(Look())
        return None

    async def note(self) -> None:
        """Asks for both of these, but for a tab of which they were asked for a moment ago."""
        if trio.current_time() >= self._noted_s + NOTE_S:
            self._noted_s = trio.current_time()
            await self.note_cookies()
            await self.note_storage()

    async def note_cookies(self) -> None:
        """Asks the tab for its cookies, if there is one; one that does not say is let be."""
        if self._lease is not None:
            with trio.move_on_after(STORAGE_S), suppress(TabwrightError):
                cookies = await self._lease.tab.ask(GetTabCookies())
                await self.fetcher.ask(SetCookies(self.session, cookies))

    async def note_storage(self) -> None:
        """Asks the tab's page what it keeps, if there is one; one that does not say is let be."""
        if self._lease is not None:
            with trio.move_on_after(STORAGE_S), suppress(TabwrightError):
                self.storage.note(await self._lease.tab.ask(GetTabStorage()))

    async def _end(self, loss: Undelivered | Unanswered) -> TabClosed | TabLost:
        """What has become of a tab that was lost: it is given back, and knows it itself."""
        try:
            crash = loss.__cause__ or await self._crash()
        finally:
            self.give_back()
        if isinstance(crash, TabClosed):
            return TabClosed()
        reason = crash.message if isinstance(crash, TabwrightError) else ""
        reason = crash.reason if isinstance(crash, TabLost) else reason
        return TabLost(reason, advice=COMES_AGAIN, begun=isinstance(loss, Unanswered))

    async def _crash(self) -> BaseException | None:
        """What has ended the tab; None where it does not say so soon."""
        with trio.move_on_after(PLACE_S):
            try:
                if self._lease is not None:
                    await self._lease.tab.ask(Look())
            except (Undelivered, Unanswered) as loss:
                return loss.__cause__
        return None

    def give_back(self) -> None:
        """Has the tab closed, if there is one."""
        self._over.set()
        self._lease = None

    async def _ready(self, progress: Progress) -> Lease:
        """A tab with what the session keeps: the one that is there, unless it has been lost."""
        async with self._opening:
            if self._lease is not None:
                try:
                    await self._come_to_work(self._lease, progress)
                    return await self._furnished(self._lease)
                except (Undelivered, Unanswered):
                    self.give_back()
            lease = await self._leased(progress)
            try:
                return await self._furnished(lease)
            except BaseException:
                self.give_back()  # without its cookies it is nobody's
                raise

    async def _at_work(self, progress: Progress) -> Lease:
        """The tab as it is, or a new one."""
        lease = self._lease
        if lease is None:
            return await self._ready(progress)
        await self._come_to_work(lease, progress)
        return lease

    async def _come_to_work(self, lease: Lease, progress: Progress) -> None:
        queued = partial(tell_wait, progress)
        await self.supervisor.ask(ChangeUse(lease.number, TabUse.READING, queued))

    async def _leased(
        self, progress: Progress, pop_up: str = "", worker: int | None = None
    ) -> Lease:
        self._over = trio.Event()
        purpose = f"session {self.session}"
        wish = LeaseTab(
            self._over,
            TabUse.READING,
            purpose,
            context=purpose,
            pop_up=pop_up,
            worker=worker,
            queued=partial(tell_wait, progress),
        )
        self._lease = await self.supervisor.ask(wish)
        self.storage.begin_tab()
        return self._lease

    async def _furnished(self, lease: Lease) -> Lease:
        cookies = await self.fetcher.ask(GetCookies(self.session))
        await lease.tab.ask(SetTabCookies(cookies))  # without any too: a lost tab says so
        await lease.tab.ask(SetTabStorage(self.storage.lacking))
        return lease
