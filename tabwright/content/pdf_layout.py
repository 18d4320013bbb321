"""The layout of a PDF page: headings by the size of their letters, tables by gaps, form values.

A PDF has letters at positions, and nothing else: what is a heading or a table is judged by them.
Positions are in points. Everything here runs under the lock for PDFium.
"""

import ctypes
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING
from unicodedata import category

import attrs
import pypdfium2.raw as pdfium

from tabwright.protocol.blocks import Block, Heading, Paragraph, TableBlock, TextSpan
from tabwright.text.lines import collapse_whitespace, shortened

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage, PdfTextPage
    from pypdfium2.raw import Annotation, FormHandle

HEADING_SIZE = 1.15
"""Letters of headings are at least so many times as large as those of the text."""

HEADING_CHARACTERS = 150
"""Longer lines are not headings, regardless of their size."""

HEADING_LEVEL, DEEPEST = 3, 6
"""The level of the largest headings of a page, below that of the page, and the lowest level."""

CELL_GAP = 1.2
"""A gap of so many times the height of the letters separates the cells of a table."""

ROWS_MIN = 3
"""Fewer lines with gaps are not a table, but two rows with a third column are."""

FULL_LINE = 0.75
"""Lines shorter than this share of the page's longest line end a paragraph."""

ANNOTATIONS_MAX = 2_000
"""Maximum number of annotations of a page, such as form fields and comments, that are looked at."""

VALUE_CHARACTERS_MAX = 10_000

_HYPHEN = re.compile(r"(?<=\w)[\u00ad\ufffe\x02]\s*\Z")
_LINE = re.compile(r"[^\r\n]+|\r?\n(?=\r?\n)")
_KNOWN_CONTROLS = re.compile(r"[\t\n\r\x02\ufffe]+")
"""Ends of lines, and how PDFium writes a hyphen there."""

_UNKNOWN = frozenset({"Cc", "Cn", "Co", "Cs"})
_SPACES = re.compile(r"(?<=\S)\s+(?=\S)")


@attrs.frozen
class Cell:
    """A part of a line, between large gaps."""

    text: str
    left: float
    right: float


@attrs.frozen
class Line:
    """A line of a page.

    Attributes:
        height: of its first letter; 0 if unknown.
        is_split: whether its last word goes on in the next line.
    """

    text: str
    height: float = 0.0
    cells: tuple[Cell, ...] = ()
    is_split: bool = False


def unknown_letters(text_page: "PdfTextPage") -> int:
    """Return the number of letters whose font does not say which ones they are."""
    text = text_page.get_text_range(errors="ignore")
    return sum(category(sign) in _UNKNOWN for sign in _KNOWN_CONTROLS.sub("", text))


def page_blocks(text_page: "PdfTextPage") -> Iterator[Block]:
    """Yield the headings, tables and paragraphs of a page."""
    lines = _lines(text_page)
    sizes = Counter[float]()
    for line in lines:
        sizes[line.height] += len(line.text)
    usual = max(sizes, key=lambda size: (sizes[size], -size), default=0.0)
    larger = sorted({line.height for line in lines if _is_heading(line, usual)}, reverse=True)
    full = max((len(line.text) for line in lines), default=0) * FULL_LINE
    tables = _table_numbers(lines)

    def kind(numbered: tuple[int, Line]) -> tuple[str, float]:
        number, line = numbered
        if table := tables.get(number):
            return "table", table
        return ("heading", line.height) if _is_heading(line, usual) else ("text", 0)

    for (name, size), group in groupby(enumerate(lines), kind):
        found = [line for _, line in group]
        if name == "table":
            rows = (tuple((TextSpan(cell.text),) for cell in line.cells) for line in found)
            yield TableBlock(tuple(rows))
        elif name == "heading":
            level = min(HEADING_LEVEL + larger.index(size), DEEPEST)
            yield Heading(level, (TextSpan(" ".join(line.text for line in found)),))
        else:
            for paragraph in _paragraphs(found, full):
                yield Paragraph((TextSpan(paragraph),))


def _is_heading(line: Line, usual: float) -> bool:
    is_short = 0 < len(line.text) <= HEADING_CHARACTERS and line.text[-1] not in ".,;"
    is_word = any(sign.isalpha() for sign in line.text)
    return is_short and is_word and usual > 0 and line.height >= HEADING_SIZE * usual


def _lines(text_page: "PdfTextPage") -> list[Line]:
    text = text_page.get_text_range(errors="ignore")
    # With characters beyond the first plane, places in the text are not those of letters.
    is_placed = len(text) == text_page.count_chars()
    lines: list[Line] = []
    for match in _LINE.finditer(text):
        shown = _HYPHEN.sub("", match[0])
        line = Line(collapse_whitespace(shown), is_split=shown != match[0])
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        if is_placed and line.text:
            _, height, _ = _box(text_page, start)
            cells = tuple(_cells(text_page, match[0].rstrip(), match.start(), height))
            line = attrs.evolve(line, height=round(2 * height) / 2, cells=cells)
        lines.append(line)
    return lines


def _box(text_page: "PdfTextPage", place: int) -> tuple[float, float, float]:
    """Return the left edge, the height and the right edge of a letter; zeros if it has none."""
    box = pdfium.FS_RECTF()
    if not pdfium.FPDFText_GetLooseCharBox(text_page.raw, place, ctypes.byref(box)):
        return 0.0, 0.0, 0.0
    return box.left, box.top - box.bottom, box.right


