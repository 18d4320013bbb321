"""The head of a response: its status and headers, and the file name of a download."""

import re
from collections.abc import Iterable
from urllib.parse import unquote_to_bytes

import attrs

from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import CutReason, LoadedPage

# The file name of a download (RFC 6266), sanitized.

FILE_NAME_MAX = 128
"""Maximum length of a name in characters; file systems accept that in every script."""

CHARSETS = ("utf-8", "iso-8859-1")

_PARAMETER = re.compile(
    r""";\s*([\w!#$&+.^`|~-]+\*?)\s*=\s*("(?:[^"\\]|\\.)*"|[^;"\s][^;"]*)""", re.ASCII
)
_EXTENDED = re.compile(r"([\w-]+)'[\w-]*'([!-~]*)", re.ASCII)
_FORBIDDEN = re.compile(
    r'[\x00-\x1f\x7f-\x9f<>:"|?*\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]'
)
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Reserved device names of Windows."""


def file_name(disposition: str) -> str:
    """Return the file name in ``Content-Disposition``; empty if there is no usable one.

    The result is never a path: everything up to the last slash or backslash is removed, and so are
    characters that would hide the file, name a device, or change the text direction.
    """
    parameters: dict[str, str] = {}  # the first of duplicates wins
    for name, value in _PARAMETER.findall(disposition):
        text = re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value.strip()
        parameters.setdefault(name.lower(), text)
    return harmless_name(
        _decoded(parameters.get("filename*", "")) or parameters.get("filename", "")
    )


def _decoded(text: str) -> str:
    """Decode a value such as ``UTF-8''na%C3%AFve.txt`` (RFC 8187); empty if it is not valid."""
    parts = _EXTENDED.fullmatch(text)
    if parts is None or parts[1].lower() not in CHARSETS:
        return ""
    return unquote_to_bytes(parts[2]).decode(parts[1], "replace")


def harmless_name(text: str) -> str:
    """Return a requested file name with harmful parts removed; empty if nothing is left."""
    name = re.split(r"[/\\]", text)[-1]
    name = _FORBIDDEN.sub("", name).strip(" .")[:FILE_NAME_MAX].rstrip(" .")
    return "" if _DEVICE.fullmatch(name) else name


_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+", re.ASCII)
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:+-]+)", re.ASCII | re.IGNORECASE)
_SECONDS = re.compile(r"\d{1,9}", re.ASCII)


@attrs.frozen
class ResponseHead:
    """The head of a response.

    Attributes:
        headers: pairs with lower-case names.
    """

    status: int
    headers: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, status: int, headers: Iterable[tuple[bytes, bytes]]) -> "ResponseHead":
        """Build a head; values are decoded as UTF-8 or else Latin-1."""
        return cls(
            status, tuple((name.decode("latin-1").lower(), _text(value)) for name, value in headers)
        )

    def all(self, name: str) -> tuple[str, ...]:
        """Return every value of a header, by lower-case name."""
        return tuple(value for key, value in self.headers if key == name)

    def value(self, name: str) -> str:
        """Return all values joined as a list (RFC 9110, section 5.3); empty if there are none."""
        return ", ".join(self.all(name))

    def first(self, name: str) -> str:
        """Return the first value; empty if there is none."""
        return next(iter(self.all(name)), "")

    @property
    def content_type(self) -> str:
        """The header ``Content-Type``, unchanged."""
        return self.first("content-type")

    @property
    def media_type(self) -> str:
        """The media type in lower case, without parameters; empty if it is not valid."""
        text = self.content_type.partition(";")[0].strip()
        return text.lower() if _MEDIA_TYPE.fullmatch(text) else ""

    @property
    def charset(self) -> str:
        """The charset in the header; empty if there is none."""
        found = _CHARSET.search(self.content_type)
        return found[1] if found else ""

    @property
    def retry_after_s(self) -> float | None:
        """The ``Retry-After`` header in seconds; None if it is not a number of seconds."""
        text = self.first("retry-after")
        return float(text) if _SECONDS.fullmatch(text) else None

    def fetched(self, url: str, body: bytes, *, cut: CutReason | None) -> Fetched:
        """Combine this head with its body."""
        page = LoadedPage(
            url,
            self.status,
            self.media_type,
            self.retry_after_s,
            robots=self.first("x-robots-tag"),
            refresh=self.first("refresh"),
        )
        name = file_name(self.first("content-disposition"))
        return Fetched(page, body, self.charset, cut=cut, file_name=name)


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
