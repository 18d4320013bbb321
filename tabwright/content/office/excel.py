"""Excel workbooks: values of cells, dates and percentages as such, merged cells, links, comments.

Imported only if the extra ``tabwright[office]`` is installed. openpyxl streams the cells, which
takes little memory however far apart they are; merged cells and links are not part of its stream.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from io import BytesIO
from posixpath import dirname, join, normpath
from xml.etree import ElementTree as ET
from xml.parsers import expat

import attrs
from openpyxl import Workbook, load_workbook
from openpyxl.utils.cell import coordinate_to_tuple, range_boundaries

from tabwright.content.office import sheets
from tabwright.content.office.archive import (
    CORE,
    Archive,
    OfficeContent,
    OfficeFileRefused,
    attribute,
    counted,
    described,
    local,
)
from tabwright.content.office.sheets import Sheet, links_of, trimmed

WORKBOOK = "xl/workbook.xml"
STYLES = "xl/styles.xml"
ROWS_MAX = 1_048_576
"""The rows of a sheet in Excel; a file can declare more."""

LINKED = ("http://", "https://", "mailto:")


def read_excel(archive: Archive) -> OfficeContent:
    """Return the sheets of a workbook; formulas as the values that were saved."""
    archive.check_parts(as_trees=False)
    book = _opened(archive)
    paths = _paths(archive)
    read: list[Sheet] = []
    limits = sheets.SheetLimits()
    parts = set[str]()
    unread = 0
    damaged: list[str] = []
    for page in book.worksheets[: sheets.SHEETS_MAX]:
        path = paths.get(page.title, "")
        scan = _Scan.of(archive.part(path)) if path in archive.names else _Scan()
        width = min(scan.columns, sheets.COLUMNS_MAX)
        rows: list[list[str]] = []
        before: object = None
        texts: list[str] = []
        height = min(scan.rows, ROWS_MAX)
        for row in page.iter_rows(max_row=max(height, 1), max_col=max(width, 1)):
            if limits.reached:
                break
            if row is not before:  # openpyxl yields the same row for all missing ones
                texts = list(trimmed([_text(one.value, one.number_format) for one in row]))
            before = row
            rows.append(texts)
            limits.add(texts)
        name = page.title if page.sheet_state == "visible" else f"{page.title} (hidden)"
        sheet = scan.sheet(name, rows, _targets(archive, path))
        try:
            comments = list(_comments(archive, path, parts))
        except (ET.ParseError, OfficeFileRefused, RecursionError):
            comments = []
            damaged.append(f"the comments of the sheet {name!r}")
        kept = limits.within(comments)
        unread += len(comments) - len(kept)
        read.append(attrs.evolve(sheet, comments=kept))
    left = counted(
        {
            "sheet": len(book.worksheets) - len(read),
            "comment": unread,
            "chart sheet": len(book.chartsheets),
            "picture or chart": sum(one.startswith("xl/drawings/drawing") for one in archive.names),
        }
    )
    content = OfficeContent(
        blocks=tuple(block for one in read for block in one.blocks()),
        links=links_of(read),
        left=(*(phrase for one in read for phrase in one.left), *damaged, *left),
    )
    return described(content, archive.properties(CORE))


def _opened(archive: Archive) -> Workbook:
    """Open a workbook; one whose styles openpyxl does not understand, with its number formats only.

    Raises:
        Exception: it is damaged.
    """
    try:
        return load_workbook(
            BytesIO(archive.body), read_only=True, data_only=True, keep_links=False
        )
    except (TypeError, ValueError):
        if STYLES not in archive.names:
            raise
    plain = archive.replaced({STYLES: _number_formats(archive.tree(STYLES))})
    return load_workbook(BytesIO(plain), read_only=True, data_only=True, keep_links=False)


def _number_formats(styles: ET.Element) -> bytes:
    """Return styles with nothing but number formats (ECMA-376, part 1, section 18.8)."""
    space = styles.tag.rpartition("}")[0] + "}"
    plain = ET.Element(styles.tag)
    plain.extend(one for one in styles if local(one) == "numFmts")
    for several, one in (("fonts", "font"), ("fills", "fill"), ("borders", "border")):
        part = ET.SubElement(ET.SubElement(plain, f"{space}{several}"), f"{space}{one}")
        if one == "fill":
            ET.SubElement(part, f"{space}patternFill")
    ET.SubElement(ET.SubElement(plain, f"{space}cellStyleXfs"), f"{space}xf", numFmtId="0")
    formats = ET.SubElement(plain, f"{space}cellXfs")
    for node in (one for part in styles if local(part) == "cellXfs" for one in part.iter()):
        if local(node) == "xf":
            ET.SubElement(formats, f"{space}xf", numFmtId=node.get("numFmtId", "0"))
    names = ET.SubElement(plain, f"{space}cellStyles")
    ET.SubElement(names, f"{space}cellStyle", name="Normal", xfId="0", builtinId="0")
    return ET.tostring(plain)


def _text(value: object, number_format: str) -> str:
    """Return the value of a cell as text."""
    match value:
        case None:
            text = ""
        case bool():
            text = "TRUE" if value else "FALSE"
        case int() | float() if number_format.rstrip().endswith("%"):
            text = f"{value * 100:.15g}%"
        case float():
            text = f"{value:.15g}"
        case datetime():
            text = value.isoformat(" ", "seconds").removesuffix(" 00:00:00")
        case _:
            text = str(value)
    return text


def _paths(archive: Archive) -> Mapping[str, str]:
    """Return the part of each sheet by its name."""
    if WORKBOOK not in archive.names:
        return {}
    targets = _targets(archive, WORKBOOK)
    found = [one for one in archive.tree(WORKBOOK).iter() if local(one) == "sheet"]
    return {
        one.get("name", ""): normpath(join("/xl", targets.get(attribute(one, "id"), ""))).lstrip(
            "/"
        )
        for one in found
    }


def _targets(archive: Archive, part: str, kind: str = "") -> Mapping[str, str]:
    """Return the targets of the relations of a part by their ids; only those of a kind if given."""
    folder, _, name = part.rpartition("/")
    path = f"{folder}/_rels/{name}.rels"
    nodes = archive.tree(path) if path in archive.names else ()
    return {
        attribute(one, "Id"): attribute(one, "Target")
        for one in nodes
        if attribute(one, "Type").endswith(kind)
    }


def _comments(archive: Archive, sheet: str, read: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the comments of a sheet, each with the name of its cell.

    Threaded comments have copies among the others, for older programs.

    Args:
        archive: the workbook.
        sheet: the part of the sheet.
        read: the parts of the comments so far; those of this sheet are added.

    Raises:
        OfficeFileRefused: a part is too large, or was read already.
        ParseError: a part is not well formed.
        RecursionError: a comment is nested too deeply.
    """
    for kind, name in (("/threadedComment", "threadedComment"), ("/comments", "comment")):
        targets = _targets(archive, sheet, kind).values()
        paths = {normpath(join(f"/{dirname(sheet)}", one)).lstrip("/") for one in targets}
        parts = paths.intersection(archive.names)
        if parts & read:
            raise OfficeFileRefused("has the same comments for several sheets")
        read |= parts
        trees = [archive.tree(part) for part in sorted(parts)]
        found = [one for tree in trees for one in tree.iter() if local(one) == name]
        yield from ((attribute(one, "ref"), "".join(_comment_texts(one))) for one in found)
        if found:
            return


