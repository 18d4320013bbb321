"""Requests to a session: in its turn or in one of its tabs, and recorded if it has a trace."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TypeVar

import attrs
import trio

from tabwright.protocol.actions import Action, Outcome
from tabwright.protocol.inspection import Inspection
from tabwright.protocol.progress import OnProgress
from tabwright.protocol.traces import TraceAction, TraceStatus
from tabwright.sessions.open_sessions import OpenSessions
from tabwright.sessions.recorder import RecordedSession, SessionRecorder, SessionRequest
from tabwright.sessions.session import NamedSession
from tabwright.sessions.tab_work import acted, inspected

AnswerT = TypeVar("AnswerT")


@attrs.frozen(eq=False)
class SessionRequests:
    """Passes requests to the open sessions, and to the recorder of those with a trace."""

    _nursery: trio.Nursery
    _sessions: OpenSessions
    _recorder: SessionRecorder

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
        request: SessionRequest,
        work: Callable[[], Awaitable[AnswerT]],
        tab: int | None = None,
    ) -> AnswerT:
        """Do what a request asks for, and record it; see `SessionRecorder.around`."""
        return await self._recorder.around(RecordedSession(found), request, tab, work)

    async def in_turn(
        self,
        found: NamedSession,
        request: SessionRequest,
        work: Callable[[], Awaitable[AnswerT]],
        tab: int | None = None,
    ) -> AnswerT:
        """Do what a request asks for in a turn of the session, and record it; see `around`."""

        async def work_in_turn() -> AnswerT:
            """Do the work while no other request to the session runs."""
            async with found.turn():
                return await work()

        return await self.around(found, request, work_in_turn, tab)

    async def act(
        self, found: NamedSession, action: Action, tab: int | None, progress: OnProgress
    ) -> Outcome:
        """Perform an action in a tab of the session, and record it; see `around`."""
        work = partial(acted, found, action, tab, progress, self._nursery)
        return await self.around(found, action, work, tab)

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
        work = partial(inspected, found, inspection, tab, progress, blank=blank)
        return await self.around(found, inspection, work, tab)

    async def change_trace(self, session: str, action: TraceAction) -> TraceStatus:
        """Start or stop the trace of a session, or return its status."""
        match action:
            case "start":
                return await self._start(await self._sessions.find_or_open(session))
            case "stop":
                found = self._sessions.expect_here(session)
                status = await self._recorder.stop(RecordedSession(found))
                found.in_tabs = self._recorder.records_all
                return status
            case "status":
                await trio.lowlevel.checkpoint()
                return self._recorder.status(session)

    async def _start(self, found: NamedSession) -> TraceStatus:
        """Begin the trace of a session, with its page open in a tab."""
        found.in_tabs = True
        return await self._recorder.start(RecordedSession(found))
