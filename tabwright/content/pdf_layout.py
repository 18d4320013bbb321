"""The layout of a PDF page: headings by the size of their letters, tables by gaps, paragraphs.

A PDF has letters at positions, and nothing else: what is a heading or a table is judged by them.
Positions are in points. Everything here runs under the lock for PDFium.
"""

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby, pairwise
from typing import TYPE_CHECKING
from unicodedata import category

import attrs
import pypdfium2.raw as pdfium

from tabwright.content.pdf_text import corrected_text
from tabwright.protocol.blocks import Block, Code, Heading, Paragraph, TableBlock, TextSpan
from tabwright.text.lines import collapse_whitespace

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage

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
"""Lines in no column end a paragraph if they are shorter than this share of the longest."""

COLUMN, COLUMN_LINES = 50.0, 12
"""Lines of a column begin about so far from each other, and there are at least so many."""

PROSE = 0.8
"""Half of the lines of a column of prose have at least this share of its width."""

FULL_SHARE = 0.9
"""The share of lines of a column that its right edge encloses; few are longer, such as titles."""

PARAGRAPH_PITCH, PITCH_MAX = 1.35, 3.0
"""How far lines of two paragraphs are apart, in usual distances, and of one, in heights."""

CODE_SHARE = 0.75
"""With a larger share of lines in such a font, a page is a typewritten text."""

FIXED_PITCH = 1
"""The flag of a font whose letters have the same width (ISO 32000-1, table 123)."""

FONT_NAME_MAX = 100
INDENT_MAX = 80

WORD_MAX = 60

COMPOUND_STARTS = frozenset({"self", "well"})
SUFFIX_MAX = 4
"""English words that a hyphen follows, as in "well-known", but not before a suffix ("wellness")."""

_HYPHEN = re.compile(r"(?<=\w)[\u00ad\ufffe\x02]\s*\Z")
_LINE = re.compile(r"[^\r\n\ufffe\x02]+[\ufffe\x02]?|\r?\n(?=\r?\n)")
_KNOWN_CONTROLS = re.compile(r"[\t\n\r\x02\ufffe]+")
"""Ends of lines, and how PDFium writes a hyphen there."""

