"""The stage of a page: what its actions share, and how each runs to what comes of it."""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from functools import partial
from typing import TypeAlias

import attrs
import trio

from tabwright.acting.changes import changes
from tabwright.acting.outlines import Outline
from tabwright.acting.writing import written
from tabwright.actors.acting import console_log, downloads, request_log
from tabwright.actors.acting.console_log import ConsoleLog
from tabwright.actors.acting.dialogs import Dialogs
from tabwright.actors.acting.documents import Documents
from tabwright.actors.acting.downloads import DownloadLog, downloads_folder
from tabwright.actors.acting.request_log import RequestLog
from tabwright.actors.acting.settling import Rest, Settling
from tabwright.actors.loading import EVENTS, Loading
from tabwright.actors.page_life import OpenPage
from tabwright.cdp.background import open_background
from tabwright.cdp.domains import browser, emulation, log, network, page, runtime
from tabwright.cdp.errors import CDPError
from tabwright.cdp.wire import Event
from tabwright.config.settings import Settings
from tabwright.protocol.acting import Outcome, OutlineView
from tabwright.protocol.errors import BadInput

CHANGES_TOKENS = 400
"""What the changes after an action may have; more is what a snapshot is for."""

BODIES_BYTES_MAX = 20_000_000
"""The latest bodies that the browser keeps for who asks for one."""

READY_S = 10.0
"""For a page to be made ready to be acted on; it takes a few milliseconds."""

EVENT_TYPES = (
    page.DialogClosed,
    *console_log.EVENTS,
    *request_log.EVENTS,
)
"""What the page may tell at any time; dialogs themselves are heard by whoever keeps the tab."""

Work: TypeAlias = Callable[[], Awaitable[None]]


@attrs.frozen
class Move:
    """What is about to be done.

    Attributes:
        said: what it is, once it is done.
        work: does it.
        held_s: for the page to take it: one whose own scripts hold it up for longer hangs.
        looks_only: whether the page may well stay as it is, so that it is asked first.
    """

    said: str
    work: Work
    held_s: float = 10.0
    looks_only: bool = False


