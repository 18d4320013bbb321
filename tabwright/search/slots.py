"""Turns at an engine: a permit to ask it, a tab to ask in and its loss, a report of its response.

A search that waits for a permit has no working tab, so that one slow engine does not delay others.
"""

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import partial

import attrs
import trio

from tabwright.concurrency.grants import end_on_failure, hold_grant
from tabwright.page.errors import translate_tab_loss
from tabwright.protocol.actor import Address, Expiry
from tabwright.protocol.browser_pool import BrowserPool, Lease, LeaseTab, TabUse
from tabwright.protocol.errors import (
    SENTENCE_ENDS,
    InternalError,
    PageFailed,
    SearchBlocked,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.progress import OnProgress, ignore_progress, report_wait
from tabwright.protocol.rate_limit import AcquirePermit, Governor
from tabwright.text.languages import minutes


@attrs.frozen(eq=False)
class EngineSlot:
    """A turn at an engine.

    Attributes:
        lease: the tab to ask in.
        begin: call it once the question has reached the engine: then its interval starts. The end
            of the turn starts it too. So two requests never reach the engine within the interval,
            however long one takes.
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
    async def first(self, over: trio.Event, progress: OnProgress) -> AsyncGenerator[EngineSlot]:
        """Take a turn in a new tab, which belongs to the caller until `over`.

        Raises:
            RateLimited: the engine is paused for a while.
            TabsBusy, BrowserUnavailable: no tab is available.
        """
        queued = partial(report_wait, progress, who=self.site)
        async with self._leave(progress, rank=0) as begun:
            request = LeaseTab(over, TabUse.SEARCHING, self.site, light=True, queued=queued)
            with end_on_failure(over):
                lease = await self.supervisor.ask(BrowserPool.lease_tab, request)
            with _begun_by_the_end(begun):
                yield EngineSlot(lease, begun.set)

    @asynccontextmanager
    async def next(
        self, lease: Lease, progress: OnProgress, *, rank: int = 0
    ) -> AsyncGenerator[EngineSlot]:
        """Take a turn in an existing tab, which is idle until then.

        Raises:
            RateLimited: the engine is paused for a while.
            TabsBusy: the caller's time is too short.
        """
        await self.rest(lease)
        async with self._leave(progress, rank) as begun:
            await self.work(lease, progress)
            with _begun_by_the_end(begun):
                yield EngineSlot(lease, begun.set)

    async def work(self, lease: Lease, progress: OnProgress) -> None:
        """Set the tab to work: after a turn, or on a page that is already open.

        Raises:
            TabsBusy: the caller's time is too short.
        """
        queued = partial(report_wait, progress, who=self.site)
        await self.supervisor.ask(BrowserPool.change_use, lease.number, TabUse.SEARCHING, queued)

    @asynccontextmanager
    async def for_person(self) -> AsyncGenerator[Callable[[], None]]:
        """Get a permit for one request in the window of a person, even if the engine is paused.

        Raises:
            RateLimited: the maximum number of requests today is reached.
        """
        async with self._leave(ignore_progress, rank=-1, for_person=True) as begun:
            with _begun_by_the_end(begun):
                yield begun.set

    async def rest(self, lease: Lease) -> None:
        """Set the tab to wait for its turn; others can have its place.

        Raises:
            TabwrightError: see `Address.ask`.
        """
        await self.supervisor.ask(BrowserPool.change_use, lease.number, TabUse.RESTING)

    async def keep(self, lease: Lease) -> None:
        """Keep the tab for later questions.

        Raises:
            TabwrightError: see `Address.ask`.
        """
        await self.supervisor.ask(BrowserPool.change_use, lease.number, TabUse.KEPT)

    async def answered(self) -> None:
        """Report that the engine has answered normally.

        Raises:
            TabwrightError: see `Address.ask`.
        """
        await self.governor.ask(Governor.note_answer, self.site)

    async def refused(self, blocked: SearchBlocked) -> None:
        """Report that the engine refuses requests, or demands a person; `blocked` gets its pause.

        Raises:
            TabwrightError: see `Address.ask`.
        """
        await self.supervisor.ask(BrowserPool.back_off, self.site)
        blocked.paused_for_s = await self.governor.ask(
            Governor.note_refusal, self.site, blocked.retry_after_s
        )

    @asynccontextmanager
    async def _leave(
        self, progress: OnProgress, rank: int, *, for_person: bool = False
    ) -> AsyncGenerator[trio.Event]:
        """Get a permit for one request; set the returned event when the question is sent."""
        begun = trio.Event()

        def request(over: Expiry) -> AcquirePermit:
            """Return the request for a permit that ends with `over`."""
            waiting = partial(report_wait, progress, who=self.site)
            return AcquirePermit(over, self.site, begun, rank, waiting, for_person=for_person)

        async with hold_grant(self.governor, Governor.permit, request):
            yield begun


def name_pause(blocked: SearchBlocked, engine: str) -> None:
    """Continue the English message of a refusal with the pause of the engine."""
    if blocked.paused_for_s:
        stop = "" if blocked.message.endswith(SENTENCE_ENDS) else "."
        pause = f"{minutes(blocked.paused_for_s)} min"
        blocked.add(f"{stop} {engine} is not asked again for {pause}.")


@contextmanager
def _begun_by_the_end(begun: trio.Event) -> Generator[None]:
    """Count a turn that has its tab, even if the arrival of its question was not observed."""
    try:
        yield
    finally:
        begun.set()


@contextmanager
def translate_answer_loss() -> Generator[None]:
    """Translate the loss of a tab into its meaning for the search.

    Raises:
        BrowserDied: the browser ended.
        PageFailed: the page ended, or the tab was stopped.
    """
    try:
        with translate_tab_loss():
            yield
    except InternalError:  # the tab is not lost
        raise
    except (Undelivered, Unanswered) as loss:
        raise PageFailed(
            ("The page was lost before the answer was complete: ", *loss.chunks),
            advice="Try again.",
        ) from loss
