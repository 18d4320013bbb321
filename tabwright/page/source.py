"""The source of a page, with that of its frames, read once the page shows its content.

When a page is parsed, its content may still be on its way: a script fetches it, or sets a timer
first, or another script has yet to load. There is no event for its end. So the page is looked at
until it shows a text, no placeholder and no empty frame, and has no request under way, each within
its own limit.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import attrs
import trio

from tabwright.cdp.domains import dom, page, runtime, target
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import JSON
from tabwright.page.open_page import AttachedPage
from tabwright.page.scripts import (
    CONTENT_STATE,
    FRAME_AT,
    READ_SOURCE,
    parse_source,
    read_answer,
)
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.snapshot import LoadedPage, PageSource
from tabwright.protocol.tab import ReadSource
from tabwright.protocol.urls import ABOUT_BLANK, Bounds, check_place

DOCUMENT_URL = "function documentUrl() { return document.URL; }"

FoundT = TypeVar("FoundT")

SHOWN_CHARACTERS = 100
"""A page that shows fewer, beside its navigation, may be waiting for its content."""

MUCH_CHARACTERS = 2000
"""What a page with so much text still waits for are comments and advertisements."""

CHANGING_S = 1.5
"""Seconds for a page with content that changes all the time."""

REQUESTS_S = 5.0
"""Seconds for the requests of a page that shows content already; some never end."""

FRAMES_S = 3.0
"""Seconds for all frames of other sites to return their sources."""

DETACH_S = 1.0
"""Seconds to detach from a frame, even if cancelled."""

LOOKS_MAX = 6
"""How often to look at a frame that shows no text; one look takes 0.1 s, or 0.5 if it changes."""

FRAMES_MAX = 20
"""Maximum number of frames of other sites that are read."""


@attrs.frozen
class ContentState:
    """What a document shows.

    Attributes:
        quiet: whether its DOM did not change for a moment.
        shown: the number of characters of its text, beside its navigation.
        waits: whether it shows that it is loading: a placeholder, a spinner, "Loading…".
        frames: whether a frame of its own site has not loaded.
        found: whether it shows what is waited for.
    """

    quiet: bool
    shown: int
    waits: bool
    frames: bool
    found: bool = True

    @property
    def has_content(self) -> bool:
        """Return whether the content is there, as far as the document shows."""
        needed = MUCH_CHARACTERS if self.waits else SHOWN_CHARACTERS
        return self.found and self.shown >= needed


async def content_comes(
    look: Callable[[], Awaitable[ContentState]], is_busy: Callable[[], bool], request: ReadSource
) -> bool:
    """Wait until a page shows its content; return False if it was still loading at the end.

    Args:
        look: waits for a moment, and returns what the page shows.
        is_busy: whether the page has requests under way, or another document on its way.
        request: the limits; see `ReadSource`.
    """
    began = last_busy = trio.current_time()
    while True:
        state, now = await look(), trio.current_time()
        busy = is_busy()
        last_busy = now if busy else last_busy
        if state.has_content:
            is_whole = state.quiet and not state.frames
            if is_whole and not busy:
                return True
            if now - began >= (REQUESTS_S if busy else CHANGING_S):
                return not busy
        elif now - began >= request.patience_s:
            return False
        elif not busy and now - last_busy >= request.idle_s:
            return state.found and not state.waits


async def read_frames(opened: AttachedPage, source: PageSource, bounds: Bounds) -> tuple[str, ...]:
    """Return what the frames of a page hold, with those of other sites that are allowed.

    A frame that does not answer stays empty.
    """
    contents = list(source.frames)

    async def read(place: int) -> None:
        """Read one frame, unless it is gone or not allowed."""
        with suppress(CDPError, TabwrightError):
            contents[place] = await _read_frame(opened, place, bounds)

    with trio.move_on_after(FRAMES_S):
        async with trio.open_nursery() as reading:
            for place in source.apart[:FRAMES_MAX]:
                reading.start_soon(read, place)
    return tuple(contents)


async def _read_frame(opened: AttachedPage, place: int, bounds: Bounds) -> str:
    """Return what the body of a frame holds.

    Raises:
        BadInput: its URL is not allowed.
        CDPError, PageFailed: it is gone.
    """
    holder = await _call(opened.session, opened.frame_id, FRAME_AT, place, by_value=False)
    described = await opened.session.execute(dom.describe_node(holder.object_id or ""))
    frame_id = described.node.frame_id

    async def work(session: CDPSession) -> str:
        """Return what its body holds."""
        for _ in range(LOOKS_MAX):  # it may still load
            state = await _call(session, frame_id, CONTENT_STATE, "")
            if read_answer(str(state.value), ContentState).shown:
                break
        answer = await _call(session, frame_id, READ_SOURCE, "", "body")
        source = parse_source(str(answer.value), LoadedPage("", 0, ""))
        if source.page.url == ABOUT_BLANK:  # it has not come
            return ""
        check_place(source.page.url, bounds)
        return source.html

    return await run_in_frame(opened, opened.session, frame_id, work)


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
            with trio.move_on_after(DETACH_S, shield=True), suppress(CDPError):
                await root.execute(target.detach_from_target(attached.session_id))


async def document_url(session: CDPSession, frame_id: str) -> str:
    """Return the URL of the document of a frame.

    Raises:
        CDPError: the frame is gone, or not in the process of this session.
    """
    return str((await _call(session, frame_id, DOCUMENT_URL)).value)


async def _call(
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
