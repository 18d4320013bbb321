"""Bytes to characters: by byte order mark, header, ``meta``, and else by what they look like.

The order is that of browsers (HTML, section 13.2.3), and names mean what browsers mean by them
(WHATWG Encoding): ``iso-8859-1`` is Windows-1252.
"""

import codecs
import re
from collections.abc import Mapping

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
"""What browsers read: their names for it, by Python's. Python knows more, of which some are no
encodings of text."""

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
"""Python's names of what it does not know by the names that browsers do."""

_SENT: Mapping[str, str] = {"utf-16-le": "UTF-8", "utf-16-be": "UTF-8", "gb18030": "GBK"}
"""What a form is sent in instead: nobody reads UTF-16 there, and what counts as gb18030 calls
itself GBK as a rule, which has fewer characters, all in the same place."""

_CODECS: Mapping[str, str] = {**{name: python for python, name in _NAMES.items()}, "GBK": "gbk"}

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
    charsets = [declared]
    if match := _META.search(body, 0, META_BYTES):
        written = (match[1] or match[2]).decode("ascii", "replace")
        # What can be read as ASCII up to here is not UTF-16, whatever it says.
        charsets.append("utf-8" if written.lower().startswith("utf-16") else written)
    name = next(filter(None, map(_known, charsets)), None) or guessed(body)
    return body.decode(name, "replace"), name


def _known(name: str) -> str | None:
    """The encoding that browsers mean by a name; None for one that there is not."""
    label = name.strip().lower()
    try:
        python = codecs.lookup(_LABELS.get(label, label)).name
    except (LookupError, ValueError):
        return None
    meant = _MEANT.get(python, python)
    return meant if codecs.lookup(meant).name in _NAMES else None


def form_charset(accepted: str, page: str) -> str:
    """What a form is sent in, as browsers call it (HTML, section 4.10.22.5).

    Args:
        accepted: the form's ``accept-charset``; the first name in it that there is counts.
        page: what the page was read in, by any name, which counts else; UTF-8 where nobody knows.
    """
    names = (*accepted.replace(",", " ").split(), page)
    python = codecs.lookup(next(filter(None, map(_known, names)), "utf-8")).name
    return _SENT.get(python, _NAMES[python])


def form_encoded(text: str, charset: str) -> bytes:
    """A text as a form sends it, in what `form_charset` names; what that lacks is ``&#number;``."""
    return text.encode(_CODECS.get(charset, "utf-8"), "xmlcharrefreplace")


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
