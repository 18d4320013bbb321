"""The open sessions: found by name, restored from their files, closed after the session timeout."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
from contextvars import Context, copy_context
from functools import partial
from itertools import count

import attrs
import trio

from tabwright.config.session_settings import session_settings
from tabwright.config.settings import Settings
from tabwright.protocol.actor import Address
from tabwright.protocol.browser_pool import BrowserPool
from tabwright.protocol.errors import (
    BadInput,
    ErrorCode,
    FleetUnavailable,
    HintKind,
    SessionMissing,
    SessionMoved,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.fetch import Cookie, Fetch, Fetched, Fetcher
from tabwright.protocol.session_data import SleepingPage
from tabwright.protocol.sessions import SessionState
from tabwright.protocol.snapshot import Tier
from tabwright.reader.page_reader import PageReader
from tabwright.reader.tiers import FULL_LOAD_TIER
from tabwright.sessions.directory import ReleaseMode
from tabwright.sessions.leases import SessionLease, SessionLeases
from tabwright.sessions.moving import REMEMBERED_MAX, MovingSessions, decoded
from tabwright.sessions.session import NamedSession
from tabwright.sessions.session_tab import (
    SessionOptions,
    SessionStorage,
    SessionTab,
    SessionTabs,
)
from tabwright.sessions.sleeping import LeftSession, SleepingFiles, SleepingSession
from tabwright.sessions.storage_state import initial_options, initial_state
from tabwright.sessions.store import NavigationHistory, Saved, SessionFiles
from tabwright.text.hints import advised

STAY_S = 1.0
"""Seconds until a tab that could not be closed is offered again."""

SESSIONS_MAX = 2_000
"""Maximum number of sessions; one without an open tab needs up to 20 KiB of memory."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@attrs.define(eq=False)
class _Ending:
    """The end of a session.

    Attributes:
        over: set when this process has released it.
        failure: why the fleet could not delete its state.
    """

    over: trio.Event = attrs.field(factory=trio.Event)
    failure: FleetUnavailable | SessionMoved | None = None


