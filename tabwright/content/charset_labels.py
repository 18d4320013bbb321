"""Names of charsets as browsers read them (WHATWG Encoding, section 4.2)."""

import codecs

from webencodings import LABELS, lookup

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
