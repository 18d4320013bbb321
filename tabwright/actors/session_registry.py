"""The SessionRegistry: sessions, each with its own cookies, storage, history and page."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

import attrs
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.config.settings import Settings
from tabwright.protocol.actions import Action, FieldValue, Fill, Outcome, TabInfo
from tabwright.protocol.actor import Address
from tabwright.protocol.context_options import ContextOptions
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.fetch import Cookie, Fetch, Fetched, Fetcher
from tabwright.protocol.inspection import REF, Inspection, PageTool
from tabwright.protocol.page_text import PageText, RenderOptions
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.session_data import StorageState
from tabwright.protocol.sessions import (
    NO_SETTINGS,
    AnswerT,
    FieldValues,
    FilledForm,
    FormChoice,
    LinkChoice,
    SessionState,
    TabsAction,
)
from tabwright.protocol.snapshot import PageSnapshot
from tabwright.protocol.traces import TraceAction, TraceStatus
from tabwright.reader.page_reader import PageReader
from tabwright.sessions import session_data
from tabwright.sessions.leases import SessionLeases
from tabwright.sessions.open_sessions import OpenSessions
from tabwright.sessions.recorder import (
    Navigation,
    RecordedSession,
    SessionRecorder,
    SessionRequest,
    TabsChange,
)
from tabwright.sessions.session import NamedSession
from tabwright.sessions.sleeping import SleepingFiles
from tabwright.sessions.tab_work import acted, inspected

DoneT = TypeVar("DoneT")


@attrs.define(eq=False)
class SessionRegistry:
    """Passes requests to the open sessions, and to the recorder of those with a trace.

    It plays the role `tabwright.protocol.sessions.Sessions`.
    """

    _nursery: trio.Nursery
    _sessions: OpenSessions
    _recorder: SessionRecorder

    async def navigate(
        self,
        session: str,
        url: str,
        reading: ReadOptions,
        progress: OnProgress = ignore_progress,
        settings: Mapping[str, object] = NO_SETTINGS,
    ) -> PageText:
        found = await self._find_or_open(session, settings)
        work = partial(found.navigate, url, reading, progress)
        return await self._in_turn(found, Navigation(url), work)

    async def enter(  # noqa: PLR0913
        self,
        session: str,
        url: str,
        *,
        tab: int | None = None,
        new_tab: bool = False,
        progress: OnProgress = ignore_progress,
        settings: Mapping[str, object] = NO_SETTINGS,
        leaves: bool = True,
    ) -> Outcome:
        if tab is None:
            found = await self._find_or_open(session, settings)
        else:
            found = await self._sessions.find(session)
        work = partial(found.enter, url, progress, tab=tab, new_tab=new_tab, leaves=leaves)
        return await self._in_turn(found, Navigation(url, new_tab), work, tab)

    async def act(
        self,
        session: str,
        action: Action,
        *,
        tab: int | None = None,
        progress: OnProgress = ignore_progress,
    ) -> Outcome:
        found = await self._sessions.find(session)
        work = partial(acted, found, action, tab, progress, self._nursery)
        return await self._recorder.around(RecordedSession(found), action, tab, work)

    async def inspect(
        self,
        session: str,
        inspection: Inspection[AnswerT],
        *,
        tab: int | None = None,
        progress: OnProgress = ignore_progress,
        blank: bool = False,
    ) -> AnswerT:
        may_open = blank and tab is None
        find = self._find_or_open if may_open else self._sessions.find
        found = await find(session)
        work = partial(inspected, found, inspection, tab, progress, blank=blank)
        return await self._recorder.around(RecordedSession(found), inspection, tab, work)

    async def settings(self, session: str, /) -> Mapping[str, object]:
        await trio.lowlevel.checkpoint()
        return self._sessions.settings_of(session)

    async def change_tabs(
        self, session: str, action: TabsAction = "list", tab: int | None = None
    ) -> tuple[TabInfo, ...]:
        found = await self._sessions.find(session)
        work = partial(found.change_tabs, action, tab)
        return await self._in_turn(found, TabsChange(action, tab), work)

    async def change_trace(self, session: str, action: TraceAction = "status") -> TraceStatus:
        match action:
            case "start":
                return await self._start_trace(await self._sessions.find_or_open(session))
            case "stop":
                found = self._sessions.expect_here(session)
                status = await self._recorder.stop(RecordedSession(found))
                found.in_tabs = self._recorder.records_all
                return status
            case "status":
                await trio.lowlevel.checkpoint()
                return self._recorder.status(session)

    async def view(self, session: str, view: RenderOptions, *, tab: int | None = None) -> PageText:
        async with (await self._sessions.find(session)).turn() as found:
            return await found.view(view, tab)

    async def snapshot(self, session: str, *, tab: int | None = None) -> PageSnapshot:
        async with (await self._sessions.find(session)).turn() as found:
            return await found.snapshot(tab)

    async def fill(
        self, session: str, form: FormChoice, fields: FieldValues
    ) -> FilledForm | Outcome:
        async with (await self._sessions.find(session)).turn() as found:
            if not (found.tab.live or any(map(REF.fullmatch, fields))):
                return await found.fill(form, fields)
        as_a_person = Fill(tuple(FieldValue(name, value) for name, value in fields.items()))
        return await self.act(session, as_a_person)

    async def submit(
        self,
        session: str,
        form: FormChoice,
        view: RenderOptions,
        progress: OnProgress = ignore_progress,
    ) -> PageText:
        found = await self._sessions.find(session)
        work = partial(found.submit, form, view, progress)
        return await self._in_turn(found, form, work)

    async def follow(
        self,
        session: str,
        link: LinkChoice,
        view: RenderOptions,
        progress: OnProgress = ignore_progress,
    ) -> PageText:
        found = await self._sessions.find(session)
        work = partial(found.follow, link, view, progress)
        return await self._in_turn(found, link, work)

    async def change_cookies(
        self, session: str, put: tuple[Cookie, ...] = (), removed: tuple[Cookie, ...] = ()
    ) -> tuple[Cookie, ...]:
        found = await self._sessions.find_or_open(session)
        async with found.turn():
            return await session_data.change_cookies(found, put, removed)

    async def storage_state(self, session: str, *, indexed_db: bool = False) -> StorageState:
        async with (await self._sessions.find(session)).turn() as found:
            return await session_data.storage_state(found, indexed_db=indexed_db)

    async def set_storage_state(self, session: str, state: StorageState) -> tuple[str, ...]:
        found = await self._sessions.find_or_open(session)
        async with found.turn():
            return await session_data.set_storage_state(found, state)

    async def change_context(
        self, session: str, change: Callable[[ContextOptions], ContextOptions]
    ) -> ContextOptions:
        found = await self._sessions.find_or_open(session)
        async with found.turn():
            return await session_data.change_context(found, change)

    async def page_tools(self, session: str, /) -> tuple[PageTool, ...]:
        found = self._sessions.find_here(session)
        return await found.tab.page_tools() if found else ()

    async def fetch(self, request: Fetch, /) -> Fetched:
        return await self._sessions.fetch(request)

    async def list(self) -> tuple[SessionState, ...]:
        await trio.lowlevel.checkpoint()
        return await self._sessions.states()

    async def save(self, session: str, /) -> str:
        async with (await self._sessions.find(session)).turn() as found:
            return await self._sessions.save(found)

    async def close(self, session: str, *, forget: bool = False) -> None:
        await self._sessions.close(session, forget=forget)

    async def _find_or_open(
        self, name: str, settings: Mapping[str, object] | None = None
    ) -> NamedSession:
        """Return an open session, or open it, and record it if the settings say so."""
        found = await self._sessions.find_or_open(name, settings)
        if self._recorder.records_all and not found.in_tabs:
            await self._start_trace(found)
        return found

    async def _start_trace(self, found: NamedSession) -> TraceStatus:
        """Begin the trace of a session, with its page open in a tab."""
        found.in_tabs = True
        return await self._recorder.start(RecordedSession(found))

    async def _in_turn(
        self,
        found: NamedSession,
        request: SessionRequest,
        work: Callable[[], Awaitable[DoneT]],
        tab: int | None = None,
    ) -> DoneT:
        """Do what a request asks for while no other request to the session runs, and record it."""

        async def work_in_turn() -> DoneT:
            """Do the work in a turn of the session."""
            async with found.turn():
                return await work()

        return await self._recorder.around(RecordedSession(found), request, tab, work_in_turn)


@asynccontextmanager
async def session_registry(  # noqa: PLR0913, PLR0917  (all that it is made of)
    reader: PageReader,
    fetcher: Address[Fetcher],
    files: SleepingFiles,
    settings: Settings,
    recorder: SessionRecorder,
    leases: SessionLeases | None,
) -> AsyncGenerator[SessionRegistry]:
    """Run a registry; stopping it releases every tab, and hands over the sessions of a fleet.

    A session without requests for `session.close_after_s` is closed. If the registry
    fails, the next one can continue the sessions that sleep.
    """
    with files.held():
        async with background_nursery() as nursery:
            sessions = OpenSessions(nursery, reader, fetcher, files, settings, recorder.end, leases)
            try:
                yield SessionRegistry(nursery, sessions, recorder)
            finally:
                await sessions.stop()
                recorder.end_all()
