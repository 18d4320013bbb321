"""The network log of a page: its requests, responses and WebSocket frames."""

import base64
import binascii
import math
import re
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum, auto
from itertools import count
from urllib.parse import urlsplit

import attrs
import trio

from tabwright.cdp.domains import network
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import Event
from tabwright.page.events.header_log import HeaderLog, Headers, shown_headers
from tabwright.page.events.socket_frames import SocketFrame, SocketFrames, size_of, text_of
from tabwright.page.frames import LATEST_MAX
from tabwright.protocol.actions import NetworkEntry, has_failed
from tabwright.protocol.inspection import ListRequests, RequestDetails
from tabwright.protocol.snapshot import ERROR_STATUS_MIN
from tabwright.protocol.tab import REFUSALS, Traffic

EVENTS = (
    network.RequestWillBeSent,
    network.RequestWillBeSentExtraInfo,
    network.ResponseReceived,
    network.ResponseReceivedExtraInfo,
    network.DataReceived,
    network.LoadingFinished,
    network.LoadingFailed,
    network.WebSocketCreated,
    network.WebSocketHandshakeSent,
    network.WebSocketHandshakeAnswered,
    network.WebSocketFrameSent,
    network.WebSocketFrameReceived,
    network.WebSocketFrameError,
    network.WebSocketClosed,
)
"""The events of a `RequestLog`."""

SENT_MAX = 4000
"""Maximum bytes of the body of a request that are kept; the browser has the whole recent ones."""

AWAITED = frozenset({"Document", "Fetch", "XHR", "Script", "Stylesheet"})
"""Types of requests that may change the visible page and come to an end; streams and pictures are
not waited for.
"""

UNREAD_S = 0.3
"""Seconds for the browser to report the end of a complete body if a script reads it."""

WEB_SOCKET = "WebSocket"

REPORTED = frozenset({"Fetch", "XHR", "Ping"})
"""Types of requests that are reported with an action; others only if they failed or may have
changed data.
"""

MULTIPLE_CHOICES = 300
"""The first status of a redirect."""

ABORTED = "net::ERR_ABORTED"
"""Chromium's error for a request replaced by another one, or for a response that is not shown."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods of requests that change no data (RFC 9110, section 9.2.1)."""


_TARGET_ID = re.compile("[0-9A-F]{32}")


def is_worker_script(event: network.RequestWillBeSent) -> bool:
    """Return whether it requests the script of a worker, whose end is not reported to the page.

    Such a request has the id of the worker as a target; those of other scripts are numbers.
    """
    return event.type == "Script" and _TARGET_ID.fullmatch(event.request_id) is not None


@attrs.define(eq=False)
class LoggedRequest:
    """A request in the log.

    Attributes:
        id: the browser's id of the request.
        session: the session that reported it last, and so has its body: the document of a
            frame of another process is requested by the page around it.
        began: the start, in seconds on the browser's clock; 0 if not known.
        started: the same in seconds since 1970.
        http_version: for example ``h2``; empty before the response.
        hop: the number of redirects before it, which have the same id.
        sent, received: its headers as the page sees them.
        sent_body: the beginning of its request body.
        has_body: whether it has a request body.
        redirected: whether the response was a redirect: the browser then keeps the data of the
            next request under the id.
    """

    entry: NetworkEntry
    id: str
    session: CDPSession
    began: float = 0.0
    hop: int = 0
    started: float = 0.0
    http_version: str = ""
    sent: Headers = ()
    received: Headers = ()
    sent_body: bytes = b""
    has_body: bool = False
    redirected: bool = False

    @property
    def is_pending(self) -> bool:
        """Return whether there is no response yet."""
        return not self.entry.status and not self.entry.failure

    @property
    def may_change_data(self) -> bool:
        """Return whether the server may change data at the request."""
        return self.entry.method not in SAFE_METHODS

    @property
    def is_icon(self) -> bool:
        """Return whether the browser sent it by itself, for the icon of a site.

        It requests ``/favicon.ico`` from each site whose pages name no icon, and most small sites
        have none. Requests of a page have another type.
        """
        return self.entry.kind == "Other" and urlsplit(self.entry.url).path == "/favicon.ico"

    def end(self, at: float, *, size_bytes: int = 0, failure: str = "") -> None:
        """Record the end of the request."""
        self.entry = attrs.evolve(
            self.entry,
            ms=round((at - self.began) * 1000, 1) if self.began else None,
            size_bytes=size_bytes or self.entry.size_bytes,
            failure=failure or self.entry.failure,
        )


