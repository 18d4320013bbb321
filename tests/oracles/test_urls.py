"""URLs and host names, against web-platform-tests; `cases.py` tells what is left out."""

import re

from tabwright.content.html.tree import Addresses
from tabwright.protocol.errors import BadInput
from tabwright.protocol.web_urls import LABEL_CHARACTERS_MAX, PORTS, WebUrl

from .cases import read_cases

CREDENTIALS = "we open no URL with a user name or a password"
LENGTHS = "we refuse the empty and the overlong labels that no DNS server has (RFC 1035)"
SURROGATE = "Python has no text with half a surrogate pair; it is refused"
OTHER_SCHEME = "only http and https are opened"
SAME_PAGE = "a link to its own page is none"


_HOST_ENDS = re.compile(r"[:/?#\\\\]")
"""Characters that end a host in a URL; the cases are hosts alone."""


def escaped(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"


def opened(text: str, base: str = "") -> str | None:
    try:
        return WebUrl.read(text, base).text
    except BadInput:
        return None


def reason_to_refuse(text: str, href: str) -> str | None:
    """Return why we refuse a URL that the standard accepts; None if we accept it."""
    scheme, _, rest = href.partition("://")
    if scheme not in PORTS:
        return OTHER_SCHEME
    authority = rest.partition("/")[0]
    if "@" in authority:
        return CREDENTIALS
    if any("\ud800" <= character <= "\udfff" for character in text):
        return SURROGATE
    return LENGTHS if has_unusual_labels(authority.partition(":")[0]) else None


def has_unusual_labels(host: str) -> bool:
    labels = host.removesuffix(".").split(".")
    return ":" not in host and not all(0 < len(label) <= LABEL_CHARACTERS_MAX for label in labels)


def test_urls_are_read_as_by_browsers() -> None:
    wrong = [
        (text, base, href, got)
        for text, base, href in read_cases("urls.json")
        if (got := opened(text, base or ""))
        != (None if href is None or reason_to_refuse(text, href) else href)
    ]
    assert wrong == []


def test_page_links_resolve_as_in_browsers() -> None:
    cases = [case for case in read_cases("urls.json") if case[1] and case[1].startswith("http")]
    wrong = []
    for text, base, href in cases:
        link = Addresses(base, base).linked(text)
        is_left_out = text.strip(" \t") in {"", "#"}  # SAME_PAGE
        expected = None if href is None or is_left_out or reason_to_refuse(text, href) else href
        if (opened(link) if link else None) != expected:
            wrong.append((text, base, href, link))
    assert len(cases) > 150
    assert wrong == []


def test_host_names_are_written_in_ascii_as_by_browsers() -> None:
    wrong = []
    for text, host in read_cases("hosts.json"):
        try:
            got = WebUrl.read(f"https://{_HOST_ENDS.sub(escaped, text)}/x").host
        except BadInput:
            got = None
        expected = None if host is None or has_unusual_labels(host) else host.removesuffix(".")
        if got != expected:
            wrong.append((text, host, got))
    assert wrong == []
