"""Which requests can come from a page of this server, by their host and origin.

Web pages can send requests to loopback and to private addresses. They cannot choose the name in
``Host`` (so DNS rebinding shows) nor ``Origin`` (so a request of another site shows).
"""

from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit


def is_own_host(host: str, names: Collection[str]) -> bool:
    """Return whether a ``Host`` header names this server: loopback, an IP address, or a name."""
    try:
        name = "" if "@" in host else (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return False
    if name == "localhost" or name in names:
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def is_origin_of(origin: str, host: str) -> bool:
    """Return whether an ``Origin`` header is that of the pages of a host, with its port."""
    try:
        return urlsplit(origin).netloc == host != ""
    except ValueError:
        return False
