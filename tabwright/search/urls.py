"""Queries, and the URLs of result pages: their hosts as a browser reads them."""

import re
import unicodedata
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from tabwright.protocol.errors import BadInput, EmptyQuery

QUERY_CHARS_MAX = 1_000
"""Above this length, a query in the URL can lead to a page without a conversation."""

_ALLOWED_CONTROLS = frozenset("\t\n\r")
_NOT_IN_A_HOST = re.compile(r"[\s\x00-\x1f\x7f\\<>]")
_GOOGLE_HOST = re.compile(r"(^|\.)google\.([a-z]{2,3}|com?\.[a-z]{2})$")


def checked_query(query: str, *, chars_max: int = QUERY_CHARS_MAX) -> str:
    """Return the query if the engine can accept it.

    Raises:
        BadInput: it is blank, too long, or contains characters that are not valid in text.
    """
    if not query.strip():
        raise EmptyQuery
    if len(query) > chars_max:
        raise BadInput(
            f"The query has {len(query):,} characters; the limit is {chars_max:,}.",
            advice="Shorten it, or ask in several steps.",
        )
    for place, character in enumerate(query):
        if unicodedata.category(character) in {"Cc", "Cs"} and character not in _ALLOWED_CONTROLS:
            raise BadInput(
                f"The query has the character U+{ord(character):04X} at position {place + 1}.",
                advice="Remove control characters and broken surrogates.",
            )
    return query


def asks(url: str, query: str) -> bool:
    """Return whether the URL of an engine's page has this query; other pages may appear too."""
    parts = split_url(url)
    values = () if parts is None else [v for vs in parse_qs(parts.query).values() for v in vs]
    return any(value.split() == query.split() for value in values)


def host_of(url: str) -> str:
    """Return the host of an http or https URL as a browser reads it; empty for any other URL."""
    parts = split_url(url)
    return "" if parts is None else host_in(parts)


def is_google_host(host: str) -> bool:
    """Return whether the host is Google's, of any country, for example google.co.jp."""
    return _GOOGLE_HOST.search(host) is not None


def split_url(url: str) -> SplitResult | None:
    """Return the parts of an http or https URL that has a host; None for any other URL."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port  # an invalid port raises here
    except ValueError:
        return None
    return parts if usable and not _NOT_IN_A_HOST.search(parts.netloc) else None


def host_in(parts: SplitResult) -> str:
    """Return the host as a browser reads it."""
    host = unquote(parts.hostname or "").lower().replace("\u3002", ".")
    return host.removesuffix(".")
