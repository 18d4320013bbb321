"""Decode bytes: by byte order mark, header, ``meta``, or otherwise by detection.

The order is that of browsers (HTML, section 13.2.3), and encoding names have the meaning that
browsers give them (WHATWG Encoding): ``iso-8859-1`` is Windows-1252.
"""

import codecs
import re
from collections.abc import Mapping

DEFAULT = "windows-1252"
"""The encoding of bytes that match no other."""

META_BYTES = 4096
"""Length of the part of a page that is searched for a declaration."""

_MARKS: Mapping[bytes, str] = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}

_MEANT: Mapping[str, str] = {
    "ascii": DEFAULT,
    "iso8859-1": DEFAULT,
    "iso8859-9": "windows-1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "utf-16": "utf-16-le",
    "utf-7": DEFAULT,
}
"""Replacements, by Python's name of the declared encoding."""

_NAMES: Mapping[str, str] = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
    "cp866": "IBM866",
    "cp874": "windows-874",
    "cp932": "Shift_JIS",
    "cp949": "EUC-KR",
    "big5hkscs": "Big5",
    "euc_jp": "EUC-JP",
    "gb18030": "gb18030",
    "iso2022_jp": "ISO-2022-JP",
    "koi8-r": "KOI8-R",
    "koi8-u": "KOI8-U",
    "mac-roman": "macintosh",
    "mac-cyrillic": "x-mac-cyrillic",
    **{f"iso8859-{part}": f"ISO-8859-{part}" for part in (*range(2, 9), 10, *range(13, 17))},
    **{f"cp{page}": f"windows-{page}" for page in range(1250, 1259)},
}
"""Encodings that browsers support: their name by Python's. Python knows more, some of which are not
text encodings."""

_LABELS: Mapping[str, str] = {
    "dos-874": "cp874",
    "iso-8859-8-i": "iso8859-8",
    "unicode-1-1-utf-8": "utf-8",
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "windows-949": "cp949",
    "x-gbk": "gbk",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-sjis": "cp932",
    "x-x-big5": "big5hkscs",
    **{f"x-cp{page}": f"cp{page}" for page in range(1250, 1259)},
}
"""Python's names of encodings that it does not know by the browsers' names."""

_SENT: Mapping[str, str] = {"utf-16-le": "UTF-8", "utf-16-be": "UTF-8", "gb18030": "GBK"}
"""Replacements for sending forms: UTF-16 is never sent, and pages that count as gb18030 usually
declare GBK, which has fewer characters with the same codes."""

_CODECS: Mapping[str, str] = {**{name: python for python, name in _NAMES.items()}, "GBK": "gbk"}

_META = re.compile(
    rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)""",
    re.IGNORECASE,
)

GUESS_BYTES = 50_000
"""Length of the part of undeclared bytes that is examined."""


def decoded(body: bytes, declared: str = "") -> tuple[str, str]:
    """Return the text and the name of its encoding; any bytes are accepted.

    Args:
        body: the bytes as received.
        declared: the charset in the header; empty if there is none.
    """
    for mark, name in _MARKS.items():
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace"), name
    charsets = [declared]
    if match := _META.search(body, 0, META_BYTES):
        written = (match[1] or match[2]).decode("ascii", "replace")
        # A page that is readable as ASCII up to here cannot be UTF-16, whatever it declares.
        charsets.append("utf-8" if written.lower().startswith("utf-16") else written)
    name = next(filter(None, map(_known, charsets)), None) or guessed(body)
    return body.decode(name, "replace"), name


def _known(name: str) -> str | None:
    """Return the encoding that browsers mean by a name, or None if it is unknown."""
    label = name.strip().lower()
    try:
        python = codecs.lookup(_LABELS.get(label, label)).name
    except (LookupError, ValueError):
        return None
    meant = _MEANT.get(python, python)
    return meant if codecs.lookup(meant).name in _NAMES else None


def form_charset(accepted: str, page: str) -> str:
    """Return the encoding of a form's data by its browser name (HTML, section 4.10.22.5).

    Args:
        accepted: the form's ``accept-charset``; the first known name in it is used.
        page: the page's encoding, by any name, used otherwise; UTF-8 if it is unknown.
    """
    names = (*accepted.replace(",", " ").split(), page)
    python = codecs.lookup(next(filter(None, map(_known, names)), "utf-8")).name
    return _SENT.get(python, _NAMES[python])


def form_encoded(text: str, charset: str) -> bytes:
    """Encode a text as a form sends it; unsupported characters become ``&#number;``."""
    return text.encode(_CODECS.get(charset, "utf-8"), "xmlcharrefreplace")


def guessed(body: bytes) -> str:
    """Return the most likely encoding: UTF-8 if valid, since other text hardly ever is."""
    start = body[:GUESS_BYTES]
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes  # noqa: PLC0415  (few pages need it)

        best = from_bytes(start).best()
        return (best and _known(best.encoding)) or DEFAULT
    return "utf-8"
