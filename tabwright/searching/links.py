"""Where a link of the engine really leads: its wrapping undone, its own hosts told apart."""

import re
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

_ENGINE_HOST = re.compile(r"(^|\.)google\.([a-z]{2,3}|com?\.[a-z]{2})$")
_WRAPPED_IN = {"/url": ("q", "url"), "/goto": ("url", "q"), "/translate": ("u",)}
_OPAQUE_PATH = "/goto"
_LAYERS_MAX = 3
_FORBIDDEN = re.compile(r"[\s\x00-\x1f\x7f\\<>]")


def host_of(url: str) -> str:
    """The host of an http or https URL as a browser would read it; empty for any other URL."""
    parts = _split(url)
    return "" if parts is None else _host(parts)


def is_google(url: str) -> bool:
    """Whether the URL is at google.com or below it: ``notgoogle.com`` is not."""
    host = host_of(url)
    return host == "google.com" or host.endswith(".google.com")


def is_engine(host: str) -> bool:
    """Whether the host belongs to the engine in any country, such as ``www.google.co.jp``."""
    return _ENGINE_HOST.search(host) is not None


def is_opaque(url: str) -> bool:
    """Whether only the engine knows where the link leads: a ``/goto`` with a signed target."""
    parts = _split(unwrap(url))
    return parts is not None and is_engine(_host(parts)) and parts.path == _OPAQUE_PATH


def unwrap(url: str) -> str:
    """The target of ``/url?q=``, ``/url?url=``, a readable ``/goto`` or a translation.

    A URL that is not wrapped comes back unchanged.
    """
    for _ in range(_LAYERS_MAX):
        target = _target(url)
        if not target:
            break
        url = target
    return url


def same_page_key(url: str) -> str:
    """Equal for two URLs exactly if they lead to the same page, fragments aside."""
    parts = _split(url)
    if parts is None:
        return url
    port = f":{parts.port}" if parts.port not in {None, 80, 443} else ""
    return f"{parts.scheme}://{_host(parts)}{port}{parts.path or '/'}?{parts.query}"


def asks(url: str, query: str) -> bool:
    """Whether the URL of an engine's page carries this query; pages of others may be shown too."""
    parts = _split(url)
    values = () if parts is None else [v for vs in parse_qs(parts.query).values() for v in vs]
    return any(value.split() == query.split() for value in values)


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port  # a port that is no number raises here
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
