"""Which requests can come from a page of this server, by their host and origin.

Web pages can send requests to loopback and to private addresses. They cannot choose the name in
``Host`` (so DNS rebinding shows) nor ``Origin`` (so a request of another site shows).
"""

from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit


def is_own_host(host: str, names: Collection[str]) -> bool:
    """Return whether a ``Host`` header names this server: loopback, an IP address, or a name."""
    name = _host_name(host)
    return name == "localhost" or name in names or _is_address(name)


def is_origin_of(origin: str, host: str) -> bool:
    """Return whether an ``Origin`` header is that of the pages of a host, with its port."""
    try:
        return urlsplit(origin).netloc == host != ""
    except ValueError:
        return False


def _host_name(host: str) -> str:
    """Return the name in a ``Host`` header, without its port; empty if it is not valid."""
    if "@" in host:
        return ""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
