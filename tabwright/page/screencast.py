"""The picture of a page as it changes, for everyone that watches the page.

The browser loses a change while two of its pictures wait for an acknowledgement. So each is
acknowledged at once, and a watcher that is slower than the page gets the newest.
"""

import base64
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress

import attrs
import trio

from tabwright.cdp.domains import page
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.cdp.session import CDPSession
from tabwright.concurrency.nursery import background_nursery
from tabwright.page.frames import POLL_S
from tabwright.page.isolated_worlds import UNDO_S

QUALITY = 55
"""Quality of the JPEG pictures, 0 to 100; they are made smaller where they are sent."""

SIDE_MAX = 1280
"""Maximum width and height of a picture, in pixels."""

LATE_S = 10.0
"""Seconds in which a picture arrives; an earlier time is that of a clock that was set back."""


@attrs.frozen
class LiveFrame:
    """A picture of the view of a page.

    Attributes:
        data: a JPEG.
        width, height: of the view, in CSS pixels.
        top: CSS pixels of the picture that are above the view.
        at_s: when it was received, on the clock of trio.
        taken_at: when it was taken, in seconds since the epoch, on the clock of the browser.
    """

    data: bytes = attrs.field(repr=False)
    width: float
    height: float
    top: float
    at_s: float
    taken_at: float


@attrs.define(eq=False)
class LatestFrame:
    """The newest picture that a watcher has not seen yet."""

    _frame: LiveFrame | None = None
    _came: trio.Event = attrs.field(factory=trio.Event)

    @property
    def is_new(self) -> bool:
        """Return whether there is a picture that was not returned yet."""
        return self._frame is not None

    def put(self, frame: LiveFrame) -> None:
        """Replace the picture."""
        self._frame = frame
        self._came.set()

    async def next(self) -> LiveFrame:
        """Wait for a picture that was not returned yet, and return the newest."""
        while (frame := self._frame) is None:
            self._came = trio.Event()
            await self._came.wait()
        self._frame = None
        return frame


@attrs.define(eq=False)
class Screencast:
    """The pictures of one page, which the browser makes while a person watches.

    Attributes:
        check: returns since when the page is known to show nothing secret, in seconds since the
            epoch, on the clock of the browser: older pictures cannot be shown. None if it did show
            something until now, or cannot tell.
        left: is called when the last watcher has left.
    """

    _session: CDPSession
    check: Callable[[], Awaitable[float | None]]
    left: Callable[[], Awaitable[None]]
    _watchers: list[LatestFrame] = attrs.field(factory=list[LatestFrame], init=False)
    _changed: trio.Event = attrs.field(factory=trio.Event, init=False)
    _last: LiveFrame | None = attrs.field(default=None, init=False)

    @contextmanager
    def watched(self) -> Generator[LatestFrame]:
        """Yield where the newest picture is, for as long as the block runs."""
        watcher = LatestFrame(self._last)
        self._watchers.append(watcher)
        self._changed.set()
        try:
            yield watcher
        finally:
            self._watchers.remove(watcher)
            self._changed.set()

    async def attend(self) -> None:
        """Take pictures while a person watches, until the page is gone."""
        try:
            while True:
                await self._until(watched=True)
                try:
                    async with background_nursery() as nursery:
                        nursery.start_soon(self._take)
                        await self._until(watched=False)
                finally:
                    self._last = None
                    with trio.move_on_after(UNDO_S, shield=True), suppress(CDPError):
                        await self._session.execute(page.stop_screencast())
                        await self.left()
        except* CDPError:  # the actor of the tab reports the end of the page
            pass

    async def _until(self, *, watched: bool) -> None:
        while bool(self._watchers) is not watched:
            self._changed = trio.Event()
            await self._changed.wait()

    async def _take(self) -> None:
        newest = LatestFrame()
        with self._session.subscribe(page.ScreencastFrame) as frames:
            async with background_nursery() as nursery:
                nursery.start_soon(self._pass_on, newest)
                await self._start()
                async for event in frames:
                    view = event.metadata
                    newest.put(
                        LiveFrame(
                            base64.b64decode(event.data),
                            view.device_width,
                            view.device_height,
                            view.offset_top,
                            trio.current_time(),
                            view.timestamp,
                        )
                    )
                    with suppress(CommandFailed):  # it was stopped meanwhile
                        await self._session.execute(page.acknowledge_frame(event.session_id))

    async def _start(self) -> None:
        await self._session.execute(page.start_screencast(QUALITY, SIDE_MAX))

    async def _pass_on(self, newest: LatestFrame) -> None:
        while True:
            frame = await newest.next()
            clean_since = await self._checked()
            if clean_since is None or 0 <= clean_since - frame.taken_at <= LATE_S:
                await self._session.execute(page.stop_screencast())
                while await self._checked() is None:
                    await trio.sleep(POLL_S)
                await self._start()
                continue
            self._last = frame
            for watcher in self._watchers:
                watcher.put(frame)

    async def _checked(self) -> float | None:
        """Check the page; one that changes its document cannot tell what it showed."""
        with suppress(CommandFailed):
            return await self.check()
        return None
