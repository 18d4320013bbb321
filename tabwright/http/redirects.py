"""From one URL to the next: redirects, as far as they may lead (RFC 9110, section 15.4)."""

from urllib.parse import urldefrag

import attrs

from tabwright.http.messages import Headers, Target, target_of
from tabwright.http.response import ResponseHead
from tabwright.protocol.errors import BadInput, NavigationFailed
from tabwright.protocol.fetch import Method, Payload
from tabwright.protocol.urls import Bounds
from tabwright.protocol.web_urls import WebUrl

KEEPING = frozenset((307, 308))
"""What has the request done again as it was."""

REDIRECTS = frozenset((301, 302, 303)) | KEEPING

PERSONAL = frozenset(("authorization", "cookie"))
"""What the caller says of itself to one origin, and to no other."""

OF_THE_BODY = "content-"


@attrs.frozen
class RedirectStep:
    """One URL on the way to a page.

    Attributes:
        url: with its fragment.
        headers: the caller's.
    """

    url: str
    headers: Headers = ()
    payload: Payload | None = None
    target: Target = attrs.field(
        init=False, default=attrs.Factory(lambda hop: target_of(hop.url), takes_self=True)
    )

    @property
    def method(self) -> Method:
        """POST with a payload, GET without."""
        return "GET" if self.payload is None else "POST"


def redirected(hop: RedirectStep, head: ResponseHead, bounds: Bounds) -> RedirectStep | None:
    """Where an answer sends us; None where it is one itself.

    Raises:
        BadInput: to where we do not go.
    """
    location = head.first("location").strip()
    if head.status not in REDIRECTS or not location:
        return None
    try:
        # The fragment stays where the server gives none (RFC 9110, section 10.2.2).
        base, fragment = urldefrag(hop.url)
        kept = f"#{fragment}" if fragment and "#" not in location else ""
        joined = WebUrl.read(location + kept, base)
        bounds.check(joined)
    except BadInput as error:
        error.sent()  # by this hop
        raise
    url, target = joined.text, target_of(joined.text)
    headers = hop.headers
    if target.origin != hop.target.origin:
        headers = tuple(line for line in headers if line[0].lower() not in PERSONAL)
    if head.status in KEEPING:
        return RedirectStep(url, headers, hop.payload)
    return RedirectStep(
        url, tuple(line for line in headers if not line[0].lower().startswith(OF_THE_BODY))
    )


@attrs.define
class RedirectChain:
    """The way to a page, which must come to an end.

    Attributes:
        redirects_max: after how many it is given up.
        urls: those that have led on.
    """

    redirects_max: int
    urls: list[str] = attrs.field(factory=list[str])
    _seen: set[tuple[str, ...]] = attrs.field(factory=set[tuple[str, ...]])

    def step(self, hop: RedirectStep, cookies: str) -> None:
        """Notes that `hop` is asked for with these cookies: with others it may lead elsewhere.

        Raises:
            NavigationFailed: it goes round in a circle.
        """
        asked = (hop.method, hop.target.url, cookies)
        if asked in self._seen:
            circle = " -> ".join([*self.urls[self._first(hop) :], hop.url])
            raise _endless(f"{self.urls[0]} redirects in a circle: {circle}.")
        self._seen.add(asked)

    def leave(self, hop: RedirectStep) -> None:
        """Notes that `hop` has led on.

        Raises:
            NavigationFailed: too many have.
        """
        self.urls.append(hop.url)
        if len(self.urls) > self.redirects_max:
            raise _endless(f"{self.urls[0]} redirects more than {self.redirects_max} times.")

    def _first(self, hop: RedirectStep) -> int:
        targets = [target_of(url).url for url in self.urls]
        return targets.index(hop.target.url)


def _endless(message: str) -> NavigationFailed:
    return NavigationFailed(
        message,
        advice="Open it in a browser, if it works there: it may want cookies or scripts.",
        retryable=False,
    )
