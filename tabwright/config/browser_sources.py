"""The sources of browsers in the settings: their URLs, capacities and headers."""

import re
from collections.abc import Iterator
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from tabwright.protocol.browser_pool import SourceKind
from tabwright.protocol.errors import SettingsError

LOCAL = "local"
"""The URL of the source that starts browsers on this machine."""

FORMS = (
    "Write local, a CDP address (host:port, http://… or ws://…), grid+http://…, "
    "browserless+ws://… or steel+http://…."
)

HOST = r"(?:[^\s/:@?#\[\]]+|\[[0-9A-Fa-f:.]+\])"
"""A regular expression for the host of a URL."""

_REST = rf"(?:[^\s/@?#]*@)?{HOST}(?::[0-9]{{1,5}})?(?:[/?]\S*)?"
_ENDPOINT = re.compile(
    rf"{HOST}:[0-9]{{1,5}}/?|(?:https?|wss?)://{_REST}",
    re.IGNORECASE,
)
_SERVICE = re.compile(
    rf"(?:(?:grid|steel)\+https?|browserless\+wss?)://{_REST}",
    re.IGNORECASE,
)
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+(?::[ \t!-~]*)?")


class SourceSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A source of browsers. It is a Struct so that an unknown key is a mistake.

    Attributes:
        url: where it is; can contain a user name, a password or a token.
        browsers: how many browsers it can run at once.
        headers: sent with each request to it, each as ``Name: value``; can contain a token.
    """

    url: Annotated[str, Meta(min_length=1)]
    browsers: Annotated[int, Meta(ge=1, le=100)] = 1
    headers: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the source without secrets."""
        return f"SourceSettings({self.name}, browsers={self.browsers})"

    @property
    def kind(self) -> SourceKind:
        """The protocol of the source."""
        prefix, plus, _ = self.url.partition("://")[0].lower().partition("+")
        if plus:
            return SourceKind(prefix)
        return SourceKind.LOCAL if self.url == LOCAL else SourceKind.CDP

    @property
    def address(self) -> str:
        """The URL for requests, without the prefix that names the kind."""
        if self.kind in {SourceKind.LOCAL, SourceKind.CDP}:
            return self.url
        return self.url.partition("+")[2]

    @property
    def host(self) -> str:
        """The host and the port of the URL, without anything secret; empty on this machine."""
        if self.kind is SourceKind.LOCAL:
            return ""
        address = self.address if "://" in self.address else f"//{self.address}"
        return urlsplit(address).netloc.rpartition("@")[2]

    @property
    def name(self) -> str:
        """The kind and the host, for messages."""
        return f"{self.kind} {self.host}".rstrip()

    @property
    def header_items(self) -> tuple[tuple[str, str], ...]:
        """The names and values of the headers."""
        split = (line.partition(":") for line in self.headers)
        return tuple((name, value.strip()) for name, _, value in split)


def is_endpoint(url: str) -> bool:
    """Return whether the text is the address of a CDP endpoint."""
    return _ENDPOINT.fullmatch(url) is not None


def are_headers(lines: tuple[str, ...]) -> bool:
    """Return whether each line is an HTTP header (RFC 9110, section 5)."""
    return all(map(_HEADER.fullmatch, lines))


def check_sources(_settings: object, _field: object, sources: tuple[SourceSettings, ...]) -> None:
    """Check the sources; no error repeats a URL or a header, as they can contain a token.

    Raises:
        SettingsError: a source cannot be used.
    """
    for problem, advice in (found for source in sources for found in _problems(source)):
        raise SettingsError(f"browser.sources: {problem}", advice=advice)


def _problems(source: SourceSettings) -> Iterator[tuple[str, str]]:
    if source.url != LOCAL and not (is_endpoint(source.url) or _SERVICE.fullmatch(source.url)):
        yield "the URL of a source is not valid.", FORMS
        return
    if source.kind is SourceKind.CDP and source.browsers > 1:
        yield (
            f"{source.name} is a single browser.",
            "Remove `browsers`, or write browserless+ws://… if each connection gets a browser.",
        )
    if not are_headers(source.headers):
        yield (
            f"{source.name} has an invalid HTTP header.",
            "Write each as 'Name: value', for example 'Authorization: Bearer …'.",
        )
