"""The cookies, the storage and the options of a session, changed from outside of its pages."""

from collections.abc import Callable
from contextlib import suppress

import trio

from tabwright.protocol.context_options import ContextOptions
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.fetch import Cookie, Fetcher
from tabwright.protocol.progress import ignore_progress
from tabwright.protocol.session_data import (
    OriginDatabases,
    ReadDatabases,
    RestoreDatabases,
    StorageState,
)
from tabwright.protocol.tab import OriginStorage, Tab
from tabwright.protocol.untrusted_text import Quoted
from tabwright.sessions.session import NamedSession
from tabwright.sessions.session_tab import SessionTab

RESTORE_S = 5.0
"""Seconds for the tabs to have their options of before again, if they cannot have others."""


def _open_tabs(session: NamedSession) -> list[SessionTab]:
    return [tab for _, tab in session.tabs if tab.open]


async def _known_cookies(session: NamedSession) -> tuple[Cookie, ...]:
    """Return the cookies of a session, as its pages have set them by now."""
    if session.own:
        async with session.tab.acting(ignore_progress) as asked:
            known = await asked.ask(Tab.cookies)
        return tuple(one for one in known if _is_allowed(session, one))
    for tab in _open_tabs(session)[:1]:  # its tabs share them
        await tab.note_cookies()
    return await session.tab.fetcher.ask(Fetcher.cookies, session.name)


def _is_allowed(session: NamedSession, cookie: Cookie) -> bool:
    """Return whether a cookie belongs to a URL that is allowed."""
    for scheme in ("https",) if cookie.secure else ("https", "http"):
        with suppress(BadInput):
            session.reader.tiers.check_place(f"{scheme}://{cookie.domain}{cookie.path}")
            return True
    return False


async def change_cookies(
    session: NamedSession, put: tuple[Cookie, ...], removed: tuple[Cookie, ...]
) -> tuple[Cookie, ...]:
    """Put and remove cookies of a session, and return all that it has then.

    Raises:
        BadInput: the browser does not accept a cookie, or the URL of a cookie is not allowed.
        TabwrightError: the tab of the session does not answer.
    """
    known = await _known_cookies(session)
    if not (put or removed):
        return known
    replaced = {_identity(one) for one in (*put, *removed)}
    kept = tuple(one for one in known if _identity(one) not in replaced)
    await _set_cookies(session, (*kept, *put), put, removed)
    return await _known_cookies(session)


def _identity(cookie: Cookie) -> tuple[str, str, str]:
    return cookie.name, cookie.domain, cookie.path


async def _set_cookies(
    session: NamedSession,
    cookies: tuple[Cookie, ...],
    put: tuple[Cookie, ...],
    removed: tuple[Cookie, ...],
) -> None:
    for cookie in (*put, *removed):
        if session.own and not _is_allowed(session, cookie):
            raise BadInput(
                ("The user does not allow access to ", Quoted(cookie.domain), "."),
                advice="Change cookies of other sites.",
            )
    tabs = [session.tab] if session.own else _open_tabs(session)[:1]
    for tab in tabs:
        async with tab.acting(ignore_progress) as asked:
            await asked.ask(Tab.set_cookies, put, removed)
    if session.own:
        return
    await session.tab.fetcher.ask(Fetcher.set_cookies, session.name, cookies)


async def storage_state(session: NamedSession, *, indexed_db: bool = False) -> StorageState:
    """Return the cookies and the storage of a session, as its pages have set them by now.

    Raises:
        TabwrightError: the databases of a page cannot be read.
    """
    databases: dict[str, OriginDatabases] = {}
    for tab in _open_tabs(session):
        await tab.note_storage()
        if indexed_db:
            async with tab.acting(ignore_progress) as asked:
                found = await asked.ask(Tab.inspect, ReadDatabases())
            databases[found.origin] = found
    return StorageState(
        await _known_cookies(session),
        await _shown_storage(session) if session.own else session.tab.storage.kept,
        tuple(one for one in databases.values() if one.databases != "[]"),
    )


async def _shown_storage(session: NamedSession) -> tuple[OriginStorage, ...]:
    """Return the storage of the open pages of a session."""
    found = dict[str, OriginStorage]()
    for tab in _open_tabs(session):
        async with tab.acting(ignore_progress) as asked:
            one = await asked.ask(Tab.storage)
        if one is not None:
            with suppress(BadInput):
                session.reader.tiers.check_place(one.origin)
                found[one.origin] = one
    return tuple(found.values())


async def set_storage_state(session: NamedSession, state: StorageState) -> tuple[str, ...]:
    """Replace the cookies and the storage; the user's own session keeps what is not replaced.

    Raises:
        BadInput: the browser does not accept a cookie.
        TabwrightError: a tab of the session does not answer.
    """
    before = StorageState((), ()) if session.own else await storage_state(session)
    await _set_cookies(session, state.cookies, state.cookies, before.cookies)
    cleared = {one.origin for one in (*before.origins, *state.origins)}
    if not session.own:
        session.tab.storage.replace(state.origins)
    for tab in _open_tabs(session):
        async with tab.acting(ignore_progress) as asked:
            await asked.ask(Tab.set_storage, state.origins, tuple(sorted(cleared)))
    lacking = {one.origin for one in state.databases}
    for tab in _open_tabs(session) if lacking else ():
        async with tab.acting(ignore_progress) as asked:
            lacking.discard(await asked.ask(Tab.inspect, RestoreDatabases(state.databases)))
    return tuple(sorted(lacking))


async def change_context(
    session: NamedSession, change: Callable[[ContextOptions], ContextOptions]
) -> ContextOptions:
    """Change the options of the browser context of a session, and return them.

    Raises:
        BadInput: a value is not valid, or the browser does not accept it.
        TabwrightError: a tab of the session does not answer.
    """
    shared = session.tab.options
    before, after = shared.current, change(shared.current)
    if after == before:
        return before
    try:
        for tab in _open_tabs(session):
            async with tab.acting(ignore_progress) as asked:
                await asked.ask(Tab.set_options, after)
    except BaseException:  # also if cancelled: options that are not listed could not be removed
        with trio.move_on_after(RESTORE_S, shield=True), suppress(TabwrightError):
            for tab in _open_tabs(session):
                async with tab.acting(ignore_progress) as asked:
                    await asked.ask(Tab.set_options, before)
        raise
    shared.current = after
    return after
