"""All events of a page, collected from its first action until it is gone."""

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

import attrs
import trio

from tabwright.browser.popups import WAITING_MAX
from tabwright.cdp.domains import browser, emulation, log, network, page, runtime
from tabwright.cdp.errors import CDPError, CommandFailed, Gone, MalformedReply
from tabwright.cdp.session import CDPSession, Subscription
from tabwright.cdp.wire import CDPCommand, Event, Nothing
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.settings import ActingSettings
from tabwright.page.events import console_log, downloads, network_log
from tabwright.page.events.console_log import ConsoleLog
from tabwright.page.events.dialogs import Dialogs, SequencedBuffer, dialog_of
from tabwright.page.events.downloads import DownloadLog, downloads_folder
from tabwright.page.events.network_log import RequestLog
from tabwright.page.frames import FrameManager
from tabwright.page.open_page import AttachedPage
from tabwright.protocol.actions import BackgroundEvents, Outcome
from tabwright.protocol.errors import PageFailed

OPEN_S = 8.0
"""For a page to begin to tell; it takes a few milliseconds."""

BODIES_BYTES_MAX = 20_000_000
"""The latest bodies that the browser keeps for who asks for one."""

FRAME_EVENTS = (
    page.FileChooserOpened,
    page.LifecycleEvent,
    *console_log.EVENTS,
    *network_log.EVENTS,
)
"""What a page, or a frame of another process, may tell at any time; its dialogs are heard by
the actor that keeps the tab, one after the other."""

OPENING = (
    network.enable_with_bodies(BODIES_BYTES_MAX),
    runtime.enable(),
    log.enable(),
    page.intercept_file_chooser(enabled=True),
)
"""Has a page, or a frame of another process, tell of these."""


class PageEventCollector:
    """Hears one page.

    Args:
        opened: the page.
        documents: its frames are kept attached.
        dialogs: are told of those of pages that it opens.
        settings: where files go, and how large they may be.

    Attributes:
        console, requests, files: what it has told of each.
        opened: the targets of the pages that it has opened, as they come.
        asks_for_files: whether it has, since this was last set to False.
    """

    def __init__(
        self,
        opened: AttachedPage,
        documents: FrameManager,
        dialogs: Dialogs,
        settings: ActingSettings,
    ) -> None:
        self.console = ConsoleLog()
        self.requests = RequestLog()
        self.files = DownloadLog(downloads_folder(settings.downloads), settings.download_bytes_max)
        self.opened = SequencedBuffer[str](WAITING_MAX)
        self.asks_for_files = False
        self._page = opened
        self._root = opened.running.connection.root
        self._documents = documents
        self._dialogs = dialogs
        self._wanted = trio.Event()
        self._ready = trio.Event()

    async def attend(self) -> None:
        """Hears it, once it is wanted.

        Raises:
            PageFailed: it cannot be heard.
        """
        await self._wanted.wait()
        pop_ups, frame_id = self._page.running.pop_ups, self._page.frame_id
        with (
            suppress(Gone),  # the keeper of the tab hears of that too, and says so
            self._page.session.subscribe(*FRAME_EVENTS) as events,
            self._root.subscribe(*downloads.EVENTS) as files,
        ):
            async with (
                pop_ups.of(frame_id, self._note_opened, self._dismiss),
                background_nursery() as nursery,
            ):
                nursery.start_soon(self._attend_frames, nursery)
                nursery.start_soon(self._observe_files, files)
                await self._open()
                self._ready.set()
                async for event in events:
                    self._observe(event, self._page.session)

    async def ready(self) -> None:
        """Waits until nothing is missed any more."""
        self._wanted.set()
        await self._ready.wait()

    async def _open(self) -> None:
        try:
            with trio.fail_after(OPEN_S):
                await self._page.session.execute_all(
                    (*OPENING, emulation.set_focused(enabled=True))
                )
                await self._page.running.pop_ups.ready()
                if folder := self.files.folder:
                    partial_downloads = self._page.running.partial_downloads
                    coming = await trio.to_thread.run_sync(partial_downloads.folder_in, folder)
                    self.files.coming = coming
                    await self._root.execute(
                        browser.allow_downloads(str(coming), self._page.context_id)
                    )
        except (CommandFailed, MalformedReply, trio.TooSlowError) as error:
            raise PageFailed("The page does not respond to commands.") from error
        except OSError as error:
            raise PageFailed(
                f"Downloads cannot be saved: {error}.", advice="Check acting.downloads."
            ) from error

    async def _attend_frames(self, nursery: trio.Nursery) -> None:
        def joined(session: CDPSession) -> Sequence[CDPCommand[Nothing]]:
            """Has a frame heard as long as it is there; gives what it is sent first."""
            nursery.start_soon(self._observe_frame, session, session.subscribe(*FRAME_EVENTS))
            return OPENING

        with suppress(CDPError):
            await self._documents.attend(joined)

    async def _observe_frame(self, session: CDPSession, events: Subscription[Event]) -> None:
        with suppress(CDPError), events:
            async for event in events:
                self._observe(event, session)

    async def _observe_files(self, events: AsyncIterator[Event]) -> None:
        with suppress(CDPError):
            async for event in events:
                match event:
                    case browser.DownloadWillBegin() if self._is_ours(event.frame_id):
                        self.files.begin(event)
                    case browser.DownloadProgress() if not self.files.proceed(event):
                        with suppress(CommandFailed):  # it has just ended
                            await self._root.execute(
                                browser.cancel_download(event.guid, self._page.context_id)
                            )
                    case _:
                        pass

    def _is_ours(self, frame_id: str) -> bool:
        """Whether a frame is the page's, or of a page that it has just opened."""
        opener = self._page.running.pop_ups.opener_of(frame_id)
        return self._documents.has(frame_id) or opener == self._page.frame_id

    def _note_opened(self, target_id: str) -> None:
        """The page that it has opened last is before it."""
        self.opened.add(target_id)
        self._page.running.contexts.front[self._page.context_id] = target_id

    def _dismiss(self, event: page.DialogOpening) -> CDPCommand[Nothing]:
        """The answer to a dialog of a page that it has just opened."""
        return self._dialogs.dismiss(dialog_of(event))

    def _observe(self, event: Event, session: CDPSession) -> None:
        match event:
            case page.FileChooserOpened():
                self.asks_for_files = True
            case page.LifecycleEvent(name="init", frame_id=self._page.frame_id):
                self.console.leave()
            case log.EntryAdded(entry=entry) if self.requests.is_icon(entry.network_request_id):
                self.console.take(event.lowered())
            case _:
                self.console.take(event)
                self.requests.take(event, session)


