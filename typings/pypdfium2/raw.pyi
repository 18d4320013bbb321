# What is used of PDFium's own interface.

from ctypes import Structure

class PageHandle: ...
class TextPageHandle: ...
class FormHandle: ...
class Annotation: ...

class FS_RECTF(Structure):
    left: float
    top: float
    right: float
    bottom: float

class FS_MATRIX(Structure):
    a: float
    b: float
    c: float
    d: float

FPDF_FORMFIELD_CHECKBOX: int
FPDF_FORMFIELD_RADIOBUTTON: int
FPDF_FORMFIELD_COMBOBOX: int
FPDF_FORMFIELD_LISTBOX: int
FPDF_FORMFIELD_TEXTFIELD: int
FPDF_ANNOT_TEXT: int
FPDF_ANNOT_FREETEXT: int
FPDF_ANNOT_HIGHLIGHT: int
FPDF_ANNOT_UNDERLINE: int
FPDF_ANNOT_STRIKEOUT: int
FPDF_ANNOT_SQUARE: int
FPDF_ANNOT_CIRCLE: int
FPDF_ANNOT_STAMP: int
FPDF_ANNOT_LINE: int
FPDF_ANNOT_POLYGON: int
FPDF_ANNOT_POLYLINE: int
FPDF_ANNOT_SQUIGGLY: int
FPDF_ANNOT_CARET: int
FPDF_ANNOT_INK: int
FPDF_ANNOT_FILEATTACHMENT: int
FPDF_ANNOT_SOUND: int
FPDF_ANNOT_REDACT: int

def FPDFText_GetLooseCharBox(page: TextPageHandle, place: int, box: object, /) -> int: ...
def FPDFText_GetMatrix(page: TextPageHandle, place: int, matrix: object, /) -> int: ...
def FPDFText_GetCharOrigin(page: TextPageHandle, place: int, x: object, y: object, /) -> int: ...
def FPDFText_GetFontInfo(
    page: TextPageHandle, place: int, name: object, size: int, flags: object, /
) -> int: ...
def FPDFText_GetFontSize(page: TextPageHandle, place: int, /) -> float: ...
def FPDFPage_GetAnnotCount(page: PageHandle, /) -> int: ...
def FPDFPage_GetAnnot(page: PageHandle, number: int, /) -> Annotation: ...
def FPDFPage_CloseAnnot(annotation: Annotation, /) -> None: ...
def FPDFAnnot_GetFormFieldType(form: FormHandle, annotation: Annotation, /) -> int: ...
def FPDFAnnot_IsChecked(form: FormHandle, annotation: Annotation, /) -> int: ...
def FPDFAnnot_GetFormFieldValue(
    form: FormHandle, annotation: Annotation, buffer: object, size: int, /
) -> int: ...
def FPDFAnnot_GetFormFieldName(
    form: FormHandle, annotation: Annotation, buffer: object, size: int, /
) -> int: ...
def FPDFAnnot_GetFormFieldAlternateName(
    form: FormHandle, annotation: Annotation, buffer: object, size: int, /
) -> int: ...
def FPDFAnnot_GetSubtype(annotation: Annotation, /) -> int: ...
def FPDFAnnot_GetStringValue(
    annotation: Annotation, key: bytes, buffer: object, size: int, /
) -> int: ...
