"""Requests by a page's scripts that broke off or came to nothing."""

from collections import OrderedDict, deque

from tabwright.cdp.domains import network
from tabwright.cdp.wire import Event

EVENTS = (network.RequestWillBeSent, network.LoadingFailed)
"""What `Failures` is told."""

BY_SCRIPT = frozenset({"Fetch", "XHR"})

REMEMBERED_MAX = 64
"""Requests under way, and failures; a page makes them without end."""


class Failures:
    """Remembers the latest failures of one page."""

    def __init__(self) -> None:
        self._under_way = OrderedDict[str, str]()
        self._failed = deque[str](maxlen=REMEMBERED_MAX)

    @property
    def urls(self) -> tuple[str, ...]:
        """The URLs of requests that failed, latest last."""
        return tuple(self._failed)

    def forget(self) -> None:
        """Forgets the failures so far; what is under way may still fail."""
        self._failed.clear()

    def take(self, event: Event) -> None:
        """Learns from one of `EVENTS`."""
        match event:
            case network.RequestWillBeSent() if event.type in BY_SCRIPT:
                self._begin(event)
            case network.LoadingFailed() if url := self._under_way.pop(event.request_id, ""):
                self._failed.append(url)
            case _:
                pass

    def _begin(self, event: network.RequestWillBeSent) -> None:
        self._under_way[event.request_id] = event.request.url
        if len(self._under_way) > REMEMBERED_MAX:
            self._under_way.popitem(last=False)
