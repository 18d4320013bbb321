"""Snapshots of documents other than HTML: CSV, plain text, JSON, PDF, captions."""

import csv
import html
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import chain, groupby
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import attrs

from tabwright.content.charset import decoded
from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Code,
    Heading,
    Inlines,
    Paragraph,
    TableBlock,
    TextSpan,
)
from tabwright.protocol.errors import ErrorCode, PageFailed
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import MediaItem, Metadata, PageSnapshot
from tabwright.protocol.untrusted_text import Quoted
from tabwright.text.lines import NAMED_MAX, collapse_whitespace, strip_invisible

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument


# Comma- and tab-separated values as a table (RFC 4180).

SEPARATORS = {"text/csv": ",", "text/tab-separated-values": "\t"}

_SEPARATOR_LINE = re.compile(r"sep=(\S|\t)\r?\n", re.IGNORECASE)
"""A first line that names the separator, for Excel."""

CELLS_MAX = 1_000_000
"""Maximum number of cells of a file that are read; they take 200 MB."""

COLUMNS_MAX = 500

CELL_LENGTH_MAX = 2**31 - 1
"""The maximum length of a cell, for all readers of the process: a cell is as long as its text."""

_END = "end"
_QUOTED = re.compile(r'"[^"\n]*"')


def table_snapshot(fetched: Fetched, kind: str, text: str, charset: str) -> PageSnapshot:
    """Return the table; the most frequent separator of the first line that has one counts."""
    csv.field_size_limit(CELL_LENGTH_MAX)
    if named := _SEPARATOR_LINE.match(text):
        separator = named[1]
        text = text[named.end() :]
    else:
        own = SEPARATORS[kind]
        heads = (_QUOTED.sub("", line) for line in StringIO(text))
        head = next((one for one in heads if any(sign in one for sign in (own, *",;\t|"))), "")
        is_tabbed = own == "\t" and own in head
        separator = own if is_tabbed else max(dict.fromkeys((own, *",;\t|")), key=head.count)
    lines = StringIO(text, newline="")
    if _is_closed(text, separator):
        rows, left = _rows(csv.reader(lines, delimiter=separator))
    else:  # a row ends with its line
        each = (csv.reader((line,), delimiter=separator) for line in lines)
        rows, left = _rows(chain.from_iterable(each))
    whole = snapshot_of_response(fetched, kind, (TableBlock(rows),), charset)
    return attrs.evolve(whole, cut=whole.cut or ("unread_parts" if left else None), notice=left)


def _is_closed(text: str, separator: str) -> bool:
    """Return whether each quotation mark is closed: a line after the text is then its own row."""
    lines = StringIO(f"{text}\n{_END}", newline="")
    return deque(csv.reader(lines, delimiter=separator), maxlen=1)[-1] == [_END]


def _rows(lines: Iterable[list[str]]) -> tuple[tuple[tuple[Inlines, ...], ...], str]:
    """Return the rows that are read, and what was not read, in a sentence."""
    rows: list[tuple[Inlines, ...]] = []
    cells = count = widest = 0
    for row in filter(None, lines):
        count += 1
        widest = max(widest, len(row))
        if cells < CELLS_MAX:
            rows.append(tuple(map(_cell, row[:COLUMNS_MAX])))
            cells += len(rows[-1])
    parts = (
        f"{count - len(rows):,} of {count:,} rows" if count > len(rows) else "",
        f"{widest - COLUMNS_MAX:,} of {widest:,} columns" if widest > COLUMNS_MAX else "",
    )
    left = " and ".join(filter(None, parts))
    return tuple(rows), f"Not read: the last {left} of the table." if left else ""


def _cell(value: str) -> Inlines:
    text = collapse_whitespace(value)
    return (TextSpan(text),) if text else ()


# The snapshots of all media types.


