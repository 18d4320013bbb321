"""The sources of the frames of a page: those of other sites, and those with frames in them.

Each is read in its own process once it shows its content, with the frames in it. A frame that a
reader is not likely to miss, such as an advertisement, is waited for only for a moment, so that it
does not delay the page. The others are named if they could not be read.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from enum import IntEnum
from itertools import chain
from urllib.parse import urlsplit

import attrs
import trio

from tabwright.cdp.domains import dom, network
from tabwright.cdp.errors import CDPError
from tabwright.cdp.session import CDPSession
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.shipped_lists import block_rules
from tabwright.content.html.tree import LOADED, scheme_of
from tabwright.page.content_wait import CHANGING_S, ContentState
from tabwright.page.events.network_log import (
    TRAFFIC_EVENTS,
    DocumentRequest,
    DocumentRequests,
    InflightRequests,
)
from tabwright.page.frames import POLL_S, REPORT_S
from tabwright.page.isolated_worlds import (
    call_in_frame,
    document_url,
    enter_world,
    run_in_frame,
)
from tabwright.page.open_page import AttachedPage
from tabwright.page.scripts import (
    CONTENT_STATE,
    FRAME_AT,
    ApartFrame,
    FramesAhead,
    parse_frames,
    parse_source,
    read_answer,
)
from tabwright.page.shadow_roots import read_document
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.snapshot import FrameSource, LoadedPage, PageSource
from tabwright.protocol.urls import ABOUT_BLANK, Bounds, check_place

FRAMES_MAX = 20
"""Maximum number of frames that are read."""

LEVELS_MAX = 4
"""Frames in more frames than these are not read."""

FRAMES_S = 3.0
"""Seconds for all frames to return their sources."""

PATIENCE_S = 10.0
"""The same for frames that can be missed, while the page still has time."""

SHORT_CHARACTERS = 20
"""A frame that shows fewer may be waiting for its content."""

SHORT_S = 1.5
"""Seconds for a frame that shows more, but not much, to show the rest."""

LEVEL_S = 0.3
"""Seconds for a document to be read after its frames."""

BLANK_S = 3.0
"""Seconds for the document of a frame that can be missed, if no request for it is known."""

IDLE_S = 5.0
"""Seconds for such a frame to show its content, or after its last text to show more of it; the
requests that it sent before it was read are not known.
"""

CALM_S = 0.5
"""Seconds without a request or growth, in such a frame whose text has grown."""

BRIEF_S = 0.6
"""Seconds for the document of any other frame, and again for a text in it."""

BODY = "body"
"""The part of the document of a frame that is read."""

ERROR_PAGE = "chrome-error:"
"""The scheme of the browser's own page in place of one that it cannot load."""


class Weight(IntEnum):
    """How much a reader would miss a document."""

    NONE = 0
    """It is an advertisement, or in one."""

    SIDE = 1
    """It is small, or in a frame that is."""

    PART = 2
    """It is large, and beside other content."""

    MAIN = 3
    """It is the page, or a frame of a document that shows little else."""


@attrs.frozen
class FrameLimits:
    """The limits of reading the frames of a page.

    Attributes:
        bounds: frames outside these bounds are not read.
        requests: the requests for documents that the page has sent.
        time_left_s: seconds that the page has left for its frames; 0 if it is settled.
    """

    bounds: Bounds
    requests: DocumentRequests
    time_left_s: float


async def read_frames(
    opened: AttachedPage, source: PageSource, ahead: FramesAhead, limits: FrameLimits
) -> PageSource:
    """Return the source of a page with those of its frames, and the URLs of frames not read.

    A frame that can be missed is named if it is blank, late, gone, lazy or not allowed; and any
    frame beyond the maximum, except advertisements.

    Args:
        opened: the page.
        source: the source with the frames that the script of the page could read.
        ahead: the other frames.
        limits: which frames are read, and for how long.
    """
    began = trio.current_time()
    patience_s = min(limits.time_left_s, PATIENCE_S)
    reading = _FrameReading(
        opened,
        limits,
        waits_until=began + patience_s - LEVEL_S * LEVELS_MAX,
        ends_at=began + max(patience_s, FRAMES_S),
        brief_ends_at=began + FRAMES_S,
    )
    page = _Document(opened.session, opened.frame_id, Weight.MAIN, LEVELS_MAX)
    return await reading.fill(page, source, ahead)