class RequestLog:
    """A log of the latest requests of one tab, and of the latest frames of its WebSockets.

    Attributes:
        begun: the number of requests so far.
    """

    def __init__(self) -> None:
        self.begun = 0
        self._requests = OrderedDict[str, LoggedRequest]()
        self._frames = SocketFrames()
        self._headers = HeaderLog(LATEST_MAX)
        self._numbers = count(1)
        self._first_of_page = 1
        self._awaited: set[str] = set()
        self._left: dict[str, int] = {}
        self._changed = trio.Event()

    @property
    def logged(self) -> tuple[LoggedRequest, ...]:
        """Return all remembered requests."""
        return tuple(self._requests.values())

    @property
    def busy(self) -> bool:
        """Return whether a request is in progress that may change the visible page."""
        return bool(self._awaited)

    def take(self, event: Event, session: CDPSession) -> None:
        """Add one of `EVENTS` of a session."""
        match event:
            case network.RequestWillBeSent():
                self._begin(event, session)
            case network.RequestWillBeSentExtraInfo():
                self._headers.take_sent(event)
            case network.ResponseReceived():
                self._answered(event, session)
            case network.ResponseReceivedExtraInfo():
                self._headers.take_received(event)
                self._answered_without_document(event)
            case network.DataReceived() if event.request_id in self._left:
                self._left[event.request_id] -= event.encoded_data_length
            case network.LoadingFinished():
                self._end(event, session, size_bytes=int(event.encoded_data_length))
            case network.LoadingFailed():
                self._end(event, session, failure=event.blocked_reason or event.error_text)
            case network.WebSocketCreated():
                entry = NetworkEntry(next(self._numbers), "GET", event.url, WEB_SOCKET)
                self._add(LoggedRequest(entry, event.request_id, session))
            case network.WebSocketEvent() if known := self._requests.get(event.request_id):
                self._take_of_socket(event, known)
            case _:
                pass

    def leave(self, loader_id: str) -> None:
        """Record that the tab opens another page.

        Args:
            loader_id: of its document, whose request has the same id.
        """
        own = [one.entry.number for one in self._requests.values() if one.id == loader_id]
        self._first_of_page = min(own, default=self.begun + 1)

    def forget_waiting(self) -> None:
        """Ignore the current requests while waiting: the next action has not caused them."""
        self._awaited.clear()
        self._left.clear()

    async def rests(self) -> None:
        """Wait until no request is in progress, but at most `UNREAD_S` for complete bodies.

        Chromium reports the end of a response with ``no-store`` only when a script has read it, and
        many scripts do not.
        """
        while self._awaited:
            with trio.move_on_after(UNREAD_S) as waiting:
                await self._changed.wait()
            if waiting.cancelled_caught:
                self._awaited -= {one for one, left in self._left.items() if left <= 0}

    def listed(self, request: ListRequests) -> tuple[NetworkEntry, ...]:
        """Return the requested requests, in the order of their start."""
        entries = sorted((one.entry for one in self._requests.values()), key=lambda one: one.number)
        return tuple(
            one
            for one in entries
            if (not request.this_page or one.number >= self._first_of_page)
            and request.filter in one.url
            and (not request.kind or one.kind.lower() == request.kind.lower())
            and (not request.failed or has_failed(one))
        )

    def find(self, number: int) -> LoggedRequest | None:
        """Return a request by its number, or None if it is not remembered."""
        return next((one for one in self._requests.values() if one.entry.number == number), None)

    def between(self, after: int, last: int) -> tuple[LoggedRequest, ...]:
        """Return the requests with a number above the first, and not above the second.

        If the tab opened a page in between, its requests are left out, and its own document.
        """
        if self._first_of_page > after:
            last = min(last, self._first_of_page - 1)
        found = [one for one in self._requests.values() if after < one.entry.number <= last]
        return tuple(sorted(found, key=lambda one: one.entry.number))

    def details(self, request: LoggedRequest) -> RequestDetails:
        """Return a request with its headers, as sent over the network if that is known."""
        return RequestDetails(
            request.entry,
            self._headers.sent(request.id, request.hop) or request.sent,
            self._headers.received(request.id, request.hop) or request.received,
            request.has_body,
            request.sent_body,
        )

    def is_icon(self, request_id: str) -> bool:
        """Return whether a request is for the icon of a site; see `LoggedRequest.is_icon`."""
        known = self._requests.get(request_id)
        return known is not None and known.is_icon

    def frames_of(self, socket: LoggedRequest) -> str:
        """Return a line for each kept frame of a WebSocket."""
        return self._frames.text(socket.id, socket.entry.frames, socket.began)

    def _begin(self, event: network.RequestWillBeSent, session: CDPSession) -> None:
        known = self._requests.pop(event.request_id, None)
        if known is not None and event.redirect_response is not None:
            self._requests[f"{event.request_id} {known.entry.number}"] = known
            received = shown_headers(event.redirect_response.headers)
            known.entry = attrs.evolve(
                known.entry,
                status=event.redirect_response.status,
                location=next(
                    (value for name, value in received if name.lower() == "location"), ""
                ),
            )
            known.received, known.redirected = received, True
            known.end(event.timestamp)
            if not event.redirect_has_extra_info:
                self._headers.skip(event.request_id, known.hop)
        hop = known.hop + 1 if known is not None and known.redirected else 0
        request = event.request
        entry = NetworkEntry(next(self._numbers), request.method, request.url, event.type)
        if event.type in AWAITED and not is_worker_script(event):
            self._awaited.add(event.request_id)
        self._add(
            LoggedRequest(
                entry,
                event.request_id,
                session,
                event.timestamp,
                hop,
                event.wall_time,
                sent=shown_headers(request.headers),
                sent_body=_body_of(request),
                has_body=request.has_post_data,
            )
        )

    def _add(self, request: LoggedRequest) -> None:
        self.begun += 1
        self._requests[request.id] = request
        if len(self._requests) > LATEST_MAX:
            oldest, _ = self._requests.popitem(last=False)
            self._rested(oldest)

    def _answered(self, event: network.ResponseReceived, session: CDPSession) -> None:
        if known := self._requests.get(event.request_id):
            known.session = session
            head = event.response
            known.entry = attrs.evolve(known.entry, status=head.status, media_type=head.mime_type)
            known.http_version = head.protocol
            known.received = shown_headers(head.headers)
        if event.type == "Fetch" and event.request_id in self._awaited:
            self._left.update((event.request_id, size) for size in _body_sizes(event.response))
        if event.response.mime_type == "text/event-stream":  # a stream without an end
            self._rested(event.request_id)
            self._notify()

    def _answered_without_document(self, event: network.ResponseReceivedExtraInfo) -> None:
        """Note the status of a response that leaves the page as it is, such as 204 or a download.

        Chromium does not report it otherwise, and ends the request as aborted.
        """
        known = self._requests.get(event.request_id)
        is_final = event.status_code < MULTIPLE_CHOICES or event.status_code >= ERROR_STATUS_MIN
        if known and known.entry.kind == "Document" and known.is_pending and is_final:
            known.entry = attrs.evolve(known.entry, status=event.status_code)

    def _rested(self, request_id: str) -> None:
        self._awaited.discard(request_id)
        self._left.pop(request_id, None)

    def _end(
        self,
        event: network.LoadingFinished | network.LoadingFailed,
        session: CDPSession,
        *,
        size_bytes: int = 0,
        failure: str = "",
    ) -> None:
        if known := self._requests.get(event.request_id):
            known.session = session
            # A page that does not read a body aborts it; the response came all the same.
            failure = "" if known.entry.status and failure == ABORTED else failure
            known.end(event.timestamp, size_bytes=size_bytes, failure=failure)
        self._rested(event.request_id)
        self._notify()

    def _take_of_socket(self, event: network.WebSocketEvent, known: LoggedRequest) -> None:
        match event:
            case network.WebSocketHandshakeSent():
                known.began = event.timestamp
            case network.WebSocketHandshakeAnswered():
                known.entry = attrs.evolve(known.entry, status=event.response.status)
            case network.WebSocketFrame():
                sent, entry = isinstance(event, network.WebSocketFrameSent), known.entry
                size = entry.size_bytes + (0 if sent else size_of(event.response))
                known.entry = attrs.evolve(entry, frames=entry.frames + 1, size_bytes=size)
                text = text_of(event.response)
                self._frames.add(SocketFrame(event.request_id, sent, event.timestamp, text))
            case network.WebSocketFrameError():
                known.entry = attrs.evolve(known.entry, failure=event.error_message)
            case network.WebSocketClosed():
                known.end(event.timestamp)
            case _:
                pass

    def _notify(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


def _body_sizes(head: network.ResponseInfo) -> Iterator[int]:
    """Return the size of the transferred body, if the headers contain it."""
    for name, value in head.headers.items():
        if name.lower() == "content-length" and value.isdecimal():
            yield int(value)


def _body_of(request: network.RequestData) -> bytes:
    """Return the beginning of the body of a request, as far as the browser reports it at once."""
    body = b""
    for one in request.post_data_entries:
        left = SENT_MAX - len(body)
        # Four characters of base64 are three bytes.
        with suppress(binascii.Error):
            body += base64.b64decode(one.bytes[: (left + 2) // 3 * 4])[:left]
    return body


# Requests of scripts that are pending or failed.

TRAFFIC_EVENTS = (
    network.RequestWillBeSent,
    network.ResponseReceived,
    network.DataReceived,
    network.LoadingFinished,
    network.LoadingFailed,
    network.WebSocketCreated,
    network.WebSocketClosed,
)
"""The events of an `InflightRequests`."""

BY_SCRIPT = frozenset({"Fetch", "XHR", "EventSource"})

BRINGS_CONTENT = frozenset({"Fetch", "XHR", "Script"})
"""Types of requests after which a page may show more."""


class DocumentRequest(Enum):
    """The state of the request for the document of a frame."""

    UNKNOWN = auto()
    """There was none, or the process of another frame sent it."""

    SENT = auto()
    """It is under way, or was answered with a document."""

    FAILED = auto()
    """It failed or was blocked, or the response is not a document."""


class DocumentRequests:
    """A log of the latest requests for the documents of one page and its frames."""

    def __init__(self) -> None:
        self._sent = OrderedDict[str, str]()
        self._failed = deque[str](maxlen=LATEST_MAX)

    def of(self, frame_id: str) -> DocumentRequest:
        """Return the state of the latest request for the document of a frame."""
        request_id = self._sent.get(frame_id)
        if request_id is None:
            return DocumentRequest.UNKNOWN
        return DocumentRequest.FAILED if request_id in self._failed else DocumentRequest.SENT

    def take(self, event: Event) -> None:
        """Add one of `TRAFFIC_EVENTS`."""
        match event:
            case network.RequestWillBeSent(type="Document"):
                self._sent[event.frame_id] = event.request_id
                if len(self._sent) > LATEST_MAX:
                    self._sent.popitem(last=False)
            case network.LoadingFailed() if event.request_id in self._sent.values():
                self._failed.append(event.request_id)
            case _:
                pass


class InflightRequests:
    """A log of the latest requests of one page.

    Attributes:
        documents: the requests for its documents.
        repeated_s: when a script last sent a request again, as one that polls or retries does; on
            trio's clock.
    """

    def __init__(self) -> None:
        self.documents = DocumentRequests()
        self.repeated_s = -math.inf
        self._paths = deque[str](maxlen=LATEST_MAX)
        self._under_way = OrderedDict[str, str]()
        self._awaited = set[str]()
        self._left: dict[str, int] = {}
        self._live = set[str]()
        self._whole_since_s: dict[str, float] = {}
        self._failed = deque[str](maxlen=LATEST_MAX)
        self._refused = deque[str](maxlen=LATEST_MAX)
        self._errors = deque[str](maxlen=LATEST_MAX)

    @property
    def traffic(self) -> Traffic:
        """Return the requests, and their results, since the log was cleared."""
        return Traffic(
            tuple(self._under_way.values()),
            tuple(self._failed),
            tuple(self._refused),
            tuple(self._errors),
        )

    @property
    def busy(self) -> bool:
        """Return whether a request is in progress that can load content and will end.

        One that a script does not read has ended when its body has been whole for `UNREAD_S`.
        """
        whole = self._whole_since_s
        return any(
            one not in whole or trio.current_time() < whole[one] + UNREAD_S for one in self._awaited
        )

    @property
    def is_live(self) -> bool:
        """Return whether a connection is open over which a script receives messages."""
        return bool(self._live)

    def forget(self) -> None:
        """Clear the log; later events of the current requests are ignored."""
        self.repeated_s = -math.inf
        self._paths.clear()
        self._under_way.clear()
        self._awaited.clear()
        self._left.clear()
        self._live.clear()
        self._whole_since_s.clear()
        self._failed.clear()
        self._refused.clear()
        self._errors.clear()

    def take(self, event: Event) -> None:
        """Add one of `TRAFFIC_EVENTS`."""
        self.documents.take(event)
        self._follow(event)
        match event:
            case network.RequestWillBeSent() if event.type in BY_SCRIPT:
                self._begin(event)
            case network.ResponseReceived() if event.response.status in REFUSALS:
                self._refused += filter(None, [self._under_way.get(event.request_id)])
            case network.ResponseReceived() if event.response.status >= ERROR_STATUS_MIN:
                self._errors += filter(None, [self._under_way.get(event.request_id)])
            case network.LoadingFinished():
                self._under_way.pop(event.request_id, None)
            case network.LoadingFailed() if url := self._under_way.pop(event.request_id, ""):
                self._failed.append(url)
            case _:
                pass

    def _follow(self, event: Event) -> None:
        """Note what is awaited, and how much of its body has come."""
        match event:
            case network.WebSocketCreated() | network.RequestWillBeSent(type="EventSource"):
                self._live.add(event.request_id)
            case network.WebSocketClosed():
                self._live.discard(event.request_id)
            case network.RequestWillBeSent() if event.type in BRINGS_CONTENT:
                if not is_worker_script(event):
                    self._awaited.add(event.request_id)
            case network.ResponseReceived(type="Fetch") if event.request_id in self._awaited:
                self._left.update((event.request_id, size) for size in _body_sizes(event.response))
            case network.DataReceived() if event.request_id in self._left:
                self._left[event.request_id] -= event.encoded_data_length
                if self._left[event.request_id] <= 0:
                    self._whole_since_s.setdefault(event.request_id, trio.current_time())
            case network.LoadingFinished() | network.LoadingFailed():
                self._awaited.discard(event.request_id)
                self._live.discard(event.request_id)
                self._left.pop(event.request_id, None)
                self._whole_since_s.pop(event.request_id, None)
            case _:
                pass

    def _begin(self, event: network.RequestWillBeSent) -> None:
        """Record the start of a request; a redirected one starts again with its original URL."""
        if event.request_id not in self._under_way:
            path = event.request.url.partition("?")[0]  # a query often has the time
            if path in self._paths:
                self.repeated_s = trio.current_time()
            else:
                self._paths.append(path)
        self._under_way.setdefault(event.request_id, event.request.url)
        if len(self._under_way) > LATEST_MAX:
            self._under_way.popitem(last=False)