_UNKNOWN = frozenset({"Cc", "Cn", "Co", "Cs"})
_FIXED = re.compile(rb"courier|consola|mono|nimbusmon|cmtt", re.IGNORECASE)
_WORD = re.compile(r"\w+(?:-\w+)*")
_LAST_PART, _FIRST_PART = re.compile(r"\w+\Z"), re.compile(r"\w+")
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
        height, bottom: of its first letter; 0 if unknown.
        is_split: whether a hyphen that is left out divides its last word from the next line.
        is_code: whether all its letters have the same width.
    """

    text: str
    height: float = 0.0
    bottom: float = 0.0
    cells: tuple[Cell, ...] = ()
    is_split: bool = False
    is_code: bool = False


def unknown_letters(text_page: "PdfTextPage") -> int:
    """Return the number of letters whose font does not say which ones they are."""
    text = text_page.get_text_range(errors="ignore")
    return sum(category(sign) in _UNKNOWN for sign in _KNOWN_CONTROLS.sub("", text))


def page_blocks(text_page: "PdfTextPage", words: set[str]) -> Iterator[Block]:
    """Yield the headings, tables and paragraphs of a page.

    Args:
        text_page: the letters of the page.
        words: of the pages before, in lower case; those of the page are added.
    """
    lines = _lines(text_page)
    words.update(word for line in lines for word in _WORD.findall(line.text.lower()))
    sizes = Counter[float]()
    for line in lines:
        sizes[line.height] += len(line.text)
    usual = max(sizes, key=lambda size: (sizes[size], -size), default=0.0)
    larger = sorted({line.height for line in lines if _is_heading(line, usual)}, reverse=True)
    columns = _Columns.of(lines)
    tables = _table_numbers(lines)
    _add_heads(lines, tables)
    code = _code_numbers(lines)

    def kind(numbered: tuple[int, Line]) -> tuple[str, float]:
        number, line = numbered
        if number in code:
            return "code", 0
        if table := tables.get(number):
            return "table", table
        return ("heading", line.height) if _is_heading(line, usual) else ("text", 0)

    for (name, size), group in groupby(enumerate(lines), kind):
        found = [line for _, line in group]
        if name == "code":
            yield Code(_code(found))
        elif name == "table":
            yield TableBlock(
                tuple(
                    tuple((TextSpan(cell.text),) if cell.text else () for cell in line.cells)
                    for line in found
                )
            )
        elif name == "heading":
            level = min(HEADING_LEVEL + larger.index(size), DEEPEST)
            yield Heading(level, (TextSpan(" ".join(line.text for line in found)),))
        else:
            for paragraph in _paragraphs(found, columns, words):
                yield Paragraph((TextSpan(paragraph),))


def _is_heading(line: Line, usual: float) -> bool:
    is_short = 0 < len(line.text) <= HEADING_CHARACTERS and line.text[-1] not in ".,;"
    is_word = any(sign.isalpha() for sign in line.text)
    return is_short and is_word and usual > 0 and line.height >= HEADING_SIZE * usual


def _lines(text_page: "PdfTextPage") -> list[Line]:
    text = text_page.get_text_range(errors="ignore")
    # With characters beyond the first plane, places in the text are not those of letters.
    is_placed = len(text) == text_page.count_chars()
    if is_placed:
        text = corrected_text(text_page, text)
    lines: list[Line] = []
    for match in _LINE.finditer(text):
        shown = _HYPHEN.sub("", match[0])
        line = Line(collapse_whitespace(shown), is_split=shown != match[0])
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        if is_placed and line.text:
            _, height, bottom, _ = _box(text_page, start)
            cells = tuple(_cells(text_page, match[0].rstrip(), match.start(), height))
            line = attrs.evolve(line, height=round(2 * height) / 2, bottom=bottom, cells=cells)
            ends = (start, match.start() + len(match[0].rstrip()) - 1)
            line = attrs.evolve(line, is_code=all(_is_fixed(text_page, end) for end in ends))
        lines.append(line)
    return lines


def _box(text_page: "PdfTextPage", place: int) -> tuple[float, float, float, float]:
    """Return the left edge, height, bottom and right edge of a letter; zeros if it has none."""
    box = pdfium.FS_RECTF()
    if not pdfium.FPDFText_GetLooseCharBox(text_page.raw, place, ctypes.byref(box)):
        return 0.0, 0.0, 0.0, 0.0
    return box.left, box.top - box.bottom, box.bottom, box.right


def _cells(text_page: "PdfTextPage", text: str, begin: int, height: float) -> Iterator[Cell]:
    first = len(text) - len(text.lstrip())
    left, *_ = _box(text_page, begin + first)
    for gap in _SPACES.finditer(text):
        *_, right = _box(text_page, begin + gap.start() - 1)
        following, *_ = _box(text_page, begin + gap.end())
        if following - right > CELL_GAP * height > 0:
            yield Cell(collapse_whitespace(text[first : gap.start()]), left, right)
            first, left = gap.end(), following
    *_, right = _box(text_page, begin + len(text) - 1)
    yield Cell(collapse_whitespace(text[first:]), left, right)


def _is_fixed(text_page: "PdfTextPage", place: int) -> bool:
    """Return whether all letters of the font of a letter have the same width."""
    name, flags = ctypes.create_string_buffer(FONT_NAME_MAX), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(text_page.raw, place, name, FONT_NAME_MAX, ctypes.byref(flags))
    return bool(flags.value & FIXED_PITCH) or _FIXED.search(name.value) is not None


def _code_numbers(lines: Sequence[Line]) -> AbstractSet[int]:
    """Return the numbers of the lines of code: several in a row, on a page with other text."""
    found = set[int]()
    for is_code, group in groupby(enumerate(lines), key=lambda one: one[1].is_code):
        numbers = [number for number, _ in group]
        found.update(numbers if is_code and numbers[1:] else ())
    return found if len(found) <= CODE_SHARE * len(lines) else frozenset()


def _code(lines: Sequence[Line]) -> str:
    """Return lines of code with their indentation."""
    left = min(line.cells[0].left for line in lines)
    width = max((line.cells[-1].right - line.cells[0].left) / len(line.text) for line in lines)
    indents = (
        min(round((line.cells[0].left - left) / width), INDENT_MAX) if width > 0 else 0
        for line in lines
    )
    return "\n".join(
        f"{' ' * indent}{line.text}{'-' * line.is_split}"
        for indent, line in zip(indents, lines, strict=True)
    )


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


def _add_heads(lines: list[Line], tables: dict[int, int]) -> None:
    """Add the line above a table to it if each of its cells is above one of the columns."""
    for first, numbers in groupby(list(tables), key=tables.__getitem__):
        rows = [lines[number].cells for number in numbers]
        head = lines[first - 2] if first > 1 and first - 2 not in tables else Line("")
        columns = [
            (min(cell.left for cell in column), max(cell.right for cell in column))
            for column in zip(*rows, strict=True)
        ]
        over = [
            [cell for cell in head.cells if cell.left < right and left < cell.right]
            for left, right in columns
        ]
        if 1 < len(head.cells) == sum(map(len, over)) and max(map(len, over)) == 1:
            cells = tuple(cells[0] if cells else Cell("", 0, 0) for cells in over)
            lines[first - 2] = attrs.evolve(head, cells=cells)
            tables[first - 2] = first


def _are_rows(one: Line, other: Line) -> bool:
    """Return whether two lines have cells in the same columns, which do not overlap others."""
    columns = len(one.cells)
    if columns < 2 or len(other.cells) != columns:  # noqa: PLR2004
        return False
    return all(
        upper.left < lower.right and lower.left < upper.right
        for upper, lower in zip(one.cells, other.cells, strict=True)
    )


@attrs.frozen
class _Columns:
    """The right edges and the distances of the lines of a page, which tell where paragraphs end."""

    _characters: int
    _edges: Mapping[int, float]
    _pitches: Mapping[float, float]

    @classmethod
    def of(cls, lines: Sequence[Line]) -> "_Columns":
        """Return the columns of a page: lines that begin at about the same place."""
        rights: dict[int, list[float]] = {}
        for line in lines:
            for column in range(_column(line) - 1, _column(line) + 2):
                rights.setdefault(column, []).extend(cell.right for cell in line.cells[-1:])
        edges: dict[int, float] = {}
        for column, ends in rights.items():
            ends.sort()
            edge, left = ends[int(FULL_SHARE * (len(ends) - 1))] if ends else 0, column * COLUMN
            if len(ends) >= COLUMN_LINES and ends[len(ends) // 2] - left > PROSE * (edge - left):
                edges[column] = edge
        pitches: dict[float, Counter[float]] = {}
        for line, following in pairwise(lines):
            if 0 < (pitch := _pitch(line, following)) < PITCH_MAX * line.height:
                pitches.setdefault(line.height, Counter())[pitch] += 1
        return cls(
            max((len(line.text) for line in lines), default=0),
            edges,
            {height: found.most_common(1)[0][0] for height, found in pitches.items()},
        )

    def is_last(self, line: Line, following: Line) -> bool:
        """Return whether a line ends its paragraph: it has room for the first word of the next."""
        if _pitch(line, following) > PARAGRAPH_PITCH * self._pitches.get(line.height, math.inf):
            return True
        edge = self._edges.get(_column(line))
        if not edge or not _is_left_to_right(line) or not _is_left_to_right(following):
            return len(line.text) < self._characters * FULL_LINE
        word = len(following.text.partition(" ")[0]) + 2
        width = (following.cells[-1].right - following.cells[0].left) / len(following.text)
        return line.cells[-1].right + word * width <= edge


def _column(line: Line) -> int:
    return round(line.cells[0].left / COLUMN) if line.cells else 0


def _pitch(line: Line, following: Line) -> float:
    """Return how far the next line is below a line; negative in another column."""
    return round(2 * (line.bottom - following.bottom)) / 2


def _is_left_to_right(line: Line) -> bool:
    return bool(line.cells) and line.cells[0].left < line.cells[-1].right


def _paragraphs(lines: Sequence[Line], columns: _Columns, words: AbstractSet[str]) -> Iterator[str]:
    """Join wrapped lines; an empty line or the last one of a paragraph ends it."""
    paragraph = ""
    for line, following in zip(lines, (*lines[1:], Line("")), strict=True):
        if not line.is_split:
            paragraph += f"{line.text} "
        else:
            has_hyphen = _has_hyphen(line.text, following.text, words)
            paragraph += f"{line.text}-" if has_hyphen else line.text
        if not line.is_split and columns.is_last(line, following):
            if paragraph.strip():
                yield paragraph.strip()
            paragraph = ""
    if paragraph.strip():
        yield paragraph.strip()


def _has_hyphen(line: str, following: str, words: AbstractSet[str]) -> bool:
    """Return whether a word that is divided at the end of a line has its hyphen elsewhere, too."""
    first, second = _LAST_PART.search(line[-WORD_MAX:]), _FIRST_PART.match(following)
    if not first or not second:
        return False
    if second[0][0].isupper() and first[0][-1].islower():  # a name
        return True
    one, other = first[0].lower(), second[0].lower()
    is_compound = one in COMPOUND_STARTS and len(other) > SUFFIX_MAX
    return f"{one}{other}" not in words and (is_compound or f"{one}-{other}" in words)
