"""Which URLs we follow: http and https, to hosts that are nobody's private network."""

import ipaddress
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

import attrs

from tabwright.protocol.errors import BadInput
from tabwright.protocol.networks import Address, is_public

URL_CHARACTERS_MAX = 8192
ABSOLUTE = "Give an absolute http or https URL."
LOCAL_NAMES = ("localhost", ".localhost", ".local", ".internal")


@attrs.frozen(kw_only=True)
class Bounds:
    """Where we may go.

    A pattern is a host, as ``example.com`` or ``*.example.com`` (which means the host itself too),
    or a URL, as ``https://example.com/docs/*``; a star stands for anything.

    Attributes:
        private: whether private addresses are among it.
        allow: patterns of all that is; empty for anything.
        deny: patterns of what is not, whatever is allowed.
    """

    private: bool = False
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()

    def check(self, url: str, host: str) -> None:
        """Lets a URL pass that is within.

        Raises:
            BadInput: it is not, and what the user may do about it.
        """
        if not self.private and is_private(host):
            raise BadInput(
                f"{host} is a private address.",
                advice="Set network.allow_private: true if you mean to open it.",
            )
        if any(_fits(pattern, url, host) for pattern in self.deny):
            raise BadInput(f"{host} is not to be opened: network.deny_urls.")
        if self.allow and not any(_fits(pattern, url, host) for pattern in self.allow):
            raise BadInput(
                f"{host} is not among what may be opened.",
                advice=f"network.allow_urls has {', '.join(self.allow)}.",
            )


def checked_url(url: str, bounds: Bounds) -> str:
    """The URL, if we may follow it.

    Only the spelling is judged here; what a public name resolves to is the network's to judge.

    Raises:
        BadInput: not an absolute http or https URL, or out of bounds.
    """
    text = url.strip()
    if len(text) > URL_CHARACTERS_MAX:
        raise BadInput(f"The URL has {len(text)} characters; at most {URL_CHARACTERS_MAX} will do.")
    bounds.check(text, _host(text))
    return text


def check_place(url: str, bounds: Bounds) -> None:
    """Lets pass where a page may have led its tab, or a frame.

    Raises:
        BadInput: to where we do not go.
    """
    if urlsplit(url).scheme in {"http", "https"}:  # others are made by the page itself
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


def _fits(pattern: str, url: str, host: str) -> bool:
    """Whether a pattern of `Bounds` means a URL."""
    if "://" not in pattern:
        own = pattern.lower()
        return fnmatchcase(host, own) or host == own.removeprefix("*.")
    scheme, _, rest = url.partition("://")
    place = rest[rest.index("/") :] if "/" in rest else "/"
    return fnmatchcase(f"{scheme.lower()}://{host}{_port(rest)}{place}", pattern)


def _port(rest: str) -> str:
    port = urlsplit(f"//{rest}").port
    return f":{port}" if port else ""


def _host(url: str) -> str:
    """The host as a browser will read it.

    What browsers read in another way than we do is refused: a backslash, a user name, an escape
    in the host (WHATWG URL, sections 3.5 and 4.4).
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode()
        _ = parts.port  # raises where it is none
    except (ValueError, UnicodeError) as error:
        raise BadInput(f"{url!r} is not a URL: {error}.", advice=ABSOLUTE) from error
    if parts.scheme.lower() not in {"http", "https"}:
        given = f"{parts.scheme}: URLs" if parts.scheme else "Addresses without http:// or https://"
        raise BadInput(f"{given} are not opened.", advice=ABSOLUTE)
    if parts.username is not None or parts.password is not None:
        raise BadInput("A URL with a user name or a password is not opened.", advice=ABSOLUTE)
    odd = "\\" in url or "%" in host or any(c.isspace() or not c.isprintable() for c in url)
    if not host or odd:
        raise BadInput(f"{url!r} is not a URL.", advice=ABSOLUTE)
    return host


def _address(name: str) -> Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return _legacy_ipv4(name)


def _legacy_ipv4(name: str) -> ipaddress.IPv4Address | None:
    """What browsers take as IPv4 too: 127.1, 2130706433, 0x7f.1 (WHATWG URL, section 3.5)."""
    parts = name.split(".")
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        return None
    *heads, tail = numbers
    if len(numbers) > 4 or any(head > 255 for head in heads) or tail >= 256 ** (5 - len(numbers)):  # noqa: PLR2004
        return None
    return ipaddress.IPv4Address(
        sum(head << (24 - 8 * index) for index, head in enumerate(heads)) + tail
    )


def _number(part: str) -> int:
    if not part.isascii():
        raise ValueError(part)
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8) if len(part) > 1 and part.startswith("0") else int(part)
