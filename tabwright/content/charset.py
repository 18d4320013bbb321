"""Decode bytes: by byte order mark, header, ``meta``, or otherwise by detection.

The order is that of browsers (HTML, section 13.2.3), and names of charsets have the meaning that
browsers give them (WHATWG Encoding): ``iso-8859-1`` is Windows-1252.
"""

import codecs
import re
from collections.abc import Iterator, Mapping

from webencodings import LABELS, lookup

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
    own = declared_charset(body[:EXAMINED_BYTES]) if is_html else ""
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


EXAMINED_BYTES = 50_000
"""Length of the part of a page that is searched for a declaration, and by which an encoding is
guessed. Browsers search 1,024 bytes first, and begin again if the parser finds a declaration later
(HTML, "change the encoding")."""

# Bytes that declare nothing.

UTF_16_SHARE = 0.05
"""Text in UTF-16 has so many zero bytes, in the same half of its characters: spaces and tags."""

ZEROS_RATIO = 4
"""How many times fewer are in the other half, where a frequent Chinese character has one."""

_CONTROL = re.compile(rb"[\x01-\x08\x0b\x0e-\x1a\x1c-\x1f]")
"""Bytes that no text has, but UTF-16 in other scripts than Latin."""


def guessed(body: bytes) -> str:
    """Return the most likely encoding: UTF-16, or one that browsers guess (by Firefox's detector).

    Text in other encodings can have a few zero bytes by mistake.
    """
    start = body[:EXAMINED_BYTES]
    for charset, part in (("utf-16le", 1), ("utf-16be", 0)):
        half = start[part::2]
        zeros, others = half.count(0), start[1 - part :: 2].count(0)
        if zeros > len(start) * UTF_16_SHARE and zeros > others * ZEROS_RATIO:
            is_latin = zeros * 2 > len(half)
            if is_latin or _CONTROL.search(start):
                return charset
    from chardetng_py import EncodingDetector  # noqa: PLC0415  (few pages need it)

    detector = EncodingDetector()
    detector.feed(start, last=len(body) <= EXAMINED_BYTES)  # the part can end inside a character
    return charset_of(detector.guess(tld=None, allow_utf8=True)) or DEFAULT


# The declaration of a charset in the first bytes of a page (HTML, section 13.2.3.2).
#
# The bytes are searched as browsers search them: comments and the attributes of other elements are
# skipped, a ``meta`` with ``content`` needs ``http-equiv``, and unknown names are passed over.

_SPACE = b"\t\n\f\r "
_COMMENT_END = re.compile(rb"-->")
_TAG = re.compile(rb"</?[a-zA-Z][^\t\n\f\r />]*")
_META = re.compile(rb"<meta(?=[\t\n\f\r /])", re.IGNORECASE)
_CHARSET = re.compile(rb"charset[\t\n\f\r ]*=[\t\n\f\r ]*", re.IGNORECASE)
_XML = re.compile(
    rb"<\?xml[^>]*?\bencoding[\t\n\f\r ]*=[\t\n\f\r ]*([\"'])([\w.:-]+)\1", re.IGNORECASE
)


def declared_charset(start: bytes) -> str:
    """Return the charset that the start of a page declares; empty if there is none."""
    if xml := _XML.match(start):
        return charset_of(xml[2].decode("ascii", "replace"))
    at = 0
    while (at := start.find(b"<", at)) >= 0:
        if start.startswith(b"<!--", at):
            # The end may begin with the dashes of the start: <!-->
            ended = _COMMENT_END.search(start, at + 2)
            at = ended.end() if ended else len(start)
        elif _META.match(start, at):
            attributes = _Attributes(start, at + len(b"<meta"))
            charset = _of_meta(dict(attributes))
            at = attributes.at
            if charset and at < len(start):  # it is whole
                return charset
        elif tag := _TAG.match(start, at):
            attributes = _Attributes(start, tag.end())
            for _ in attributes:
                pass
            at = attributes.at
        elif start[at + 1 : at + 2] in {b"!", b"/", b"?"}:
            ended_at = start.find(b">", at)
            at = ended_at if ended_at >= 0 else len(start)
        else:
            at += 1
    return ""


