"""Decode bytes: by byte order mark, header, ``meta``, or otherwise by detection.

The order is that of browsers (HTML, section 13.2.3), and names of charsets have the meaning that
browsers give them (WHATWG Encoding): ``iso-8859-1`` is Windows-1252.
"""

import codecs
from collections.abc import Iterator, Mapping

from tabwright.content.charset_labels import canonical_name, charset_of, codec_of, decode_as
from tabwright.content.html.charset_prescan import PRESCAN_BYTES, declared_charset

DEFAULT = "windows-1252"
"""The encoding of bytes that match no other."""

_MARKS: Mapping[bytes, str] = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16le",
    codecs.BOM_UTF16_BE: "utf-16be",
}

_SENT: Mapping[str, str] = {"utf-16le": "utf-8", "utf-16be": "utf-8", "replacement": "utf-8"}
"""Replacements for sending forms (WHATWG Encoding, "get an output encoding")."""


def decoded(body: bytes, declared: str = "", *, is_html: bool = True) -> tuple[str, str]:
    """Return the text and the name of its encoding; any bytes are accepted.

    Args:
        body: the bytes as received.
        declared: the charset in the header; empty if there is none.
        is_html: whether the bytes can declare a charset themselves.
    """
    for mark, name in _MARKS.items():
        if body.startswith(mark):
            return decode_as(body[len(mark) :], name), name
    own = declared_charset(body[:PRESCAN_BYTES]) if is_html else ""
    charset = charset_of(declared) or own or guessed(body)
    return decode_as(body, charset), charset


def form_charset(accepted: str, page: str) -> str:
    """Return the encoding of a form's data by its browser name (HTML, section 4.10.22.5).

    Args:
        accepted: the form's ``accept-charset``; the first known name in it is used.
        page: the page's encoding, by any name, used otherwise; UTF-8 if it is unknown.
    """
    names = (*accepted.replace(",", " ").split(), page)
    known: Iterator[str] = filter(None, map(charset_of, names))
    charset = next(known, "utf-8")
    return canonical_name(_SENT.get(charset, charset))


def form_encoded(text: str, charset: str) -> bytes:
    """Encode a text as a form sends it; unsupported characters become ``&#number;``."""
    encoded, _ = codec_of(charset_of(charset)).encode(text, "xmlcharrefreplace")
    return encoded


# Bytes that declare nothing.

GUESS_BYTES = 50_000
"""Length of the part of undeclared bytes that is examined."""

UTF_16_SHARE = 0.05
"""Text in UTF-16 has so many zero bytes, in the same half of its characters: spaces and tags."""


def guessed(body: bytes) -> str:
    """Return the most likely encoding, of those that browsers guess (by Firefox's detector)."""
    start = body[:GUESS_BYTES]
    for charset, part in (("utf-16le", 1), ("utf-16be", 0)):
        zeros, others = start[part::2].count(0), start[1 - part :: 2].count(0)
        if zeros > len(start) * UTF_16_SHARE and not others:
            return charset
    from chardetng_py import detect  # noqa: PLC0415  (few pages need it)

    return charset_of(detect(start, allow_utf8=True)) or DEFAULT
