"""Our scripts in the documents of a page, in isolated worlds, also of frames in other processes."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

import attrs
import trio

from tabwright.cdp.domains import page, runtime, target
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import JSON
from tabwright.page.errors import script_failed
from tabwright.page.open_page import AttachedPage

UNDO_S = 1.0
"""Seconds for a command that undoes something, even if cancelled; a page that hangs stays so."""

GLOBAL = "function world() { return globalThis; }"

CALL_KEPT = "function callKept(...values) { return this(...values); }"
"""A function declaration that calls the function that is its ``this``."""

DOCUMENT_URL = "function documentUrl() { return document.URL; }"

FoundT = TypeVar("FoundT")


@attrs.define(eq=False)
class IsolatedWorld:
    """An execution context of ours in a document, which the scripts of the page cannot change.

    Attributes:
        context_id: its id; another process may give it to any other context.
        handle: on its global object. It is of this document only, and works as long as the document
            is shown; then a command with it fails.
    """

    context_id: int
    handle: str
    _kept: dict[str, str] = attrs.field(factory=dict[str, str], init=False)

    async def run(
        self,
        session: CDPSession,
        function: str,
        *,
        object_ids: Sequence[str] = (),
        values: Sequence[JSON] = (),
    ) -> str:
        """Return the text that a function declaration returns for handles and values.

        A function that is run again stays in the document, so that it is sent no third time.

        Raises:
            CDPError: the document is gone.
            PageFailed: the function threw an error.
        """
        place, called = self.handle, function
        if function not in self._kept:
            self._kept[function] = ""
        else:
            if not self._kept[function]:
                keep = f"function keep() {{ return (\n{function}\n); }}"
                command = runtime.call_function_on(keep, self.handle, by_value=False)
                self._kept[function] = (await session.execute(command)).result.object_id or ""
            place, called = self._kept[function], CALL_KEPT
        command = runtime.call_function_on(called, place, object_ids=object_ids, values=values)
        evaluated = await session.execute(command)
        if thrown := evaluated.exception_details:
            raise script_failed(thrown)
        return str(evaluated.result.value)


async def enter_world(session: CDPSession, frame_id: str) -> IsolatedWorld:
    """Return our world in the document of a frame (`Page.createIsolatedWorld`).

    A page that comes to another process meanwhile has a world of its own under our id there. So our
    world is looked up by its name once more.

    Raises:
        CDPError: the frame is gone, or not in the process of this session.
    """
    create = page.create_isolated_world(frame_id)
    world = await session.execute(create)
    while True:
        context_id = world.execution_context_id
        get = runtime.call_function_on(GLOBAL, context_id, by_value=False)
        held, world = await session.execute_both(get, create)
        if world.execution_context_id == context_id:
            return IsolatedWorld(context_id, held.result.object_id or "")


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
    world = await session.execute(page.create_isolated_world(frame_id))
    command = runtime.call_function_on(
        function, world.execution_context_id, values=values, by_value=by_value
    )
    return (await session.execute(command)).result