@attrs.define(eq=False)
class OpenSessions:
    """The open sessions by name, and the files of the saved ones.

    A tab that is not used, or whose place is needed, sleeps: it is closed, and its page is loaded
    again and restored by the next request to it. The state of a session whose tabs all sleep is in
    a file, unless the session can move to another process, which has it from Redis. A session
    without a request during `session.close_after_s` is closed. `on_end` is called with the
    name of each session that is closed.
    """

    _nursery: trio.Nursery
    _reader: PageReader
    _fetcher: Address[Fetcher]
    _sleeping: SleepingFiles
    _settings: Settings
    _on_end: Callable[[str], None]
    _leases: SessionLeases | None = None
    _moving: MovingSessions | None = attrs.field(default=None, init=False)
    _open: dict[str, NamedSession] = attrs.field(factory=dict[str, NamedSession], init=False)
    _expired: dict[str, None] = attrs.field(factory=dict[str, None], init=False)
    _opening: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _numbers: Iterator[int] = attrs.field(factory=count, init=False)
    _context: Context = attrs.field(factory=copy_context, init=False)

    def __attrs_post_init__(self) -> None:
        if self._leases is not None:
            self._moving = MovingSessions(
                self._nursery, self._leases, self._state_to_move, self._end, self._open
            )

    @property
    def _files(self) -> SessionFiles:
        return self._sleeping.saved

    @property
    def _idle_s(self) -> float:
        return self._settings.session.close_after_s

    async def states(self) -> tuple[SessionState, ...]:
        """Return the state of each session, the most recently used first."""
        latest_first = sorted(self._open.values(), key=lambda one: -one.last_used_s)
        states: dict[str, SessionState] = {}

        async def describe(session: NamedSession) -> None:
            """Record the state of a session; a session whose page hangs delays no other."""
            tab = session.tab
            url, title = await tab.whereabouts()
            states[session.name] = SessionState(
                name=session.name,
                url=url,
                title=title,
                tier=_tier(tab),
                pages=len(tab.history.urls),
                idle_s=round(trio.current_time() - session.last_used_s, 1),
                saved=self._files.has(session.name),
                settings=session.settings,
                owner=self._moving.worker if self._moving and session.lease else "",
            )

        async with trio.open_nursery() as nursery:
            for session in latest_first:
                nursery.start_soon(describe, session)
        left: Mapping[str, LeftSession] = {}
        if self._moving is None:
            left = self._sleeping.left()
        return (
            *(states[session.name] for session in latest_first),
            *(
                _left_state(name, one, saved=self._files.has(name))
                for name, one in left.items()
                if name not in self._open
            ),
        )

    def _find_left(self, name: str) -> SleepingSession | None:
        """Return the state of a session of a killed process; a fleet has it in Redis."""
        is_kept_here = self._moving is None and name != self._settings.own_session
        return self._sleeping.find_left(name) if is_kept_here else None

    async def save(self, session: NamedSession) -> str:
        """Save a session to disk, and return the path of its file.

        Raises:
            BadInput: the file cannot be written, or its cookies are the user's.
            FleetUnavailable, SessionMoved: it was written, but the fleet does not have the state.
        """
        name = session.name
        if session.own:
            raise BadInput(
                f"Session {name!r} uses the cookies of your browser or profile, which keeps"
                " them itself.",
                advice="There is nothing to save.",
            )
        cookies = await self._noted_cookies(session)
        history, storage = session.tab.history, session.tab.storage.kept
        saved = Saved(cookies, history.urls, history.place, storage)
        path = self._files.write(name, saved.without(self._files.secrets))
        if self._moving is not None:
            await self._moving.keep(session)
        return str(path)

    async def _noted_cookies(self, session: NamedSession) -> tuple[Cookie, ...]:
        """Return the cookies, after its page has been asked for them and for its storage."""
        await session.tab.note_cookies()
        await session.tab.note_storage()
        return await self._fetcher.ask(Fetcher.cookies, session.name)

    async def _state_to_move(self, session: NamedSession, pages_s: float) -> SleepingSession:
        """Return what another process needs to continue a session, without secrets.

        Its open pages are read for `pages_s` seconds at most; those that take longer are left out.
        """
        pages = dict[int, SleepingPage]()
        if pages_s:
            with trio.move_on_after(pages_s):
                await session.read_pages(pages)
        state = session.sleeping_state(await self._noted_cookies(session), pages)
        return state.without(self._files.secrets)

    async def close(self, name: str, *, forget: bool) -> None:
        """End a session, and with `forget` delete its file and its state in the fleet.

        Cancellation does not stop it.

        Raises:
            SessionMissing: no session has this name.
            BadInput: its file cannot be removed.
            FleetUnavailable, SessionMoved: it was closed here, but the fleet may not forget it.
        """
        session = await self.find(name)
        if forget:
            self._files.forget(session.name)
        await self._end(session, "forgets" if forget else "closes")
        if session.own:
            await self._reader.supervisor.ask(BrowserPool.end_unused)

    async def stop(self) -> None:
        """Close the tabs of all sessions; those of a fleet can go on at another process."""
        if self._moving is not None:
            await self._moving.drain()
        for session in self._open.values():
            session.tabs.give_back()

    def find_here(self, name: str) -> NamedSession | None:
        """Return a session that is open in this process; None if it is not."""
        return self._open.get(name)

    async def fetch(self, request: Fetch) -> Fetched:
        session = self._open.get(request.session)
        async with session.shared() if session else nullcontext():
            return await self._fetcher.ask(Fetcher.fetch, request)

    def settings_of(self, name: str) -> Mapping[str, object]:
        """Return the settings that a session was opened with; none if it is not open."""
        session = self._open.get(name)
        return session.settings if session else {}

    async def find_or_open(
        self, name: str, settings: Mapping[str, object] | None = None
    ) -> NamedSession:
        """Return an open session as `find` does, or open it, from its file if it has one.

        Args:
            name: the name of the session.
            settings: its own settings, by dotted keys, if it is opened.

        Raises:
            BadInput: the name is invalid, too many sessions are open, its file cannot be read, the
                session cannot have these settings, or it is already open and settings are passed.
        """
        if not _NAME.fullmatch(name):
            raise BadInput(
                f"{name!r} is not a valid session name.",
                advice="Use letters, digits, dots, dashes and underscores, at most 64.",
            )
        if self._moving is None or name == self._settings.own_session:
            return await self._find_or_open_here(name, settings, None)
        async with self._moving.acquired(name, only_open=False) as lease:
            return await self._find_or_open_here(name, settings, lease)

    async def _find_or_open_here(
        self, name: str, settings: Mapping[str, object] | None, lease: SessionLease | None
    ) -> NamedSession:
        async with self._opening:  # its cookies are loaded before its first request
            session = self._open.get(name)
            if session and settings and settings != session.settings:
                raise BadInput(
                    f"Session {name!r} is already open, so its settings cannot be changed.",
                    advice="Leave out settings, close the session first, or use another session.",
                )
            return session or await self._open_here(name, settings or {}, lease)

    async def _open_here(
        self, name: str, settings: Mapping[str, object], lease: SessionLease | None
    ) -> NamedSession:
        own = name == self._settings.own_session
        if self._moving is not None and lease is None and not own:
            raise SessionMoved(name, begun=False)  # it was closed a moment ago
        moved = decoded(lease.claim.live) if lease else None
        kept = decoded(lease.claim.kept) if lease else None
        asked, left = settings, self._find_left(name)
        if moved is not None:
            settings = settings or moved.settings
        elif left is not None:
            settings = settings or left.settings
        effective = session_settings(self._settings, settings)
        if len(self._open) >= SESSIONS_MAX:
            raise BadInput(
                f"{len(self._open)} sessions are open.",
                advice="Close one of them.",
            )
        # What a killed process has left is restored by the first request.
        saved = moved or kept or self._first_state(name) if left is None else Saved()
        options = initial_options(self._settings.acting)
        await self._fetcher.ask(Fetcher.set_cookies, name, saved.cookies)
        storage = SessionStorage.of(saved.storage)
        # Tabs of a closed session may still be closing: their context must not be reused here.
        context = "" if own else f"session {name}, {next(self._numbers)}"
        new_tab = partial(
            SessionTab,
            name,
            context,
            self._reader.supervisor,
            self._fetcher,
            storage,
            SessionOptions(options),
            own,
            self._give_up,
        )
        reader = self._reader.with_network(effective.network) if settings else self._reader
        reuses = self._settings.mcp.compat is not None  # as its clients expect
        session = NamedSession(
            name,
            reader,
            SessionTabs(new_tab),
            dict(settings),
            own,
            reuses,
            effective.reading.options,
        )
        session.tab.history = NavigationHistory(saved.urls, saved.place)
        if moved is not None and lease is not None:
            owner = lease.claim.owner.rpartition("/")[0]
            session.continue_from(
                moved, f"The session moved here from {owner}, and its page was loaded again."
            )
        await session.add_open_pages()
        if left is not None:
            claimed = self._sleeping.claim_left(name)
            if claimed is None:  # another process continues it
                return await self._open_here(name, asked, lease)
            session.continue_from(
                claimed,
                "tabwright was interrupted while the session slept. Its page was loaded again.",
            )
            session.forget_state()
            session.restore = partial(self._bring_back, session, is_missing=True)
        self._open[name] = session
        if self._moving is not None and lease is not None:
            self._moving.begin(session, lease)
        self._expired.pop(name, None)
        self._nursery.start_soon(self._close_when_idle, session)
        return session

    def _first_state(self, name: str) -> Saved:
        """Return the state that a session begins with: that of its file or of the settings.

        Raises:
            BadInput: the file cannot be read.
        """
        if name == self._settings.own_session:
            return Saved()
        if self._files.has(name):
            return self._files.read(name)
        return initial_state(self._settings.session)

    def _give_up(self, tab: SessionTab) -> None:
        """Close a tab of a session that is not used, if it is still open."""
        session = self._open.get(tab.session)
        if session is not None and tab.open:  # not as a part of the request that needs a tab
            self._context.copy().run(self._nursery.start_soon, self._sleep, session, tab)

    async def _sleep(self, session: NamedSession, tab: SessionTab) -> None:
        if await session.sleep(tab):
            session.used.set()  # what its page has changed is saved
            if session.lease is None:
                await self._put_away(session)
        else:
            await trio.sleep(STAY_S)
            tab.stay_awake()

    async def _put_away(self, session: NamedSession) -> None:
        """Move the state of a session to its file, if no tab of it is open.

        Passwords and secrets are not written: the state of a session with one stays here, too.
        """
        async with session.waking:
            if session.restore is not None:  # a request to sleep can come twice
                return
            requests = session.requests
            with suppress(Undelivered, Unanswered):  # a lost fetcher has lost the cookies
                cookies = await self._fetcher.ask(Fetcher.cookies, session.name)
                if not session.is_idle(requests) or self._open.get(session.name) is not session:
                    return
                idle_s = trio.current_time() - session.last_used_s
                state = session.sleeping_state(cookies, {})
                is_whole = await self._sleeping.put(session.name, state, idle_s)
                latest = self._open.get(session.name)
                if latest is not session:  # it was closed while the file was written
                    if latest is None or latest.restore is None:
                        self._sleeping.remove(session.name)
                    return
                session.restore = partial(self._bring_back, session, is_missing=is_whole)
                if is_whole:
                    session.forget_state()
                    await self._fetcher.ask(Fetcher.set_cookies, session.name)

    async def _bring_back(self, session: NamedSession, *, is_missing: bool) -> None:
        """Read the state of a session from its file, if it is missing here; remove the file.

        Raises:
            BadInput: the file cannot be read now; it stays.
            Undelivered, Unanswered: the fetcher was lost; the file stays.
        """
        if is_missing:
            state = self._sleeping.read(session.name)
            if state is not None:
                await self._fetcher.ask(Fetcher.set_cookies, session.name, state.cookies)
                session.recall_state(state)
            else:
                session.lose_state()
        self._sleeping.remove(session.name)
        self._context.copy().run(self._nursery.start_soon, self._put_away_again, session)

    async def _put_away_again(self, session: NamedSession) -> None:
        """Move the state of a session to its file again, if the requests opened no tab."""
        while session.waiting:
            if session.used.is_set():
                session.used = trio.Event()
            await session.used.wait()
        if session.is_idle():
            await self._put_away(session)

    async def find(self, name: str) -> NamedSession:
        """Return an open session; the user's own one is opened, as its pages are open already.

        A session of another process of the fleet is moved here, and one that a killed process has
        left is opened.

        Raises:
            SessionMissing: no session has this name, or it was closed.
            SessionBusy, FleetUnavailable: it cannot be moved here now.
            TabwrightError: the browser of the user does not respond.
        """
        if name == self._settings.own_session:
            return await self.find_or_open(name)
        if self._moving is not None and _NAME.fullmatch(name):
            async with self._moving.acquired(name, only_open=True) as lease:
                if lease is not None:
                    return await self._find_or_open_here(name, None, lease)
        elif name not in self._open and self._find_left(name):
            return await self.find_or_open(name)
        return self.expect_here(name)

    def expect_here(self, name: str) -> NamedSession:
        """Return a session that is open in this process.

        Raises:
            SessionMissing: no session has this name, or it was closed.
        """
        if session := self._open.get(name):
            return session
        if name in self._expired:
            raise SessionMissing(
                f"Session {name!r} was closed after being idle for {self._idle_s:g} s.",
                code=ErrorCode.SESSION_EXPIRED,
                **advised(HintKind.OPEN_PAGE),
            )
        known = f" The sessions are {', '.join(sorted(self._open))}." if self._open else ""
        raise SessionMissing(
            f"There is no session {name!r}.{known}",
            **advised(HintKind.OPEN_PAGE),
        )

    async def _close_when_idle(self, session: NamedSession) -> None:
        with session.watched:
            await self._idle(session)
        if session.watched.cancelled_caught:  # it was closed before
            return
        self._expired[session.name] = None
        for name in list(self._expired)[:-REMEMBERED_MAX]:
            del self._expired[name]
        await self._end(session, "closes")

    async def _idle(self, session: NamedSession) -> None:
        """Wait until a session has had no request for long enough."""
        left_s = self._idle_s
        while left_s > 0 or session.waiting:
            await trio.sleep(max(left_s, 1))
            left_s = session.last_used_s + self._idle_s - trio.current_time()

    async def _end(self, session: NamedSession, mode: ReleaseMode) -> None:
        """End the session completely, even if the task that waits for it is cancelled.

        Raises:
            FleetUnavailable, SessionMoved: see `MovingSessions.release`.
        """
        if self._open.get(session.name) is session:  # else the name is another session's by now
            self._on_end(session.name)
            del self._open[session.name]
        session.watched.cancel()
        ending = _Ending()
        self._nursery.start_soon(self._finish, session, mode, ending)
        await ending.over.wait()
        if ending.failure is not None:
            raise ending.failure

    async def _finish(self, session: NamedSession, mode: ReleaseMode, ending: _Ending) -> None:
        await session.end()
        async with session.waking, self._opening:  # not while its file is written
            if session.name not in self._open:  # else they belong to another session by now
                self._sleeping.remove(session.name)
                with suppress(Undelivered, Unanswered):  # a lost fetcher has lost its cookies too
                    await self._fetcher.ask(Fetcher.set_cookies, session.name)
        if self._moving is not None:
            try:
                await self._moving.release(session, mode)
            except (FleetUnavailable, SessionMoved) as failure:
                ending.failure = failure
        ending.over.set()


def _left_state(name: str, left: LeftSession, *, saved: bool) -> SessionState:
    """Return the state of a session that a killed process has left."""
    state = left.state
    current = next((one for one in state.tabs if one.number == state.current), None)
    return SessionState(
        name=name,
        url=current.history.url if current else "",
        title=current.title if current else "",
        tier=FULL_LOAD_TIER if current and current.page else None,
        pages=len(state.urls),
        idle_s=round(left.idle_s, 1),
        saved=saved,
        settings=state.settings,
    )


def _tier(tab: SessionTab) -> Tier | None:
    """Return the tier that loaded the session's page, or None before the first page."""
    if tab.live:
        return FULL_LOAD_TIER
    return tab.loaded.tier if tab.loaded else None