def weight_of(frame: ApartFrame, ahead: FramesAhead, around: Weight) -> Weight:
    """Return how much a reader would miss a frame of a document that has the weight `around`."""
    try:
        host = urlsplit(frame.url).hostname or ""
    except ValueError:
        return Weight.NONE
    if block_rules(("ads",)).block(host, "Document"):
        return Weight.NONE
    own = Weight.MAIN if ahead.thin else Weight.PART if frame.large else Weight.SIDE
    return min(around, own)


@attrs.frozen
class _Document:
    """The document of a page or a frame.

    Attributes:
        session: of its process.
        frame_id: of its frame.
        weight: how much a reader would miss it.
        levels: how many levels of frames in it are read.
    """

    session: CDPSession
    frame_id: str
    weight: Weight
    levels: int


@attrs.define(eq=False)
class _FrameReading:
    """The frames of one page, as they are read.

    Attributes:
        waits_until: when to stop waiting for frames that can be missed.
        ends_at: when to stop reading them.
        brief_ends_at: when to stop reading the others.
        left: how many more frames are read.
    """

    opened: AttachedPage
    limits: FrameLimits
    waits_until: float
    ends_at: float
    brief_ends_at: float
    left: int = FRAMES_MAX

    async def fill(self, outer: _Document, source: PageSource, ahead: FramesAhead) -> PageSource:
        """Return the source of a document with those of its frames."""
        count = max((one.place + 1 for one in ahead.apart), default=0)
        frames = [*source.frames, *[FrameSource()] * (count - len(source.frames))]
        unread: dict[int, tuple[str, ...]] = {}
        unread_hosts = source.unread_hosts

        async def read(one: ApartFrame, weight: Weight) -> None:
            """Read one frame, unless it is gone."""
            nonlocal unread_hosts
            is_missed = weight >= Weight.PART
            ends_at = self.ends_at if is_missed else self.brief_ends_at
            # Frames within frames end earlier, so that the frame around them keeps its content.
            with trio.move_on_at(ends_at - LEVEL_S * (LEVELS_MAX - outer.levels)):
                with suppress(CDPError, PageFailed, BadInput):
                    inner = await self._frame(outer, one, weight)
                    frames[one.place] = FrameSource(inner.html, inner.frames)
                    if is_missed:
                        unread[one.place] = inner.unread
                        unread_hosts += inner.unread_hosts

        async with trio.open_nursery() as reading:
            for one in ahead.apart:
                weight = weight_of(one, ahead, outer.weight)
                is_allowed = self.limits.bounds.admit(one.url)
                is_within = outer.levels > 0 and self.left > 0
                if weight >= (Weight.PART if is_within or not is_allowed else Weight.SIDE):
                    unread[one.place] = (one.url,)
                if is_allowed and is_within:
                    self.left -= 1
                    reading.start_soon(read, one, weight)
        named = chain.from_iterable(unread.values())
        loaded = tuple(url for url in named if scheme_of(url) in LOADED)
        return attrs.evolve(source, frames=tuple(frames), unread=loaded, unread_hosts=unread_hosts)

    async def _frame(self, outer: _Document, one: ApartFrame, weight: Weight) -> PageSource:
        """Return the source of the body of a frame; empty if it is blank.

        Raises:
            BadInput: it was redirected to a URL that is not allowed.
            CDPError, PageFailed: it is gone.
        """
        where = outer.session, outer.frame_id
        part = "" if outer.frame_id == self.opened.frame_id else BODY
        holder = await call_in_frame(*where, FRAME_AT, part, one.place, by_value=False)
        described = await outer.session.execute(dom.describe_node(holder.object_id or ""))
        frame_id = described.node.frame_id
        waits = weight >= Weight.PART and trio.current_time() < self.waits_until

        async def work(session: CDPSession) -> PageSource:
            """Return the source of its body."""
            inner = _Document(session, frame_id, weight, outer.levels - 1)
            if not await self._arrives(inner, one, waits=waits):
                return PageSource(LoadedPage(one.url, 0, ""), "", unread=(one.url,))
            shows = self._shows_content if waits else _shows_text
            has_come = one.still or await shows(inner)
            world = await enter_world(session, frame_id)
            answer, unread_hosts = await read_document(session, world, part=BODY)
            source, ahead = parse_source(answer, LoadedPage("", 0, "")), parse_frames(answer)
            source = attrs.evolve(source, unread_hosts=unread_hosts)
            check_place(source.page.url, self.limits.bounds)
            if ahead.apart and weight >= Weight.PART:
                source = await self.fill(inner, source, ahead)
            if ahead.blank and weight > Weight.NONE:  # so that it is linked
                source = attrs.evolve(source, html="")
            if ahead.blank or not has_come:
                source = attrs.evolve(source, unread=(one.url, *source.unread))
            return source

        return await run_in_frame(self.opened, outer.session, frame_id, work)

    async def _arrives(self, inner: _Document, one: ApartFrame, *, waits: bool) -> bool:
        """Wait for the document of a frame; return whether it is there.

        The frame stays blank if its request was blocked, or if its response is not a document.
        """
        unknown_until = trio.current_time() + (BLANK_S if waits else BRIEF_S)
        while True:
            url = await document_url(inner.session, inner.frame_id)
            if url != ABOUT_BLANK or scheme_of(one.url) not in LOADED:
                return not url.startswith(ERROR_PAGE)
            request = self.limits.requests.of(inner.frame_id)
            is_sent = request is DocumentRequest.SENT
            until = self.waits_until if waits and is_sent else unknown_until
            is_lost = request is DocumentRequest.FAILED or (one.deferred and not is_sent)
            if is_lost or trio.current_time() >= until:
                return False
            await trio.sleep(POLL_S)

    async def _shows_content(self, inner: _Document) -> bool:
        """Wait for the content of a frame; return False if it was still loading at the end.

        A short text may be a placeholder, and the response to a request that the frame sends
        meanwhile may bring more.
        """
        async with _requests_of(inner.session) as requests:
            began = grown_at = last_busy = trio.current_time()
            most = None
            while True:
                was_busy = requests.busy
                state = await _state_of(inner)
                if state is None:
                    return False
                now = trio.current_time()
                last_busy = now if was_busy or requests.busy else last_busy
                grown_at = now if most is not None and state.shown > most else grown_at
                most = max(most or 0, state.shown)
                calm_s = CALM_S if grown_at > began else 0
                is_coming = last_busy == now or now < max(last_busy, grown_at) + calm_s
                is_short = state.shown >= SHORT_CHARACTERS and not (state.waits or is_coming)
                wait_s = SHORT_S if is_short else IDLE_S
                ends_at = min((grown_at if is_coming else began) + wait_s, self.waits_until)
                has_pictures = state.pictures and not state.waits
                is_shown = has_pictures or (state.has_content and not is_coming)
                is_settled = state.quiet or now >= began + CHANGING_S
                if (is_shown and is_settled) or now >= ends_at:
                    is_cut = is_coming and grown_at > began and not is_shown
                    return not (state.waits or is_cut)


async def _shows_text(inner: _Document) -> bool:
    """Wait a moment for any text of a frame; return False if it was still loading at the end."""
    ends_at = trio.current_time() + BRIEF_S
    while (state := await _state_of(inner)) is not None:
        is_shown = state.shown > 0 or (state.pictures and not state.waits)
        if is_shown or trio.current_time() >= ends_at:
            return not state.waits
    return False


async def _state_of(inner: _Document) -> ContentState | None:
    """Return the state of the document of a frame; None if it returns none."""
    with trio.move_on_after(REPORT_S):
        evaluated = await call_in_frame(inner.session, inner.frame_id, CONTENT_STATE, "")
        return read_answer(str(evaluated.value), ContentState)
    return None


@asynccontextmanager
async def _requests_of(session: CDPSession) -> AsyncGenerator[InflightRequests]:
    """Log the requests that a process sends from now on."""
    requests = InflightRequests()

    async def log() -> None:
        with suppress(CDPError):  # the frame is gone, as its reader finds out
            async for event in events:
                requests.take(event)

    with session.subscribe(*TRAFFIC_EVENTS) as events:
        await session.execute(network.enable())
        async with background_nursery() as logging:
            logging.start_soon(log)
            yield requests
