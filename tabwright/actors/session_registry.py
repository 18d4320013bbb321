"""The SessionRegistry: sessions, each with its own cookies, storage, history and page."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import partial

import attrs
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.config.settings import Settings
from tabwright.protocol.actions import Outcome, TabInfo
from tabwright.protocol.actor import Address
from tabwright.protocol.context_options import ChangeContext, ContextOptions
from tabwright.protocol.fetch import Cookie, Fetch, Fetched, Fetcher
from tabwright.protocol.inspection import PageTool
from tabwright.protocol.page_text import PageText
from tabwright.protocol.session_data import (
    ChangeCookies,
    GetStorageState,
    SetStorageState,
    StorageState,
)
from tabwright.protocol.sessions import (
    AnswerT,
    ChangeTabs,
    CloseSession,
    FilledForm,
    FillForm,
    FollowLink,
    GetSnapshot,
    InTab,
    NavigateSession,
    OpenSession,
    SessionState,
    SubmitForm,
    ViewPage,
)
from tabwright.protocol.snapshot import PageSnapshot
from tabwright.protocol.tab import Act
from tabwright.protocol.traces import ChangeTrace, TraceStatus
from tabwright.reader.page_reader import PageReader
from tabwright.sessions import session_data
from tabwright.sessions.leases import SessionLeases
from tabwright.sessions.open_sessions import OpenSessions
from tabwright.sessions.requests import SessionRequests
from tabwright.sessions.sleeping import SleepingFiles
from tabwright.trace.recorder import EventRequest, TraceRecorder


@attrs.define(eq=False)
class SessionRegistry:
    """The implementation of `tabwright.protocol.sessions.Sessions`."""

    _sessions: OpenSessions
    _requests: SessionRequests

    async def navigate(self, request: NavigateSession, /) -> PageText:
        """See `NavigateSession`."""
        found = await self._requests.find_or_open(request.session, request.settings)
        work = partial(found.navigate, request)
        event = EventRequest.to_navigate(request.url)
        return await self._requests.in_turn(found, event, work)

    async def enter(self, request: OpenSession, /) -> Outcome:
        """See `OpenSession`."""
        found = await self._requests.find_or_open(request.session, request.settings)
        work = partial(found.enter, request)
        event = EventRequest.to_navigate(request.url, new_tab=request.new_tab)
        return await self._requests.in_turn(found, event, work)

    async def in_tab(self, request: InTab[AnswerT], /) -> AnswerT:
        """See `InTab`."""
        if request.blank:
            found = await self._requests.find_or_open(request.session)
        else:
            found = await self._sessions.find(request.session)
        return await self._requests.in_tab(found, request)

    async def settings(self, session: str, /) -> Mapping[str, object]:
        """See `Sessions.settings`."""
        await trio.lowlevel.checkpoint()
        return self._sessions.settings_of(session)

    async def change_tabs(self, request: ChangeTabs, /) -> tuple[TabInfo, ...]:
        """See `ChangeTabs`."""
        found = await self._sessions.find(request.session)
        work = partial(found.change_tabs, request)
        event = EventRequest.to_change_tabs(request)
        return await self._requests.in_turn(found, event, work)

    async def change_trace(self, request: ChangeTrace, /) -> TraceStatus:
        """See `ChangeTrace`."""
        return await self._requests.change(request)

    async def view(self, request: ViewPage, /) -> PageText:
        """See `ViewPage`."""
        async with (await self._sessions.find(request.session)).turn() as session:
            return await session.view(request.view)

    async def snapshot(self, request: GetSnapshot, /) -> PageSnapshot:
        """See `GetSnapshot`."""
        async with (await self._sessions.find(request.session)).turn() as session:
            return await session.snapshot()

    async def fill(self, request: FillForm, /) -> FilledForm | Outcome:
        """See `FillForm`."""
        async with (await self._sessions.find(request.session)).turn() as session:
            if not (session.tab.live or request.names_refs):
                return await session.fill(request)
        return await self.in_tab(InTab(request.session, Act(request.in_page)))

    async def submit(self, request: SubmitForm, /) -> PageText:
        """See `SubmitForm`."""
        found = await self._sessions.find(request.session)
        work = partial(found.submit, request)
        return await self._requests.in_turn(found, EventRequest.to_submit(request), work)

    async def follow(self, request: FollowLink, /) -> PageText:
        """See `FollowLink`."""
        found = await self._sessions.find(request.session)
        work = partial(found.follow, request)
        return await self._requests.in_turn(found, EventRequest.to_follow(request), work)

    async def change_cookies(self, request: ChangeCookies, /) -> tuple[Cookie, ...]:
        """See `ChangeCookies`."""
        found = await self._sessions.find_or_open(request.session)
        async with found.turn() as session:
            return await session_data.change_cookies(session, request)

    async def storage_state(self, request: GetStorageState, /) -> StorageState:
        """See `GetStorageState`."""
        async with (await self._sessions.find(request.session)).turn() as session:
            return await session_data.storage_state(session, indexed_db=request.indexed_db)

    async def set_storage_state(self, request: SetStorageState, /) -> tuple[str, ...]:
        """See `SetStorageState`."""
        found = await self._sessions.find_or_open(request.session)
        async with found.turn() as session:
            return await session_data.set_storage_state(session, request)

    async def change_context(self, request: ChangeContext, /) -> ContextOptions:
        """See `ChangeContext`."""
        found = await self._sessions.find_or_open(request.session)
        async with found.turn() as session:
            return await session_data.change_context(session, request)

    async def page_tools(self, session: str, /) -> tuple[PageTool, ...]:
        """See `Sessions.page_tools`."""
        found = self._sessions.find_here(session)
        place = await found.tab.place() if found else None
        return place.tools if place else ()

    async def fetch(self, request: Fetch, /) -> Fetched:
        """See `Sessions.fetch`."""
        return await self._sessions.fetch(request)

    async def list(self) -> tuple[SessionState, ...]:
        """See `Sessions.list`."""
        await trio.lowlevel.checkpoint()
        return await self._sessions.states()

    async def save(self, session: str, /) -> str:
        """See `Sessions.save`."""
        async with (await self._sessions.find(session)).turn() as found:
            return await self._sessions.save(found)

    async def close(self, request: CloseSession, /) -> None:
        """See `CloseSession`."""
        await self._sessions.close(request.session, forget=request.forget)


@asynccontextmanager
async def session_registry(  # noqa: PLR0913, PLR0917  (all that it is made of)
    reader: PageReader,
    fetcher: Address[Fetcher],
    files: SleepingFiles,
    settings: Settings,
    recorder: TraceRecorder,
    leases: SessionLeases | None = None,
) -> AsyncGenerator[SessionRegistry]:
    """Run a registry; stopping it releases every tab, and hands over the sessions of a fleet.

    A session without requests for `session.reading_idle_timeout_s` is closed. If the registry
    fails, the next one can continue the sessions that sleep.
    """
    with files.held():
        async with background_nursery() as nursery:
            sessions = OpenSessions(nursery, reader, fetcher, files, settings, recorder.end, leases)
            requests = SessionRequests(nursery, sessions, recorder)
            try:
                yield SessionRegistry(sessions, requests)
            finally:
                await sessions.stop()
                recorder.end_all()
