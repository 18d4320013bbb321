"""Where a URL leads: whom to connect to, and what to ask for there."""

import attrs

from tabwright.protocol.web_urls import PORTS, WebUrl


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
