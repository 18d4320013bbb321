"""PDF: the text of its pages, and what it says of itself."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import attrs

from tabwright.protocol.blocks import Block, Code, Heading, Paragraph, Text
from tabwright.protocol.errors import ErrorCode, PageFailed
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import Metadata, PageSnapshot
from tabwright.reading.telling import told
from tabwright.text.lines import collapsed

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

MEDIA_TYPE = "application/pdf"
PAGES_MAX = 2_000
RAW_BYTES_MAX = 1_000_000

FULL_LINE = 0.75
"""A line that is shorter, of the longest one of its page, is the last of its paragraph."""

_ONE_AT_A_TIME = Lock()
"""PDFium keeps its state in globals."""

_RUNS = re.compile(rb"[\x20-\x7e]{6,}")
_HYPHEN = re.compile(r"(?<=\w)[\u00ad\ufffe\x02]\s*\n?")
_DATE = re.compile(r"D:(\d{4})(\d\d)(\d\d)")
_PAGES = re.compile(r"(?:^|&)page=(\d+)(?:-(\d+))?", re.ASCII)


def pdf_snapshot(fetched: Fetched) -> PageSnapshot:
    """A heading and paragraphs for each page.

    The URL may choose pages by its fragment (RFC 8118, section 3): ``#page=3``, or ``#page=3-7``.
    Where the file is damaged, the characters in it are given as they stand.

    Raises:
        PageFailed: it is locked by a password.
    """
    import pypdfium2  # noqa: PLC0415  (few pages are PDF)

    with _ONE_AT_A_TIME:
        try:
            document = pypdfium2.PdfDocument(fetched.body)
        except pypdfium2.PdfiumError as error:
            if "password" in str(error).lower():
                raise PageFailed(
                    f"{fetched.page.url} is locked by a password.",
                    retryable=False,
                    code=ErrorCode.EXTRACTION,
                ) from error
            return told(fetched, MEDIA_TYPE, _raw(fetched.body))
        with document:
            content: list[Block] = []
            with suppress(pypdfium2.PdfiumError):  # a damaged page ends it: those before it stay
                content.extend(_content(document, fetched.page.url))
            said = document.get_metadata_dict(skip_empty=True)
    snapshot = told(fetched, MEDIA_TYPE, tuple(content) or _raw(fetched.body))
    return attrs.evolve(
        snapshot, title=collapsed(said.get("Title")) or snapshot.title, metadata=_metadata(said)
    )


def _content(document: "PdfDocument", url: str) -> Iterator[Block]:
    for number in _wanted(url, min(len(document), PAGES_MAX)):
        yield Heading(2, (Text(f"Page {number}"),))
        page = document[number - 1]
        text_page = page.get_textpage()
        lines = _HYPHEN.sub("", text_page.get_text_range(errors="ignore")).splitlines()
        text_page.close()
        page.close()
        for paragraph in _unwrapped_paragraphs([collapsed(line) for line in lines]):
            yield Paragraph((Text(paragraph),))


def _wanted(url: str, last: int) -> Iterable[int]:
    match = _PAGES.search(urlsplit(url).fragment)
    if match is None:
        return range(1, last + 1)
    first = max(1, int(match[1]))
    return range(first, min(last, int(match[2] or first)) + 1)


def _unwrapped_paragraphs(lines: Sequence[str]) -> Iterator[str]:
    """Lines that run on as one; a short one ends its paragraph, and so does an empty one."""
    full = max(map(len, lines), default=0) * FULL_LINE
    paragraph: list[str] = []
    for line in lines:
        if line:
            paragraph.append(line)
        if paragraph and len(line) < full:
            yield " ".join(paragraph)
            paragraph = []
    if paragraph:
        yield " ".join(paragraph)


def _raw(data: bytes) -> tuple[Block, ...]:
    runs = (run.decode() for run in _RUNS.findall(data[:RAW_BYTES_MAX]))
    return (Code("\n".join(runs)),)


def _metadata(said: Mapping[str, str]) -> Metadata:
    return Metadata(
        description=collapsed(said.get("Subject")),
        keywords=tuple(
            filter(None, (word.strip() for word in said.get("Keywords", "").split(",")))
        ),
        author=collapsed(said.get("Author")),
        published=_date(said.get("CreationDate", "")),
        modified=_date(said.get("ModDate", "")),
    )


def _date(written: str) -> str:
    """``D:20240131120000Z`` as ``2024-01-31`` (ISO 32000-1, section 7.9.4)."""
    match = _DATE.match(written)
    return "-".join(match.groups()) if match else written
