"""Requests to a session: in its turn or in one of its tabs, and recorded if it has a trace."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TypeVar

import attrs
import trio

from tabwright.protocol.actions import Action, Outcome
from tabwright.protocol.actor import Address
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.inspection import Evaluation, Inspection, OutlineText
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.tab import Tab
from tabwright.protocol.traces import PageRecord, RecordPage, TraceAction, TraceStatus
from tabwright.sessions.open_sessions import OpenSessions
from tabwright.sessions.session import NamedSession
from tabwright.sessions.session_tab import SessionTab
from tabwright.trace.recorder import EventRequest, TraceRecorder

AnswerT = TypeVar("AnswerT")

END_S = 2.0
"""Seconds for a page to end its recording; one that hangs must not delay the answer."""


@attrs.frozen(eq=False)
class SessionRequests:
    """Passes requests to the open sessions, and to the recorder of those with a trace."""

    _nursery: trio.Nursery
    _sessions: OpenSessions
    _recorder: TraceRecorder

    async def find_or_open(
        self, name: str, settings: Mapping[str, object] | None = None
    ) -> NamedSession:
        """Return an open session, or open it, and record it if the settings say so.

        Raises:
            TabwrightError: see `OpenSessions.find_or_open`; or the trace cannot be written.
        """
        found = await self._sessions.find_or_open(name, settings)
        if self._recorder.records_all and not found.in_tabs:
            await self._start(found)
        return found

    async def around(
        self,
        found: NamedSession,
        event: EventRequest | None,
        work: Callable[[], Awaitable[AnswerT]],
    ) -> AnswerT:
        """Do what a request asks for, and record it; see `TraceRecorder.around`.

        Args:
            found: the session.
            event: the event of the request; None if it is not recorded.
            work: does what it asks for.
        """
        if event is None:
            return await work()
        pages = SessionPages(found, event.tab)
        return await self._recorder.around(found.name, event, work, pages)

    async def in_turn(
        self,
        found: NamedSession,
        event: EventRequest | None,
        work: Callable[[], Awaitable[AnswerT]],
    ) -> AnswerT:
        """Do what a request asks for in a turn of the session, and record it; see `around`."""

        async def work_in_turn() -> AnswerT:
            """Do the work while no other request to the session runs."""
            async with found.turn():
                return await work()

        return await self.around(found, event, work_in_turn)

    async def act(
        self, found: NamedSession, action: Action, tab: int | None, progress: OnProgress
    ) -> Outcome:
        """Perform an action in a tab of the session, and record it; see `around`."""
        event = EventRequest.to_act(action, tab)
        work = partial(acted, found, action, tab, progress, self._nursery)
        return await self.around(found, event, work)

    async def inspect(
        self,
        found: NamedSession,
        inspection: Inspection[AnswerT],
        tab: int | None,
        progress: OnProgress,
        *,
        blank: bool,
    ) -> AnswerT:
        """Inspect a tab of the session, and record what may have changed it; see `around`."""
        event = EventRequest.to_inspect(inspection, tab)
        work = partial(inspected, found, inspection, tab, progress, blank=blank)
        return await self.around(found, event, work)

    async def change_trace(self, session: str, action: TraceAction) -> TraceStatus:
        """See `Sessions.change_trace`."""
        match action:
            case "start":
                return await self._start(await self._sessions.find_or_open(session))
            case "stop":
                found = self._sessions.expect_here(session)
                status = await self._recorder.stop(session)
                found.in_tabs = self._recorder.records_all
                await self._end(found)
                return status
            case "status":
                await trio.lowlevel.checkpoint()
                return self._recorder.status(session)

    async def _end(self, found: NamedSession) -> None:
        """Let the pages of a session record nothing more; one that does not respond is left."""
        for number, tab in found.tabs:
            if tab.open:
                with trio.move_on_after(END_S), suppress(TabwrightError):
                    await inspected(found, RecordPage(is_last=True), number)

    async def _start(self, found: NamedSession) -> TraceStatus:
        """Begin the trace of a session, with its page open in a tab."""
        found.in_tabs = True
        return await self._recorder.start(found.name, SessionPages(found))


@attrs.define(eq=False)
class SessionPages:
    """The pages of a session before and after a request; see `RecordedPages`."""

    _found: NamedSession
    _requested: int | None = None
    _number: int = attrs.field(default=0, init=False)

    async def before(self) -> PageRecord:
        """See `RecordedPages.before`."""
        self._number = self._found.tabs.current if self._requested is None else self._requested
        return await self._record(self._number, RecordPage())

    async def after(self) -> PageRecord:
        """See `RecordedPages.after`: the page may have opened another one, in another tab."""
        current = self._found.tabs.current
        if self._requested is not None or current == self._number:
            return await self._record(self._number or None, RecordPage(picture=True))
        shown = await self._record(current, RecordPage(picture=True))
        with suppress(TabwrightError):  # it may have closed itself
            left = await self._record(self._number, RecordPage())
            return attrs.evolve(
                shown,
                performed=left.performed,
                console=(*left.console, *shown.console),
                requests=(*left.requests, *shown.requests),
            )
        return shown

    async def _record(self, tab: int | None, record: RecordPage) -> PageRecord:
        return await inspected(self._found, record, tab, blank=True)


@asynccontextmanager
async def _tab_at_work(
    session: NamedSession, number: int | None, progress: OnProgress, *, blank: bool = False
) -> AsyncGenerator[tuple[SessionTab, Address[Tab]]]:
    """Use a tab of the session, in which its page is loaded if necessary."""
    async with session.turn():
        tab = await session.tab_for_actions(number, progress, blank=blank)
    with session.tabs.losing(tab):
        async with tab.acting(progress) as asked:
            yield tab, asked


async def acted(
    found: NamedSession,
    action: Action,
    number: int | None,
    progress: OnProgress,
    nursery: trio.Nursery,
) -> Outcome:
    """Perform an action in a tab of the session, and follow its effects; see `Sessions.act`.

    The storage of the page is read in the nursery. Cancellation stops what can still be stopped.
    """
    async with found.shared() as session:  # in all, so that the tab cannot be closed in between
        async with _tab_at_work(session, number, progress) as (tab, asked):
            outcome = await asked.ask(Tab.act, action)
        if outcome.dialog is None:
            nursery.start_soon(tab.note)  # the tab may be lost at any time
        done = await session.follow_effects(tab, outcome, progress)
        return attrs.evolve(
            outcome,
            description=done.description,
            is_plain=done.is_plain,
            opened=(),
            tabs=done.tabs,
            meanwhile=done.meanwhile,
            notes=_with_notices(outcome, session, tab).notes,
        )


async def inspected(
    found: NamedSession,
    inspection: Inspection[AnswerT],
    number: int | None,
    progress: OnProgress = ignore_progress,
    *,
    blank: bool = False,
) -> AnswerT:
    """Inspect a tab of the session, and follow the effects of a script; see `Sessions.inspect`."""
    async with found.shared() as session:  # as for an action
        async with _tab_at_work(session, number, progress, blank=blank) as (tab, asked):
            answer = await asked.ask(Tab.inspect, inspection)
        if isinstance(answer, Evaluation):
            outcome = await session.follow_effects(tab, answer.outcome, progress)
            return attrs.evolve(answer, outcome=_with_notices(outcome, session, tab))
        if isinstance(answer, OutlineText):
            notices = *session.take_notices(), *tab.take_notices()
            return attrs.evolve(answer, notes=(*notices, *answer.notes))
        return answer


def _with_notices(outcome: Outcome, session: NamedSession, tab: SessionTab) -> Outcome:
    """Return the outcome with notes about the parts of the page that could not be restored."""
    notices = *session.take_notices(), *tab.take_notices()
    return attrs.evolve(outcome, notes=(*notices, *outcome.notes))
