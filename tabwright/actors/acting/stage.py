"""The stage of a page: what its actions share, and how each runs to what comes of it."""

import re
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
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
from tabwright.actors.acting.documents import Documents, ElementGone
from tabwright.actors.acting.downloads import DownloadLog, downloads_folder
from tabwright.actors.acting.request_log import RequestLog
from tabwright.actors.acting.settling import Rest, Settling
from tabwright.actors.loading import EVENTS, Loading
from tabwright.actors.page_life import OpenPage
from tabwright.actors.tab_outfit import TabOutfit
from tabwright.cdp.background import open_background
from tabwright.cdp.domains import browser, emulation, log, network, page, runtime
from tabwright.cdp.errors import CDPError
from tabwright.cdp.session import Session
from tabwright.cdp.wire import Event
from tabwright.protocol.acting import Outcome, OutlineView
from tabwright.protocol.errors import BadInput, NavigationFailed, PageFailed

CHANGES_TOKENS = 400
"""What the changes after an action may have; more is what a snapshot is for."""

BODIES_BYTES_MAX = 20_000_000
"""The latest bodies that the browser keeps for who asks for one."""

ANSWER_S = 10.0
"""For a page to say what it shows, or what has become of it; one that takes longer hangs."""

END_SCRIPTS_S = 1.0

READY_S = 10.0
"""For a page to be made ready to be acted on; it takes a few milliseconds."""

FRAME_EVENT_TYPES = (page.FileChooserOpened, *console_log.EVENTS)
"""What a frame of another process may tell at any time."""

FRAME_OPENING = (runtime.enable(), log.enable(), page.intercept_file_chooser(enabled=True))
"""Has a page, or a frame of another process, tell of these."""

EVENT_TYPES = (page.DialogClosed, *FRAME_EVENT_TYPES, *request_log.EVENTS)
"""What the page may tell at any time; dialogs themselves are heard by whoever keeps the tab."""

ERROR_PAGE = "chrome-error:"
"""What a tab shows in place of a page that did not come."""

ASKS_FOR_FILES = " It asks for files: give them with upload."

_NET_ERROR = re.compile(r"ERR_[A-Z_]+")

Work: TypeAlias = Callable[[], Awaitable[None]]


@attrs.frozen
class Move:
    """What is about to be done.

    Attributes:
        said: what it is, once it is done.
        work: does it.
        held_s: for the page to take it: one whose own scripts hold it up for longer hangs.
        looks_only: whether the page may well stay as it is, so that it is asked first.
        gives_files: whether it gives the page what it may ask for.
    """

    said: str
    work: Work
    held_s: float = 10.0
    looks_only: bool = False
    gives_files: bool = False


class Stage:
    """One page that is acted on.

    Args:
        opened: the page.
        outfit: what it works with.
        dialogs: those that it opens.
        working: what each piece of work stands in.
    """

    def __init__(
        self,
        opened: OpenPage,
        outfit: TabOutfit,
        dialogs: Dialogs,
        working: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self.session = opened.session
        self.documents = Documents(opened.session, opened.frame_id, outfit.documents)
        self.console = ConsoleLog()
        self.requests = RequestLog()
        self.dialogs = dialogs
        self.secrets = outfit.secrets
        acting = outfit.settings.acting
        self.files = DownloadLog(downloads_folder(acting.downloads), acting.download_bytes_max)
        self.opened: deque[str] = deque()
        self._page = opened
        self._settings = outfit.settings.network
        self._working = working
        self._settling = Settling(self.documents, self.requests)
        self._last: Outline | None = None
        self._asks_for_files = False
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
                nursery.start_soon(
                    self._attend_frames, partial(nursery.start_soon, self._hear_frame)
                )
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
            async with self._explaining():
                if not self.dialogs.open:
                    await self._come_to_front()
                yield

    @asynccontextmanager
    async def _explaining(self) -> AsyncGenerator[None]:
        """Says what has changed where an element is gone, and ends scripts that hold the page up.

        Raises:
            ElementGone, PageFailed: with the reason.
        """
        try:
            yield
        except ElementGone as gone:
            raise ElementGone(gone.message, advice=await self._since_then(gone.advice)) from None
        except trio.TooSlowError as error:
            await self.end_scripts()
            raise PageFailed(
                "The page hangs: its scripts held it up, and were ended.",
                advice="Go on, or navigate elsewhere where it hangs again.",
            ) from error

    async def _since_then(self, advice: str) -> str:
        """What has come in the place of an element, as far as the page can still say so."""
        before = self._last
        with trio.move_on_after(ANSWER_S), suppress(PageFailed, CDPError):
            after = await self.outline()
            if before is not None and before.generation == after.generation:
                told = changes(before, after, CHANGES_TOKENS)
                return f"Since the last snapshot:\n{told}" if told else advice
        return advice

    async def end_scripts(self) -> None:
        """Ends what runs in the page now; what it has begun may well run on later."""
        with trio.move_on_after(END_SCRIPTS_S, shield=True), suppress(CDPError):
            for session in tuple(self.documents.sessions):
                await session.execute(runtime.terminate_execution())

    async def outline(self) -> Outline:
        """The whole page; it is what the next changes are told from.

        Raises:
            PageFailed, CDPError: there is none to be had.
        """
        with trio.fail_after(ANSWER_S):
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
        self._asks_for_files = False
        console, files = self.console.last, len(self.files.listed)
        if move.looks_only:
            await self._settling.stirred()
        rest = await self._done(move, before.url)
        if rest is None:
            return Outcome(move.said, before.url, before.title)
        outcome = Outcome(
            said=move.said
            + (ASKS_FOR_FILES if self._asks_for_files and not move.gives_files else ""),
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
        if after.url.startswith(ERROR_PAGE):
            raise _missing(after)
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
                *FRAME_OPENING,
                network.enable_with_bodies(BODIES_BYTES_MAX),
                emulation.set_focused(enabled=True),
            )
        )
        await self._page.running.pop_ups.ready()
        if folder := self.files.folder:
            await trio.to_thread.run_sync(partial(folder.mkdir, parents=True, exist_ok=True))
            root = self._page.running.connection.root
            await root.execute(browser.allow_downloads(str(folder), self._page.context_id))

    async def _attend_frames(self, joined: Callable[[Session], None]) -> None:
        with suppress(CDPError):
            await self.documents.attend(joined)

    async def _hear_frame(self, session: Session) -> None:
        """Hears what a frame of another process tells."""
        with suppress(CDPError), session.subscribe(*FRAME_EVENT_TYPES) as events:
            await session.execute_all(FRAME_OPENING)
            async for event in events:
                self._hear(event)

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
            case page.FileChooserOpened():
                self._asks_for_files = True
            case _:
                self.console.take(event)
                self.requests.take(event)


def _missing(shown: Outline) -> NavigationFailed:
    """What is said where the tab shows that a page did not come."""
    words = " ".join(part for line in shown.lines for part in line.parts if isinstance(part, str))
    code = _NET_ERROR.search(words)
    return NavigationFailed(
        f"The page did not load ({code[0] if code else 'no reason is given'}).",
        advice="Navigate elsewhere, or reload to be where you were.",
    )
