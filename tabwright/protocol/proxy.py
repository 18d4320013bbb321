"""Proxies: their notation, the choice of a proxy, and the check of a proxy."""

import ipaddress
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import attrs

from tabwright.protocol.errors import SettingsError

ProxyKind: TypeAlias = Literal["http", "https", "socks5"]

_KINDS: Mapping[str, tuple[ProxyKind, int]] = {
    "http": ("http", 80),
    "https": ("https", 443),
    "socks5": ("socks5", 1080),
    "socks5h": ("socks5", 1080),
    "socks": ("socks5", 1080),
}
"""Proxy kinds by scheme, each with its default port."""

DIRECT = "direct://"
"""Chromium's notation for using no proxy."""

_NAME = re.compile(r"[\w.-]+", re.ASCII)


@attrs.frozen
class Proxy:
    """A proxy without authentication; credentials are not supported.

    Attributes:
        kind: its protocol.
        host: a name, or an address without brackets.
    """

    kind: ProxyKind
    host: str
    port: int

    @property
    def address(self) -> str:
        """Return ``host:port``, as written in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Return whether the proxy runs on this machine, so that data sent to it stays here."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def __str__(self) -> str:
        return f"{self.kind}://{self.address}"


def parse_proxy(text: str, place: str) -> Proxy:
    """Parse `text` as a proxy; without a scheme it is an HTTP proxy.

    Errors never repeat `text`, because it may contain a password.

    Args:
        text: ``http://host:port``, ``https://…`` or ``socks5://…``, with the aliases ``socks5h``
            and ``socks``.
        place: the setting or the variable that contains it.

    Raises:
        SettingsError: it is not a valid proxy, or has a user name or a password.
    """
    url = text.strip()
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        kind, usual_port = _KINDS[parts.scheme]
        host = _checked_host(parts.hostname)
        port = usual_port if parts.port is None else parts.port
    except (ValueError, KeyError):
        raise _malformed(place) from None  # the cause may contain a password
    if parts.username is not None:
        raise SettingsError(
            f"{place} has a user name or password, which browsers do not accept for proxies.",
            advice="Run a local forwarder that logs in to that proxy, and use it instead:"
            " http://127.0.0.1:port.",
        )
    if port == 0 or parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise _malformed(place)
    return Proxy(kind, host, port)


def _checked_host(host: str | None) -> str:
    if host and ":" in host:
        return str(ipaddress.IPv6Address(host))
    if not host or not _NAME.fullmatch(host):
        raise ValueError
    return host


def _malformed(place: str) -> SettingsError:
    return SettingsError(
        f"{place} is not a valid proxy.", advice="Write http://host:port or socks5://host:port."
    )


def preferred(detected: Collection[Proxy], ports: Sequence[int]) -> Proxy | None:
    """Return the best proxy on `ports`: HTTP before SOCKS5, then in the order of the ports."""
    return min(
        detected,
        key=lambda proxy: (proxy.kind == "socks5", ports.index(proxy.port)),
        default=None,
    )


def bypassing(no_proxy: str) -> tuple[str, ...]:
    """Convert ``NO_PROXY`` to Chromium's patterns: a name includes its subdomains.

    Source: Chromium's ``net/docs/proxy.md``, "Proxy bypass rules".
    """
    entries = no_proxy.replace(",", " ").split()
    return tuple(pattern for entry in entries for pattern in _patterns(entry))


def _patterns(entry: str) -> Iterator[str]:
    yield entry
    last_label = entry.rpartition(".")[2]
    if entry[0].isalnum() and not last_label[:1].isdigit():  # an address has no subdomains
        yield f".{entry}"


@attrs.frozen
class ProxyChoice:
    """The network route of a browser.

    Attributes:
        proxy: None for a direct connection.
        source: the setting or the variable that selects it; empty if there is none: the proxy was
            found on this machine, or no proxy was found.
        bypass: Chromium's patterns of hosts that are reached without the proxy.
    """

    proxy: Proxy | None = None
    source: str = ""
    bypass: tuple[str, ...] = ()

    @property
    def server(self) -> str | None:
        """Return the proxy server for Chromium; None to follow the system's settings."""
        if self.proxy is not None:
            return str(self.proxy)
        return DIRECT if self.source else None

    def __str__(self) -> str:
        if self.proxy is None:
            return f"none ({self.source})" if self.source else "none (system settings)"
        found = f"{self.proxy} ({self.source or 'found on this machine'})"
        return f"{found}, not for {', '.join(self.bypass)}" if self.bypass else found


class ProxyAnswer(Enum):
    """The result of probing a proxy. ``ABSENT``: nothing at the address speaks its protocol.

    ``UNASKED``: it is not on this machine, or uses TLS.
    """

    SERVES = auto()
    REFUSES = auto()
    ABSENT = auto()
    UNASKED = auto()


@attrs.frozen
class ProxyReport:
    """A check of the proxy after a page could not be reached.

    Attributes:
        used: the choice that the browser was started with.
        answer: the current result of probing that proxy.
        now: the choice for a browser that is started now.
    """

    used: ProxyChoice
    answer: ProxyAnswer
    now: ProxyChoice

    @property
    def changed(self) -> bool:
        """Return whether a browser that is started now would use another route."""
        return self.used.server != self.now.server

    @property
    def advice(self) -> str:
        """Return the next step for the user; empty if no proxy is involved."""
        if self.used.proxy is None:
            new = self.now.proxy
            return f"A new proxy was found at {new.address}: try again." if new else ""
        address = self.used.proxy.address
        match self.answer:
            case ProxyAnswer.SERVES:
                return f"The proxy at {address} responds: check whether it can reach the site."
            case ProxyAnswer.REFUSES:
                return f"The proxy at {address} rejects requests: check if it requires a password."
            case ProxyAnswer.UNASKED:
                return f"Check whether the proxy at {address} responds ({self.used.source})."
            case ProxyAnswer.ABSENT:
                return f"The proxy at {address} no longer responds; {self._way_on()}"

    def _way_on(self) -> str:
        if not self.changed:
            return f"restart it, or change {self.used.source}."
        if self.now.proxy is None:
            return "restart it, or try again without it."
        return f"there is a new one at {self.now.proxy.address}: try again."
