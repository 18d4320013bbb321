"""The headers of requests as sent over the network, which Chromium reports separately.

`Network.requestWillBeSent` and `Network.responseReceived` leave out cookies and the headers that
the network adds. The events with the rest come before or after them, one for each hop of a request,
in order; there is none for a hop that the cache answered.
"""

import re
from collections import OrderedDict
from collections.abc import Mapping
from typing import TypeAlias

import attrs

from tabwright.cdp.domains import network
from tabwright.page.frames import LATEST_MAX
from tabwright.page.outline_text import ENTRY_MAX, truncate

# HTTP headers for display: values of credentials are hidden.

HIDDEN = "(hidden)"

Headers: TypeAlias = tuple[tuple[str, str], ...]
"""Names and values, in order."""

_CREDENTIALS = re.compile(
    r"authorization|cookie|token|secret|passw|session|credential$|api-?key|csrf|xsrf|signature",
    re.IGNORECASE,
)
"""Parts of the names of headers whose values are credentials."""

_SCHEME = re.compile(r"[A-Za-z][\w-]{0,19}(?= \S)")
_COOKIE = re.compile(r"\s*([^=;\s]{1,100})=")


def shown_headers(headers: Mapping[str, str]) -> Headers:
    """Return headers without the values of credentials, each of limited length.

    The name and the attributes of a cookie stay, and so does the scheme of an authorization.
    Chromium joins the values of headers with one name by line breaks.
    """
    pairs = [(name, one) for name, value in headers.items() for one in value.split("\n")]
    return tuple(
        (truncate(name, ENTRY_MAX), truncate(_shown(name.lower(), value), ENTRY_MAX))
        for name, value in pairs[:LATEST_MAX]
    )


def _shown(name: str, value: str) -> str:
    match name:
        case "cookie":
            return "; ".join(map(_cookie, value.split(";")))
        case "set-cookie":
            first, *attributes = value.split(";")
            return ";".join((_cookie(first), *attributes))
        case "authorization" | "proxy-authorization":
            scheme = _SCHEME.match(value)
            return f"{scheme[0]} {HIDDEN}" if scheme else HIDDEN
        case _:
            return HIDDEN if value and _CREDENTIALS.search(name) else value


def _cookie(pair: str) -> str:
    name = _COOKIE.match(pair)
    return f"{name[1]}={HIDDEN}" if name else HIDDEN


@attrs.frozen
class _Wire:
    """The headers of the hops of one request; None for a hop without headers."""

    sent: list[Headers | None] = attrs.field(factory=list["Headers | None"])
    received: list[Headers | None] = attrs.field(factory=list["Headers | None"])


class HeaderLog:
    """A log of the headers of the latest requests.

    Args:
        requests_max: the number of requests.
        hops_max: the number of hops of each.
    """

    def __init__(self, requests_max: int, hops_max: int = 20) -> None:
        self._requests_max = requests_max
        self._hops_max = hops_max
        self._wires = OrderedDict[str, _Wire]()

    def take_sent(self, event: network.RequestWillBeSentExtraInfo) -> None:
        """Add the request headers of the next hop."""
        self._add(self._wire(event.request_id).sent, shown_headers(event.headers))

    def take_received(self, event: network.ResponseReceivedExtraInfo) -> None:
        """Add the response headers of the next hop."""
        self._add(self._wire(event.request_id).received, shown_headers(event.headers))

    def skip(self, request_id: str, hop: int) -> None:
        """Record that a hop has no headers."""
        wire = self._wire(request_id)
        wire.sent.insert(hop, None)
        wire.received.insert(hop, None)

    def sent(self, request_id: str, hop: int) -> Headers | None:
        """Return the request headers of a hop, or None if they are not known."""
        return _at(self._wires.get(request_id, _Wire()).sent, hop)

    def received(self, request_id: str, hop: int) -> Headers | None:
        """Return the response headers of a hop, or None if they are not known."""
        return _at(self._wires.get(request_id, _Wire()).received, hop)

    def _wire(self, request_id: str) -> _Wire:
        if request_id not in self._wires:
            self._wires[request_id] = _Wire()
            if len(self._wires) > self._requests_max:
                self._wires.popitem(last=False)
        return self._wires[request_id]

    def _add(self, hops: list[Headers | None], headers: Headers) -> None:
        if len(hops) < self._hops_max:
            hops.append(headers)


def _at(hops: list[Headers | None], hop: int) -> Headers | None:
    return hops[hop] if hop < len(hops) else None
