"""Bytes to characters: by byte order mark, header, ``meta``, and else by what they look like.

The order is that of browsers (HTML, section 13.2.3), and names mean what browsers mean by them
(WHATWG Encoding): ``iso-8859-1`` is Windows-1252.
"""

import codecs
import re
from collections.abc import Iterator, Mapping

DEFAULT = "windows-1252"
"""What bytes are that are nothing else."""

META_BYTES = 4096
"""As far as a declaration is looked for in the page itself."""

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
"""By Python's name of what is written."""

_READ = frozenset(
    {
        "utf-8",
        "utf-16-le",
        "utf-16-be",
        "cp866",
        "cp874",
        "cp932",
        "cp949",
        "big5hkscs",
        "euc_jp",
        "gb18030",
        "iso2022_jp",
        "koi8-r",
        "koi8-u",
        "mac-roman",
        "mac-cyrillic",
        "iso8859-2",
        "iso8859-3",
        "iso8859-4",
        "iso8859-5",
        "iso8859-6",
        "iso8859-7",
        "iso8859-8",
        "iso8859-10",
        "iso8859-13",
        "iso8859-14",
        "iso8859-15",
        "iso8859-16",
        "cp1250",
        "cp1251",
        "cp1252",
        "cp1253",
        "cp1254",
        "cp1255",
        "cp1256",
        "cp1257",
        "cp1258",
    }
)
"""What browsers read, by Python's names. Python knows more: some are no encodings of text."""

_META = re.compile(
    rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)""",
    re.IGNORECASE,
)

GUESS_BYTES = 50_000
"""As far as bytes are looked at of which nobody says what they are."""


def decoded(body: bytes, declared: str = "") -> tuple[str, str]:
    """The text, and the name of its encoding; no bytes are refused.

    Args:
        body: as it came.
        declared: what the header says; empty where it does not.
    """
    for mark, name in _MARKS.items():
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace"), name
    name = next(filter(None, map(_known, _said(body, declared))), None) or guessed(body)
    return body.decode(name, "replace"), name


def _said(body: bytes, declared: str) -> Iterator[str]:
    yield declared
    if match := _META.search(body, 0, META_BYTES):
        written = (match[1] or match[2]).decode("ascii", "replace")
        # What can be read as ASCII up to here is not UTF-16, whatever it says.
        yield "utf-8" if written.lower().startswith("utf-16") else written


def _known(name: str) -> str | None:
    """The encoding that browsers mean by a name; None for one that there is not."""
    try:
        python = codecs.lookup(name.strip()).name
    except (LookupError, ValueError):
        return None
    meant = _MEANT.get(python, python)
    return meant if codecs.lookup(meant).name in _READ else None


def guessed(body: bytes) -> str:
    """What bytes most likely are: UTF-8 if they can be, which others hardly ever are by chance."""
    start = body[:GUESS_BYTES]
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes  # noqa: PLC0415  (few pages need it)

        best = from_bytes(start).best()
        return (best and _known(best.encoding)) or DEFAULT
    return "utf-8"
