"""The URLs that can be opened: http and https, to hosts outside private networks.

Against SSRF (server-side request forgery), the addresses of a host are checked as well, where a
connection is made: in `tabwright.http.connect` and `tabwright.browser.egress_proxy`.
"""

import ipaddress
from contextlib import suppress
from functools import lru_cache

import ada_url
import attrs

from tabwright.protocol.errors import BadInput, Hint, HintKind
from tabwright.protocol.networks import Address, is_public
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.url_patterns import UrlPattern, host_readings
from tabwright.protocol.web_urls import WebUrl

ABOUT_BLANK = "about:blank"
"""The URL of a tab without a page."""

LOCAL_NAMES = ("localhost", ".localhost", ".local", ".internal")

SENT_OVER_SOCKETS = {"ws": "http", "wss": "https"}
"""The scheme of a WebSocket's opening request (RFC 6455, section 4.1)."""


ALLOW_PRIVATE = "The user can allow that: --set network.allow_private=true."
"""The advice of a refused private address."""


@attrs.frozen(kw_only=True)
class Bounds:
    """The URLs that are allowed.

    Every URL is compared as servers read it, see `UrlPattern`. A URL is denied if any reading of it
    is, and allowed only if all of its readings are.

    Attributes:
        private: whether private addresses are allowed.
        allow: patterns of allowed URLs; empty for any URL.
        deny: patterns of denied URLs, which take precedence.
    """

    private: bool = False
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()

    @property
    def are_listed(self) -> bool:
        """Return whether there are patterns."""
        return bool(self.allow or self.deny)

    @property
    def have_paths(self) -> bool:
        """Return whether any pattern distinguishes URLs of one host."""
        return any(one.paths or one.query for one in (*self._allowed, *self._denied))

    def check(self, url: WebUrl) -> None:
        """Check that a URL is allowed.

        Raises:
            BadInput: it is not; the message says what the user can do.
        """
        if not self.private and is_private(url.host):
            raise BadInput(
                (Quoted(url.host), " is a private address."),
                advice=ALLOW_PRIVATE,
                hints=(Hint(HintKind.ALLOW_PRIVATE),),
            )
        if any(pattern.touches(url) for pattern in self._denied):
            raise self._denied_error(url.host)
        if self.allow and not any(pattern.covers(url) for pattern in self._allowed):
            raise self._not_allowed_error(url.host)

    def check_connection(self, host: str, port: int) -> None:
        """Check that an allowed URL may need this connection; private addresses are not checked.

        Raises:
            BadInput: no URL of that host and port is allowed.
        """
        readings = host_readings(host.lower().rstrip("."))
        if any(one.means_whole_host(name, port) for one in self._denied for name in readings):
            raise self._denied_error(host)
        if self.allow and not any(one.means_host(readings[0], port) for one in self._allowed):
            raise self._not_allowed_error(host)

    def admit(self, url: str) -> bool:
        """Return whether a page may request `url`; URLs that need no network are always allowed."""
        scheme, colon, rest = url.partition(":")
        scheme = SENT_OVER_SOCKETS.get(scheme, scheme)
        if scheme not in {"http", "https"}:
            return True
        try:
            self.check(WebUrl.read(f"{scheme}{colon}{rest}"))
        except BadInput:
            return False
        return True

    @property
    def _allowed(self) -> tuple[UrlPattern, ...]:
        return tuple(map(UrlPattern.read, self.allow))

    @property
    def _denied(self) -> tuple[UrlPattern, ...]:
        return tuple(map(UrlPattern.read, self.deny))

    def _denied_error(self, host: str) -> BadInput:
        return BadInput((Quoted(host), " is denied by network.deny_urls."))

    def _not_allowed_error(self, host: str) -> BadInput:
        return BadInput(
            (Quoted(host), " is not in network.allow_urls."),
            advice=f"The list allows {', '.join(self.allow)}.",
        )


@lru_cache(maxsize=256)  # each read of a page checks the same URL twice
def checked_url(url: str, bounds: Bounds) -> str:
    """Return the URL as browsers read it, if it may be opened.

    Only the spelling is checked here; the network checks the addresses that a public name resolves
    to.

    Raises:
        BadInput: it is not an absolute http or https URL, or is not allowed.
    """
    read = WebUrl.read(url)
    bounds.check(read)
    return read.text


def check_place(url: str, bounds: Bounds) -> None:
    """Check the URL that a page navigated its tab, or a frame, to.

    Raises:
        BadInput: it is not allowed.
    """
    if url.partition(":")[0].lower() in {"http", "https"}:  # others are made by the page itself
        checked_url(url, bounds)


def is_private(host: str) -> bool:
    """Return whether the host, by its spelling, is in a private network.

    Any spelling of an address counts; see `is_public`.
    """
    name = host.rstrip(".").lower()
    if name in LOCAL_NAMES or name.endswith(LOCAL_NAMES):
        return True
    address = _address(name)
    return address is not None and not is_public(address)


def is_loopback(host: str) -> bool:
    """Return whether the host, by its spelling, is this machine."""
    name = host.rstrip(".").lower()
    address = _address(name)
    return name == "localhost" or (address is not None and address.is_loopback)


def _address(name: str) -> Address | None:
    with suppress(ValueError):
        return ipaddress.ip_address(name)
    with suppress(ValueError):  # browsers read these as IPv4, too: 127.1, 2130706433, 0x7f.1
        return ipaddress.IPv4Address(str(ada_url.URL(f"http://{name}/").hostname))
    return None
