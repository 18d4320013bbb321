"""The wait for the content of a page.

When a page is parsed, its content may still be on its way: a script fetches it, or sets a timer
first, or another script has yet to load. There is no event for its end. So the page is looked at
until it shows a text, no placeholder and no empty frame, and has no request under way, each within
its own limit.
"""

from collections.abc import Awaitable, Callable

import attrs
import trio

from tabwright.protocol.snapshot import LoadState
from tabwright.protocol.tab import ReadSource

SHOWN_CHARACTERS = 100
"""A page that shows fewer, beside its navigation, may be waiting for its content."""

MUCH_CHARACTERS = 2000
"""A page that shows more text waits only for comments and advertisements."""

CHANGING_S = 1.5
"""Seconds for a page with content that changes all the time."""

IDLE_BEFORE_SCROLLING_S = 1.5
"""Seconds for a page that shows nothing and requests nothing until it is scrolled."""

REQUESTS_S = 5.0
"""Seconds for the requests of a page that shows content already; some never end."""


@attrs.frozen
class ContentState:
    """The visible state of a document.

    Attributes:
        quiet: whether its DOM did not change for a moment.
        shown: the number of characters of its text, beside its navigation.
        waits: whether it shows that it is loading: a placeholder, a spinner, "Loading…".
        frames: whether a frame of its own site has not loaded.
        found: whether it shows what is waited for.
        pictures: whether it shows a picture, a video or a frame that is not small.
    """

    quiet: bool
    shown: int
    waits: bool
    frames: bool
    found: bool = True
    pictures: bool = False

    @property
    def has_content(self) -> bool:
        """Return whether the content is there, as far as the document shows."""
        needed = MUCH_CHARACTERS if self.waits else SHOWN_CHARACTERS
        return self.found and self.shown >= needed


def before_scrolling(request: ReadSource) -> ReadSource:
    """Return the limits for a page that is then scrolled through, which may bring the rest."""
    idle_s = min(request.idle_s, IDLE_BEFORE_SCROLLING_S)
    return attrs.evolve(request, wait_for="", idle_s=idle_s)


async def content_comes(
    read_state: Callable[[], Awaitable[ContentState]],
    is_busy: Callable[[], bool],
    request: ReadSource,
) -> LoadState:
    """Wait until a page shows its content, or for as long as that can be expected.

    Args:
        read_state: waits for a moment, and returns what the page shows.
        is_busy: whether the page has requests under way, or another document on its way.
        request: the limits; see `ReadSource`.
    """
    began = last_busy = trio.current_time()
    while True:
        state, now = await read_state(), trio.current_time()
        busy = is_busy()
        last_busy = now if busy else last_busy
        if state.has_content:
            is_whole = state.quiet and not state.frames
            if is_whole and not busy:
                return LoadState.WHOLE
            if now - began >= (REQUESTS_S if busy else CHANGING_S):
                return LoadState.LOADING if busy else LoadState.WHOLE
        elif now - began >= request.patience_s:
            return LoadState.LOADING
        elif not busy and now - last_busy >= request.idle_s:
            if not state.found:
                return LoadState.LOADING
            return LoadState.STALLED if state.waits else LoadState.WHOLE
