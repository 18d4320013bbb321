"""Proxies: how one is written, which one is taken, and what a look at it says."""

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
"""By scheme, with the port that counts where none is given."""

DIRECT = "direct://"
"""How Chromium is told to use no proxy."""

_NAME = re.compile(r"[\w.-]+", re.ASCII)


@attrs.frozen
class Proxy:
    """A proxy that asks for no password: one that does cannot be written here.

    Attributes:
        kind: how it is spoken to.
        host: a name, or an address without brackets.
    """

    kind: ProxyKind
    host: str
    port: int

    @property
    def address(self) -> str:
        """``host:port``, as it stands in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether it runs on this machine: what we send it stays here."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def __str__(self) -> str:
        return f"{self.kind}://{self.address}"


def parse_proxy(text: str, place: str) -> Proxy:
    """The proxy that `text` names; without a scheme it is an HTTP one.

    What stands there is never repeated in an error: it may hold a password.

    Args:
        text: ``http://host:port``, ``https://…`` or ``socks5://…``, of which ``socks5h`` and
            ``socks`` are other spellings.
        place: the setting or the variable that it was found in.

    Raises:
        SettingsError: it names no proxy, or one with a user name or a password.
    """
    url = text.strip()
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        kind, usual_port = _KINDS[parts.scheme]
        host = _checked_host(parts.hostname)
        port = usual_port if parts.port is None else parts.port
    except (ValueError, KeyError):
        raise _malformed(place) from None  # the cause may hold a password
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
    """The best of the proxies on `ports`: HTTP before SOCKS5, then in the order of the ports."""
    return min(
        detected,
        key=lambda proxy: (proxy.kind == "socks5", ports.index(proxy.port)),
        default=None,
    )


def bypassing(no_proxy: str) -> tuple[str, ...]:
    """Chromium's patterns for what ``NO_PROXY`` lists: a name stands for its sub-domains too.

    Source: Chromium's ``net/docs/proxy.md``, "Proxy bypass rules".
    """
    entries = no_proxy.replace(",", " ").split()
    return tuple(pattern for entry in entries for pattern in _patterns(entry))


def _patterns(entry: str) -> Iterator[str]:
    yield entry
    last_label = entry.rpartition(".")[2]
    if entry[0].isalnum() and not last_label[:1].isdigit():  # an address has no sub-domains
        yield f".{entry}"


@attrs.frozen
class ProxyChoice:
    """How a browser gets out.

    Attributes:
        proxy: None for the direct way.
        source: the setting or the variable that says so; empty if nobody does: the proxy was
            found on this machine, or none was.
        bypass: Chromium's patterns of the hosts that are reached without it.
    """

    proxy: Proxy | None = None
    source: str = ""
    bypass: tuple[str, ...] = ()

    @property
    def server(self) -> str | None:
        """What Chromium is told; None where nobody says anything: it follows the system."""
        if self.proxy is not None:
            return str(self.proxy)
        return DIRECT if self.source else None

    def __str__(self) -> str:
        if self.proxy is None:
            return f"none ({self.source})" if self.source else "none (system settings)"
        found = f"{self.proxy} ({self.source or 'found on this machine'})"
        return f"{found}, not for {', '.join(self.bypass)}" if self.bypass else found


class ProxyAnswer(Enum):
    """What came of asking a proxy. ``ABSENT``: nobody is there who talks like one.

    ``UNASKED``: it is not on this machine, or it talks TLS.
    """

    SERVES = auto()
    REFUSES = auto()
    ABSENT = auto()
    UNASKED = auto()


@attrs.frozen
class ProxyReport:
    """A look at the proxy after a page could not be reached.

    Attributes:
        used: the choice that the browser was started with.
        answer: what its proxy says now.
        now: the choice for a browser that is started now.
    """

    used: ProxyChoice
    answer: ProxyAnswer
    now: ProxyChoice

    @property
    def changed(self) -> bool:
        """Whether a browser that is started now would get out in another way."""
        return self.used.server != self.now.server

    @property
    def advice(self) -> str:
        """The next step for the user; empty where no proxy has a part in it."""
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
