"""Requests: method, target, headers, body."""

import re
from collections.abc import Sequence

import attrs

from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Fetch, Method, Payload
from tabwright.protocol.web_urls import PORTS, WebUrl

# Targets: whom to connect to for a URL, and what to request there.


@attrs.frozen
class Target:
    """A URL, taken apart for the wire.

    Attributes:
        scheme: ``http`` or ``https``.
        host: in ASCII, without brackets and without a dot at its end.
        path: with its query, escaped.
    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The host, with its port where that is not the usual one (RFC 9110, section 7.2)."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """As ``https://example.com`` (RFC 6454)."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """The whole of it, as a proxy is asked for it."""
        return f"{self.origin}{self.path}"


def target_of(url: str) -> Target:
    """Where `url` leads.

    Raises:
        BadInput: it is no http or https URL.
    """
    read = WebUrl.read(url)
    return Target(read.scheme, read.host, read.port, read.path + read.query)


Headers = tuple[tuple[str, str], ...]

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPT_ENCODING = "gzip, deflate, br, zstd"

OURS = frozenset(
    (
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)
"""Headers that belong to the connection (RFC 9110, section 7.6.1): a request cannot set them."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]*")


@attrs.frozen
class RequestMessage:
    """A request as it goes onto the wire.

    Attributes:
        headers: all of them but those of the body.
    """

    method: Method
    target: Target
    headers: Headers
    payload: Payload | None = None

    @property
    def lines(self) -> list[tuple[bytes, bytes]]:
        """The headers in bytes, with those of the body."""
        ours: Headers = (("Host", self.target.authority),)
        if self.payload is not None:
            length = str(len(self.payload.body))
            ours += (("Content-Type", self.payload.media_type), ("Content-Length", length))
        return [(name.encode(), value.encode()) for name, value in laid_over(self.headers, ours)]

    @property
    def body(self) -> bytes:
        """Empty for a GET."""
        return self.payload.body if self.payload else b""

    def value(self, name: str) -> str:
        """What a header says; empty where it is not sent."""
        return next((value for key, value in self.headers if key.lower() == name), "")


@attrs.frozen(kw_only=True)
class DefaultHeaders:
    """What we say of ourselves and want of everybody.

    Attributes:
        user_agent: who we are.
        languages: the header ``Accept-Language``.
        do_not_track: whether to ask for privacy (DNT; Global Privacy Control).
    """

    user_agent: str
    languages: str
    do_not_track: bool

    def headers(self, user_agent: str = "") -> Headers:
        """As they are sent; `user_agent` goes before our own."""
        privacy = (("DNT", "1"), ("Sec-GPC", "1")) if self.do_not_track else ()
        return (
            ("User-Agent", user_agent or self.user_agent),
            ("Accept", ACCEPT),
            ("Accept-Language", self.languages),
            ("Accept-Encoding", ACCEPT_ENCODING),
            *privacy,
        )


def accepted(languages: Sequence[str]) -> tuple[str, ...]:
    """The languages that will do, the best first: a region stands for its language as well."""
    plain = (language.partition("-")[0] for language in languages)
    return tuple(dict.fromkeys((*languages, *plain)))


def accept_language(languages: Sequence[str]) -> str:
    """The header for languages, the best first, with the weights that browsers give them.

    Source: RFC 9110, section 12.5.4. ``("zh-CN",)`` gives ``zh-CN,zh;q=0.9``.
    """
    ranked = accepted(languages)
    weights = [f";q={max(10 - rank, 1) / 10}" if rank else "" for rank in range(len(ranked))]
    return ",".join(map("".join, zip(ranked, weights, strict=True)))


def laid_over(upper: Headers, lower: Headers) -> Headers:
    """Both, where `upper` goes before."""
    given = {name.lower() for name, _ in upper}
    return (*((name, value) for name, value in lower if name.lower() not in given), *upper)


def checked_headers(request: Fetch) -> Headers:
    """The headers that somebody gave, when all that goes into headers will do.

    Raises:
        BadInput: one is malformed, or belongs to the connection.
    """
    media_type = request.payload.media_type if request.payload else ""
    named = (("User-Agent", request.user_agent), ("Content-Type", media_type))
    for name, value in (*request.headers, *named):
        if not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
            raise BadInput(f"{name!r} is not a valid HTTP header.", advice="Write NAME: VALUE.")
        if name.lower() in OURS:
            raise BadInput(f"The header {name} belongs to the connection.", advice="Remove it.")
    return request.headers
