"""URLs as browsers read them: one parser, by the WHATWG URL standard, for all input."""

import re
from urllib.parse import unquote

import ada_url
import attrs

from tabwright.protocol.errors import BadInput
from tabwright.protocol.untrusted_text import Quoted

URL_CHARACTERS_MAX = 8192
ABSOLUTE = "Use an absolute http or https URL."

PORTS = {"http": 80, "https": 443}
"""The default ports of the schemes that are opened."""

LABEL_CHARACTERS_MAX = 63
"""The maximum length of a label of a host name (RFC 1035)."""

DECODINGS_MAX = 4
"""How often a path is percent-decoded at most: each proxy on the way may decode it once."""

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_PASSED_OVER = re.compile(r"[\t\r\n]")
_HOST_AND_PORT = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[^\s/?#:@\\]+):\d+(?:[/?#\\]|$)")
_UNRESERVED = re.compile(r"%(?:2[dDeE]|3\d|[46][1-9a-fA-F]|[57][0-9aA]|5[fF]|7[eE])")
_SLASHES = re.compile("//+")

OPAQUE = frozenset(
    ("about", "blob", "data", "geo", "javascript", "mailto", "news", "sms", "tel", "urn")
)
"""Schemes that can be followed by digits, so that they look like a host with a port."""


@attrs.frozen
class WebUrl:
    """An http or https URL.

    Attributes:
        text: the whole URL, normalized.
        scheme: ``http`` or ``https``.
        host: in ASCII and lower case, without brackets and without a trailing dot.
        port: the scheme's default if the URL has none.
        path: escaped, with dot segments resolved; never empty.
        query: with its question mark; empty if there is none.
    """

    text: str
    scheme: str
    host: str
    port: int
    path: str
    query: str

    @classmethod
    def read(cls, text: str, base: str = "") -> "WebUrl":
        """Parse `text` as a browser would, relative to `base` if given.

        It tolerates what browsers tolerate: letter case, surrounding white space, tabs and line
        breaks, backslashes, full-width characters, and every spelling of an address.

        Raises:
            BadInput: it is not an absolute http or https URL, or has a user name or a password.
        """
        stripped = text.strip().strip("\ufeff")
        if len(stripped) > URL_CHARACTERS_MAX:
            raise BadInput(
                f"The URL has {len(stripped)} characters; the limit is {URL_CHARACTERS_MAX}."
            )
        try:
            url = ada_url.URL(stripped, base or None)
        except (ValueError, UnicodeEncodeError) as error:
            raise _not_a_url(stripped) from error
        scheme = str(url.protocol).removesuffix(":")
        if scheme not in PORTS:
            raise BadInput((Quoted(scheme), ": URLs are not opened."), advice=ABSOLUTE)
        if url.username or url.password:
            raise BadInput("URLs with a user name or password are not opened.", advice=ABSOLUTE)
        host = str(url.hostname).strip("[]").removesuffix(".")
        if ":" not in host and not all(
            0 < len(label) <= LABEL_CHARACTERS_MAX for label in host.split(".")
        ):
            raise _not_a_url(stripped)
        port = int(str(url.port)) if url.port else PORTS[scheme]
        return cls(str(url.href), scheme, host, port, str(url.pathname), str(url.search))

    @property
    def authority(self) -> str:
        """Return the host, with its port if that is not the default (RFC 9110, section 7.2)."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


_THIS_MACHINE = re.compile(r"(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?=[:/?#]|$)", re.IGNORECASE)


def completed(text: str) -> str:
    """Add ``https://`` to an address that a person typed without a scheme.

    ``example.com``, ``192.0.2.7:8765/p``, ``[::1]:8080``, ``localhost`` and ``//example.com`` are
    completed. This machine gets ``http://``, as its servers rarely have a certificate. All other
    text is returned unchanged: a word without a dot is not an address, and a text with a scheme may
    still be refused by `WebUrl.read`.
    """
    stripped = text.strip()
    if stripped.startswith("//"):
        return f"https:{stripped}"
    scheme = _SCHEME.match(stripped)
    if _HOST_AND_PORT.match(stripped):
        is_host = scheme is None or scheme[1].lower() not in OPAQUE
    else:
        host = re.split(r"[/?#\\]", stripped, maxsplit=1)[0]
        is_host = scheme is None and (_is_named(host) or host.startswith("["))
    if not is_host:
        return text
    return f"http://{stripped}" if _THIS_MACHINE.match(stripped) else f"https://{stripped}"


def _is_named(host: str) -> bool:
    """Return whether it looks like a host rather than a path or a word."""
    parts = re.split("[.\u3002\uff0e\uff61]", host)  # the dots of host names (UTS 46)
    return host.lower() == "localhost" or (
        len(parts) > 1 and bool(parts[0] and parts[1]) and " " not in host
    )


def path_readings(path: str) -> tuple[str, ...]:
    """Return the ways in which servers may read `path`.

    Servers decode escapes (some proxies once more), merge slashes, resolve dot segments before or
    after that, treat a backslash as a slash, and drop the text after a semicolon.
    """
    plain = without_needless_escapes(path)
    readings = dict.fromkeys((plain, _resolved(_merged(plain))))
    text = path
    for _ in range(DECODINGS_MAX):
        decoded = unquote(text, errors="surrogateescape").replace("\\", "/")
        for read in (decoded, re.sub(r";[^/]*", "", decoded)):
            readings[_merged(_resolved(read))] = None
            readings[_resolved(_merged(read))] = None
        if decoded == text:
            break
        text = decoded
    return tuple(readings)


def served_path(path: str) -> str:
    """Return `path` as most servers read it, without needless escapes or dot segments."""
    return _resolved(_merged(without_needless_escapes(path)))


def without_needless_escapes(path: str) -> str:
    """Return `path` with its unreserved characters unescaped (RFC 3986, section 2.3)."""
    return _UNRESERVED.sub(lambda one: unquote(one[0]), path)


def _merged(path: str) -> str:
    return _SLASHES.sub("/", path)


def _resolved(path: str) -> str:
    """Return `path` without dot segments (RFC 3986, section 5.2.4)."""
    if "/." not in path:
        return path
    kept: list[str] = []
    parts = path.split("/")[1:]
    for part in parts:
        if part == "..":
            del kept[-1:]
        elif part != ".":
            kept.append(part)
    if parts[-1] in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)


def _not_a_url(text: str) -> BadInput:
    """Return the error for `text`, which is not repeated if it may contain a password."""
    if not _SCHEME.match(_PASSED_OVER.sub("", text)):
        return BadInput("URLs without http:// or https:// are not opened.", advice=ABSOLUTE)
    shown = "The address" if "@" in text else repr(text[:200])
    return BadInput((Quoted(shown), " is not a URL."), advice=ABSOLUTE)