class Stage:
    """One page that is acted on.

    Args:
        opened: the page.
        settings: where it may go.
        dialogs: those that it opens.
        numbers: for its documents.
        working: what each piece of work stands in.
    """

    def __init__(
        self,
        opened: OpenPage,
        settings: Settings,
        dialogs: Dialogs,
        numbers: Iterator[int],
        working: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self.session = opened.session
        self.documents = Documents(opened.session, opened.frame_id, numbers)
        self.console = ConsoleLog()
        self.requests = RequestLog()
        self.dialogs = dialogs
        self.files = DownloadLog(
            downloads_folder(settings.acting.downloads), settings.acting.download_bytes_max
        )
        self.opened: deque[str] = deque()
        self._page = opened
        self._settings = settings.network
        self._working = working
        self._settling = Settling(self.documents, self.requests)
        self._last: Outline | None = None
        self._wanted = trio.Event()
        self._ready = trio.Event()

    async def attend(self) -> None:
        """Hears what the page tells, from the first action on until the page is gone."""
        await self._wanted.wait()
        root = self._page.running.connection.root
        with (
            suppress(CDPError),  # whoever keeps the tab hears of that too, and says so
            self.session.subscribe(*EVENT_TYPES) as events,
            root.subscribe(*downloads.EVENTS) as files,
            self._page.running.pop_ups.of(self._page.frame_id) as self.opened,
        ):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._attend_frames)
                nursery.start_soon(self._hear_files, files)
                await self._enable()
                self._ready.set()
                async for event in events:
                    self._hear(event)

    @asynccontextmanager
    async def ready(self, *, dialog: bool = False) -> AsyncGenerator[None]:
        """Work on the page, which is made ready for it at the first time.

        Args:
            dialog: whether it can be done while a dialog is open.

        Raises:
            BadInput: a dialog is open, which has to be answered first.
            BrowserDied, PageFailed: the page is gone, or hangs.
        """
        with self._working():
            self._wanted.set()
            with trio.fail_after(READY_S):
                await self._ready.wait()
            self.dialogs.asked = True
            if (waiting := self.dialogs.open) and not dialog:
                raise BadInput(
                    f"The page waits for an answer to its {waiting.kind}: {waiting.message!r}.",
                    advice="Answer it with dialog.",
                )
            if not self.dialogs.open:
                await self._come_to_front()
            yield

    async def outline(self) -> Outline:
        """The whole page; it is what the next changes are told from.

        Raises:
            PageFailed, CDPError: there is none to be had.
        """
        self._last = await self.documents.outline({})
        return self._last

    @property
    def last(self) -> Outline | None:
        """The outline that was taken last."""
        return self._last

    async def settle(self) -> None:
        """Waits for the page to come to rest.

        Raises:
            BadInput, NavigationFailed, PageFailed: it went somewhere, and what came of that.
        """
        await self._done(Move("", trio.lowlevel.checkpoint), "")

    async def act(self, move: Move) -> Outcome:
        """Does it, waits for the page to come to rest, and tells what has changed.

        Where the page opens a dialog, nothing more is waited for.

        Raises:
            BadInput, NavigationFailed, PageFailed: what came of it.
            CDPError: the page is gone.
        """
        before = self._last or await self.outline()
        self.requests.forget_waiting()
        self.dialogs.forget()
        console, files = self.console.last, len(self.files.listed)
        if move.looks_only:
            await self._settling.stirred()
        rest = await self._done(move, before.url)
        if rest is None:
            return Outcome(move.said, before.url, before.title)
        outcome = Outcome(
            said=move.said,
            navigated=rest.loaded,
            dialogs=tuple(self.dialogs.said),
            dialog=self.dialogs.open,
            opened=self._opened_pages(),
            downloads=self.files.listed[files:],
            errors=self.console.entries("error", console),
            busy=rest.busy,
        )
        return await self._told(outcome, before)

    async def _told(self, outcome: Outcome, before: Outline) -> Outcome:
        """With where the page is now, and what is new there."""
        if outcome.dialog is not None:
            return attrs.evolve(outcome, url=before.url, title=before.title)
        after = await self.outline()
        if after.generation == before.generation:
            told = changes(before, after, CHANGES_TOKENS)
        else:
            told = written(after, OutlineView(max_tokens=CHANGES_TOKENS)).text
        return attrs.evolve(outcome, url=after.url, title=after.title, changes=told)

    def _opened_pages(self) -> tuple[str, ...]:
        """What the page has opened since it was last asked, which is before it now."""
        opened = tuple(self.opened)
        self.opened.clear()
        if opened:
            self._page.running.contexts.front[self._page.context_id] = opened[-1]
        return opened

    async def _done(self, move: Move, url: str) -> Rest | None:
        """Does it; how the page came to rest after it, None where nothing of it has stirred."""
        async with open_background() as watching, self._loading(url) as (loading, events):
            with trio.CancelScope() as until_dialog:
                watching.start_soon(self._cancel_at_dialog, until_dialog)
                with trio.fail_after(move.held_s):
                    await move.work()
                if not move.looks_only or await self._settling.stirred():
                    return await self._settling.rest(loading, events)
                return None
        return Rest(busy=True)

    async def _cancel_at_dialog(self, scope: trio.CancelScope) -> None:
        await self.dialogs.opens()
        scope.cancel()

    @asynccontextmanager
    async def _loading(self, url: str) -> AsyncGenerator[tuple[Loading, AsyncIterator[Event]]]:
        """Where the page may go from now on."""
        loading = Loading(
            url,
            self._page.frame_id,
            self._settings.bounds,
            bytes_max=self._settings.page_bytes_max,
        )
        with self.session.subscribe(*EVENTS) as events:
            yield loading, events

    async def _come_to_front(self) -> None:
        """A page behind others gets no frames, and a picture of it takes a minute."""
        front, here = self._page.running.contexts.front, self._page.context_id
        if front.get(here, self._page.frame_id) != self._page.frame_id:
            await self.session.execute(page.bring_to_front())
        front[here] = self._page.frame_id

    async def _enable(self) -> None:
        await self.session.execute_all(
            (
                runtime.enable(),
                log.enable(),
                network.enable_with_bodies(BODIES_BYTES_MAX),
                emulation.set_focused(enabled=True),
            )
        )
        await self._page.running.pop_ups.ready()
        if folder := self.files.folder:
            await trio.to_thread.run_sync(partial(folder.mkdir, parents=True, exist_ok=True))
            root = self._page.running.connection.root
            await root.execute(browser.allow_downloads(str(folder), self._page.context_id))

    async def _attend_frames(self) -> None:
        with suppress(CDPError):
            await self.documents.attend()

    async def _hear_files(self, events: AsyncIterator[Event]) -> None:
        with suppress(CDPError):
            async for event in events:
                match event:
                    case browser.DownloadWillBegin() if self.documents.has(event.frame_id):
                        self.files.begin(event)
                    case browser.DownloadProgress() if not self.files.proceed(event):
                        root = self._page.running.connection.root
                        await root.execute(browser.cancel_download(event.guid, None))
                    case _:
                        pass

    def _hear(self, event: Event) -> None:
        match event:
            case page.DialogClosed():
                self.dialogs.closed()
            case _:
                self.console.take(event)
                self.requests.take(event)
