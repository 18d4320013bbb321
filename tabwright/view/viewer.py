"""One person's visit to the live view: what is sent to the page, and what the person does."""

import math
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Protocol

import attrs
import msgspec
import trio

from tabwright.cdp.errors import CDPError
from tabwright.concurrency.nursery import background_nursery
from tabwright.page.live_page import LivePage
from tabwright.page.live_tabs import LiveTabs
from tabwright.page.screencast import LatestFrame, LiveFrame
from tabwright.protocol.errors import TabwrightError
from tabwright.view import messages as sent
from tabwright.view.inputs import InputQueue, commands_of
from tabwright.view.links import ViewSession
from tabwright.view.messages import (
    DialogShown,
    ElementShown,
    EventList,
    EventShown,
    PageMessage,
    PictureHead,
    ProblemShown,
    ServerMessage,
    TabCard,
    TabEnded,
    TabList,
    read_message,
    write_message,
    write_picture,
)
from tabwright.view.pictures import FRAME_BYTES_MAX, PictureFitter, PicturePart, sharp_parts

STATE_S = 0.4
"""Seconds between two reads of the state of the tabs."""

OUTLINE_S = 2.0
"""Seconds between two outlines of the page that is shown, or two small pictures of a tab."""

OUTLINE_SHARE = 30
"""The least multiple of the time of an outline until the next: a long page stops meanwhile."""

LINES_MAX = 400
"""The maximum number of lines of an outline."""

GRID_WIDTH = 320
"""Width of a small picture, in pixels."""

REST_S = 0.25
"""Seconds without a change after which a page is shown sharp."""

FRAME_S = 1 / 30
"""The shortest time between two live pictures, in seconds."""

IN_FLIGHT_MAX = 2
"""The number of pictures that can be under way to a page that acknowledges them fast; else one."""

SLOW_S, FAST_S = 0.25, 0.05
"""Pictures get smaller if an acknowledgement takes longer, larger if it takes less time."""

BYTES_MIN = 8_000
"""The smallest limit of a picture for a slow connection, in bytes."""

FILE_BYTES_MAX = 50_000_000
"""The maximum size of the files that a person chooses at a time."""


class Channel(Protocol):
    """The connection to the page in the person's browser."""

    async def receive(self) -> str | bytes | None:
        """Wait for a message; None at the end."""
        ...

    async def send(self, message: str | bytes) -> None:
        """Send a message."""
        ...


@attrs.define(eq=False)
class Pace:
    """How many pictures are under way to the page, and how large they may be."""

    bytes_max: float = FRAME_BYTES_MAX
    _sent_s: list[float] = attrs.field(factory=list[float], init=False)
    _took_s: float = attrs.field(default=0.0, init=False)
    _acked: trio.Event = attrs.field(factory=trio.Event, init=False)

    async def room(self) -> None:
        """Wait until another picture can be sent."""
        while len(self._sent_s) >= (IN_FLIGHT_MAX if self._took_s < FAST_S else 1):
            self._acked = trio.Event()
            await self._acked.wait()

    def note_sent(self) -> None:
        """Count a picture."""
        self._sent_s.append(trio.current_time())

    def ack(self) -> None:
        """Note that the page has drawn the first picture that is under way."""
        if self._sent_s:
            took_s = self._took_s = trio.current_time() - self._sent_s.pop(0)
            factor = 0.7 if took_s > SLOW_S else 1.15 if took_s < FAST_S else 1.0
            self.bytes_max = min(FRAME_BYTES_MAX, max(BYTES_MIN, self.bytes_max * factor))
            self._acked.set()


@attrs.define(eq=False)
class _Incoming:
    """A file that is being received."""

    path: Path
    left: int


