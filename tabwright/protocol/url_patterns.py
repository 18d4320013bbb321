"""URL patterns, as listed in ``network.allow_urls`` and ``network.deny_urls``."""

import ipaddress
import re
from collections.abc import Sequence
from functools import lru_cache

import ada_url
import attrs

from tabwright.protocol.networks import ipv4_inside
from tabwright.protocol.web_urls import OPAQUE, PORTS, WebUrl, path_readings

# Globs: each star matches any text.


def fits(parts: Sequence[str], text: str) -> bool:
    """Return whether `text` matches a glob, in time proportional to both.

    Args:
        parts: the glob, split at its stars; at least one.
        text: the text to match.
    """
    first, *others = parts
    if not others:
        return text == first
    if not text.startswith(first):
        return False
    at = len(first)
    *inner, last = others
    for part in inner:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return text.endswith(last, at)


FORMS = (
    "Write a host (example.com, or *.example.com for its subdomains too), host:port, host/path,"
    " or a URL such as https://example.com/docs/*; a star matches anything."
)

_SCHEME = re.compile(r"([^/?#\[\]]*)://")
_HOST = re.compile(r"[a-z0-9_.*-]+|\[[0-9a-f:.]+\]")
_PORT = re.compile(r":(\d+|\*)?$")
_BLOCK = re.compile(r"/\d{1,3}")

ANY = "*"

STARS_MAX = 8
"""The maximum number of stars in the host of a pattern."""

PORT_MAX = 65535


class NotAPattern(ValueError):
    """The text is not a valid pattern; the message says why."""


@attrs.frozen
class UrlPattern:
    """A URL pattern.

    Attributes:
        text: as it was written.
        scheme: ``http`` or ``https``; empty for either.
        host: a normalized glob.
        port: None for any.
        paths: globs, one for each way to read the path; empty for any path.
        query: a glob, with its question mark; empty for any query.
    """

    text: str
    scheme: str
    host: str
    port: int | None
    paths: tuple[str, ...]
    query: str

    @classmethod
    @lru_cache(maxsize=1024)
    def read(cls, text: str) -> "UrlPattern":
        """Parse `text` as a pattern.

        Raises:
            NotAPattern: it is not valid.
        """
        scheme, rest = _split_scheme(text.strip())
        place, mark, after = _split_place(rest)
        host, port = _split_port(place)
        if mark and _is_block(host, mark + after):
            raise NotAPattern("networks such as 10.0.0.0/8 are not supported")
        url = _parsed(host, mark + after)
        if port is None and scheme:
            port = str(PORTS[scheme])
        path, query = str(url.pathname), str(url.search)
        return cls(
            text,
            scheme,
            _checked_host(str(url.hostname)),
            None if port in {None, ANY} else _checked_port(port or ""),
            () if path in {"/", "/*"} and not query else path_readings(path),
            query,
        )

    def means_host(self, host: str, port: int) -> bool:
        """Return whether it matches any URL of a host from `host_readings` at a port."""
        return self.port in {None, port} and (
            _fits(self.host, host) or (self.host.startswith("*.") and _fits(self.host[2:], host))
        )

    def means_whole_host(self, host: str, port: int) -> bool:
        """Return whether it matches every URL of that host and port."""
        return not self.paths and self.means_host(host, port)

    def covers(self, url: WebUrl) -> bool:
        """Return whether it matches the URL in every way that a server may read it."""
        if not self._means_place(url) or not self.means_host(host_readings(url.host)[0], url.port):
            return False
        return not self.paths or all(
            any(_fits(path, reading) for path in self.paths) for reading in path_readings(url.path)
        )

    def touches(self, url: WebUrl) -> bool:
        """Return whether it matches the URL, or a URL below it, in any reading of a server."""
        if not self._means_place(url):
            return False
        if not any(self.means_host(host, url.port) for host in host_readings(url.host)):
            return False
        return not self.paths or any(
            _fits(path, reading) or _fits(f"{path.rstrip('/*')}/*", f"{reading}/")
            for path in self.paths
            for reading in path_readings(url.path)
        )

    def _means_place(self, url: WebUrl) -> bool:
        """Return whether scheme and query match."""
        return self.scheme in {"", url.scheme} and (
            not self.query or any(_fits(self.query, one) for one in path_readings(url.query))
        )


def host_readings(host: str) -> tuple[str, ...]:
    """Return the host as patterns write it, and the IPv4 address embedded in an IPv6 one."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return (host,)
    if isinstance(address, ipaddress.IPv4Address):
        return (str(address),)
    if address.ipv4_mapped:
        return (str(address.ipv4_mapped),)
    inside = ipv4_inside(address)
    return (str(address), str(inside)) if inside else (str(address),)


def _fits(glob: str, text: str) -> bool:
    return fits(glob.split("*"), text)


def _split_scheme(text: str) -> tuple[str, str]:
    """Split `text` into the scheme, empty for any, and the rest."""
    if not text:
        raise NotAPattern("it is empty")
    match = _SCHEME.match(text)
    if match is None:
        name = text.partition(":")[0].lower()
        if ":" in text and (name in OPAQUE or name in {"file", *PORTS}):
            raise NotAPattern(f"{name}: is not followed by ://")
        return "", text.removeprefix("//")
    scheme = match[1].lower()
    if scheme not in {*PORTS, ANY}:
        raise NotAPattern(f"{match[1]}:// URLs are never opened")
    return scheme.replace(ANY, ""), text[match.end() :]


def _split_place(text: str) -> tuple[str, str, str]:
    """Split `text` into the host with its port, the separator, and the rest."""
    match = re.search(r"[/?\\#]", text)
    if "#" in text:
        raise NotAPattern("the part after # is never sent to a server")
    if match is None:
        return text, "", ""
    return text[: match.start()], match[0], text[match.end() :]


def _split_port(place: str) -> tuple[str, str | None]:
    """Split `place` into the host and the port as written."""
    if "@" in place:
        raise NotAPattern("user names and passwords are never sent")
    if place.count(":") > 1 and not place.startswith("["):  # an IPv6 address without brackets
        return f"[{place}]", None
    match = _PORT.search(place)
    if match is None:
        return place, None
    return place[: match.start()], match[1]


def _is_block(host: str, path: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return _BLOCK.fullmatch(path) is not None


def _parsed(host: str, path: str) -> ada_url.URL:
    """Parse with the URL parser, which treats a star like a letter."""
    if not host:
        raise NotAPattern("it has no host")
    name = f"*{host}" if host.startswith(".") else host
    try:
        return ada_url.URL(f"http://{name}{path}")
    except (ValueError, UnicodeEncodeError) as error:
        raise NotAPattern("it has no valid host") from error


def _checked_host(host: str) -> str:
    """Return the glob of a host from `host_readings`."""
    if not _HOST.fullmatch(host):
        raise NotAPattern("its host has invalid characters")
    name = host.strip("[]").removesuffix(".")
    if not all(name.split(".")) or name.count("*") > STARS_MAX:
        raise NotAPattern("it has no valid host")
    return host_readings(name)[0]


def _checked_port(text: str) -> int:
    port = int(text)
    if port > PORT_MAX:
        raise NotAPattern("its port is larger than 65535")
    return port
