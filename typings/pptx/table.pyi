from collections.abc import Iterable

from .text.text import TextFrame

class Cell:
    text_frame: TextFrame
    span_height: int
    span_width: int
    is_spanned: bool

class Row:
    cells: Iterable[Cell]

class Table:
    rows: Iterable[Row]
    first_row: bool