def snapshot_of_response(
    fetched: Fetched, media_type: str, content: Blocks, charset: str = ""
) -> PageSnapshot:
    """Return a snapshot of a file; its title is the file name."""
    last_part = unquote(urlsplit(fetched.page.url).path.rpartition("/")[2])
    return PageSnapshot(
        url=fetched.page.url,
        title=strip_invisible(fetched.file_name or last_part),
        status=fetched.page.status,
        media_type=media_type,
        content=content,
        metadata=Metadata(charset=charset),
        cut=fetched.cut,
    )


MEDIA_TYPE = "application/pdf"
PAGES_MAX = 2_000
"""Maximum number of pages, slides or chapters."""

PART_LEVEL = 2
"""The level of the heading of a page, or of a transcript."""

UNKNOWN_SHARE = 0.02
"""The share of unknown letters that is reported; formulas and bullets of many texts are unknown."""

_ONE_AT_A_TIME = Lock()
"""A lock for PDFium, whose state is global."""

_STRING = re.compile(
    rb"(/\w{1,99}\s?)?\(((?:[^()\\\x00-\x1f\x7f-\xff]|\\.){6,})\)\s{0,2}(Tj|[\"\'])?"
)
"""A literal string in an uncompressed part of a file (ISO 32000-1, section 7.3.4.2).

It is a property if a name is before it, and is shown if an operator is after it.
"""

WORDS_SHARE = 0.7
"""The share of letters and spaces in a text."""

_NO_VALUES = frozenset({"anonymous", "unspecified", "untitled"})
"""What programs such as ReportLab write for a property that is not known."""

_DATE = re.compile(r"D:(\d{4})(\d\d)(\d\d)")
_PAGES = re.compile(r"(?:^|&)page=(\d+)(?:-(\d+))?", re.ASCII)


def pdf_snapshot(fetched: Fetched) -> PageSnapshot:
    """Return a heading, the content and the form values of each page.

    The fragment of the URL can select pages (RFC 8118, section 3): ``#page=3``, or ``#page=3-7``.
    If the file is damaged, the texts that can still be found are returned in its order.

    Raises:
        PageFailed: a password protects the file, or it is damaged and has no such texts.
    """
    import pypdfium2  # noqa: PLC0415  (few pages are PDF)

    with _ONE_AT_A_TIME:
        try:
            document = pypdfium2.PdfDocument(fetched.body)
        except pypdfium2.PdfiumError as error:
            if "password" in str(error).lower():
                raise PageFailed(
                    (Quoted(fetched.page.url), " is protected by a password."),
                    retryable=False,
                    code=ErrorCode.EXTRACTION,
                ) from error
            return _damaged(fetched)
        with document:
            pages = _pages(len(document), fetched.page.url)
            content, left, unseen = _content(document, pages)
            properties = document.get_metadata_dict(skip_empty=True)
            count = len(document)
    if count and not pages:
        raise PageFailed(
            (Quoted(fetched.page.url), f" has only {count} pages."),
            advice="Ask for some of them.",
            retryable=False,
            code=ErrorCode.EXTRACTION,
        )
    if not content:
        return _damaged(fetched)
    snapshot = snapshot_of_response(fetched, MEDIA_TYPE, content)
    return attrs.evolve(
        snapshot,
        cut=snapshot.cut or ("unread_parts" if left else None),
        notice=" ".join(filter(None, (left, unseen))),
        title=_property(properties, "Title") or snapshot.title,
        metadata=Metadata(
            description=_property(properties, "Subject"),
            keywords=tuple(
                filter(None, (word.strip() for word in properties.get("Keywords", "").split(",")))
            ),
            author=_property(properties, "Author"),
            published=_date(properties.get("CreationDate", "")),
            modified=_date(properties.get("ModDate", "")),
        ),
    )


def _property(properties: Mapping[str, str], name: str) -> str:
    """Return a property of a file, unless it is what a program writes instead of one."""
    text = collapse_whitespace(properties.get(name))
    return "" if text.strip("()").lower() in _NO_VALUES else text


