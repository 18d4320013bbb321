"""All events of a page, collected from its first action until it is gone."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress

import attrs
import trio

from tabwright.browser.identity import privacy_commands
from tabwright.browser.popups import WAITING_MAX
from tabwright.cdp.domains import browser, emulation, log, network, page, runtime, web_mcp
from tabwright.cdp.errors import CDPError, CommandFailed, Gone, MalformedReply
from tabwright.cdp.session import CDPSession, Subscription
from tabwright.cdp.wire import CDPCommand, Event, Nothing
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.settings import ActingSettings
from tabwright.page.events import console_log, downloads, network_log
from tabwright.page.events.console_log import ConsoleLog
from tabwright.page.events.dialogs import Dialogs, SequencedBuffer, dialog_of
from tabwright.page.events.downloads import DownloadLog, downloads_folder
from tabwright.page.events.network_log import REPORTED, LoggedRequest, RequestLog
from tabwright.page.frames import LATEST_MAX, FrameManager
from tabwright.page.open_page import AttachedPage
from tabwright.protocol.actions import BackgroundEvents, Outcome, has_failed
from tabwright.protocol.errors import PageFailed
from tabwright.text.file_errors import file_problem

# The tools that the documents of a page offer to agents (WebMCP), as they come and go.


@attrs.frozen
class FrameTool:
    """A tool, and the session of its frame."""

    tool: web_mcp.OfferedTool
    session: CDPSession


class OfferedTools:
    """The tools that a page offers now."""

    def __init__(self) -> None:
        self._tools: dict[tuple[str, str], FrameTool] = {}

    def __iter__(self) -> Iterator[FrameTool]:
        """Yield the tools, the earliest first."""
        return iter(tuple(self._tools.values()))

    def take(self, event: Event, session: CDPSession) -> None:
        """Note tools that come or go; those of a document go with it."""
        match event:
            case web_mcp.ToolsAdded(tools=added):
                for tool in added[: LATEST_MAX - len(self._tools)]:
                    self._tools[tool.frame_id, tool.name] = FrameTool(tool, session)
            case web_mcp.ToolsRemoved(tools=removed):
                for gone in removed:
                    self._tools.pop((gone.frame_id, gone.name), None)
            case (
                page.LifecycleEvent(name="init", frame_id=frame_id)
                | page.FrameDetached(reason="remove", frame_id=frame_id)
            ):
                for key in [key for key in self._tools if key[0] == frame_id]:
                    del self._tools[key]
            case _:
                pass


# The events of a page.

OPEN_S = 8.0
"""Seconds to enable a page's events; usually a few milliseconds."""

BODIES_BYTES_MAX = 20_000_000
"""Number of latest bodies that the browser keeps for later requests."""

FRAME_EVENTS = (
    page.FileChooserOpened,
    page.FrameDetached,
    page.LifecycleEvent,
    *console_log.EVENTS,
    *network_log.EVENTS,
    *web_mcp.EVENTS,
)
"""The events that a page, or a frame of another process, may emit at any time; the actor of the tab
handles its dialogs, one after the other.
"""

OPENING = (
    network.enable_with_bodies(BODIES_BYTES_MAX),
    runtime.enable(),
    log.enable(),
    page.intercept_file_chooser(enabled=True),
)
"""The commands that enable these events in a page, or in a frame of another process."""


