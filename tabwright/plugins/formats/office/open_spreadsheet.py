"""OpenDocument spreadsheets (OpenDocument 1.3, part 3, chapter 9): a table for each sheet."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from xml.etree import ElementTree as ET

import attrs

from tabwright.content import documents
from tabwright.content.xml_tree import attribute, descendants, local, number_of
from tabwright.plugins.formats.office import sheets
from tabwright.plugins.formats.office.content import OfficeContent, counted
from tabwright.plugins.formats.office.sheets import (
    Place,
    Sheet,
    SheetLimits,
    Span,
    blocks_of,
    cell_name,
    links_of,
    trimmed,
)
from tabwright.plugins.formats.office.texts import PAGE_NUMBER

ROWS_MAX = 1_048_576
"""The rows of a sheet in LibreOffice; a file can declare more."""

CELLS_OF_ROW_MAX = 16_384
"""The columns of a sheet in LibreOffice."""

_OBJECTS = frozenset({"image", "object", "plugin"})

_TEXT_SHAPES = frozenset({"text-box", "custom-shape", "rect", "ellipse", "caption"})
"""Shapes on a sheet with paragraphs."""

_SPACES = frozenset({"s", "tab", "line-break"})

_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value")
"""Attributes with the value of a cell; a program can leave out its text."""

_FIELDS: Mapping[str, str] = {
    **dict.fromkeys(("page-number", "page-count"), PAGE_NUMBER),
    **dict.fromkeys(("sheet-name", "file-name", "title", "date", "time"), ""),
}
"""Fields of headers and footers that are filled in on printing, and what stands for them."""


def read_spreadsheet(
    document: ET.Element, root: ET.Element, styles: ET.Element, hidden: Collection[str]
) -> OfficeContent:
    """Return the sheets of a spreadsheet.

    Args:
        document: the element with the sheets.
        root: the content with it, and with the styles of sheets.
        styles: the root of the other styles, whose master pages have the headers and footers.
        hidden: the names of the styles of hidden sheets.
    """
    for space in (node for node in document.iter() if local(node) in _SPACES):
        space.text = " "
    pages = {
        attribute(one, "name"): attribute(one, "master-page-name")
        for one in root.iter()
        if local(one) == "style"
    }
    masters = {
        attribute(one, "name"): [list(_margins(one, kind)) for kind in ("header", "footer")]
        for one in styles.iter()
        if local(one) == "master-page"
    }
    tables = [one for one in document if local(one) == "table"]
    left = Counter[str]()
    limits = SheetLimits()
    read: list[Sheet] = []
    for table in tables[: sheets.SHEETS_MAX]:
        style = attribute(table, "style-name")
        master = pages.get(style) or "Default"
        name = attribute(table, "name")
        sheet = _sheet(table, f"{name} (hidden)" if style in hidden else name, limits, left)
        headers, footers = masters.pop(master, ((), ()))  # once: sheets share them
        read.append(attrs.evolve(sheet, headers=headers, footers=footers))
    left["sheet"] = len(tables) - len(read)
    left["picture or chart"] = sum(
        any(local(part) in _OBJECTS for part in node)
        for node in document.iter()
        if local(node) == "frame"
    )
    blocks = blocks_of(read, left)
    return OfficeContent(blocks=blocks, links=links_of(read), left=counted(left))


def _margins(master: ET.Element, kind: str) -> Iterator[str]:
    """Yield the paragraphs of the headers or the footers of a master page."""
    names = {kind, f"{kind}-left", f"{kind}-first"}
    for part in (one for one in master if local(one) in names):
        if attribute(part, "display") != "false":
            for field in (one for one in part.iter() if local(one) in _FIELDS):
                field.text = _FIELDS[local(field)]
            yield from ("".join(one.itertext()) for one in part.iter() if local(one) == "p")


def _sheet(table: ET.Element, name: str, limits: SheetLimits, left: Counter[str]) -> Sheet:
    """Return a sheet; rows and cells that are repeated and empty are not (section 19.675)."""
    rows: list[list[str]] = []
    urls: dict[Place, str] = {}
    spans: list[Span] = []
    comments: list[tuple[str, str]] = []
    place = widest = 0
    for node in descendants(table, "table-row", "table"):
        row = _Row.of(node)
        comments += ((cell_name(place, column), text) for column, text in row.comments)
        widest = max(widest, row.width)
        repeated = number_of(node, "number-rows-repeated", ROWS_MAX)
        place += repeated
        repeated = repeated if row.texts else 1
        for number in range(repeated):
            if limits.reached:
                left["row"] += repeated - number if row.texts else 0
                break
            urls.update({(len(rows), column): url for column, url in row.urls.items()})
            spans += (
                (len(rows), column, len(rows) + height - 1, column) for column, height in row.spans
            )
            rows.append(row.texts)
            limits.add(row.texts)
    for node in (one for one in table.iter() if local(one) in _TEXT_SHAPES):
        comments.append(("", " ".join(_paragraphs(node))))
    kept = limits.within(comments)
    left["comment"] += len(comments) - len(kept)
    left["column"] += max(0, widest - documents.COLUMNS_MAX)
    return Sheet(name, rows, urls, spans, kept)


@attrs.frozen
class _Row:
    """A row of a sheet.

    Attributes:
        texts: the texts of its first cells.
        width: the number of columns up to the last cell with a text.
        urls: the links of cells by their columns.
        spans: pairs of the column and the height of a merged cell.
        comments: pairs of the column of a cell and a comment on it.
    """

    texts: list[str]
    width: int
    urls: Mapping[int, str]
    spans: Sequence[tuple[int, int]]
    comments: Sequence[tuple[int, str]]

    @classmethod
    def of(cls, row: ET.Element) -> "_Row":
        """Read the XML of a row."""
        texts: list[str] = []
        urls: dict[int, str] = {}
        spans: list[tuple[int, int]] = []
        comments: list[tuple[int, str]] = []
        column = width = 0
        for cell in row:
            if local(cell) not in {"table-cell", "covered-table-cell"}:
                continue
            notes = (one for one in cell if local(one) == "annotation")
            comments += ((column, " ".join(_paragraphs(note))) for note in notes)
            values = (attribute(cell, name) for name in _VALUES)
            text = " ".join(_paragraphs(cell)) or next(filter(None, values), "")
            if text and column < documents.COLUMNS_MAX:
                for link in (one for one in cell.iter() if local(one) == "a"):
                    urls[column] = attribute(link, "href")
                height = number_of(cell, "number-rows-spanned", documents.CELLS_MAX)
                spans += [(column, height)] if height > 1 else []
            repeated = number_of(cell, "number-columns-repeated", CELLS_OF_ROW_MAX)
            texts += [text] * min(repeated, documents.COLUMNS_MAX - len(texts))
            column += repeated
            width = column if text else width
        return cls(list(trimmed(texts)), width, urls, spans, comments)


def _paragraphs(node: ET.Element) -> list[str]:
    return ["".join(one.itertext()) for one in node if local(one) == "p"]