def _cells(text_page: "PdfTextPage", text: str, begin: int, height: float) -> Iterator[Cell]:
    first = len(text) - len(text.lstrip())
    left, _, _ = _box(text_page, begin + first)
    for gap in _SPACES.finditer(text):
        _, _, right = _box(text_page, begin + gap.start() - 1)
        following, _, _ = _box(text_page, begin + gap.end())
        if following - right > CELL_GAP * height > 0:
            yield Cell(collapse_whitespace(text[first : gap.start()]), left, right)
            first, left = gap.end(), following
    _, _, right = _box(text_page, begin + len(text) - 1)
    yield Cell(collapse_whitespace(text[first:]), left, right)


def _table_numbers(lines: Sequence[Line]) -> dict[int, int]:
    """Return the number of its table, from 1, for each line that is a row of one."""
    found: dict[int, int] = {}
    start = 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and _are_rows(lines[start], lines[end]):
            end += 1
        columns = len(lines[start].cells)
        if end - start >= ROWS_MIN or (end - start > 1 and columns >= ROWS_MIN):
            found |= dict.fromkeys(range(start, end), start + 1)
        start = end
    return found


def _are_rows(one: Line, other: Line) -> bool:
    """Return whether two lines have cells in the same columns, which do not overlap others."""
    columns = len(one.cells)
    if columns < 2 or len(other.cells) != columns:  # noqa: PLR2004
        return False
    return all(
        upper.left < lower.right and lower.left < upper.right
        for upper, lower in zip(one.cells, other.cells, strict=True)
    )


def _paragraphs(lines: Sequence[Line], full: float) -> Iterator[str]:
    """Join wrapped lines; a short line or an empty one ends the paragraph."""
    paragraph = ""
    for line in lines:
        paragraph += line.text if line.is_split else f"{line.text} "
        if len(line.text) < full and not line.is_split:
            if paragraph.strip():
                yield paragraph.strip()
            paragraph = ""
    if paragraph.strip():
        yield paragraph.strip()


def unread_annotations(page: "PdfPage") -> int:
    """Return the number of annotations that are not looked at."""
    return max(0, pdfium.FPDFPage_GetAnnotCount(page.raw) - ANNOTATIONS_MAX)


# Form values (ISO 32000-1, section 12.7).

CHECKABLE = frozenset({pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON})
FILLABLE = frozenset({
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
})  # fmt: skip


def form_values(document: "PdfDocument", page: "PdfPage") -> Iterator[Block]:
    """Yield a table of the fields of a page that are filled in; nothing without any."""
    if document.formenv is None:
        return
    form = document.formenv.raw
    rows: list[tuple[str, str]] = []
    for number in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), ANNOTATIONS_MAX)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, number)
        try:
            rows.extend(_field(form, annotation))
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
    if rows:
        table = [("Field", "Value"), *rows]
        yield TableBlock(tuple(tuple((TextSpan(text),) for text in row) for row in table))


def _field(form: "FormHandle", annotation: "Annotation") -> Iterator[tuple[str, str]]:
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in CHECKABLE:
        value = "\u2611" if pdfium.FPDFAnnot_IsChecked(form, annotation) else ""
    elif kind in FILLABLE:
        value = _text(partial(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation))
    else:
        return
    if value:
        name = _text(partial(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation))
        yield name or _text(partial(pdfium.FPDFAnnot_GetFormFieldName, form, annotation)), value


# Comments (ISO 32000-1, section 12.5).

_COMMENT_KINDS = frozenset({
    pdfium.FPDF_ANNOT_TEXT,
    pdfium.FPDF_ANNOT_FREETEXT,
    pdfium.FPDF_ANNOT_LINE,
    pdfium.FPDF_ANNOT_SQUARE,
    pdfium.FPDF_ANNOT_CIRCLE,
    pdfium.FPDF_ANNOT_POLYGON,
    pdfium.FPDF_ANNOT_POLYLINE,
    pdfium.FPDF_ANNOT_HIGHLIGHT,
    pdfium.FPDF_ANNOT_UNDERLINE,
    pdfium.FPDF_ANNOT_SQUIGGLY,
    pdfium.FPDF_ANNOT_STRIKEOUT,
    pdfium.FPDF_ANNOT_STAMP,
    pdfium.FPDF_ANNOT_CARET,
    pdfium.FPDF_ANNOT_INK,
    pdfium.FPDF_ANNOT_FILEATTACHMENT,
    pdfium.FPDF_ANNOT_SOUND,
    pdfium.FPDF_ANNOT_REDACT,
})  # fmt: skip
"""The markup annotations (ISO 32000-2, section 12.5.6.2), whose contents are comments."""


def comments(page: "PdfPage") -> Iterator[Block]:
    """Yield the comments and the typed notes on a page."""
    for number in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), ANNOTATIONS_MAX)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, number)
        try:
            kind = pdfium.FPDFAnnot_GetSubtype(annotation)
            text = (
                _text(partial(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents"))
                if kind in _COMMENT_KINDS
                else ""
            )
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
        if text:
            yield Paragraph((TextSpan(f"Comment: {text}"),))


def _text(read: Callable[[object, int], int]) -> str:
    """Return a text that PDFium writes as UTF-16 with a final zero."""
    size = read(None, 0)  # PDFium writes nothing into a buffer that is too small
    buffer = ctypes.create_string_buffer(max(size, 2))
    read(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    text = buffer.raw[: max(size - 2, 0)].decode("utf-16-le", "replace")
    return shortened(collapse_whitespace(text), VALUE_CHARACTERS_MAX)