class PageEventCollector:
    """A collector of the events of one page.

    Args:
        opened: the page.
        documents: the documents whose frames are kept attached.
        dialogs: receives the dialogs of pages that it opens.
        settings: the folder and the maximum size of files.

    Attributes:
        console, requests, files: the logs of the page.
        page_tools: the tools that its documents offer.
        opened: the targets of the pages that it has opened, in order.
        asks_for_files: whether it has asked for files since this was last set to False.
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
        # The user's own browser saves its downloads itself.
        downloads_setting = opened.downloads or settings.downloads
        folder = None if opened.own else downloads_folder(downloads_setting)
        self.files = DownloadLog(folder, settings.file_bytes_max)
        self.page_tools = OfferedTools()
        self.opened = SequencedBuffer[str](WAITING_MAX)
        self.asks_for_files = False
        self._page = opened
        self._root = opened.running.connection.root
        self._documents = documents
        self._dialogs = dialogs
        self._offers_tools = settings.page_tools != "off"
        self._wanted = trio.Event()
        self._ready = trio.Event()

    async def attend(self) -> None:
        """Collect events, once requested.

        Raises:
            PageFailed: its events cannot be enabled.
        """
        await self._wanted.wait()
        pop_ups, frame_id = self._page.running.pop_ups, self._page.frame_id
        with (
            suppress(Gone),  # the tab's actor receives that event too, and reports it
            self._page.session.subscribe(*FRAME_EVENTS) as events,
            self._root.subscribe(*downloads.EVENTS) as files,
        ):
            async with (
                pop_ups.of(frame_id, self._note_opened, self._dismiss, keeps=self._page.own),
                background_nursery() as nursery,
            ):
                nursery.start_soon(self._attend_frames, nursery)
                nursery.start_soon(self._observe_files, files)
                await self._open()
                self._ready.set()
                async for event in events:
                    self._observe(event, self._page.session)

    async def ready(self) -> None:
        """Wait until no event can be missed any more."""
        self._wanted.set()
        await self._ready.wait()

    async def _open(self) -> None:
        try:
            with trio.fail_after(OPEN_S):
                await self._page.session.execute_all(
                    (*OPENING, emulation.set_focused(enabled=True))
                )
                await self._enable_tools(self._page.session)
                await self._page.running.pop_ups.ready()
                if not self._page.own:
                    await self._save_downloads()
        except (CommandFailed, MalformedReply, trio.TooSlowError) as error:
            raise PageFailed("The page does not respond to commands.") from error

    async def _save_downloads(self) -> None:
        """Let the browser save downloads, or refuse them if there is no folder for them.

        Raises:
            CommandFailed: the context is gone.
        """
        folder, context_id = self.files.folder, self._page.context_id
        if folder is None:
            self.files.problem = "Downloads are refused. The user can set acting.downloads."
        else:
            partial_downloads = self._page.running.partial_downloads
            try:
                coming = await trio.to_thread.run_sync(partial_downloads.folder_in, folder)
            except OSError as error:
                self.files.problem = (
                    f"{file_problem(error, folder, writing=True)} The user can set"
                    " acting.downloads to a folder that can be written."
                )
            else:
                self.files.coming = coming
                await self._root.execute(browser.allow_downloads(str(coming), context_id))
                return
        await self._root.execute(browser.deny_downloads(context_id))

    async def _enable_tools(self, session: CDPSession) -> None:
        """Let a page or a frame report the tools that it offers, if the browser can."""
        if self._offers_tools:
            with suppress(CommandFailed):
                await session.execute(web_mcp.enable())

    async def _attend_frames(self, nursery: trio.Nursery) -> None:
        def joined(session: CDPSession) -> Sequence[CDPCommand[Nothing]]:
            """Collect the events of a frame while it exists; return the first commands to it."""
            nursery.start_soon(self._observe_frame, session, session.subscribe(*FRAME_EVENTS))
            privacy = privacy_commands() if self._page.is_private else ()
            return (*OPENING, *self._page.running.identity.for_workers(), *privacy)

        with suppress(CDPError):
            await self._documents.attend(joined)

    async def _observe_frame(self, session: CDPSession, events: Subscription[Event]) -> None:
        with suppress(CDPError), events:
            await self._enable_tools(session)
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
        """Return whether a frame belongs to the page, or to a page that it has just opened."""
        opener = self._page.running.pop_ups.opener_of(frame_id)
        return self._documents.has(frame_id) or opener == self._page.frame_id

    def _note_opened(self, target_id: str) -> None:
        """Record that the page it opened last is in front of it."""
        self.opened.add(target_id)
        self._page.running.contexts.front[self._page.context_id] = target_id

    def _dismiss(self, event: page.DialogOpening) -> CDPCommand[Nothing]:
        """Return the answer to a dialog of a page that it has just opened."""
        return self._dialogs.dismiss(dialog_of(event), of_pop_up=True)

    def _observe(self, event: Event, session: CDPSession) -> None:
        self.page_tools.take(event, session)
        match event:
            case page.FileChooserOpened():
                self.asks_for_files = True
            case page.LifecycleEvent(name="init", frame_id=self._page.frame_id):
                self.console.leave()
                self.requests.leave(event.loader_id)
                self._documents.leave_main()
            case log.EntryAdded(entry=entry) if self.requests.is_icon(entry.network_request_id):
                self.console.take(event.lowered())
            case _:
                self.console.take(event)
                self.requests.take(event, session)


# News of a page: reported once, with the action that caused it or with the next one.


@attrs.frozen
class EventCursor:
    """A position in the events of a page: the number of the last event of each log."""

    dialogs: int = 0
    opened: int = 0
    files: int = 0
    console: int = 0
    requests: int = 0


class EventDelta:
    """The events of one page, and the position of those already reported."""

    def __init__(self, collector: PageEventCollector, dialogs: Dialogs) -> None:
        self._collector = collector
        self._dialogs = dialogs
        self._reported = EventCursor()
        self._pending = frozenset[int]()

    def now(self) -> EventCursor:
        """Return the current position."""
        collector = self._collector
        return EventCursor(
            self._dialogs.answered.last,
            collector.opened.last,
            collector.files.changes.last,
            collector.console.last,
            collector.requests.begun,
        )

    def add_events(self, outcome: Outcome, began: EventCursor) -> Outcome:
        """Return the outcome of an action with its events, and the earlier ones apart.

        A failed action reports no events: they are reported with the next action.
        """
        now, requests = self.now(), self._collector.requests
        caused = [one for one in requests.between(began.requests, now.requests) if _is_caused(one)]
        earlier = self._earlier_requests(began)
        meanwhile = self._between(self._reported, began, earlier)
        own = self._between(began, now, (*earlier, *caused))
        self._note_reported(now, (*earlier, *caused))
        return attrs.evolve(
            outcome,
            dialogs=own.dialogs,
            opened=own.opened,
            downloads=own.downloads,
            errors=own.errors,
            requests=tuple(one.entry for one in caused),
            meanwhile=meanwhile,
        )

    def meanwhile(self) -> BackgroundEvents:
        """Return the unreported events, except opened pages: the next action goes there."""
        before, now = self._reported, self.now()
        earlier = self._earlier_requests(now)
        self._note_reported(attrs.evolve(now, opened=before.opened), earlier)
        return self._between(before, self._reported, earlier)

    def pass_over_console(self) -> None:
        """Skip entries and requests from the load of a page: they are returned only on request."""
        now = self.now()
        self._reported = attrs.evolve(self._reported, console=now.console, requests=now.requests)

    def _earlier_requests(self, began: EventCursor) -> tuple[LoggedRequest, ...]:
        """Return the unreported requests before an action that failed or may have changed data.

        Those that were reported as pending are returned once they have ended.
        """
        requests = self._collector.requests
        reported = filter(None, map(requests.find, sorted(self._pending)))
        ended = [one for one in reported if not one.is_pending]
        since = requests.between(self._reported.requests, began.requests)
        return (*ended, *(one for one in since if one.may_change_data or has_failed(one.entry)))

    def _note_reported(self, now: EventCursor, requests: Sequence[LoggedRequest]) -> None:
        """Record that all events until now are reported, and which requests are as pending."""
        pending = {one.entry.number for one in requests if one.is_pending}
        left = filter(None, map(self._collector.requests.find, self._pending))
        pending |= {one.entry.number for one in left if one.is_pending}
        self._pending, self._reported = frozenset(pending), now

    def _between(
        self, first: EventCursor, last: EventCursor, requests: Sequence[LoggedRequest]
    ) -> BackgroundEvents:
        """Return the events and these requests, without console entries about the requests."""
        collector = self._collector
        ids = {one.id for one in requests}
        errors = collector.console.entries("error", first.console, without=ids)
        return BackgroundEvents(
            dialogs=self._dialogs.answered.between(first.dialogs, last.dialogs),
            opened=collector.opened.between(first.opened, last.opened),
            downloads=collector.files.changed(first.files, last.files),
            errors=tuple(one for one in errors if one.number <= last.console),
            requests=tuple(one.entry for one in requests),
        )


def _is_caused(request: LoggedRequest) -> bool:
    """Return whether a request during an action is worth a report."""
    if request.is_icon:
        return False
    return request.entry.kind in REPORTED or request.may_change_data or has_failed(request.entry)
