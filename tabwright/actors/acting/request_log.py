"""The requests of a page: what is under way, and what came of the latest."""

from collections import OrderedDict
from itertools import count

import attrs
import trio

from tabwright.cdp.domains import network
from tabwright.cdp.wire import Event
from tabwright.protocol.inspecting import ListRequests, PageRequest
from tabwright.protocol.pages import ERROR_STATUS_MIN

EVENTS = (
    network.RequestWillBeSent,
    network.ResponseReceived,
    network.LoadingFinished,
    network.LoadingFailed,
)
"""What a `RequestLog` is told."""

REQUESTS_MAX = 500

AWAITED = frozenset({"Document", "Fetch", "XHR", "Script", "Stylesheet"})
"""What may change what a page shows, and comes to an end; streams and pictures are not waited
for."""


@attrs.define(eq=False)
class _Request:
    told: PageRequest
    id: str
    began: float
    awaited: bool


class RequestLog:
    """Remembers the latest requests of one tab."""

    def __init__(self) -> None:
        self._requests = OrderedDict[str, _Request]()
        self._numbers = count(1)
        self._awaited: set[str] = set()
        self._changed = trio.Event()

    @property
    def busy(self) -> bool:
        """Whether anything is under way that may change what the page shows."""
        return bool(self._awaited)

    def take(self, event: Event) -> None:
        """Learns from one of `EVENTS`."""
        match event:
            case network.RequestWillBeSent():
                self._begin(event)
            case network.ResponseReceived():
                self._answered(event)
            case network.LoadingFinished():
                size = int(event.encoded_data_length)
                self._end(event.request_id, event.timestamp, size_bytes=size)
            case network.LoadingFailed():
                failure = event.blocked_reason or event.error_text
                self._end(event.request_id, event.timestamp, failure=failure)
            case _:
                pass

    def forget_waiting(self) -> None:
        """What is under way now is not waited for: it is not what comes next that has begun it."""
        self._awaited.clear()

    async def rests(self) -> None:
        """Waits until nothing is under way."""
        while self._awaited:
            await self._changed.wait()

    def listed(self, wish: ListRequests) -> tuple[PageRequest, ...]:
        """The requests that are asked for."""
        told = (one.told for one in self._requests.values())
        return tuple(
            one
            for one in told
            if wish.filter in one.url
            and (not wish.kind or one.kind.lower() == wish.kind.lower())
            and (not wish.failed or one.failure or one.status >= ERROR_STATUS_MIN)
        )

    def id_of(self, number: int) -> str:
        """What the browser calls a request; empty where it is not remembered."""
        return next((one.id for one in self._requests.values() if one.told.number == number), "")

    def _begin(self, event: network.RequestWillBeSent) -> None:
        known = self._requests.pop(event.request_id, None)
        if known is not None and event.redirect_response is not None:
            redirected = self._requests[f"{event.request_id} {known.told.number}"] = known
            head = event.redirect_response
            ms = (event.timestamp - known.began) * 1000
            redirected.told = attrs.evolve(known.told, status=head.status, ms=round(ms, 1))
        told = PageRequest(next(self._numbers), event.request.method, event.request.url, event.type)
        awaited = event.type in AWAITED
        self._requests[event.request_id] = _Request(
            told, event.request_id, event.timestamp, awaited
        )
        if awaited:
            self._awaited.add(event.request_id)
        if len(self._requests) > REQUESTS_MAX:
            oldest, _ = self._requests.popitem(last=False)
            self._awaited.discard(oldest)

    def _answered(self, event: network.ResponseReceived) -> None:
        if known := self._requests.get(event.request_id):
            head = event.response
            known.told = attrs.evolve(known.told, status=head.status, media_type=head.mime_type)
        if event.response.mime_type == "text/event-stream":  # it has no end
            self._awaited.discard(event.request_id)
            self._tell()

    def _end(self, request_id: str, at: float, *, size_bytes: int = 0, failure: str = "") -> None:
        if known := self._requests.get(request_id):
            ms = round((at - known.began) * 1000, 1)
            known.told = attrs.evolve(known.told, ms=ms, size_bytes=size_bytes, failure=failure)
        self._awaited.discard(request_id)
        self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = trio.Event()
