"""The head of a response: its status and headers, and the file name of a download."""

import re
from collections.abc import Iterable
from urllib.parse import unquote_to_bytes

import attrs

from tabwright.protocol.fetch import Fetched
from tabwright.protocol.page_text import CutReason
from tabwright.protocol.snapshot import LoadedPage

# The file name of a download (RFC 6266), made harmless.

CHARACTERS_MAX = 128
"""Of a name: whatever the alphabet, a file system takes as many."""

HEADER_CHARACTERS_MAX = 4096

CHARSETS = ("utf-8", "iso-8859-1")

_PARAMETER = re.compile(
    r""";\s*([\w!#$&+.^`|~-]+\*?)\s*=\s*("(?:[^"\\]|\\.)*"|[^;"\s][^;"]*)""", re.ASCII
)
_EXTENDED = re.compile(r"([\w-]+)'[\w-]*'([!-~]*)", re.ASCII)
_FORBIDDEN = re.compile(
    r'[\x00-\x1f\x7f-\x9f<>:"|?*\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]'
)
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for itself."""


def file_name(disposition: str) -> str:
    """The name in a header ``Content-Disposition``; empty where there is none that will do.

    It is a name and no path: what comes before the last slash, of either kind, is left out, and
    so is what would hide a file, name a device, or turn the direction of writing.
    """
    parameters: dict[str, str] = {}  # of two with the same name the first counts
    for name, value in _PARAMETER.findall(disposition[:HEADER_CHARACTERS_MAX]):
        text = re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value.strip()
        parameters.setdefault(name.lower(), text)
    return harmless_name(
        _decoded(parameters.get("filename*", "")) or parameters.get("filename", "")
    )


def _decoded(text: str) -> str:
    """What ``UTF-8''na%C3%AFve.txt`` stands for (RFC 8187); empty where it stands for nothing."""
    parts = _EXTENDED.fullmatch(text)
    if parts is None or parts[1].lower() not in CHARSETS:
        return ""
    return unquote_to_bytes(parts[2]).decode(parts[1], "replace")


def harmless_name(text: str) -> str:
    """What somebody wants a file to be called, as a name that can do no harm; empty for none."""
    name = re.split(r"[/\\]", text)[-1]
    name = _FORBIDDEN.sub("", name).strip(" .")[:CHARACTERS_MAX].rstrip(" .")
    return "" if _DEVICE.fullmatch(name) else name


_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+", re.ASCII)
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:+-]+)", re.ASCII | re.IGNORECASE)
_SECONDS = re.compile(r"\d{1,9}", re.ASCII)


@attrs.frozen
class ResponseHead:
    """The head of an answer.

    Attributes:
        headers: with their names in lower case.
    """

    status: int
    headers: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, status: int, headers: Iterable[tuple[bytes, bytes]]) -> "ResponseHead":
        """As it came; values are UTF-8 or else Latin-1."""
        return cls(
            status, tuple((name.decode("latin-1").lower(), _text(value)) for name, value in headers)
        )

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a header, by its name in lower case."""
        return tuple(value for key, value in self.headers if key == name)

    def value(self, name: str) -> str:
        """All values as one list (RFC 9110, section 5.3); empty for none."""
        return ", ".join(self.all(name))

    def first(self, name: str) -> str:
        """The first value; empty for none."""
        return next(iter(self.all(name)), "")

    @property
    def content_type(self) -> str:
        """As it came."""
        return self.first("content-type")

    @property
    def media_type(self) -> str:
        """In lower case, without parameters; empty where it is none."""
        text = self.content_type.partition(";")[0].strip()
        return text.lower() if _MEDIA_TYPE.fullmatch(text) else ""

    @property
    def charset(self) -> str:
        """As the header names it; empty where it does not."""
        found = _CHARSET.search(self.content_type)
        return found[1] if found else ""

    @property
    def retry_after_s(self) -> float | None:
        """How long its server wants to be left alone; None where it does not say in seconds."""
        text = self.first("retry-after")
        return float(text) if _SECONDS.fullmatch(text) else None

    def fetched(self, url: str, body: bytes, *, cut: CutReason | None) -> Fetched:
        """This head with its body."""
        page = LoadedPage(url, self.status, self.media_type, self.retry_after_s)
        name = file_name(self.first("content-disposition"))
        return Fetched(page, body, self.charset, cut=cut, file_name=name)


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
