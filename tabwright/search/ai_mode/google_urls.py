"""Google URLs: searches in AI Mode, and links with and without their redirect wrapper."""

from functools import cached_property
from urllib.parse import parse_qs, urlencode, urlsplit

import attrs

from tabwright.protocol.errors import BadInput
from tabwright.protocol.untrusted_text import Quoted
from tabwright.search.urls import checked_query, host_in, host_of, is_google_host, split_url
from tabwright.text.languages import Texts, checked_language, texts_of

# The targets of Google's links, and its own hosts.

_WRAPPED_IN = {"/url": ("q", "url"), "/goto": ("url", "q"), "/translate": ("u",)}
_VIEWER_PATH = "/searchviewer/"
_OPAQUE_PATH = "/goto"


def is_google(url: str) -> bool:
    """Return whether the URL is at google.com or below it: ``notgoogle.com`` is not."""
    host = host_of(url)
    return host == "google.com" or host.endswith(".google.com")


def is_opaque(url: str) -> bool:
    """Return whether only the engine knows the target: a ``/goto`` with a signed target."""
    parts = split_url(unwrap(url))
    return parts is not None and is_google_host(host_in(parts)) and parts.path == _OPAQUE_PATH


def is_viewer(url: str) -> bool:
    """Return whether the URL is a page of the engine that shows a source, without its target."""
    parts = split_url(url)
    if parts is None or not is_google_host(host_in(parts)):
        return False
    return parts.path.startswith(_VIEWER_PATH)


def unwrap(url: str) -> str:
    """Return the target of ``/url?q=``, ``/url?url=``, a readable ``/goto`` or a translation.

    A URL without a wrapper is returned unchanged.
    """
    while target := _target(url):  # a part of it, so that this ends
        url = target
    return url


def same_page_key(url: str) -> str:
    """Return a key that is equal for two URLs if and only if they lead to the same page."""
    parts = split_url(url)
    if parts is None:
        return url
    port = f":{parts.port}" if parts.port not in {None, 80, 443} else ""
    return f"{parts.scheme}://{host_in(parts)}{port}{parts.path or '/'}?{parts.query}"


def _target(url: str) -> str:
    parts = split_url(url)
    if parts is None or not is_google_host(host_in(parts)):
        return ""
    query = parse_qs(parts.query)
    for name in _WRAPPED_IN.get(parts.path, ()):
        target = query.get(name, [""])[0]
        if host_of(target):
            return target
    return ""


FOLLOW_UP_CHARS_MAX = 3_500
"""The limit of the streaming end point; the input field itself accepts 8,192."""

URL_BYTES_MAX = 8_000
"""Above 8 KiB the engine returns 400; a Chinese character counts as nine bytes, an emoji as 12."""

_SEARCH = "https://www.google.com/search"
_AI_MODE = "50"


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
    if not is_google_host(host):
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