def _pages(count: int, url: str) -> range:
    """Return the numbers of the pages that a URL selects."""
    if match := _PAGES.search(urlsplit(url).fragment):
        first = max(1, int(match[1]))
        return range(first, min(count, int(match[2] or first)) + 1)
    return range(1, count + 1)


def _content(document: "PdfDocument", pages: range) -> tuple[Blocks, str, str]:
    """Return the content of pages, and sentences about what was not read and what has no text."""
    from pypdfium2 import PdfiumError  # noqa: PLC0415  (few pages are PDF)

    from tabwright.content.pdf_annotations import (  # noqa: PLC0415  (heavy)
        comments,
        form_values,
        unread_annotations,
    )
    from tabwright.content.pdf_layout import page_blocks, unknown_letters  # noqa: PLC0415

    document.init_forms()
    content: list[Block] = []
    damaged: list[str] = []
    words = set[str]()
    letters = unknown = empty = annotations = 0
    for number in pages[:PAGES_MAX]:
        try:
            page = document[number - 1]
            text_page = page.get_textpage()
        except PdfiumError:
            damaged.append(str(number))
            continue
        content.append(Heading(PART_LEVEL, (TextSpan(f"Page {number}"),)))
        try:
            blocks = tuple(page_blocks(text_page, words))
            empty += not blocks
            content.extend(blocks)
            content.extend(form_values(document, page))
            content.extend(comments(page))
            annotations += unread_annotations(page)
            letters += text_page.count_chars()
            unknown += unknown_letters(text_page)
        finally:
            text_page.close()
            page.close()
    beyond = len(pages) - PAGES_MAX
    left = (
        f"the damaged {'pages' if damaged[1:] else 'page'} {_listed(damaged)}" if damaged else "",
        f"the last {beyond:,} of {len(pages):,} pages" if beyond > 0 else "",
        f"{annotations:,} annotations, such as links or comments" if annotations else "",
    )
    read = min(len(pages), PAGES_MAX) - len(damaged)
    unseen = (
        f"{empty} of {read} pages have no text: they may be scanned, as pictures of their text."
        if empty
        else "",
        f"The fonts of {unknown:,} of {letters:,} letters do not identify them, so they are"
        " missing; other letters may be wrong. Download the file to look at its pages."
        if unknown > letters * UNKNOWN_SHARE
        else "",
    )
    return (
        tuple(content),
        f"Not read: {'; '.join(filter(None, left))}." if any(left) else "",
        " ".join(filter(None, unseen)),
    )


def _listed(pages: Sequence[str]) -> str:
    """Return the first numbers of pages, and how many others there are."""
    more = len(pages) - NAMED_MAX
    return ", ".join(pages[:NAMED_MAX]) + (f" and {more:,} more" if more > 0 else "")


def _damaged(fetched: Fetched) -> PageSnapshot:
    """Return the texts that a damaged file still shows.

    Raises:
        PageFailed: there are none.
    """
    strings = [
        text.decode("ascii", "replace")
        for name, text, operator in _STRING.findall(fetched.body)
        if not name and (operator or b" " in text)
    ]
    texts = [
        text
        for text in strings
        if sum(sign.isalpha() or sign == " " for sign in text) >= WORDS_SHARE * len(text)
    ]
    if not texts:
        raise PageFailed(
            (Quoted(fetched.page.url), " is a PDF file that is damaged or incomplete."),
            advice="Raise network.page_bytes_max if the file is large, or download it.",
            retryable=False,
            code=ErrorCode.EXTRACTION,
        )
    whole = snapshot_of_response(fetched, MEDIA_TYPE, (Code("\n".join(texts)),))
    return attrs.evolve(whole, notice="The PDF file is damaged: only some of its text was found.")


def _date(written: str) -> str:
    """Convert ``D:20240131120000Z`` to ``2024-01-31`` (ISO 32000-1, section 7.9.4)."""
    match = _DATE.match(written)
    return "-".join(match.groups()) if match else written


