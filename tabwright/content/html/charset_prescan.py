"""The declaration of a charset in the first bytes of a page (HTML, section 13.2.3.2).

The bytes are searched as browsers search them: comments and the attributes of other elements are
skipped, a ``meta`` with ``content`` needs ``http-equiv``, and unknown names are passed over.
"""

import re
from collections.abc import Iterator

from tabwright.content.charset_labels import charset_of

PRESCAN_BYTES = 16_384
"""Length of the part of a page that is searched. Browsers search 1,024 bytes first, and begin again
if the parser finds a declaration later (HTML, "change the encoding").
"""

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
    """Return the charset of a ``meta`` element; empty if it is none, or unknown."""
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
