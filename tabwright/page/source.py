"""The source of a page, with that of its frames, read once the page shows its content.

When a page is parsed, its content may still be on its way: a script fetches it, or sets a timer
first, or another script has yet to load. There is no event for its end. So the page is looked at
until it shows a text, no placeholder and no empty frame, and has no request under way, each within
its own limit.
"""

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import chain
from typing import TypeVar

import attrs
import msgspec
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
    ApartFrame,
    FramesAhead,
    parse_frames,
    parse_source,
    read_answer,
)
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.snapshot import LoadedPage, PageSource
from tabwright.protocol.tab import ReadSource
from tabwright.protocol.urls import ABOUT_BLANK, Bounds, check_place

ERROR_PAGE = "chrome-error:"
"""The scheme of the browser's own page in place of one that it cannot load."""

WEB_URL = re.compile("https?:", re.IGNORECASE)

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

FRAMES_PATIENCE_S = 10.0
"""The same if they may hold the main content, and load."""

ALONE_IDLE_S = 4.0
"""Seconds for such a frame that shows nothing yet, if the page shows little: a request of another
process may be under way.
"""

BESIDE_IDLE_S = 1.5
"""The same beside other content."""

LEVELS_MAX = 4
"""Frames in more frames than these are not read."""

LEVEL_S = 0.3
"""Seconds for a document to be read after its frames."""

DETACH_S = 1.0
"""Seconds to detach from a frame, even if cancelled."""

LOOKS_MAX = 6
"""How often to look at any other frame without text; a look takes 0.1 s, or 0.5 if it changes."""

LOOK_AGAIN_S = 0.1
"""Seconds between two looks at the URL of a frame in which no script may run."""

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


@attrs.frozen
class FrameLimits:
    """The limits of reading the frames of a page.

    Attributes:
        bounds: documents outside these bounds are not read.
        request: the limits of the wait for the content of a frame.
        is_busy: whether the page has requests under way.
    """

    bounds: Bounds
    request: ReadSource
    is_busy: Callable[[], bool]


async def read_frames(
    opened: AttachedPage, source: PageSource, ahead: FramesAhead, limits: FrameLimits
) -> PageSource:
    """Return the source of a page with what its frames hold, also those of other sites.

    Frames that are not allowed stay empty, and so do those that are blank, gone or late, which are
    also named as unread.

    Args:
        opened: the page.
        source: the source with the frames that the page may access.
        ahead: the other frames.
        limits: what is read, and for how long.
    """
    limit_s = FRAMES_S
    if not limits.request.at_rest and (ahead.thin or any(one.large for one in ahead.apart)):
        limit_s = max(FRAMES_S, min(limits.request.patience_s, FRAMES_PATIENCE_S))
    reading = _FrameReading(opened, limits, trio.current_time() + limit_s)
    return await reading.fill(opened.session, opened.frame_id, source, ahead, LEVELS_MAX)


