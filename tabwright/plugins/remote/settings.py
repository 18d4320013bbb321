"""The settings of remote browsers: the URLs, capacities and headers of their sources."""

import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import attrs
import msgspec
from msgspec import Meta

from tabwright.config.endpoints import REST, are_headers, header_items, host_of, is_endpoint
from tabwright.config.settings import Settings
from tabwright.config.settings_group import SHOWN, SettingsGroup
from tabwright.protocol.browser_pool import CDP, LOCAL
from tabwright.protocol.errors import SettingsError

FORMS = (
    "Write local, a CDP address (host:port, http://… or ws://…), grid+http://…, "
    "browserless+ws://… or steel+http://…."
)

_SERVICE = re.compile(
    rf"(?:(?:grid|steel)\+https?|browserless\+wss?)://{REST}",
    re.IGNORECASE,
)


class SourceKind(StrEnum):
    """The kind of a source of browsers.

    ``LOCAL``: this machine. ``CDP``: a browser that runs already. ``GRID``: Selenium Grid.
    ``BROWSERLESS`` and ``STEEL``: these services.
    """

    LOCAL = LOCAL
    CDP = CDP
    GRID = "grid"
    BROWSERLESS = "browserless"
    STEEL = "steel"


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
        return "" if self.kind is SourceKind.LOCAL else host_of(self.address)

    @property
    def name(self) -> str:
        """The kind and the host, for messages."""
        return f"{self.kind} {self.host}".rstrip()

    @property
    def header_items(self) -> tuple[tuple[str, str], ...]:
        """The names and values of the headers."""
        return header_items(self.headers)


def check_sources(_settings: object, _field: object, sources: tuple[SourceSettings, ...]) -> None:
    """Check the sources; no error repeats a URL or a header, as they can contain a token.

    Raises:
        SettingsError: a source cannot be used.
    """
    for problem, advice in (found for source in sources for found in _problems(source)):
        raise SettingsError(f"remote.sources: {problem}", advice=advice)
    if len({source.url for source in sources}) < len(sources):
        raise SettingsError(
            "remote.sources contains a URL twice.",
            advice="Write it once, with `browsers` for its capacity.",
        )


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


def _hidden(_sources: object) -> str:
    """Return what is shown in place of sources, which can contain tokens."""
    return "(hidden)"


@attrs.frozen(kw_only=True)
class RemoteSettings:
    """Where browsers run."""

    sources: tuple[SourceSettings, ...] = attrs.field(
        validator=check_sources, metadata={SHOWN: _hidden}
    )

    @property
    def browsers(self) -> int:
        """The number of browsers that all sources can run at once."""
        return sum(source.browsers for source in self.sources)


def _exclude_others(settings: Settings) -> None:
    """Refuse other settings that say which browsers there are."""
    browsers, browser = REMOTE_SETTINGS.of(settings).browsers, settings.browser
    if browsers and browser.cdp_endpoint:
        raise SettingsError(
            "browser.cdp_endpoint and remote.sources are both set.",
            advice="Add the endpoint to remote.sources.",
        )
    if browsers and settings.pool.workers not in {1, browsers}:
        raise SettingsError(
            "pool.workers does not apply to remote.sources.", advice="Remove one of the two."
        )


REMOTE_SETTINGS = SettingsGroup(
    "remote", RemoteSettings, Path(__file__).with_name("settings.yaml"), _exclude_others
)
