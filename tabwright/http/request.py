"""Requests: method, target, headers, body."""

import re
from collections.abc import Sequence

import attrs

from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Fetch, Method, Payload
from tabwright.protocol.web_urls import PORTS, WebUrl

# Targets: the server and the path of a URL.


@attrs.frozen
class Target:
    """The parts of a URL that a request needs.

    Attributes:
        scheme: ``http`` or ``https``.
        host: in ASCII, without brackets and without a trailing dot.
        path: with its query, escaped.
    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The host, with its port unless it is the default (RFC 9110, section 7.2)."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """The origin, for example ``https://example.com`` (RFC 6454)."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """The absolute URL, which a forwarding proxy requires."""
        return f"{self.origin}{self.path}"


def target_of(url: str) -> Target:
    """Parse `url` into a target.

    Raises:
        BadInput: it is not an http or https URL.
    """
    read = WebUrl.read(url)
    return Target(read.scheme, read.host, read.port, read.path + read.query)


Headers = tuple[tuple[str, str], ...]

ACCEPT = "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,application/xml;q=0.8,*/*;q=0.7"
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
"""Connection headers (RFC 9110, section 7.6.1), which a request cannot set."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]*")


@attrs.frozen
class RequestMessage:
    """A request as it is sent.

    Attributes:
        headers: all headers except those of the body.
    """

    method: Method
    target: Target
    headers: Headers
    payload: Payload | None = None

    @property
    def lines(self) -> list[tuple[bytes, bytes]]:
        """The headers as bytes, with those of the body."""
        ours: Headers = (("Host", self.target.authority),)
        if self.payload is not None:
            length = str(len(self.payload.body))
            ours += (("Content-Type", self.payload.media_type), ("Content-Length", length))
        return [(name.encode(), value.encode()) for name, value in laid_over(self.headers, ours)]

    @property
    def body(self) -> bytes:
        """The body; empty for a GET."""
        return self.payload.body if self.payload else b""

    def value(self, name: str) -> str:
        """Return the value of a header; empty if it is not sent."""
        return next((value for key, value in self.headers if key.lower() == name), "")


PRIVACY: Headers = (("DNT", "1"), ("Sec-GPC", "1"))
"""The headers that request privacy (DNT; Global Privacy Control)."""


@attrs.frozen(kw_only=True)
class DefaultHeaders:
    """Default headers of every request.

    Attributes:
        user_agent: the header ``User-Agent``.
        languages: the header ``Accept-Language``.
        do_not_track: whether to send `PRIVACY`.
    """

    user_agent: str
    languages: str
    do_not_track: bool

    def headers(self, user_agent: str = "") -> Headers:
        """Return the headers; `user_agent` replaces the default."""
        privacy = PRIVACY if self.do_not_track else ()
        return (
            ("User-Agent", user_agent or self.user_agent),
            ("Accept", ACCEPT),
            ("Accept-Language", self.languages),
            ("Accept-Encoding", ACCEPT_ENCODING),
            *privacy,
        )


def accepted(languages: Sequence[str]) -> tuple[str, ...]:
    """Return the accepted languages, best first; a region also accepts its base language."""
    plain = (language.partition("-")[0] for language in languages)
    return tuple(dict.fromkeys((*languages, *plain)))


def accept_language(languages: Sequence[str]) -> str:
    """Return ``Accept-Language`` for languages, best first, with the weights that browsers use.

    Source: RFC 9110, section 12.5.4. ``("zh-CN",)`` becomes ``zh-CN,zh;q=0.9``.
    """
    ranked = accepted(languages)
    weights = [f";q={max(10 - rank, 1) / 10}" if rank else "" for rank in range(len(ranked))]
    return ",".join(map("".join, zip(ranked, weights, strict=True)))


def laid_over(upper: Headers, lower: Headers) -> Headers:
    """Merge both; `upper` takes precedence."""
    given = {name.lower() for name, _ in upper}
    return (*((name, value) for name, value in lower if name.lower() not in given), *upper)


def checked_headers(request: Fetch) -> Headers:
    """Return the caller's headers after checking them.

    Raises:
        BadInput: a header is malformed or belongs to the connection.
    """
    media_type = request.payload.media_type if request.payload else ""
    named = (("User-Agent", request.user_agent), ("Content-Type", media_type))
    for name, value in (*request.headers, *named):
        if not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
            raise BadInput(f"{name!r} is not a valid HTTP header.", advice="Write NAME: VALUE.")
        if name.lower() in OURS:
            raise BadInput(f"The header {name} belongs to the connection.", advice="Remove it.")
    return request.headers