@attrs.define(eq=False)
class _FrameReading:
    """The frames of one page, as they are read.

    Attributes:
        ends_at: when to stop reading.
        left: how many more frames are read.
    """

    opened: AttachedPage
    limits: FrameLimits
    ends_at: float
    left: int = FRAMES_MAX

    async def fill(
        self,
        session: CDPSession,
        frame_id: str,
        source: PageSource,
        ahead: FramesAhead,
        levels: int,
    ) -> PageSource:
        """Return the source of a document with what its frames hold, `levels` deep."""
        count = max((one.place + 1 for one in ahead.apart), default=0)
        contents = [*source.frames, *[""] * (count - len(source.frames))]
        unread: dict[int, tuple[str, ...]] = {one.place: (one.url,) for one in ahead.apart}

        def idle_s(one: ApartFrame) -> float:
            """Return how long its content is waited for, without a request; 0 for a moment."""
            if self.limits.request.at_rest or one.deferred:
                return 0
            return ALONE_IDLE_S if ahead.thin else BESIDE_IDLE_S * one.large

        async def read(one: ApartFrame) -> None:
            """Read one frame, unless it is gone or not allowed."""
            with suppress(CDPError, PageFailed):
                try:
                    inner = await self._frame(session, frame_id, one, idle_s(one), levels - 1)
                except BadInput:
                    inner = PageSource(source.page, "")
                contents[one.place], unread[one.place] = inner.html, inner.unread

        # Frames within frames end earlier, so that the frame around them keeps what it holds.
        with trio.move_on_at(self.ends_at - LEVEL_S * (LEVELS_MAX - levels)):
            async with trio.open_nursery() as reading:
                for one in ahead.apart[: self.left if levels else 0]:
                    self.left -= 1
                    reading.start_soon(read, one)
        named = tuple(filter(WEB_URL.match, chain(*unread.values())))
        return attrs.evolve(source, frames=tuple(contents), unread=named)

    async def _frame(
        self, session: CDPSession, frame_id: str, one: ApartFrame, idle_s: float, levels: int
    ) -> PageSource:
        """Return what the body of a frame holds.

        Raises:
            BadInput: its URL is not allowed.
            CDPError, PageFailed: it is gone.
        """
        holder = await _call(session, frame_id, FRAME_AT, one.place, by_value=False)
        described = await session.execute(dom.describe_node(holder.object_id or ""))
        inner_id = described.node.frame_id

        async def work(own: CDPSession) -> PageSource:
            """Return what its body holds."""
            finished = await (
                self._arrives(own, inner_id) if one.still else self._comes(own, inner_id, idle_s)
            )
            source, ahead = await _body(own, inner_id)
            if source.page.url == ABOUT_BLANK:  # it has not come
                return attrs.evolve(source, html="", unread=(one.url,))
            if source.page.url.startswith(ERROR_PAGE):
                return attrs.evolve(source, html="")
            check_place(source.page.url, self.limits.bounds)
            if ahead.apart:
                source = await self.fill(own, inner_id, source, ahead, levels)
            if any(source.frames):
                inlined, _ = await _body(own, inner_id, source.frames)
                source = attrs.evolve(source, html=inlined.html)
            if ahead.blank or not finished:
                html = "" if ahead.blank else source.html
                return attrs.evolve(source, html=html, unread=(one.url, *source.unread))
            return source

        return await run_in_frame(self.opened, session, inner_id, work)

    async def _arrives(self, session: CDPSession, frame_id: str) -> bool:
        """Wait for the document of a frame; return whether it is there."""
        while await document_url(session, frame_id) == ABOUT_BLANK:
            await trio.sleep(LOOK_AGAIN_S)
        return True

    async def _comes(self, session: CDPSession, frame_id: str, idle_s: float) -> bool:
        """Wait for the content of a frame; return False if it was still loading at the end.

        It is waited for as that of a page if it may be the main content; otherwise only briefly, so
        that advertisements do not delay the page.
        """
        is_arriving, state = True, ContentState(quiet=False, shown=0, waits=False, frames=False)

        async def look() -> ContentState:
            """Return what the frame shows."""
            nonlocal is_arriving, state
            shown = await _call(session, frame_id, CONTENT_STATE, "")
            is_arriving = await document_url(session, frame_id) == ABOUT_BLANK
            state = read_answer(str(shown.value), ContentState)
            return state

        if not idle_s:
            for _ in range(LOOKS_MAX):
                if (await look()).shown:
                    break
            return not state.waits
        patience_s = self.ends_at - trio.current_time() - LEVEL_S * LEVELS_MAX
        request = ReadSource(patience_s=patience_s, idle_s=idle_s)

        def is_busy() -> bool:
            """Return whether its document, or what it may lack, is under way."""
            return is_arriving or (self.limits.is_busy() and not state.has_content)

        return await content_comes(look, is_busy, request)


async def _body(
    session: CDPSession, frame_id: str, frames: tuple[str, ...] = ()
) -> tuple[PageSource, FramesAhead]:
    """Return what the body of a frame holds, and the frames in it.

    Args:
        session: of its process.
        frame_id: of the frame.
        frames: what its own frames hold, to be put into them.
    """
    inner = msgspec.json.encode(frames).decode()
    answer = str((await _call(session, frame_id, READ_SOURCE, "", "body", inner)).value)
    return parse_source(answer, LoadedPage("", 0, "")), parse_frames(answer)


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
