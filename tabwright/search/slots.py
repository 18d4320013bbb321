"""Turns at an engine: leave to ask it, a tab to ask in, and how it took it.

Who waits for leave has no tab in work meanwhile, so that one engine's pace holds up no other.
"""

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import partial

import attrs
import trio

from tabwright.concurrency.grants import hold_grant
from tabwright.protocol.actor import Address, Expiry, Invoke
from tabwright.protocol.browser_pool import BrowserPool, ChangeUse, Lease, LeaseTab, TabUse
from tabwright.protocol.errors import SearchBlocked
from tabwright.protocol.progress import OnProgress, ignore_progress, report_wait
from tabwright.protocol.rate_limit import AcquirePermit, Governor, NoteAnswer, NoteRefusal


@attrs.frozen(eq=False)
class EngineSlot:
    """A turn at an engine.

    Attributes:
        lease: the tab to ask in.
        begin: to be called once the question has reached the engine, from when on its interval
            counts; the end of the turn does so too. So the engine never sees two of them closer,
            however long one is on its way.
    """

    lease: Lease
    begin: Callable[[], None]


@attrs.frozen(eq=False)
class EngineSlots:
    """Turns at one engine.

    Attributes:
        site: the engine.
    """

    site: str
    governor: Address[Governor]
    supervisor: Address[BrowserPool]

    @asynccontextmanager
    async def first(
        self, over: trio.Event, purpose: str, progress: OnProgress
    ) -> AsyncGenerator[EngineSlot]:
        """A turn in a new tab, which is the caller's until `over`.

        Raises:
            RateLimited: the engine is left alone for a while.
            TabsBusy, BrowserUnavailable: there is no tab.
        """
        queued = partial(report_wait, progress, who=self.site)
        async with self._leave(progress, rank=0) as begun:
            wish = LeaseTab(over, TabUse.SEARCHING, purpose, light=True, queued=queued)
            try:
                lease = await self.supervisor.ask(wish)
            except BaseException:
                over.set()
                raise
            with _begun_by_the_end(begun):
                yield EngineSlot(lease, begun.set)

    @asynccontextmanager
    async def next(
        self, lease: Lease, progress: OnProgress, *, rank: int = 0
    ) -> AsyncGenerator[EngineSlot]:
        """A turn in a tab that is there, and rests until then.

        Raises:
            RateLimited: the engine is left alone for a while.
            TabsBusy: the caller's time is too short.
        """
        await self.rest(lease)
        async with self._leave(progress, rank) as begun:
            await self.work(lease, progress)
            with _begun_by_the_end(begun):
                yield EngineSlot(lease, begun.set)

    async def work(self, lease: Lease, progress: OnProgress) -> None:
        """The tab comes to work: behind a turn, or on a page that is there already.

        Raises:
            TabsBusy: the caller's time is too short.
        """
        queued = partial(report_wait, progress, who=self.site)
        await self.supervisor.ask(ChangeUse(lease.number, TabUse.SEARCHING, queued))

    @asynccontextmanager
    async def for_person(self) -> AsyncGenerator[Callable[[], None]]:
        """Leave to ask once in the window of a person, also of an engine that is left alone.

        Raises:
            RateLimited: as many requests were made today as there may be.
        """
        async with self._leave(ignore_progress, rank=-1, for_person=True) as begun:
            with _begun_by_the_end(begun):
                yield begun.set

    async def rest(self, lease: Lease) -> None:
        """The tab waits for its turn; others may have its place.

        Raises:
            TabwrightError: as `Address.ask`.
        """
        await self.supervisor.ask(ChangeUse(lease.number, TabUse.RESTING))

    async def keep(self, lease: Lease) -> None:
        """The tab is kept for what may be asked later.

        Raises:
            TabwrightError: as `Address.ask`.
        """
        await self.supervisor.ask(ChangeUse(lease.number, TabUse.KEPT))

    async def answered(self) -> None:
        """The engine has answered as it should.

        Raises:
            TabwrightError: as `Address.ask`.
        """
        await self.governor.ask(NoteAnswer(self.site))

    async def refused(self, blocked: SearchBlocked) -> None:
        """The engine refuses us, or needs a person.

        Raises:
            TabwrightError: as `Address.ask`.
        """
        await self.supervisor.ask(Invoke(BrowserPool.back_off))
        await self.governor.ask(NoteRefusal(self.site, blocked.retry_after_s))

    @asynccontextmanager
    async def _leave(
        self, progress: OnProgress, rank: int, *, for_person: bool = False
    ) -> AsyncGenerator[trio.Event]:
        """Leave to ask once; the event, once set, says that the question goes out."""
        begun = trio.Event()

        def request(over: Expiry) -> AcquirePermit:
            """The request for a permit that ends with `over`."""
            told = partial(report_wait, progress, who=self.site)
            return AcquirePermit(over, self.site, begun, rank, told, for_person=for_person)

        async with hold_grant(self.governor, request):
            yield begun


@contextmanager
def _begun_by_the_end(begun: trio.Event) -> Generator[None]:
    """A turn that has its tab counts, whether its question was seen to arrive or not."""
    try:
        yield
    finally:
        begun.set()
