"""The address of a running browser in the settings, and the headers for the connection to it."""

import re
from urllib.parse import urlsplit

HOST = r"(?:[^\s/:@?#\[\]]+|\[[0-9A-Fa-f:.]+\])"
"""A regular expression for the host of a URL."""

REST = rf"(?:[^\s/@?#]*@)?{HOST}(?::[0-9]{{1,5}})?(?:[/?]\S*)?"
"""A regular expression for what follows the scheme of a URL."""

_ENDPOINT = re.compile(
    rf"{HOST}:[0-9]{{1,5}}/?|(?:https?|wss?)://{REST}",
    re.IGNORECASE,
)
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+(?::[ \t!-~]*)?")


def is_endpoint(url: str) -> bool:
    """Return whether the text is the address of a CDP endpoint."""
    return _ENDPOINT.fullmatch(url) is not None


def host_of(url: str) -> str:
    """Return the host and the port of an address, without anything secret."""
    return urlsplit(url if "://" in url else f"//{url}").netloc.rpartition("@")[2]


def are_headers(lines: tuple[str, ...]) -> bool:
    """Return whether each line is an HTTP header (RFC 9110, section 5)."""
    return all(map(_HEADER.fullmatch, lines))


def header_items(lines: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the names and values of headers, each given as ``Name: value``."""
    split = (line.partition(":") for line in lines)
    return tuple((name, value.strip()) for name, _, value in split)
