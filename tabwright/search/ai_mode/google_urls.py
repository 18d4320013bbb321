"""The URL of a search in AI Mode, and back."""

import unicodedata
from urllib.parse import parse_qs, urlencode, urlsplit

import attrs

from tabwright.protocol.errors import BadInput, EmptyQuery
from tabwright.searching.links import host_of, is_engine
from tabwright.text.languages import checked_language

QUERY_CHARS_MAX = 1_000
"""Past this, a query in the URL can give a page without a conversation."""

FOLLOW_UP_CHARS_MAX = 3_500
"""What the streaming end point takes; the composer itself would take 8,192."""

URL_BYTES_MAX = 8_000
"""Past 8 KiB the engine answers 400; a Chinese character counts for nine bytes, an emoji for 12."""

_SEARCH = "https://www.google.com/search"
_AI_MODE = "50"
_ALLOWED_CONTROLS = frozenset("\t\n\r")


@attrs.frozen
class Question:
    """What is asked of the engine.

    Attributes:
        language: the ``hl`` code; empty where a URL has none.
    """

    query: str
    language: str = ""


def checked_query(query: str, *, chars_max: int = QUERY_CHARS_MAX) -> str:
    """The query, if the engine can take it.

    Raises:
        BadInput: it is blank, too long, or has characters that no text has.
    """
    if not query.strip():
        raise EmptyQuery
    if len(query) > chars_max:
        raise BadInput(
            f"The query has {len(query):,} characters; {chars_max:,} is the limit.",
            advice="Shorten it, or ask in several steps.",
        )
    for place, character in enumerate(query):
        if unicodedata.category(character) in {"Cc", "Cs"} and character not in _ALLOWED_CONTROLS:
            raise BadInput(
                f"The query has the character U+{ord(character):04X} at place {place + 1}.",
                advice="Remove control characters and broken surrogates.",
            )
    return query


def ai_mode_url(query: str, language: str) -> str:
    """The page that answers the query in AI Mode.

    Raises:
        BadInput: `checked_query` or `checked_language` refuses, or the URL grows past its limit.
    """
    parameters = {
        "udm": _AI_MODE,
        "q": checked_query(query),
        "hl": checked_language(language),
    }
    url = f"{_SEARCH}?{urlencode(parameters)}"
    if len(url) > URL_BYTES_MAX:
        raise BadInput(
            f"The query makes a URL of {len(url):,} bytes; {URL_BYTES_MAX:,} is the limit.",
            advice="Shorten it, or ask in several steps.",
        )
    return url


def read_ai_mode_url(url: str) -> Question:
    """What an AI Mode URL asks, exactly as it was asked.

    Raises:
        BadInput: the URL is not a search in AI Mode.
    """
    host = host_of(url)
    parts = urlsplit(url) if host else urlsplit("")
    fields = parse_qs(parts.query)
    if not is_engine(host) or parts.path != "/search" or fields.get("udm") != [_AI_MODE]:
        raise BadInput(f"{url!r} is not a search in AI Mode.", advice="Give a URL with udm=50.")
    return Question(fields.get("q", [""])[0], fields.get("hl", [""])[0])
