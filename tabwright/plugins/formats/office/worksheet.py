"""The XML of an Excel sheet, read as a stream: it takes little memory however far cells are apart.

The elements are those of ECMA-376, part 1, sections 18.3.1 (sheets) and 18.18 (their values).
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from string import ascii_uppercase
from xml.parsers import expat

import attrs

from tabwright.content import documents
from tabwright.plugins.formats.office.content import counted
from tabwright.plugins.formats.office.number_formats import PLAIN, NumberFormat, number_text
from tabwright.plugins.formats.office.sheets import SheetLimits, Span
from tabwright.plugins.formats.office.texts import PAGE_NUMBER

RANGES_MAX = 300_000
"""Maximum number of merged ranges and links of a sheet."""

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
"""A character that XML does not have (section 22.9.2.19)."""

_MARGINS = frozenset(
    f"{kind}{end}" for kind in ("odd", "even", "first") for end in ("Header", "Footer")
)
"""Elements with the headers and footers of a sheet."""

_CODE = re.compile(r'&("[^"]*"|K(?:[\dA-F]{6}|\d\d[+-]\d{3})|[PN][+-]\d+|\d+|.)', re.IGNORECASE)
"""A code in a header or footer (section 18.3.1.46): a font, a colour, a size or a letter."""

_DIGITS_MAX = 12

_REFERENCE = re.compile(
    r"\$?([A-Z]{1,3})\$?([1-9]\d{0,11})(?::\$?([A-Z]{1,3})\$?([1-9]\d{0,11}))?", re.ASCII
)


@attrs.define
class WorksheetScan:
    """Reads the XML of a sheet as a stream.

    Attributes:
        rows: the texts of its cells, by the numbers of rows with a value, counted from 0.
        merged: merged ranges, for example ``A1:B2``.
        links: pairs of a range and the id of its target.
    """

    _limits: SheetLimits
    _strings: Sequence[str]
    _formats: Sequence[NumberFormat]
    _epoch: datetime
    rows: dict[int, list[str]] = attrs.field(factory=dict[int, list[str]], init=False)
    merged: list[str] = attrs.field(factory=list[str], init=False)
    links: list[tuple[str, str]] = attrs.field(factory=list[tuple[str, str]], init=False)
    _width: int = attrs.field(default=0, init=False)
    _row_left: int = attrs.field(default=0, init=False)  # the last one that is not read
    _row: int = attrs.field(default=0, init=False)  # 0 before the first one
    _column: int = attrs.field(default=0, init=False)
    _cell: Mapping[str, str] = attrs.field(factory=dict[str, str], init=False)
    _pieces: list[str] = attrs.field(factory=list[str], init=False)
    _open: set[str] = attrs.field(factory=set[str], init=False)
    _printing: Mapping[str, str] = attrs.field(factory=dict[str, str], init=False)
    _margins: dict[str, str] = attrs.field(factory=dict[str, str], init=False)
    _left: Counter[str] = attrs.field(factory=Counter[str], init=False)
    _parser: expat.XMLParserType = attrs.field(factory=expat.ParserCreate, init=False)

    def read(self, data: bytes) -> None:
        """Read a sheet; as far as its XML is well formed."""
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        try:
            self._parser.Parse(data, True)  # noqa: FBT003  (the last piece)
        except expat.ExpatError:
            self._left["damaged end"] = 1

    def left(self) -> Sequence[str]:
        """Return what was not read, as phrases."""
        columns = max(0, self._width - documents.COLUMNS_MAX)
        return counted({"row": self._left.pop("row", 0), "column": columns} | self._left)

    def margins(self, end: str) -> Sequence[str]:
        """Return the lines of the headers or footers that are printed, without codes.

        Args:
            end: ``Header`` or ``Footer``.
        """
        switches = {"odd": "1", "even": self._printing.get("differentOddEven")}
        switches["first"] = self._printing.get("differentFirst")
        shown = [kind for kind, value in switches.items() if value in {"1", "true"}]
        margins = (self._margins.get(f"{kind}{end}", "") for kind in shown)
        return [line for one in margins for line in _CODE.sub(_decoded, one).splitlines()]

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        match name.rpartition(":")[2]:
            case "row":
                self._row = _number(attributes.get("r", ""), self._row + 1) or 1
                self._column = 0
            case "c":
                self._row, self._column = max(self._row, 1), self._column + 1
                for top, left, _, _ in spans_of(attributes.get("r", "")):
                    self._row, self._column = top + 1, left + 1
                self._cell = attributes
                self._pieces.clear()
                self._open.clear()
            case "f" | "rPh" as part:
                self._open.add(part)
            case "is":  # its text replaces a value
                self._open.add("is")
                self._pieces.clear()
            case "mergeCell" | "hyperlink" as kind:
                self._add_range(kind, attributes)
            case "headerFooter":
                self._pieces.clear()
                self._printing = attributes
            case part if self._is_text(part):
                self._open.add(part)
                self._parser.CharacterDataHandler = self._pieces.append
            case _:
                pass

    @property
    def _is_empty_text(self) -> bool:
        """Whether the current cell has an empty text as the saved value of its formula."""
        return self._cell.get("t") == "str" and "v" in self._open

    def _is_text(self, part: str) -> bool:
        """Return whether an element has the text of a cell, or a header or footer."""
        if part == "t":
            return "is" in self._open and "rPh" not in self._open
        return part in _MARGINS or (part == "v" and "is" not in self._open)

    def _add_range(self, kind: str, attributes: Mapping[str, str]) -> None:
        """Add a merged range, or one with a link."""
        reference = attributes.get("ref", "")
        if len(self.merged) + len(self.links) >= RANGES_MAX:
            self._left["merged range or link"] += 1
        elif kind == "mergeCell":
            self.merged.append(reference)
        else:
            prefixed = (value for key, value in attributes.items() if key.endswith(":id"))
            self.links.append((reference, next(prefixed, "")))

    def _end(self, name: str) -> None:
        match name.rpartition(":")[2]:
            case "v" | "t":
                self._parser.CharacterDataHandler = None
            case margin if margin in _MARGINS:
                self._parser.CharacterDataHandler = None
                self._margins[margin] = unescaped("".join(self._pieces))
                self._pieces.clear()
            case "rPh":
                self._open.discard("rPh")
            case "c":
                if text := self._text("".join(self._pieces)):
                    self._add(text)
                elif "f" in self._open and not self._is_empty_text:
                    self._left["unsaved formula value"] += 1
            case _:
                pass

    def _text(self, value: str) -> str:
        """Return the value of the current cell as text."""
        style = _number(self._cell.get("s", ""), 0)
        match self._cell.get("t", "n"):
            case "n" if value:
                form = self._formats[style] if style < len(self._formats) else PLAIN
                return number_text(value, form, self._epoch)
            case "b" if value:
                return "FALSE" if value.strip() in {"0", "false"} else "TRUE"
            case "d":
                return value.replace("T", " ").removesuffix(" 00:00:00")
            case "s" if value:
                number = _number(value, len(self._strings))
                if number >= len(self._strings):
                    self._left["value"] += 1
                    return ""
                return self._strings[number]
            case _:
                pass
        return unescaped(value)

    def _add(self, text: str) -> None:
        """Set the text of the current cell, within the limits."""
        self._width = max(self._width, self._column)
        if self._column > documents.COLUMNS_MAX:
            return  # it is counted by the width
        row = self.rows.get(self._row - 1)
        if not self._limits.reached:
            row = self.rows.setdefault(self._row - 1, [])
            added = [""] * (self._column - len(row))
            row += added
            row[self._column - 1] = text
            self._limits.add((text, *added[1:]))
        elif row is not None:
            self._left["value"] += 1
        elif self._row != self._row_left:
            self._left["row"] += 1
            self._row_left = self._row


def _decoded(code: re.Match[str]) -> str:
    match code[1][0].upper():
        case "&":
            return "&"
        case "P" | "N":
            return PAGE_NUMBER
        case "L" | "C" | "R":  # a part begins
            return "\n"
        case _:
            return ""


def unescaped(text: str) -> str:
    """Return a text with the characters that it escapes, for example ``_x000D_``."""
    text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    # An emoji is written as two surrogates (UTF-16).
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _number(digits: str, default: int) -> int:
    return int(digits) if digits.isdecimal() and len(digits) <= _DIGITS_MAX else default


def _column(letters: str) -> int:
    """Return the number of a column, 1 for ``A``."""
    number = 0
    for letter in letters:
        number = len(ascii_uppercase) * number + ascii_uppercase.index(letter) + 1
    return number


def spans_of(reference: str) -> Iterator[Span]:
    """Yield the range as numbers counted from 0, if it is one."""
    if match := _REFERENCE.fullmatch(reference):
        top, left = int(match[2]) - 1, _column(match[1]) - 1
        bottom, right = (int(match[4]) - 1, _column(match[3]) - 1) if match[3] else (top, left)
        yield top, left, bottom, right


def placed_spans(reference: str, numbers: Sequence[int]) -> Iterator[Span]:
    """Yield the range by the places of its rows among those that are read.

    Nothing is yielded if its first row is not one of them.

    Args:
        reference: the range, for example ``A1:B2``.
        numbers: the numbers of the rows that are read, sorted.
    """
    for top, left, bottom, right in spans_of(reference):
        place = bisect_left(numbers, top)
        if place < len(numbers) and numbers[place] == top:
            yield place, left, bisect_right(numbers, bottom) - 1, right
