"""The head of an answer: its status and its headers, read with care."""

import re
from collections.abc import Iterable

import attrs

from tabwright.fetching.file_names import file_name
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.page_text import CutReason
from tabwright.protocol.snapshot import LoadedPage

_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+", re.ASCII)
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:+-]+)", re.ASCII | re.IGNORECASE)
_SECONDS = re.compile(r"\d{1,9}", re.ASCII)


@attrs.frozen
class Head:
    """The head of an answer.

    Attributes:
        headers: with their names in lower case.
    """

    status: int
    headers: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, status: int, headers: Iterable[tuple[bytes, bytes]]) -> "Head":
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
