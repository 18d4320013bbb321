"""Where a URL leads: whom to connect to, and what to ask for there."""

from urllib.parse import quote, urlsplit

import attrs

DEFAULT_PORTS = {"http": 80, "https": 443}

PATH_CHARACTERS = "/%!$&'()*+,-.:;=@[]_|~"
"""What stands in a path as it is; all else is escaped (WHATWG URL, section 1.3)."""

QUERY_CHARACTERS = PATH_CHARACTERS + "?`{}^"


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
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """As ``https://example.com`` (RFC 6454)."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """The whole of it, as a proxy is asked for it."""
        return f"{self.origin}{self.path}"


def target_of(url: str) -> Target:
    """Where `url` leads, which `checked_url` has let pass."""
    parts = urlsplit(escaped(url))
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").encode("idna").decode().rstrip(".")
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    return Target(scheme, host, parts.port or DEFAULT_PORTS[scheme], path)


def escaped(url: str) -> str:
    """The URL with its path, query and fragment in ASCII.

    Raises:
        ValueError: it cannot be taken apart.
    """
    parts = urlsplit(url)
    return parts._replace(
        path=quote(parts.path, PATH_CHARACTERS),
        query=quote(parts.query, QUERY_CHARACTERS),
        fragment=quote(parts.fragment, QUERY_CHARACTERS),
    ).geturl()
