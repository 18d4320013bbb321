"""Our scripts in the documents of a page, in isolated worlds, also of frames in other processes."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import trio

from tabwright.cdp.domains import page, runtime, target
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import JSON
from tabwright.page.frames import UNDO_S
from tabwright.page.open_page import AttachedPage

DOCUMENT_URL = "function documentUrl() { return document.URL; }"

FoundT = TypeVar("FoundT")


async def run_in_frame(
    opened: AttachedPage,
    session: CDPSession,
    frame_id: str,
    work: Callable[[CDPSession], Awaitable[FoundT]],
) -> FoundT:
    """Return the result of `work` with a session of the process that a frame is in.

    Cancellation detaches from the process of the frame.

    Args:
        opened: the page.
        session: of the document that has the frame.
        frame_id: of the frame.
        work: is called again if the frame is in a process of its own.

    Raises:
        CDPError: the frame is gone.
    """
    try:
        return await work(session)
    except CommandFailed:  # it is in a process of its own
        root = opened.running.connection.root
        # Chromium lets a client attach to the target of a frame once its targets were listed.
        await root.execute(target.get_targets())
        attached = await root.execute(target.attach_to_target(frame_id))
        try:
            return await work(opened.running.connection.session(attached.session_id))
        finally:
            with trio.move_on_after(UNDO_S, shield=True), suppress(CDPError):
                await root.execute(target.detach_from_target(attached.session_id))


async def document_url(session: CDPSession, frame_id: str) -> str:
    """Return the URL of the document of a frame.

    Raises:
        CDPError: the frame is gone, or not in the process of this session.
    """
    return str((await call_in_frame(session, frame_id, DOCUMENT_URL)).value)


async def call_in_frame(
    session: CDPSession, frame_id: str, function: str, *values: JSON, by_value: bool = True
) -> runtime.RemoteObject:
    """Call our function in an isolated world of a frame.

    Raises:
        CDPError: the frame is gone, or not in the process of this session.
    """
    world = await isolated_world(session, frame_id)
    command = runtime.call_function_on(function, world, values=values, by_value=by_value)
    return (await session.execute(command)).result


async def isolated_world(session: CDPSession, frame_id: str) -> int:
    """Return the id of an execution context that the page's scripts cannot tamper with.

    Raises:
        CDPError: the frame is gone, or not in the process of this session.
    """
    return (await session.execute(page.create_isolated_world(frame_id))).execution_context_id