# News of a page: reported once, with the action that caused it or with the next one.


@attrs.frozen
class EventCursor:
    """How much a page had told by then: the number of the last of each."""

    dialogs: int = 0
    opened: int = 0
    files: int = 0
    console: int = 0


class EventDelta:
    """What one page tells, and how much of it was told on."""

    def __init__(self, witness: PageEventCollector, dialogs: Dialogs) -> None:
        self._witness = witness
        self._dialogs = dialogs
        self._told = EventCursor()

    def now(self) -> EventCursor:
        """How much there is."""
        witness = self._witness
        return EventCursor(
            self._dialogs.said.last,
            witness.opened.last,
            witness.files.changes.last,
            witness.console.last,
        )

    def add_events(self, outcome: Outcome, began: EventCursor) -> Outcome:
        """The outcome of an action with what came since it began, and apart what came before.

        An action that fails tells nothing: what came in it is told with the next.
        """
        meanwhile, now = self._between(self._told, began), self.now()
        own = self._between(began, now)
        self._told = now
        return attrs.evolve(
            outcome,
            dialogs=own.dialogs,
            opened=own.opened,
            downloads=own.downloads,
            errors=own.errors,
            meanwhile=meanwhile,
        )

    def meanwhile(self) -> BackgroundEvents:
        """What nobody was told yet, but for pages that were opened: who acts next goes there."""
        before = self._told
        self._told = attrs.evolve(self.now(), opened=before.opened)
        return self._between(before, self._told)

    def pass_over_console(self) -> None:
        """What a page says to its console while it loads is for who asks for it."""
        self._told = attrs.evolve(self._told, console=self._witness.console.last)

    def _between(self, first: EventCursor, last: EventCursor) -> BackgroundEvents:
        witness = self._witness
        errors = witness.console.entries("error", first.console)
        return BackgroundEvents(
            dialogs=self._dialogs.said.between(first.dialogs, last.dialogs),
            opened=witness.opened.between(first.opened, last.opened),
            downloads=witness.files.changed(first.files, last.files),
            errors=tuple(one for one in errors if one.number <= last.console),
        )
