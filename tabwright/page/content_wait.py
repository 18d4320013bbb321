"""The wait for the content of a page.

When a page is parsed, its content may still be on its way: a script fetches it, or sets a timer
first, or another script has yet to load. There is no event for its end. So the page is looked at
until it shows a text, no placeholder and no empty frame, and has no request under way, each within
its own limit. Content that comes in steps makes the text grow: only growth prolongs the wait, so
that clocks, tickers and spinners do not. A script that sends the same request again and again may
be polling for the content, or retrying.
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

PLACEHOLDER_CHARACTERS = 60
"""A page that shows fewer, and that it is loading, shows nothing but a placeholder."""

PLACEHOLDER_S = 5.0
"""Seconds for such a page without any request: a timer may be set.

Also for a page that shows little and repeats a request, whose responses may be there at once.
"""

CHANGING_S = 1.5
"""Seconds for a page that changes all the time, and does not grow."""

GROWING_S = 10.0
"""Seconds for a page with content that keeps growing, for example the messages of a chat."""

IDLE_BEFORE_SCROLLING_S = 1.5
"""Seconds for a page that shows nothing and requests nothing until it is scrolled."""

REQUESTS_S = 5.0
"""Seconds for the requests of a page that shows content already, or has just grown; some never
end.
"""


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
        grew: whether its text grew meanwhile.
        counts: whether a number counted up meanwhile.
        blanks: whether it shows a blank value, such as "--", which may stay.
    """

    quiet: bool
    shown: int
    waits: bool
    frames: bool
    found: bool = True
    pictures: bool = False
    grew: bool = False
    counts: bool = False
    blanks: bool = False

    @property
    def has_content(self) -> bool:
        """Return whether the content is there, as far as the document shows."""
        needed = MUCH_CHARACTERS if self.waits or self.blanks else SHOWN_CHARACTERS
        return self.found and self.shown >= needed

    @property
    def unfinished(self) -> LoadState:
        """Return the state of a page whose requests do not end."""
        lacks = self.waits or self.blanks or self.frames
        return LoadState.LOADING if lacks else LoadState.REQUESTING

    @property
    def is_placeholder(self) -> bool:
        """Return whether the document shows nothing but a placeholder."""
        return self.waits and self.shown < PLACEHOLDER_CHARACTERS


def before_scrolling(request: ReadSource) -> ReadSource:
    """Return the limits for a page that is then scrolled through, which may bring the rest."""
    idle_s = min(request.idle_s, IDLE_BEFORE_SCROLLING_S)
    return attrs.evolve(request, wait_for="", idle_s=idle_s)


async def content_comes(
    read_state: Callable[[], Awaitable[ContentState]],
    is_busy: Callable[[], bool],
    repeated_s: Callable[[], float],
    request: ReadSource,
) -> LoadState:
    """Wait until a page shows its content, or for as long as that can be expected.

    Args:
        read_state: waits for a moment, and returns what the page shows.
        is_busy: whether the page has requests under way, or another document on its way.
        repeated_s: when a script of the page last sent a request again, on trio's clock.
        request: the limits; see `ReadSource`.
    """
    began = last_busy = last_idle = grown_at = trio.current_time()
    content_at = most = None
    growing_s = max(CHANGING_S, min(GROWING_S, request.loading_s))
    while True:
        was_busy = is_busy()
        state, now = await read_state(), trio.current_time()
        busy = was_busy or is_busy()  # the state may be that before the response
        last_busy, last_idle = (now, last_idle) if busy else (last_busy, now)
        # A ticker or a text that is typed again and again seldom exceeds its own maximum.
        if state.counts or (state.grew if most is None else state.shown > most):
            grown_at = now
        most = max(most or 0, state.shown)
        still_s = now - max(last_busy, grown_at)
        is_polling = now - repeated_s() < request.idle_s and now - began < PLACEHOLDER_S
        if state.has_content:
            content_at = now if content_at is None else content_at
            calm_s = request.calm_s if grown_at > began else 0
            is_calm = not busy and still_s >= calm_s
            if is_calm and state.quiet and not state.frames:
                return LoadState.WHOLE
            limit_s = CHANGING_S if is_calm else REQUESTS_S
            if now - (max(grown_at, last_idle) if busy else grown_at) >= limit_s:
                return state.unfinished if busy else LoadState.WHOLE
            if now - content_at >= max(growing_s, limit_s):
                return LoadState.LOADING if busy else LoadState.CHANGING
        elif now - began >= request.loading_s:
            return LoadState.LOADING
        elif not (busy or is_polling) and still_s >= (
            max(request.idle_s, PLACEHOLDER_S) if state.is_placeholder else request.idle_s
        ):
            if not state.found:
                return LoadState.LOADING
            return LoadState.STALLED if state.waits else LoadState.WHOLE