@attrs.define(eq=False)
class Viewer:
    """A person that has opened the live view.

    Attributes:
        session: of the person.
        folder: creates a folder for files that the person chooses.
    """

    _channel: Channel
    _tabs: LiveTabs
    session: ViewSession
    folder: Callable[[], Path]
    _live: LivePage | None = attrs.field(default=None, init=False)
    _switched: trio.Event = attrs.field(factory=trio.Event, init=False)
    _sending: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _inputs: InputQueue = attrs.field(factory=InputQueue, init=False)
    _view: LiveFrame | None = attrs.field(default=None, init=False)
    _pace: Pace = attrs.field(factory=Pace, init=False)
    _files: list[Path] = attrs.field(factory=list[Path], init=False)
    _file: _Incoming | None = attrs.field(default=None, init=False)

    async def run(self) -> None:
        """Serve the person until the connection ends."""
        async with background_nursery() as nursery:
            nursery.start_soon(self._send_tabs)
            nursery.start_soon(self._send_grid)
            nursery.start_soon(self._act)
            nursery.start_soon(self._follow)
            while (message := await self._channel.receive()) is not None:
                try:
                    await self._take(message)
                except (TabwrightError, msgspec.MsgspecError) as error:
                    await self._send(ProblemShown(str(error)))
                except CDPError:
                    await self._send(ProblemShown("The page is gone."))

    # The input of the person.

    async def _take(self, message: str | bytes) -> None:
        if isinstance(message, bytes):
            return await self._take_bytes(message)
        event = read_message(message)
        match event:
            case sent.WatchTab():
                self._watch(event.tab)
            case sent.PictureDrawn():
                self._pace.ack()
            case _ if self._live is None:
                return None
            case sent.TakeOver(over=True):
                await self._live.take_over(self.session.id)
            case sent.TakeOver():
                self._live.hand_back(self.session.id)
            case _ if self._live.person != self.session.id:
                return None
            case _:
                await self._use(self._live, event)
        return None

    async def _use(self, live: LivePage, event: PageMessage) -> None:
        match event:
            case sent.DialogAnswer():
                await live.answer_dialog(accept=event.accept, text=event.text)
            case sent.FileChosen():
                await self._begin_file(event)
            case sent.FilesComplete():
                files, self._files = self._files, []
                await live.choose_files([str(path) for path in files])
            case sent.GoTo():
                await live.go(event.where)
            case sent.Hello() | sent.WatchTab() | sent.PictureDrawn() | sent.TakeOver():
                return
            case _:
                self._inputs.put(event)

    async def _begin_file(self, event: sent.FileChosen) -> None:
        if event.size > FILE_BYTES_MAX:
            limit = FILE_BYTES_MAX // 1_000_000
            await self._send(ProblemShown(f"A file can have at most {limit} MB."))
            return
        name = Path(event.name.replace("\\", "/")).name.lstrip(".") or "file"
        path = await trio.to_thread.run_sync(self.folder) / name
        await trio.Path(path).write_bytes(b"")
        self._file = _Incoming(path, event.size)
        self._note_file()

    async def _take_bytes(self, data: bytes) -> None:
        file = self._file
        if file is None or len(data) > file.left:
            return
        async with await trio.open_file(file.path, "ab") as out:
            await out.write(data)
        file.left -= len(data)
        self._note_file()

    def _note_file(self) -> None:
        if self._file is not None and not self._file.left:
            self._files.append(self._file.path)
            self._file = None

    async def _act(self) -> None:
        """Pass what the person does to the page, in order."""
        while True:
            event = await self._inputs.next()
            live, view = self._live, self._view
            if live is not None and view is not None and live.person == self.session.id:
                with suppress(CDPError):  # the page is gone, which the list of tabs shows
                    await live.send(tuple(commands_of(event, view)))

    # The view of the person.

    def _watch(self, number: int | None) -> None:
        if self._live is not None:
            self._live.hand_back(self.session.id)
        self._live = next((one for one in self._visible() if one.state().number == number), None)
        self._view = None
        self._switched.set()

    def _visible(self) -> tuple[LivePage, ...]:
        return tuple(filter(self.session.scope.includes, self._tabs.all()))

    async def _send(self, message: ServerMessage) -> None:
        await self._transmit(write_message(message))

    async def _transmit(self, message: str | bytes) -> None:
        async with self._sending:
            await self._channel.send(message)

    async def _send_tabs(self) -> None:
        """Send the list of tabs as it changes."""
        shown: TabList | None = None
        while True:
            now = TabList(tuple([await self._card(one) for one in self._visible()]))
            if now != shown:
                shown = now
                await self._send(now)
            if self._live is not None and self._live not in self._visible():
                await self._send(TabEnded(self._live.outcome or "The tab was closed."))
                self._watch(None)
                self._live = None
            await trio.sleep(STATE_S)

    async def _card(self, live: LivePage) -> TabCard:
        state = live.state()
        url = title = ""
        with suppress(CDPError):
            place = await live.location()
            url, title = place.url, place.title
        person = "you" if live.person == self.session.id else "other" if live.person else ""
        return TabCard(state.number, title, url, state.purpose, state.use, person, live.help)

    async def _send_grid(self) -> None:
        """Send small pictures of all tabs while none is shown live."""
        while True:
            for live in self._visible() if self._live is None else ():
                with suppress(CDPError):
                    data = await live.thumbnail(GRID_WIDTH)
                    if data and self._live is None:
                        picture = PictureHead(live.state().number, live=False)
                        await self._transmit(write_picture(picture, data))
            await trio.sleep(OUTLINE_S)

    async def _follow(self) -> None:
        """Show the chosen tab until another is chosen."""
        while True:
            self._switched = trio.Event()
            async with background_nursery() as nursery:
                if self._live is not None:
                    nursery.start_soon(self._send_page, self._live)
                    nursery.start_soon(self._send_outline, self._live)
                    nursery.start_soon(self._send_frames, self._live)
                await self._switched.wait()

    async def _send_page(self, live: LivePage) -> None:
        """Send the state of a tab, and its events, as they change."""
        number, shown = 0, None
        while True:
            dialog = live.dialog
            asked = DialogShown(dialog.kind, dialog.message, dialog.preset) if dialog else None
            now = sent.TabShown(await self._card(live), asked, live.wants_files)
            if now != shown:
                shown = now
                await self._send(now)
            if events := live.events_after(number):
                number = events[-1].number
                listed = tuple(EventShown(one.number, one.kind, one.text) for one in events)
                await self._send(EventList(listed))
            await trio.sleep(STATE_S / 4)

    async def _send_outline(self, live: LivePage) -> None:
        """Send the outline of a tab as it changes."""
        shown: sent.OutlineShown | None = None
        while True:
            began_s = trio.current_time()
            with suppress(CDPError, TabwrightError, trio.TooSlowError):
                lines = (await live.outline())[:LINES_MAX]
                now = sent.OutlineShown(
                    tuple(
                        ElementShown(one.depth, one.role, one.name, one.value, tuple(one.states))
                        for one in lines
                    )
                )
                if now != shown:
                    shown = now
                    await self._send(now)
            took_s = trio.current_time() - began_s
            await trio.sleep(max(OUTLINE_S, OUTLINE_SHARE * took_s))

    async def _send_frames(self, live: LivePage) -> None:
        """Send the newest picture whenever the page in the person's browser has drawn the last."""
        fitter, unsharp = PictureFitter(), None
        with live.screencast.watched() as latest:
            while True:
                await self._pace.room()  # before the choice of the picture, which would get old
                frame = None
                with trio.move_on_after(math.inf if unsharp is None else REST_S):
                    frame = await latest.next()
                if frame is None:
                    if unsharp is not None:
                        await self._send_sharp(live, unsharp, latest)
                    unsharp = None
                    continue
                self._view = frame
                part = PicturePart(frame.data)
                if len(frame.data) > self._pace.bytes_max:
                    fit = partial(fitter.fit, frame.data, int(self._pace.bytes_max))
                    part = await trio.to_thread.run_sync(fit)
                unsharp = None if part.sharp else frame
                await self._send_part(live, frame, part)
                await trio.sleep_until(frame.at_s + FRAME_S)

    async def _send_sharp(self, live: LivePage, frame: LiveFrame, latest: LatestFrame) -> None:
        """Send a picture in sharp parts, until there is a newer one."""
        parts = partial(tuple[PicturePart, ...], sharp_parts(frame.data, FRAME_BYTES_MAX))
        for part in await trio.to_thread.run_sync(parts):
            if not latest.is_new:
                await self._send_part(live, frame, part)
                await self._pace.room()

    async def _send_part(self, live: LivePage, frame: LiveFrame, part: PicturePart) -> None:
        picture = PictureHead(
            live.state().number,
            live=True,
            y=part.y,
            height=part.height,
            view_width=frame.width,
            view_height=frame.height + frame.top,
            media_type=part.media_type,
        )
        self._pace.note_sent()
        await self._transmit(write_picture(picture, part.data))