def _comment_texts(comment: ET.Element) -> Iterator[str]:
    """Yield the texts of a comment, without the pronunciation of Asian ones."""
    for node in comment:
        if local(node) in {"t", "text"}:
            yield node.text or ""
        if local(node) in {"text", "r"}:
            yield from _comment_texts(node)


@attrs.define
class _Scan:
    """What a sheet declares beside its values.

    Attributes:
        columns: the number of columns up to the last cell with a value.
        rows: the number of the last row with a value; many sheets have formatted ones below it.
        unsaved: the number of formulas without a value.
        merged: merged ranges, for example ``A1:B2``.
        links: pairs of a range and the id of its target.
    """

    columns: int = 0
    rows: int = 0
    unsaved: int = 0
    merged: list[str] = attrs.field(factory=list[str])
    links: list[tuple[str, str]] = attrs.field(factory=list[tuple[str, str]])
    _parser: expat.XMLParserType = attrs.field(factory=expat.ParserCreate)
    _column: int = 0
    _row: int = 0
    _formula: bool = False
    _value: bool = False

    @classmethod
    def of(cls, data: bytes) -> "_Scan":
        """Scan the XML of a sheet."""
        scan = cls()
        scan._parser.StartElementHandler = scan._start
        scan._parser.EndElementHandler = scan._end
        scan._parser.Parse(data, True)  # noqa: FBT003  (the last piece)
        return scan

    def _start(self, name: str, said: dict[str, str]) -> None:
        match name.rpartition(":")[2]:
            case "row":
                self._row = int(said.get("r", self._row + 1))
                self._column = 0
            case "c":
                self._column += 1
                if place := said.get("r"):
                    self._row, self._column = coordinate_to_tuple(place)
                self._formula = self._value = False
            case "f":
                self._formula = True
            case "v" | "is":
                self.rows = max(self.rows, self._row)
                self.columns = max(self.columns, self._column)
                if self._formula:  # an empty value counts as none
                    self._parser.CharacterDataHandler = self._saved
            case "mergeCell":
                self.merged.append(said.get("ref", ""))
            case "hyperlink":
                prefixed = (value for key, value in said.items() if key.endswith(":id"))
                self.links.append((said.get("ref", ""), next(prefixed, "")))
            case _:
                pass

    def _end(self, name: str) -> None:
        match name.rpartition(":")[2]:
            case "v":
                self._parser.CharacterDataHandler = None
            case "c":
                self.unsaved += self._formula and not self._value
            case _:
                pass

    def _saved(self, _text: str) -> None:
        self._value = True

    def sheet(self, name: str, rows: list[list[str]], targets: Mapping[str, str]) -> Sheet:
        """Return the sheet with these values; the targets are those of its relations."""
        urls = {
            (ranged[0], ranged[1]): url
            for reference, known in self.links
            for ranged in _ranges(reference)
            if (url := targets.get(known, "")).startswith(LINKED)
        }
        left = counted(
            {
                "row": max(0, min(self.rows, ROWS_MAX) - len(rows)),
                "column": max(0, self.columns - sheets.COLUMNS_MAX),
                "unsaved formula value": self.unsaved,
            }
        )
        return Sheet(
            name,
            rows,
            urls,
            tuple(one for reference in self.merged for one in _ranges(reference)),
            left=tuple(f"{phrase} of the sheet {name!r}" for phrase in left),
        )


def _ranges(reference: str) -> Iterator[sheets.Span]:
    """Yield the range as numbers counted from 0, if it is one."""
    left, top, right, bottom = range_boundaries(reference)
    if left and top and right and bottom:
        yield top - 1, left - 1, bottom - 1, right - 1
