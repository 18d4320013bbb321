"""One intervention: a CAPTCHA is kept open for a person and polled until it is solved.

tabwright never solves a CAPTCHA itself.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

import attrs
import trio

from tabwright.concurrency.grants import end_on_failure
from tabwright.concurrency.nursery import background_nursery
from tabwright.protocol.actor import Address, Expiry
from tabwright.protocol.browser_pool import BrowserPool, Lease, LeaseTab, TabUse
from tabwright.protocol.errors import Refusal, TabsBusy, TabwrightError
from tabwright.protocol.interventions import (
    CallPerson,
    HeldTab,
    Intervention,
    InterventionState,
    PersonCalled,
    Solution,
)
from tabwright.protocol.rate_limit import Governor
from tabwright.protocol.tab import Tab
from tabwright.view.service import PrincipalView

OPEN_S = 30.0
"""Seconds for the page to open in its window; a slower page is polled nevertheless."""

POLL_S = 10.0
"""Seconds between two polls of a page without other signs; a new document is polled at once."""


WHY = "{site} shows a CAPTCHA. Take over, and solve it in this tab."

OUTCOMES = {
    InterventionState.SOLVED: "The CAPTCHA is solved. You can close this page.",
    InterventionState.SKIPPED: "The CAPTCHA was skipped.",
    InterventionState.EXPIRED: "The time for the CAPTCHA is over.",
    InterventionState.CANCELLED: "The CAPTCHA is no longer needed.",
}
"""The text for people who watch, at the end."""


@attrs.define(eq=False)
class CaptchaIntervention:
    """An intervention from the call for a person to its end. Start `run` to drive it.

    Attributes:
        id: the id of the intervention.
        call: the reason for calling a person.
        state: the progress of the intervention.
    """

    id: str
    call: CallPerson
    _supervisor: Address[BrowserPool]
    _governor: Address[Governor]
    _view: PrincipalView
    _expiry_s: float
    state: InterventionState = attrs.field(default=InterventionState.PENDING, init=False)
    _tab: HeldTab | None = attrs.field(default=None, init=False)
    _since_s: float = attrs.field(factory=trio.current_time, init=False)
    _waiting: int = attrs.field(default=0, init=False)
    _is_wanted: bool = attrs.field(default=False, init=False)
    _lacks_images: bool = attrs.field(default=False, init=False)
    _refusal: Refusal | None = attrs.field(default=None, init=False)
    _taker: Expiry | None = attrs.field(default=None, init=False)
    _ends_as: InterventionState = attrs.field(default=InterventionState.EXPIRED, init=False)
    _life: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    _changed: trio.Event = attrs.field(factory=trio.Event, init=False)

    def public_state(self) -> Intervention:
        """Return the public state of the intervention."""
        age_s = trio.current_time() - self._since_s
        return Intervention(
            self.id,
            self.state,
            self.call.site,
            self.call.url,
            self.call.worker,
            held=self._tab is not None,
            waiting=self._waiting,
            age_s=age_s,
            left_s=self._left_s if self.state.is_open else 0.0,
            link=self._link(),
        )

    @property
    def _left_s(self) -> float:
        return max(0.0, self._since_s + self._expiry_s - trio.current_time())

    @property
    def _is_askers_tab(self) -> bool:
        return self.call.within_s is not None

    def _link(self) -> str:
        """Return a link to the tab, also if it will only be opened; empty if there is none."""
        return self._view.help_link(self.id, self._left_s) if self.state.is_open else ""

    def show(self) -> None:
        """Request that the page be shown to a person."""
        self._is_wanted, self._refusal = True, None
        self._wake_waiters()

    def poll_now(self) -> None:
        """Request an immediate poll of the page."""
        self._wake_waiters()

    async def declined(self) -> None:
        """End the intervention without a person, and wait until it has ended."""
        self._end(InterventionState.SKIPPED)
        while self.state.is_open:
            await self._changed.wait()

    async def shown(self) -> None:
        """Request that the page be shown to a person, and wait until it is shown or has ended.

        Raises:
            Refusal: the page cannot be shown.
        """
        self.show()
        while self._is_wanted and self.state.is_open:
            await self._wait_for_change()

    async def solution(
        self, over: Expiry, asker: object, calls: Callable[[PersonCalled], object]
    ) -> Solution:
        """Wait for a person to solve it; otherwise like `Interventions.solution`.

        Raises:
            Refusal: the page cannot be shown.
        """
        if not self._waiting and self.state.is_open:
            calls(PersonCalled(self._link(), self.call.in_window))
        self.show()
        is_own = asker is self.call.asker
        with self._waited_for(is_own=is_own):
            while self.state.is_open:
                await self._wait_for_change()
            if self.state is InterventionState.SOLVED and is_own and self._tab:
                self._taker = over
                return Solution(self.state, self._tab.lease)
        return Solution(self.state)

    async def offer(self, tab: HeldTab) -> None:
        """Keep a tab that shows the CAPTCHA; give it back if there is already one, or no place.

        If cancelled, or if the supervisor fails, the tab is given back as well.
        """
        try:
            if self._tab is None:
                self._lacks_images = not self.call.in_window or self._is_askers_tab
                await self._supervisor.ask(BrowserPool.change_use, tab.lease.number, TabUse.HELD)
                self._adopt(tab)
            else:
                tab.end()
        except BaseException as error:
            tab.end()
            if self._is_askers_tab:  # no other tab would do
                self._end(InterventionState.CANCELLED)
            if not isinstance(error, TabsBusy):
                raise

    async def run(self) -> None:
        """Keep the tab and poll it until the intervention has ended and the tab was given back."""
        try:
            ending = await self._ending()
            if ending is InterventionState.SOLVED:
                with suppress(TabwrightError):  # a pause that stays in force ends by itself
                    await self._governor.ask(Governor.note_answer, self.call.site)
            self._come_to(ending)
            while self._waiting and self._taker is None:
                await self._changed.wait()
            if self._taker is not None:
                await self._taker.wait()
        finally:
            if self.state.is_open:
                self._come_to(InterventionState.CANCELLED)
            self._give_back()

    async def _ending(self) -> InterventionState:
        with trio.move_on_after(self._expiry_s), self._life:
            with suppress(TabwrightError):  # the window was closed
                lease = await self._held_tab()
                if self._lacks_images:
                    await self._load_images(lease.tab)
                why = WHY.format(site=self.call.site)
                self._view.ask_for_help(lease.number, self.id, why)
                await self._until_solved(lease.tab)
                return InterventionState.SOLVED
            return InterventionState.SKIPPED
        return self._ends_as

    async def _held_tab(self) -> Lease:
        """Return the tab that shows the CAPTCHA: an offered tab, or a new one."""
        while self._tab is None:
            if self._is_wanted:
                await self._open_tab()
            else:
                await self._changed.wait()
        return self._tab.lease

    async def _open_tab(self) -> None:
        over = trio.Event()
        request = LeaseTab(
            over,
            TabUse.HELD,
            f"{self.call.site} waits for a person",
            visible=self.call.in_window,
            worker=self.call.worker,
        )
        try:
            with end_on_failure(over):
                lease = await self._supervisor.ask(BrowserPool.lease_tab, request)
                with trio.move_on_after(OPEN_S):
                    await self.call.way(lease.tab)
        except Refusal as refusal:
            self._refuse(refusal)
        else:
            self._adopt(HeldTab(lease, over.set))

    async def _load_images(self, tab: Address[Tab]) -> None:
        """Load the page again with its images: light tabs block them, and CAPTCHAs need them."""
        await tab.ask(Tab.do_without, ())
        with trio.move_on_after(OPEN_S), suppress(Refusal):
            await self.call.way(tab)

    async def _until_solved(self, tab: Address[Tab]) -> None:
        while True:
            changed = self._changed  # a request during a poll causes the next poll
            if await self._is_solved(tab):
                return
            if self._is_wanted:
                await tab.ask(Tab.show)
                self._is_wanted = False
                self._come_to(InterventionState.IN_PROGRESS)
            with trio.move_on_after(POLL_S):
                await self._next_sign(tab, changed)

    async def _is_solved(self, tab: Address[Tab]) -> bool:
        with suppress(Refusal):  # the page is changing to another document
            return await self.call.solved(tab)
        return False

    async def _next_sign(self, tab: Address[Tab], changed: trio.Event) -> None:
        """Wait until the page shows another document, or a request arrives."""
        async with background_nursery() as watching:
            watching.start_soon(self._wake_at_next_document, tab)
            await changed.wait()

    async def _wake_at_next_document(self, tab: Address[Tab]) -> None:
        await tab.ask(Tab.document)
        self._wake_waiters()

    @contextmanager
    def _waited_for(self, *, is_own: bool) -> Generator[None]:
        """Count the waiting callers; cancel it if its owner gives up too early.

        That is before the window opens, or at any time if it is in the owner's own tab.
        """
        self._waiting += 1
        try:
            yield
        except trio.Cancelled:
            is_unseen = self.state is InterventionState.PENDING and self.call.in_window
            if is_own and (self._is_askers_tab or (self._waiting == 1 and is_unseen)):
                self._end(InterventionState.CANCELLED)
            raise
        finally:
            self._waiting -= 1
            self._wake_waiters()

    async def _wait_for_change(self) -> None:
        await self._changed.wait()
        if self._refusal is not None:
            raise self._refusal

    def _refuse(self, refusal: Refusal) -> None:
        self._is_wanted, self._refusal = False, refusal
        self._wake_waiters()

    def _end(self, state: InterventionState) -> None:
        self._ends_as = state
        self._life.cancel()

    def _come_to(self, state: InterventionState) -> None:
        self.state = state
        if not state.is_open:
            number = self._tab.lease.number if self._tab else None
            self._view.end_help(number, self.id, OUTCOMES[state])
        self._wake_waiters()

    def _adopt(self, tab: HeldTab) -> None:
        if self._tab is None and self.state.is_open:
            self._tab = tab
            self._wake_waiters()
        else:
            tab.end()

    def _give_back(self) -> None:
        if self._tab is not None:
            self._tab.end()
            self._tab = None

    def _wake_waiters(self) -> None:
        self._changed.set()
        self._changed = trio.Event()
