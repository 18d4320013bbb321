"""Recording sessions: each request to a recorded session becomes an event of its trace."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

import attrs
import msgspec
import trio

from tabwright._version import __version__
from tabwright.config.secrets import Secrets
from tabwright.plugins.trace.events import (
    EventError,
    EventKind,
    JSONRecord,
    LinesChange,
    TraceEvent,
    TraceHeader,
    lines_change,
    recorded_action,
    request_record,
)
from tabwright.plugins.trace.masking import HIDDEN, TraceMask
from tabwright.plugins.trace.page_record import RecordPage
from tabwright.plugins.trace.records import PageRecord
from tabwright.plugins.trace.settings import TraceSettings
from tabwright.plugins.trace.trace_file import (
    append_event,
    create_trace,
    picture_name,
    prune_traces,
)
from tabwright.protocol.actions import Action, Outcome, RunSteps
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.inspection import CallPageTool, Evaluate, Evaluation, Inspection
from tabwright.protocol.page_text import PageText
from tabwright.protocol.sessions import FormChoice, LinkChoice
from tabwright.protocol.traces import TraceStatus
from tabwright.sessions.recorder import (
    Navigation,
    RecordedSession,
    SessionRequest,
    TabsChange,
)

AnswerT = TypeVar("AnswerT")


# Requests: which ones are recorded, and as which events.


@attrs.frozen
class RequestedEvent:
    """The event of a request: its kind and its values."""

    kind: EventKind
    values: JSONRecord


def requested_event(request: SessionRequest) -> RequestedEvent | None:
    """Return the event of a request; None for one that changes nothing."""
    event: RequestedEvent | None = None
    match request:
        case Navigation(url=url, new_tab=new_tab):
            event = RequestedEvent("navigate", {"url": url, "new_tab": new_tab})
        case LinkChoice() as link:  # it opens the page that the link leads to
            values = {"number": link.number, "text": link.text, "url": link.url}
            event = RequestedEvent("navigate", {key: one for key, one in values.items() if one})
        case FormChoice() as form:
            event = RequestedEvent("form", {"form": form.index, "id": form.id})
        case TabsChange(action="list"):
            pass
        case TabsChange(action=action, tab=tab):
            event = RequestedEvent("tab", {"action": action, "tab": tab})
        case Evaluate(script=script, ref=ref, refs=refs):
            event = RequestedEvent("script", {"script": script, "ref": ref, "refs": list(refs)})
        case CallPageTool(name=name, origin=origin):
            event = RequestedEvent("tool", {"name": name, "origin": origin})
        case Inspection():  # it only looks at the page
            pass
        case act:
            event = RequestedEvent("action", action_values(act))
    return event


TYPED = frozenset({"text", "keys", "fields"})
"""Fields of actions that can contain passwords; the performed actions have them, without those."""


def action_values(action: Action) -> JSONRecord:
    """Return an action without what it types: it is not known yet whether that is a password."""
    if isinstance(action, RunSteps):
        return {"type": "RunSteps", "steps": len(action.steps)}
    fields = msgspec.convert(msgspec.to_builtins(action), JSONRecord)
    hidden = {name: HIDDEN if name in TYPED and value else value for name, value in fields.items()}
    return {"type": type(action).__name__, **hidden}


# Traces.


@attrs.define(eq=False)
class RecordedPages:
    """The pages of a session before and after a request.

    Both methods raise `TabwrightError` if a page cannot be read.
    """

    _session: RecordedSession
    _requested: int | None = None
    _number: int = attrs.field(default=0, init=False)

    async def before(self) -> PageRecord:
        """Return the record of the page that the request is for, without a picture."""
        self._number = self._session.current_tab if self._requested is None else self._requested
        return await self._record(self._number, RecordPage())

    async def after(self) -> PageRecord:
        """Return the record of the page that it led to, with what was done on the first one.

        The page may have opened another one, in another tab.
        """
        current = self._session.current_tab
        if self._requested is not None or current == self._number:
            return await self._record(self._number or None, RecordPage(picture=True))
        shown = await self._record(current, RecordPage(picture=True))
        with suppress(TabwrightError):  # it may have closed itself
            left = await self._record(self._number, RecordPage())
            return attrs.evolve(
                shown,
                performed=left.performed,
                console=(*left.console, *shown.console),
                requests=(*left.requests, *shown.requests),
            )
        return shown

    async def _record(self, tab: int | None, record: RecordPage) -> PageRecord:
        return await self._session.inspect(record, tab, blank=True)


MEGABYTE = 1_000_000

RESERVED_BYTES = 10_000
"""The bytes of a file reserved for the event that reports its end."""

END_S = 2.0
"""Seconds for a page to end its recording; one that hangs must not delay the answer."""

RECORD_S = 15.0
"""Seconds for a page to be recorded; a page that hangs is recorded without its outline."""

_log = logging.getLogger("tabwright.plugins.trace")


@attrs.define(eq=False)
class ActiveTrace:
    """The trace of a session that is being recorded.

    Attributes:
        actions: the number of events.
        failed: whether any request has failed.
        size_bytes: the size of the file.
        is_full: whether nothing more is recorded.
        has_ended: whether the trace was stopped, or its session closed.
        turn: reserves the trace for one request, so that its records are those of this request.
    """

    path: Path
    mask: TraceMask
    actions: int = 0
    failed: bool = False
    size_bytes: int = 0
    is_full: bool = False
    has_ended: bool = False
    turn: trio.Lock = attrs.field(factory=trio.Lock)
    _outline: tuple[str, ...] = ()

    @property
    def status(self) -> TraceStatus:
        """Return the status of the trace."""
        return TraceStatus(
            str(self.path),
            recording=True,
            actions=self.actions,
            size_bytes=self.size_bytes,
            is_full=self.is_full,
        )

    def write(
        self, event: TraceEvent, pages: tuple[PageRecord | None, ...], bytes_max: int
    ) -> None:
        """Write an event with the outlines before and after it; it blocks.

        Raises:
            OSError: the file cannot be written.
        """
        changes, last = list[LinesChange | None](), self._outline
        for page in pages:
            lines = tuple(self.mask.text(page.outline).splitlines()) if page else ()
            changes.append(lines_change(last, lines) if lines else None)
            last = lines or last
        picture = next((page.picture for page in pages[::-1] if page), b"")
        event = attrs.evolve(event, before=changes[0], after=changes[1])
        masked = self.mask.record(msgspec.to_builtins(event))
        record = msgspec.convert(masked, JSONRecord)
        size = len(picture) + len(msgspec.json.encode(record)) // 3
        if self.size_bytes + size + RESERVED_BYTES > bytes_max:
            self.is_full = True
            full = TraceEvent(number=event.number, kind="full", request={}, at=event.at)
            record, picture = msgspec.convert(msgspec.to_builtins(full), JSONRecord), b""
        self.size_bytes = append_event(self.path, record, event.number, picture)
        self.actions, self._outline = event.number, last


@attrs.define(eq=False)
class TraceRecorder:
    """The traces of the sessions that are being recorded, by session."""

    _settings: TraceSettings
    _folder: Path
    _secrets: Secrets
    _now: Callable[[], float]
    _active: dict[str, ActiveTrace] = attrs.field(factory=dict[str, ActiveTrace], init=False)

    @property
    def records_all(self) -> bool:
        """Return whether every session is recorded from its beginning."""
        return self._settings.record != "never"

    def status(self, session: str) -> TraceStatus:
        """Return the status of a session's trace."""
        active = self._active.get(session)
        return active.status if active else TraceStatus()

    async def start(self, session: RecordedSession) -> TraceStatus:
        """Begin the trace of a session, or continue the one that is being recorded.

        The page is recorded from now on; a page that cannot be read is not an error.

        Raises:
            BadInput: the file cannot be written.
        """
        name = session.name
        if name not in self._active:
            now = self._now()
            stamp = datetime.fromtimestamp(now, tz=UTC).strftime("%Y%m%d-%H%M%S")
            header = TraceHeader(session=name, started=now, made_by=__version__)
            path = await trio.to_thread.run_sync(create_trace, self._folder, header, stamp)
            self._active[name] = ActiveTrace(path, TraceMask(self._secrets))
            await self._prune()
            await _recorded(RecordedPages(session).before)
        return self.status(name)

    async def stop(self, session: RecordedSession) -> TraceStatus:
        """End the trace of a session, and return its last status.

        Its pages record nothing more; one that does not respond is left.

        Raises:
            BadInput: no trace is being recorded.
        """
        name = session.name
        if name not in self._active:
            raise BadInput(
                f"No trace of session {name!r} is being recorded.", advice="Start one first."
            )
        status = attrs.evolve(self.status(name), recording=False)
        self.end(name, requested=True)
        await self._prune()
        for tab in session.open_tabs:
            with trio.move_on_after(END_S), suppress(TabwrightError):
                await session.inspect(RecordPage(is_last=True), tab)
        return status

    def end(self, session: str, *, requested: bool = False) -> None:
        """End the trace of a session that is closed, if there is one.

        Args:
            session: its name.
            requested: whether the file is kept even if nothing has failed.
        """
        active = self._active.pop(session, None)
        if active is None:
            return
        active.has_ended = True
        if self._settings.record == "failures" and not (requested or active.failed):
            with suppress(OSError):
                active.path.unlink()

    def end_all(self) -> None:
        """End all traces."""
        for session in tuple(self._active):
            self.end(session)

    async def around(
        self,
        session: RecordedSession,
        request: SessionRequest,
        tab: int | None,
        work: Callable[[], Awaitable[AnswerT]],
    ) -> AnswerT:
        """Do what a request asks for, and record it if its session is being recorded.

        A cancelled request is not recorded.

        Raises:
            TabwrightError: that of `work`.
        """
        active = self._active.get(session.name)
        if active is None or active.is_full:
            return await work()
        requested = requested_event(request)
        if requested is None:
            return await work()
        pages = RecordedPages(session, tab)
        async with active.turn:
            before = await _recorded(pages.before)
            event = TraceEvent(
                number=active.actions + 1,
                kind=requested.kind,
                request=requested.values,
                tab=tab,
                at=self._now(),
                start=before.url if before else "",
            )
            began = trio.current_time()
            try:
                answer = await work()
            except TabwrightError as error:
                failure = EventError(error.kind, error.message, error.effect.value)
                failed = attrs.evolve(event, error=failure, ms=_ms_since(began))
                await self._write(active, failed, before, await _recorded(pages.after))
                raise
            done = attrs.evolve(_with_answer(event, answer), ms=_ms_since(began))
            await self._write(active, done, before, await _recorded(pages.after))
            return answer

    async def _write(
        self,
        active: ActiveTrace,
        event: TraceEvent,
        before: PageRecord | None,
        after: PageRecord | None,
    ) -> None:
        """Write an event, unless the trace has ended during the request."""
        if active.has_ended:
            return
        performed = tuple(map(active.mask.learn, after.performed if after else ()))
        event = attrs.evolve(event, performed=tuple(map(recorded_action, performed)))
        if after is not None:
            event = attrs.evolve(
                event,
                url=after.url or event.url,
                title=after.title or event.title,
                picture=picture_name(event.number) if after.picture else "",
                console=after.console,
                requests=tuple(map(request_record, after.requests)),
            )
        if event.error or any(not one.done for one in event.performed):
            active.failed = True
        bytes_max = int(self._settings.file_mb * MEGABYTE)
        writing = partial(active.write, event, (before, after), bytes_max)
        try:
            await trio.to_thread.run_sync(writing)
        except OSError as error:
            active.is_full = True
            _log.warning("The trace %s cannot be written: %s", active.path, error.strerror)

    async def _prune(self) -> None:
        kept = frozenset(one.path for one in self._active.values())
        bytes_max = int(self._settings.max_mb * MEGABYTE)
        with suppress(OSError):
            await trio.to_thread.run_sync(prune_traces, self._folder, bytes_max, kept)


async def _recorded(record: Callable[[], Awaitable[PageRecord]]) -> PageRecord | None:
    """Return the record of a page, or None if it cannot be read."""
    with trio.move_on_after(RECORD_S), suppress(TabwrightError):
        return await record()
    return None


def _ms_since(began: float) -> float:
    return round((trio.current_time() - began) * 1000, 1)


def _with_answer(event: TraceEvent, answer: object) -> TraceEvent:
    """Return an event with what its answer says."""
    outcome = answer.outcome if isinstance(answer, Evaluation) else answer
    match outcome:
        case Outcome():
            failure = outcome.steps.failure if outcome.steps else None
            error = (
                EventError(failure.error.kind, f"{failure.step}: {failure.error.message}")
                if failure
                else None
            )
            dialog = f"{outcome.dialog.kind}: {outcome.dialog.message}" if outcome.dialog else ""
            return attrs.evolve(
                event,
                description=outcome.description,
                url=outcome.url,
                title=outcome.title,
                error=error,
                dialog=dialog,
                opened=bool(outcome.tabs),
            )
        case PageText():
            return attrs.evolve(event, url=outcome.url, title=outcome.title)
        case _:
            return event
