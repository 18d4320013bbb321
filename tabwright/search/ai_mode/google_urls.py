"""Google URLs: searches in AI Mode, and links with and without their redirect wrapper."""

import re
import unicodedata
from functools import cached_property
from urllib.parse import SplitResult, parse_qs, unquote, urlencode, urlsplit

import attrs

from tabwright.protocol.errors import BadInput, EmptyQuery
from tabwright.protocol.untrusted_text import Quoted
from tabwright.text.languages import Texts, checked_language, texts_of

# The targets of Google's links, and its own hosts.

_ENGINE_HOST = re.compile(r"(^|\.)google\.([a-z]{2,3}|com?\.[a-z]{2})$")
_WRAPPED_IN = {"/url": ("q", "url"), "/goto": ("url", "q"), "/translate": ("u",)}
_VIEWER_PATH = "/searchviewer/"
_OPAQUE_PATH = "/goto"
_LAYERS_MAX = 3
_FORBIDDEN = re.compile(r"[\s\x00-\x1f\x7f\\<>]")


def host_of(url: str) -> str:
    """Return the host of an http or https URL as a browser reads it; empty for any other URL."""
    parts = _split(url)
    return "" if parts is None else _host(parts)


def is_google(url: str) -> bool:
    """Return whether the URL is at google.com or below it: ``notgoogle.com`` is not."""
    host = host_of(url)
    return host == "google.com" or host.endswith(".google.com")


def is_engine(host: str) -> bool:
    """Return whether the host belongs to the engine of any country, for example google.co.jp."""
    return _ENGINE_HOST.search(host) is not None


def is_opaque(url: str) -> bool:
    """Return whether only the engine knows the target: a ``/goto`` with a signed target."""
    parts = _split(unwrap(url))
    return parts is not None and is_engine(_host(parts)) and parts.path == _OPAQUE_PATH


def is_viewer(url: str) -> bool:
    """Return whether the URL is a page of the engine that shows a source, without its target."""
    parts = _split(url)
    if parts is None or not is_engine(_host(parts)):
        return False
    return parts.path.startswith(_VIEWER_PATH)


def unwrap(url: str) -> str:
    """Return the target of ``/url?q=``, ``/url?url=``, a readable ``/goto`` or a translation.

    A URL without a wrapper is returned unchanged.
    """
    for _ in range(_LAYERS_MAX):
        target = _target(url)
        if not target:
            break
        url = target
    return url


def same_page_key(url: str) -> str:
    """Return a key that is equal for two URLs if and only if they lead to the same page."""
    parts = _split(url)
    if parts is None:
        return url
    port = f":{parts.port}" if parts.port not in {None, 80, 443} else ""
    return f"{parts.scheme}://{_host(parts)}{port}{parts.path or '/'}?{parts.query}"


def asks(url: str, query: str) -> bool:
    """Return whether the URL of an engine's page has this query; other pages may appear too."""
    parts = _split(url)
    values = () if parts is None else [v for vs in parse_qs(parts.query).values() for v in vs]
    return any(value.split() == query.split() for value in values)


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port  # an invalid port raises here
    except ValueError:
        return None
    return parts if usable and not _FORBIDDEN.search(parts.netloc) else None


def _host(parts: SplitResult) -> str:
    host = unquote(parts.hostname or "").lower().replace("\u3002", ".")
    return host.removesuffix(".")


def _target(url: str) -> str:
    parts = _split(url)
    if parts is None or not is_engine(_host(parts)):
        return ""
    query = parse_qs(parts.query)
    for name in _WRAPPED_IN.get(parts.path, ()):
        target = query.get(name, [""])[0]
        if host_of(target):
            return target
    return ""


QUERY_CHARS_MAX = 1_000
"""Above this length, a query in the URL can lead to a page without a conversation."""

FOLLOW_UP_CHARS_MAX = 3_500
"""The limit of the streaming end point; the input field itself accepts 8,192."""

URL_BYTES_MAX = 8_000
"""Above 8 KiB the engine returns 400; a Chinese character counts as nine bytes, an emoji as 12."""

_SEARCH = "https://www.google.com/search"
_AI_MODE = "50"
_ALLOWED_CONTROLS = frozenset("\t\n\r")


@attrs.frozen
class AIModeQuery:
    """A checked question to the engine, with the values derived from it.

    Attributes:
        language: the ``hl`` code; empty if a URL has none.
    """

    query: str
    language: str = ""

    @cached_property
    def url(self) -> str:
        """Return the URL of a new thread with the answer.

        Raises:
            BadInput: see `ai_mode_url`; a follow-up may be too long for a URL.
        """
        return ai_mode_url(self.query, self.language)

    @cached_property
    def texts(self) -> Texts:
        """Return the texts for the user, in the language of the question."""
        return texts_of(self.language)


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


def ai_mode_url(query: str, language: str) -> str:
    """Return the URL of the query in AI Mode.

    Raises:
        BadInput: `checked_query` or `checked_language` refuses, or the URL is too long.
    """
    parameters = {
        "udm": _AI_MODE,
        "q": checked_query(query),
        "hl": checked_language(language),
    }
    url = f"{_SEARCH}?{urlencode(parameters)}"
    if len(url) > URL_BYTES_MAX:
        raise BadInput(
            f"The query makes a URL of {len(url):,} bytes; the limit is {URL_BYTES_MAX:,}.",
            advice="Shorten it, or ask in several steps.",
        )
    return url


def is_ai_mode_url(url: str) -> bool:
    """Return whether the URL is that of a question to AI Mode."""
    host = host_of(url)
    if not is_engine(host):
        return False
    parts = urlsplit(url)
    return parts.path == "/search" and parse_qs(parts.query).get("udm") == [_AI_MODE]


def read_ai_mode_url(url: str) -> AIModeQuery:
    """Return the question in an AI Mode URL, unchanged.

    Raises:
        BadInput: the URL is not an AI Mode search URL.
    """
    if not is_ai_mode_url(url):
        raise BadInput(
            (Quoted(repr(url)), " is not an AI Mode search URL."), advice="Use a URL with udm=50."
        )
    fields = parse_qs(urlsplit(url).query)
    return AIModeQuery(fields.get("q", [""])[0], fields.get("hl", [""])[0])