# Captions as paragraphs of text (WebVTT; SubRip).
#
# Times and positions are left out. Roll-up captions repeat a line in the next cue; it is kept once.

WEBVTT = "text/vtt"
SUBRIP = "application/x-subrip"

KINDS = frozenset({WEBVTT, SUBRIP, "application/srt", "text/srt", "text/plain"})
"""Media types of captions; the beginning of the file decides whether it has any."""

PARAGRAPH_CHARACTERS = 500
"""Length after which a paragraph ends with a sentence; at three times as many, in any case."""

_WEBVTT = re.compile(rb"(?:\xef\xbb\xbf)?WEBVTT[ \t\r\n]")
_SUBRIP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s{0,99}\d{1,9}[ \t]{0,9}\r?\n\d\d:\d\d:\d\d[,.]\d{3} --> "
)
_TIMING = re.compile(r"[ \t]{0,99}(?:\d{2,9}:)?\d\d:\d\d[.,]\d{3}[ \t]{1,99}-->[ \t]")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t]([^<>]*)>")
_MARKUP = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")
_SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][\"')\u201d\u2019\u300d]?$")


def is_captions(kind: str, body: bytes) -> bool:
    """Return whether a file of this media type contains captions."""
    return kind in KINDS and (_WEBVTT.match(body) or _SUBRIP.match(body)) is not None


def captions_snapshot(fetched: Fetched) -> PageSnapshot:
    """Return the text of captions."""
    kind = WEBVTT if _WEBVTT.match(fetched.body) else SUBRIP
    text, charset = decoded(
        fetched.body, "utf-8" if kind == WEBVTT else fetched.charset, is_html=False
    )
    return snapshot_of_response(
        fetched, kind, tuple(_spoken_paragraphs(_spoken(text.splitlines()))), charset
    )


def transcript(medium: MediaItem, spoken: Blocks) -> Blocks:
    """Return a transcript under the name of its medium."""
    name = medium.title or medium.alt or medium.url.rpartition("/")[2]
    return (
        Heading(PART_LEVEL, (TextSpan(f"Transcript: {name}" if name else "Transcript"),)),
        *spoken,
    )


@attrs.frozen
class _Spoken:
    speaker: str
    text: str


def _spoken(lines: Iterable[str]) -> Iterator[_Spoken]:
    before = frozenset[str]()
    for cue in _cues(lines):
        spoken: list[_Spoken] = []
        speaker = ""
        for line in cue:
            if voice := _VOICE.search(line):
                speaker = collapse_whitespace(html.unescape(voice[1]))
            spoken.append(
                _Spoken(speaker, collapse_whitespace(html.unescape(_MARKUP.sub("", line))))
            )
        yield from (one for one in spoken if one.text and one.text not in before)
        before = frozenset(one.text for one in spoken)


def _cues(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the lines of each cue: from below its times to the next empty line."""
    cue: list[str] | None = None
    for line in chain(lines, ("",)):
        if _TIMING.match(line) or not line.strip():
            if cue:
                yield cue
            cue = [] if line.strip() else None
        elif cue is not None:
            cue.append(line)


def _spoken_paragraphs(spoken: Iterable[_Spoken]) -> Iterator[Paragraph]:
    for speaker, lines in groupby(spoken, key=lambda line: line.speaker):
        named = (TextSpan(f"{speaker}:", bold=True), TextSpan(" ")) if speaker else ()
        for text in _passages(line.text for line in lines):
            yield Paragraph((*named, TextSpan(text)))


def _passages(lines: Iterable[str]) -> Iterator[str]:
    passage: list[str] = []
    length = 0
    for line in lines:
        passage.append(line)
        length += len(line)
        ends = length >= PARAGRAPH_CHARACTERS and _SENTENCE_END.search(line)
        if ends or length >= 3 * PARAGRAPH_CHARACTERS:
            yield " ".join(passage)
            passage, length = [], 0
    if passage:
        yield " ".join(passage)