def _of_meta(attributes: dict[bytes, bytes]) -> str:
    """Return the charset that a ``meta`` element declares; empty if none, or an unknown one."""
    if b"charset" in attributes:
        name = attributes[b"charset"]
    elif attributes.get(b"http-equiv", b"").lower() == b"content-type":
        name = _in_content(attributes.get(b"content", b""))
    else:
        return ""
    charset = charset_of(name.decode("ascii", "replace"))
    # A page that is readable as ASCII up to here is neither UTF-16 nor user-defined.
    replaced = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}
    return replaced.get(charset, charset)


def _in_content(content: bytes) -> bytes:
    """Return the charset in the content of a ``meta`` (HTML, section 2.6.5)."""
    found = _CHARSET.search(content)
    if found is None:
        return b""
    rest = content[found.end() :]
    if rest[:1] in {b'"', b"'"}:
        value, closed, _ = rest[1:].partition(rest[:1])
        return value if closed else b""
    return re.split(rb"[\t\n\f\r ;]", rest, maxsplit=1)[0]


class _Attributes:
    """The attributes of a tag, the first of each name, in lower case.

    Attributes:
        at: the position behind the last one that was read.
    """

    def __init__(self, start: bytes, at: int) -> None:
        self.at = at
        self._start = start

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        seen = set[bytes]()
        while (read := self._next()) is not None:
            if read[0] not in seen:
                seen.add(read[0])
                yield read

    def _next(self) -> tuple[bytes, bytes] | None:
        """Return the next attribute, or None at the end of the tag ("get an attribute")."""
        self._skip(_SPACE + b"/")
        if self._here in {b"", b">"}:
            return None
        begin = self.at
        while self._here not in {b"", b">", b"/"} and self._here not in _SPACE:
            if self._here == b"=" and self.at > begin:
                break
            self.at += 1
        name = self._start[begin : self.at].lower()
        self._skip(_SPACE)
        if self._here != b"=":
            return name, b""
        self.at += 1
        self._skip(_SPACE)
        return name, self._value().lower()

    def _value(self) -> bytes:
        if (quote := self._here) in {b'"', b"'"}:
            end = self._start.find(quote, self.at + 1)
            begin, self.at = self.at + 1, len(self._start) if end < 0 else end + 1
            return self._start[begin:end] if end >= 0 else b""
        begin = self.at
        while self._here not in {b"", b">"} and self._here not in _SPACE:
            self.at += 1
        return self._start[begin : self.at]

    @property
    def _here(self) -> bytes:
        return self._start[self.at : self.at + 1]

    def _skip(self, characters: bytes) -> None:
        while self._here and self._here in characters:
            self.at += 1


# Names of charsets as browsers read them (WHATWG Encoding, section 4.2).

_CANONICAL = {"big5": "Big5", "shift_jis": "Shift_JIS", "utf-16be": "UTF-16BE", "gbk": "GBK"}
_UPPER = ("utf-", "iso-", "euc-", "ibm", "koi8-", "gbk")

REPLACEMENT = "replacement"
"""The encoding of charsets that browsers refuse to decode: attacks have hidden scripts in them."""


def charset_of(label: str) -> str:
    """Return the name of an encoding in lower case; empty if no browser knows the label."""
    return LABELS.get(label.strip("\t\n\f\r ").lower(), "")


def canonical_name(charset: str) -> str:
    """Return the name of an encoding as a browser writes it."""
    upper = charset.startswith(_UPPER) and charset not in _CANONICAL
    return charset.upper() if upper else _CANONICAL.get(charset, charset)


def decode_as(body: bytes, charset: str) -> str:
    """Decode bytes in an encoding that `charset_of` returned; invalid ones become U+FFFD."""
    if charset == REPLACEMENT:
        return "\ufffd" if body else ""
    if charset == "gbk":  # which browsers decode as its superset
        charset = "gb18030"
    text, _ = codec_of(charset).decode(body, "replace")
    return text


def codec_of(charset: str) -> codecs.CodecInfo:
    """Return the codec of an encoding; that of UTF-8 for an unknown one."""
    encoding = lookup(charset)
    return encoding.codec_info if encoding else codecs.lookup("utf-8")
