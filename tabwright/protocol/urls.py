"""Which URLs we follow: http and https, to hosts that are nobody's private network."""

import ipaddress
from contextlib import suppress

import ada_url
import attrs

from tabwright.protocol.errors import BadInput
from tabwright.protocol.networks import Address, is_public
from tabwright.protocol.url_patterns import UrlPattern, host_readings
from tabwright.protocol.web_urls import WebUrl

LOCAL_NAMES = ("localhost", ".localhost", ".local", ".internal")

SENT_OVER_SOCKETS = {"ws": "http", "wss": "https"}
"""WebSockets begin with a request to such a URL (RFC 6455, section 4.1)."""


@attrs.frozen(kw_only=True)
class Bounds:
    """Where we may go.

    Every URL is compared as servers read it, see `UrlPattern`. A URL is denied if any reading of it
    is, and allowed only if all of its readings are.

    Attributes:
        private: whether private addresses are among it.
        allow: patterns of all that is; empty for anything.
        deny: patterns of what is not, whatever is allowed.
    """

    private: bool = False
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()

    @property
    def are_listed(self) -> bool:
        """Whether there are patterns."""
        return bool(self.allow or self.deny)

    @property
    def have_paths(self) -> bool:
        """Whether some patterns tell URLs of one host apart."""
        return any(one.paths or one.query for one in (*self._allowed, *self._denied))

    def check(self, url: WebUrl) -> None:
        """Lets a URL pass that is within.

        Raises:
            BadInput: it is not, and what the user may do about it.
        """
        if not self.private and is_private(url.host):
            raise BadInput(
                f"{url.host} is a private address.",
                advice="The user can allow that: --set network.allow_private=true.",
            )
        if any(pattern.touches(url) for pattern in self._denied):
            raise self._denied_error(url.host)
        if self.allow and not any(pattern.covers(url) for pattern in self._allowed):
            raise self._not_allowed_error(url.host)

    def check_connection(self, host: str, port: int) -> None:
        """Lets a connection pass that some URL within may need; private addresses are not judged.

        Raises:
            BadInput: no URL of that host and port is within the lists.
        """
        readings = host_readings(host.lower().rstrip("."))
        if any(one.means_whole_host(name, port) for one in self._denied for name in readings):
            raise self._denied_error(host)
        if self.allow and not any(one.means_host(readings[0], port) for one in self._allowed):
            raise self._not_allowed_error(host)

    def admit(self, url: str) -> bool:
        """Whether a request of a page to `url` is within; what needs no network always is."""
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
        return BadInput(f"{host} is denied by network.deny_urls.")

    def _not_allowed_error(self, host: str) -> BadInput:
        return BadInput(
            f"{host} is not in network.allow_urls.",
            advice=f"The list allows {', '.join(self.allow)}.",
        )


def checked_url(url: str, bounds: Bounds) -> str:
    """The URL as browsers read it, if we may follow it.

    Only the spelling is judged here; what a public name resolves to is the network's to judge.

    Raises:
        BadInput: not an absolute http or https URL, or out of bounds.
    """
    read = WebUrl.read(url)
    bounds.check(read)
    return read.text


def check_place(url: str, bounds: Bounds) -> None:
    """Lets pass where a page may have led its tab, or a frame.

    Raises:
        BadInput: to where we do not go.
    """
    if url.partition(":")[0].lower() in {"http", "https"}:  # others are made by the page itself
        checked_url(url, bounds)


def is_private(host: str) -> bool:
    """Whether the host is, by its spelling, where only a network's own people may be.

    Any spelling of an address counts; see `is_public`.
    """
    name = host.rstrip(".").lower()
    if name in LOCAL_NAMES or name.endswith(LOCAL_NAMES):
        return True
    address = _address(name)
    return address is not None and not is_public(address)


def _address(name: str) -> Address | None:
    with suppress(ValueError):
        return ipaddress.ip_address(name)
    with suppress(ValueError):  # what browsers take as IPv4 too: 127.1, 2130706433, 0x7f.1
        return ipaddress.IPv4Address(str(ada_url.URL(f"http://{name}/").hostname))
    return None
