"""The annotations of a PDF page: values of forms, and comments.

Everything here runs under the lock for PDFium.
"""

import ctypes
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from tabwright.protocol.blocks import Block, Paragraph, TableBlock, TextSpan
from tabwright.text.lines import collapse_whitespace, shortened

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage
    from pypdfium2.raw import Annotation, FormHandle

ANNOTATIONS_MAX = 2_000
"""Maximum number of annotations of a page, such as form fields and comments, that are looked at."""

VALUE_CHARACTERS_MAX = 10_000


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
