"""The addresses of a page: absolute, and only those that lead somewhere."""

import re
from collections.abc import Set as AbstractSet
from urllib.parse import urljoin, urlsplit

import attrs
from selectolax.lexbor import LexborHTMLParser

from tabwright.protocol.web_urls import URL_CHARACTERS_MAX

LINKED = frozenset({"http", "https", "mailto", "tel"})
"""Where a link may lead; neither to a script nor to data that stand in the address itself."""

LOADED = frozenset({"http", "https"})
"""Where a picture, a frame or a form may be."""

_STRIPPED = "".join(map(chr, range(0x21)))
_PASSED_OVER = re.compile(r"[\t\r\n]")
"""What a browser passes over in an address (WHATWG URL, section 4.4)."""

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*(?=:)")
_UNWRITABLE = re.compile(
    r"[\s<>\"`\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)
"""What would end an address in the middle of a text, or is seen by nobody, or steers a terminal."""


@attrs.define(eq=False)
class Addresses:
    """Makes the addresses of one document absolute, each only once.

    Attributes:
        page: the document's own URL.
        base: what its addresses are relative to.
    """

    page: str
    base: str
    _scheme: str = attrs.field(init=False)
    _origin: str = attrs.field(init=False)
    _document: str = attrs.field(init=False)
    _known: dict[str, tuple[str, str]] = attrs.field(factory=dict[str, tuple[str, str]], init=False)

    def __attrs_post_init__(self) -> None:
        self._scheme, self._origin = _origin(self.base)
        self._document = self.base.partition("#")[0]

    @classmethod
    def of(cls, document: LexborHTMLParser, page: str) -> "Addresses":
        """Those of a document found at `page`, which may name another base (HTML, 4.2.3)."""
        own = cls(page, page)
        base = document.css_first("base[href]")
        named = own.loaded(base.attributes["href"]) if base else ""
        return cls(page, named) if named else own

    def linked(self, address: str | None) -> str:
        """Where a link leads; empty for one that leads nowhere else."""
        return self._absolute(address, LINKED)

    def loaded(self, address: str | None) -> str:
        """Where something is loaded from; empty where it is not loaded."""
        return self._absolute(address, LOADED)

    def _absolute(self, address: str | None, schemes: AbstractSet[str]) -> str:
        if not address:
            return ""
        known = self._known.get(address)
        if known is None:
            url = self._found(address.strip(_STRIPPED))
            known = self._known[address] = url, _scheme(url)
        url, scheme = known
        return url if scheme in schemes else ""

    def _found(self, address: str) -> str:
        if address in {"", "#"} or len(address) > URL_CHARACTERS_MAX:
            return ""
        if _UNWRITABLE.search(address):
            return _UNWRITABLE.sub(_percent, self._joined(_PASSED_OVER.sub("", address)))
        return self._joined(address)

    def _joined(self, address: str) -> str:
        """The address resolved; the usual kinds without taking them apart."""
        if scheme := _scheme(address):
            rest = address[len(scheme) :]
            if scheme not in LOADED or rest.startswith("://"):
                return scheme + rest
        if address.startswith("//"):
            return f"{self._scheme}:{address}"
        if address.startswith("/") and "/." not in address and "\\" not in address:
            return self._origin + address
        if address.startswith("#"):
            return self._document + address
        return _resolved(self.base, address)


def _origin(url: str) -> tuple[str, str]:
    """The scheme of a URL, and all that stands before its path."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme, f"{parts.scheme}://{parts.netloc}"


def _scheme(address: str) -> str:
    match = _SCHEME.match(address)
    return match[0].lower() if match else ""


def _resolved(base: str, address: str) -> str:
    """By RFC 3986; a backslash in a path is a slash, as browsers read it."""
    path, mark, query = address.partition("?")
    try:
        return urljoin(base, path.replace("\\", "/") + mark + query)
    except ValueError:
        return ""


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())
