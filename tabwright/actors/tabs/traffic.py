"""What the scripts of a page ask of servers: what is under way, and what came to nothing."""

from collections import OrderedDict, deque

from tabwright.cdp.domains import network
from tabwright.cdp.wire import Event
from tabwright.protocol.tab import REFUSALS, Traffic

TRAFFIC_EVENTS = (
    network.RequestWillBeSent,
    network.ResponseReceived,
    network.LoadingFinished,
    network.LoadingFailed,
)
"""What a `TrafficLog` is told."""

BY_SCRIPT = frozenset({"Fetch", "XHR", "EventSource"})

REMEMBERED_MAX = 64
"""Requests under way, and failures; a page makes them without end."""


class TrafficLog:
    """Remembers the latest requests of one page."""

    def __init__(self) -> None:
        self._under_way = OrderedDict[str, str]()
        self._failed = deque[str](maxlen=REMEMBERED_MAX)
        self._refused = deque[str](maxlen=REMEMBERED_MAX)

    @property
    def traffic(self) -> Traffic:
        """What was begun, and what came of it, since all was forgotten."""
        return Traffic(tuple(self._under_way.values()), tuple(self._failed), tuple(self._refused))

    def forget(self) -> None:
        """Begins anew; what is under way now is not heard of again."""
        self._under_way.clear()
        self._failed.clear()
        self._refused.clear()

    def take(self, event: Event) -> None:
        """Learns from one of `TRAFFIC_EVENTS`."""
        match event:
            case network.RequestWillBeSent() if event.type in BY_SCRIPT:
                self._begin(event)
            case network.ResponseReceived() if event.response.status in REFUSALS:
                self._refused += filter(None, [self._under_way.get(event.request_id)])
            case network.LoadingFinished():
                self._under_way.pop(event.request_id, None)
            case network.LoadingFailed() if url := self._under_way.pop(event.request_id, ""):
                self._failed.append(url)
            case _:
                pass

    def _begin(self, event: network.RequestWillBeSent) -> None:
        """A request that is redirected begins again, and keeps the URL that it was made for."""
        self._under_way.setdefault(event.request_id, event.request.url)
        if len(self._under_way) > REMEMBERED_MAX:
            self._under_way.popitem(last=False)
