"""Opening a page in a running browser, and closing it on every way out."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import attrs
import trio

from tabwright.actors.browser import RunningBrowser
from tabwright.actors.refusing import refusing
from tabwright.cdp.command import Command
from tabwright.cdp.domains import network, page, target
from tabwright.cdp.errors import CDPError
from tabwright.cdp.session import Session
from tabwright.cdp.wire import Nothing

OPEN_S = 20.0
"""For a running browser to open a page, which takes it a tenth of a second, and on a machine with
too much to do more than five seconds."""

CLOSE_S = 0.3
"""For the browser to close a page; one that hangs is closed with its browser."""

CLOSE_TRIES_MAX = 3


@attrs.frozen
class OpenPage:
    """A blank page that we are attached to.

    Attributes:
        frame_id: its main frame, which Chromium names like the target.
        running: the browser.
    """

    session: Session
    frame_id: str
    running: RunningBrowser


@attrs.frozen
class PagePlan:
    """How a page is opened.

    Attributes:
        private: in a context of its own, with cookies and storage that are gone with it.
        light: without the requests that the settings block.
        background: behind the other windows, where there are windows.
    """

    private: bool
    light: bool = False
    background: bool = True


@asynccontextmanager
async def open_page(running: RunningBrowser, plan: PagePlan) -> AsyncGenerator[OpenPage]:
    """A page in a window of its own.

    Opening is not cancelled half-way, only bounded: the id of what was just made would be lost,
    and with it the way to close it.

    Raises:
        BrowserDied: the browser went away meanwhile.
        PageFailed: it did not open a page, or not within `OPEN_S`.
    """
    root = running.connection.root
    context_id = await _open_context(root) if plan.private else None
    try:
        behind = plan.background and running.visible
        target_id = await _open_target(root, target.create_target(context_id, background=behind))
        session: Session | None = None
        try:
            session = await _attach(running, target_id)
            yield OpenPage(session, target_id, running)
        finally:
            await _close(root, target_id, session)
    finally:
        if context_id is not None:
            await _undo(root, target.dispose_browser_context(context_id))


async def _open_context(root: Session) -> str:
    with refusing(), trio.fail_after(OPEN_S, shield=True):
        created = await root.execute(target.create_browser_context())
    return created.browser_context_id


async def _open_target(root: Session, command: Command[target.TargetCreated]) -> str:
    with refusing(), trio.fail_after(OPEN_S, shield=True):
        created = await root.execute(command)
    return created.target_id


async def _attach(running: RunningBrowser, target_id: str) -> Session:
    with refusing(), trio.fail_after(OPEN_S):
        attached = await running.connection.root.execute(target.attach_to_target(target_id))
        session = running.connection.session(attached.session_id)
        await session.execute_all(
            (page.enable(), page.set_lifecycle_events_enabled(), network.enable())
        )
    return session


async def _close(root: Session, target_id: str, session: Session | None) -> None:
    """Closes the page; Chromium may pass that over where the page is just going somewhere."""
    for _ in range(CLOSE_TRIES_MAX):
        await _undo(root, target.close_target(target_id))
        if session is None or await _has_ended(session):
            return
        await _undo(session, page.stop_loading())


async def _has_ended(session: Session) -> bool:
    with trio.move_on_after(CLOSE_S, shield=True):
        while session.failure is None:
            await trio.sleep(CLOSE_S / 30)
    return session.failure is not None


async def _undo(root: Session, command: Command[Nothing]) -> None:
    with trio.move_on_after(CLOSE_S, shield=True), suppress(CDPError):
        await root.execute(command)
