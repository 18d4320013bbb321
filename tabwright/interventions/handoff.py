"""Calling a person to a CAPTCHA and waiting for the result. tabwright never solves one itself."""

from contextlib import suppress
from enum import Enum, auto
from functools import partial

import attrs
import trio

from tabwright.protocol.actor import Address
from tabwright.protocol.browser_pool import BrowserPool, Lease, TabUse
from tabwright.protocol.errors import (
    BadInput,
    Barrier,
    BrowserUnavailable,
    Refusal,
    SearchBlocked,
    TabwrightError,
)
from tabwright.protocol.interventions import (
    CallPerson,
    Check,
    HeldTab,
    Interventions,
    InterventionState,
    PersonCalled,
    Solution,
    Way,
)
from tabwright.protocol.progress import HumanNeededProgress, OnProgress, report_wait
from tabwright.text.languages import ENGLISH, minutes, texts_of
from tabwright.view.service import PrincipalView


@attrs.frozen
class HandoffRequest:
    """A request for a person.

    Attributes:
        site: the engine or host that shows the CAPTCHA.
        way: opens the page in another tab.
        solved: detects that the person is done.
    """

    site: str
    way: Way
    solved: Check


@attrs.frozen(eq=False)
class HumanHandoff:
    """A service that calls a person to CAPTCHAs.

    Attributes:
        view: shows the tab where no window can be opened.
        within_s: how long a search or reading waits for a person; 0 never to call one.
    """

    supervisor: Address[BrowserPool]
    interventions: Address[Interventions]
    view: PrincipalView
    within_s: float

    async def call(
        self, blocked: SearchBlocked, need: HandoffRequest, lease: Lease, over: trio.Event
    ) -> None:
        """Put a CAPTCHA into the queue; `blocked` then names its id, or why it was not queued.

        The lease of the tab ends: the tab is kept if a person can see it, in a window or in the
        live view, and closed otherwise.

        Args:
            blocked: the error for the page that the engine shows.
            need: the request for a person.
            lease: the tab that shows the CAPTCHA.
            over: ends the lease.
        """
        held = None
        try:
            if shown := await self._shown(blocked, lease):
                if lease.visible or shown is _Shown.IN_VIEW:
                    held = HeldTab(lease, over.set)
                call = CallPerson(
                    site=need.site,
                    url=blocked.url,
                    worker=lease.worker,
                    way=need.way,
                    solved=need.solved,
                    held=held,
                    asker=need,
                    in_window=shown is _Shown.IN_WINDOW,
                )
                blocked.asker = need
                blocked.intervention = (
                    await self.interventions.ask(Interventions.call_person, call)
                ).id
                blocked.advice = _waiting(blocked)
        finally:
            if held is None or not blocked.intervention:
                over.set()

    async def help(
        self, blocked: SearchBlocked, over: trio.Event, language: str, progress: OnProgress
    ) -> Lease | None:
        """Wait for a person to solve the CAPTCHA that `blocked` names.

        Return the tab in which it was solved, which belongs to the caller until `over`, or None if
        another search has that tab: the engine then accepts all searches.

        Raises:
            SearchBlocked: nobody solved it.
        """
        texts, declined = texts_of(language), trio.CancelScope()

        def call(called: PersonCalled) -> None:
            """Call the person: to a window, or to the live view."""
            text = texts.person if called.in_window else texts.person_view
            instructions = text.format(minutes=minutes(self.within_s), link=called.link)
            url = called.link or blocked.url
            progress(HumanNeededProgress(instructions, url, self.within_s, declined.cancel))

        with trio.move_on_after(self.within_s), declined:
            try:
                solution = await self.interventions.ask(
                    Interventions.solution, over, blocked.intervention, blocked.asker, call
                )
            except Refusal as refusal:  # the page cannot be shown
                _explain(blocked, refusal)
                raise blocked from refusal
            match solution.state:
                case InterventionState.SOLVED:
                    return solution.lease
                case InterventionState.EXPIRED:
                    raise self._absent(blocked, language)
                case _:
                    raise _again(blocked, texts.person_declined, language)
        if not declined.cancel_called:
            raise self._absent(blocked, language)
        with suppress(BadInput):  # the intervention has just ended
            await self.interventions.ask(Interventions.answer, blocked.intervention, "skip")
        raise _again(blocked, texts.person_declined, language)

    async def solution_in(
        self, need: HandoffRequest, url: str, lease: Lease, progress: OnProgress
    ) -> Solution:
        """Wait for a person to solve a CAPTCHA in the caller's own tab; return how that ended.

        The tab does not count as reading meanwhile. Cancellation leaves it to the caller.

        Args:
            need: the request for a person.
            url: the page that shows the CAPTCHA.
            lease: the tab, which is reading.
            progress: is called with `HumanNeededProgress` if a person can see the tab.

        Raises:
            TabwrightError: the tab was lost.
        """
        is_in_view = bool(self.within_s) and await self.view.is_available()
        if not self.within_s or not (is_in_view or lease.visible):
            return Solution(InterventionState.SKIPPED)
        declined, over = trio.CancelScope(), trio.Event()

        def call(called: PersonCalled) -> None:
            """Call the person to the live view or to the window."""
            where = f"at {called.link} " if called.link else "in the window "
            text = (
                f"{need.site} shows a CAPTCHA. Solve it {where}within {minutes(self.within_s)} "
                "min, and the reading continues."
            )
            progress(HumanNeededProgress(text, called.link or url, self.within_s, declined.cancel))

        asked = CallPerson(
            site=need.site,
            url=url,
            worker=lease.worker,
            way=need.way,
            solved=need.solved,
            held=HeldTab(lease, _leave),
            asker=need,
            in_window=not is_in_view,
            within_s=self.within_s,
        )
        solution = Solution(InterventionState.SKIPPED)
        try:
            with declined, suppress(Refusal):  # it cannot be shown
                name = (await self.interventions.ask(Interventions.call_person, asked)).id
                solution = await self.interventions.ask(
                    Interventions.solution, over, name, need, call
                )
        finally:
            over.set()
        queued = partial(report_wait, progress)
        await self.supervisor.ask(BrowserPool.change_use, lease.number, TabUse.READING, queued)
        return solution

    async def _shown(self, blocked: SearchBlocked, lease: Lease) -> "_Shown | None":
        """Return where a person can see the tab; None if the person cannot, or cannot help."""
        if blocked.barrier is not Barrier.CAPTCHA or not self.within_s:
            return None
        is_in_view = await self.view.is_available()
        try:
            await self.supervisor.ask(BrowserPool.find_screen, lease.worker)
        except BrowserUnavailable as error:
            if is_in_view:
                return _Shown.IN_VIEW
            _explain(blocked, error)
            return None
        return _Shown.IN_WINDOW

    def _absent(self, blocked: SearchBlocked, language: str) -> SearchBlocked:
        """Return the error for an intervention that still waits and can be solved later."""
        message = texts_of(language).person_absent.format(minutes=minutes(self.within_s))
        absent = _again(blocked, message, language)
        absent.advice = _waiting(absent)
        return absent


def _leave() -> None:
    """Leave the caller's tab to the caller."""


class _Shown(Enum):
    IN_WINDOW = auto()
    IN_VIEW = auto()


def _waiting(blocked: SearchBlocked) -> str:
    """Return the advice to open the intervention, in the language of the error."""
    return texts_of(blocked.language).waiting.format(id=blocked.intervention)


def _explain(blocked: SearchBlocked, why: TabwrightError) -> None:
    """Add why no window can be opened: details in English, else a sentence in its language."""
    texts = texts_of(blocked.language)
    if texts is texts_of(ENGLISH):
        blocked.add("" if blocked.message.endswith(".") else ".", " ", *why.chunks)
        blocked.advice = why.advice
    else:
        blocked.advice = texts.no_window


def _again(blocked: SearchBlocked, message: str, language: str) -> SearchBlocked:
    """Return the same error with the result of calling a person."""
    unsolved = SearchBlocked(message, barrier=blocked.barrier, url=blocked.url)
    unsolved.language = language
    unsolved.intervention, unsolved.asker = blocked.intervention, blocked.asker
    return unsolved
