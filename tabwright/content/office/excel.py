"""Excel workbooks: values of cells, dates and percentages as such, merged cells, links, comments.

The elements are those of ECMA-376, part 1, chapter 18. The cells are read as a stream, which takes
little memory however far apart they are. A damaged cell or part is counted; the others are read.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from io import BytesIO
from string import ascii_uppercase
from xml.etree import ElementTree as ET
from xml.parsers import expat

import attrs

from tabwright.content.office import sheets
from tabwright.content.office.archive import (
    CORE,
    Archive,
    OfficeContent,
    OfficeFileRefused,
    PartUnreadable,
    Relation,
    attribute,
    check_xml,
    counted,
    descendants,
    described,
    local,
    paragraph_texts,
    relation_id,
    safe_parser,
)
from tabwright.content.office.number_formats import (
    BUILT_IN,
    EPOCH,
    EPOCH_1904,
    NumberKind,
    number_kind,
    number_text,
)
from tabwright.content.office.sheets import Place, Sheet, SheetLimits, Span, links_of

WORKBOOK = "xl/workbook.xml"
STRINGS_MAX = 2_000_000
"""Maximum number of texts that the cells of all sheets share."""

RANGES_MAX = 300_000
"""Maximum number of merged ranges and links of a sheet."""

EMBEDDED = frozenset({"oleObject", "package"})
"""The kinds of relations of a sheet to files inside it."""

LINKED = ("http://", "https://", "mailto:")

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
"""A character that XML does not have (section 22.9.2.19)."""

_DIGITS_MAX = 12

_REFERENCE = re.compile(
    r"\$?([A-Z]{1,3})\$?([1-9]\d{0,11})(?::\$?([A-Z]{1,3})\$?([1-9]\d{0,11}))?", re.ASCII
)


def read_excel(archive: Archive) -> OfficeContent:
    """Return the sheets of a workbook; formulas as the values that were saved.

    Raises:
        OfficeFileRefused: it is binary (MS-XLSB), declares entities, or is too large.
    """
    main = archive.main_part(WORKBOOK)
    if main.lower().endswith(".bin"):
        raise OfficeFileRefused("is a binary Excel workbook (.xlsb), which cannot be read")
    workbook = archive.tree(main)
    relations = archive.relations(main)
    found = [one for one in workbook.iter() if local(one) == "sheet"]
    reader = _Reader.of(archive, workbook, relations)
    read: list[Sheet] = []
    for node in found:
        relation = relations.get(relation_id(node))
        if relation and relation.kind == "chartsheet":
            reader.left["chart sheet"] += 1
        elif relation and len(read) < sheets.SHEETS_MAX and reader.is_new(relation.target):
            name = node.get("name", "")
            is_visible = node.get("state", "visible") == "visible"
            title = name if is_visible else f"{name} (hidden)"
            try:
                read.append(reader.sheet(title, relation.target))
            except PartUnreadable:
                reader.left["sheet"] += 1
        else:
            reader.left["sheet"] += 1
    content = OfficeContent(
        blocks=tuple(block for one in read for block in one.blocks()),
        links=links_of(read),
        left=(*(phrase for one in read for phrase in one.left), *counted(reader.left)),
    )
    return described(content, archive.properties(CORE))


@attrs.define
class _Reader:
    """Reads the sheets of a workbook.

    Attributes:
        left: what was not read, beside parts of sheets.
    """

    _archive: Archive
    _strings: Sequence[str]
    _formats: Sequence[NumberKind]
    _epoch: datetime
    left: Counter[str]
    _limits: SheetLimits = attrs.field(factory=SheetLimits, init=False)
    _linked_cells: SheetLimits = attrs.field(factory=SheetLimits, init=False)
    _repeated: SheetLimits = attrs.field(factory=SheetLimits, init=False)
    _parts: set[str] = attrs.field(factory=set[str], init=False)

    @classmethod
    def of(
        cls, archive: Archive, workbook: ET.Element, relations: Mapping[str, Relation]
    ) -> "_Reader":
        """Return a reader that knows the texts and the number formats of a workbook."""
        parts = {one.kind: one.target for one in relations.values() if one.target in archive}
        properties = (one for one in workbook if local(one) == "workbookPr")
        is_1904 = any(one.get("date1904") in {"1", "true"} for one in properties)
        left = Counter[str]()
        formats: Sequence[NumberKind] = ()
        try:
            formats = _formats(archive.tree(parts["styles"])) if "styles" in parts else ()
        except (PartUnreadable, OfficeFileRefused):
            left["list of number formats"] = 1
        strings: Sequence[str] = ()
        try:
            strings = _strings(archive.part(parts["sharedStrings"]))
        except KeyError:  # all texts are in their cells
            pass
        except PartUnreadable:
            left["list of texts"] = 1
        return cls(archive, strings, formats, EPOCH_1904 if is_1904 else EPOCH, left)

    def is_new(self, part: str) -> bool:
        """Return whether a part exists, and note that it is read: it is new only once.

        Otherwise a small file could use one large part for many sheets.
        """
        is_new = part in self._archive and part not in self._parts
        self._parts.add(part)
        return is_new

    def sheet(self, name: str, part: str) -> Sheet:
        """Return a sheet, with what was not read of it.

        Raises:
            PartUnreadable: it is damaged.
        """
        scan = _Scan(self._limits, self._strings, self._formats, self._epoch)
        scan.read(self._archive.part(part))
        left = list(scan.left())
        relations: Mapping[str, Relation] = {}
        comments: list[tuple[str, str]] = []
        try:
            relations = self._archive.relations(part)
        except (PartUnreadable, OfficeFileRefused):
            left.append("the links, comments and drawings")
        try:
            comments = list(self._comments(relations))
        except (PartUnreadable, OfficeFileRefused, RecursionError):
            left.append("the comments")
        self.left["embedded object"] += sum(one.kind in EMBEDDED for one in relations.values())
        damaged = 0
        for drawing in {one.target: None for one in relations.values() if one.kind == "drawing"}:
            try:
                comments += self._drawn(drawing)
            except (PartUnreadable, OfficeFileRefused, RecursionError):
                damaged += 1
        left += counted({"drawing": damaged})
        kept = self._limits.within(comments)
        self.left["comment"] += len(comments) - len(kept)
        for reference, _ in scan.links:
            for top, _, _, _ in _spans(reference):
                scan.rows.setdefault(top, [])  # the cell of a link can be empty
        numbers = sorted(scan.rows)
        rows = [scan.rows[number] for number in numbers]
        urls: dict[Place, str] = {}
        for place, url in _linked(scan.links, relations, numbers, rows):
            if self._linked_cells.reached:
                left.append("the last links")
                break
            self._linked_cells.add((url,))
            urls.setdefault(place, url)
        merged = [span for one in scan.merged for span in _placed(one, numbers)]
        phrases = tuple(f"{phrase} of the sheet {name!r}" for phrase in left)
        return Sheet(name, rows, urls, merged, kept, phrases, self._repeated)

    def _drawn(self, drawing: str) -> Sequence[tuple[str, str]]:
        """Return the texts of the shapes of a drawing, and count its pictures and charts.

        Raises:
            OfficeFileRefused: it is too large, is missing, or was read already.
            PartUnreadable: it is damaged.
            RecursionError: it is nested too deeply.
        """
        if not self.is_new(drawing):
            raise OfficeFileRefused("has the same drawing for several sheets")
        root = self._archive.tree(drawing)
        for name in ("pic", "graphicFrame"):
            self.left["picture or chart"] += sum(1 for _ in descendants(root, name, "Fallback"))
        bodies = descendants(root, "txBody", "Fallback")
        return [("", " ".join(paragraph_texts(body))) for body in bodies]

    def _comments(self, relations: Mapping[str, Relation]) -> Iterator[tuple[str, str]]:
        """Yield the comments of a sheet, each with the name of its cell.

        A thread has a copy among the other comments, for older programs: a comment on a cell with a
        thread is left out.

        Raises:
            OfficeFileRefused: a part is too large, or was read already.
            PartUnreadable: a part is damaged.
            RecursionError: a comment is nested too deeply.
        """
        with_threads = set[str]()
        for kind, name in (("threadedComment", "threadedComment"), ("comments", "comment")):
            parts = {one.target for one in relations.values() if one.kind == kind}
            trees: list[ET.Element] = []
            for part in sorted(one for one in parts if one in self._archive):
                if not self.is_new(part):
                    raise OfficeFileRefused("has the same comments for several sheets")
                trees.append(self._archive.tree(part))
            for one in (one for tree in trees for one in tree.iter() if local(one) == name):
                cell = attribute(one, "ref")
                if kind == "threadedComment":
                    with_threads.add(cell)
                elif cell in with_threads:
                    continue
                yield cell, _unescaped("".join(_texts(one)))


def _texts(node: ET.Element) -> Iterator[str]:
    """Yield the texts of a comment or a cell, without the pronunciation of Asian ones."""
    for child in node:
        if local(child) in {"t", "text"}:
            yield child.text or ""
        if local(child) in {"text", "r"}:
            yield from _texts(child)


def _unescaped(text: str) -> str:
    """Return a text with the characters that it escapes, for example ``_x000D_``."""
    text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    # An emoji is written as two surrogates (UTF-16).
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _strings(data: bytes) -> Sequence[str]:
    """Return the first texts that the cells of all sheets share; those before damaged XML."""
    check_xml(data)
    found: list[str] = []
    try:
        events = ET.iterparse(BytesIO(data), ("start", "end"))  # noqa: S314  (nothing expands)
        _, root = next(events)
        for event, node in events:
            if event == "end" and local(node) == "si":
                found.append(_unescaped("".join(_texts(node))))
                root.clear()  # it would keep an empty element for each text
                if len(found) == STRINGS_MAX:
                    break
    except (ET.ParseError, RecursionError):
        pass
    return found


def _formats(styles: ET.Element) -> Sequence[NumberKind]:
    """Return what numbers with each format of cells are."""
    codes = {
        attribute(one, "numFmtId"): number_kind(attribute(one, "formatCode"))
        for part in styles
        if local(part) == "numFmts"
        for one in part
    }
    ids = [
        attribute(one, "numFmtId") for part in styles if local(part) == "cellXfs" for one in part
    ]
    return [codes.get(one) or BUILT_IN.get(one, NumberKind.PLAIN) for one in ids]


@attrs.define
class _Scan:
    """Reads the XML of a sheet as a stream.

    Attributes:
        rows: the texts of its cells, by the numbers of rows with a value, counted from 0.
        merged: merged ranges, for example ``A1:B2``.
        links: pairs of a range and the id of its target.
    """

    _limits: SheetLimits
    _strings: Sequence[str]
    _formats: Sequence[NumberKind]
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
    _left: Counter[str] = attrs.field(factory=Counter[str], init=False)
    _parser: expat.XMLParserType = attrs.field(factory=safe_parser, init=False)

    def read(self, data: bytes) -> None:
        """Read a sheet; as far as its XML is well formed.

        Raises:
            OfficeFileRefused: it declares entities or default attributes.
        """
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        try:
            self._parser.Parse(data, True)  # noqa: FBT003  (the last piece)
        except expat.ExpatError:
            self._left["damaged end"] = 1

    def left(self) -> Sequence[str]:
        """Return what was not read, as phrases."""
        columns = max(0, self._width - sheets.COLUMNS_MAX)
        return counted({"row": self._left.pop("row", 0), "column": columns} | self._left)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        match name.rpartition(":")[2]:
            case "row":
                self._row = _number(attributes.get("r", ""), self._row + 1) or 1
                self._column = 0
            case "c":
                self._row, self._column = max(self._row, 1), self._column + 1
                for top, left, _, _ in _spans(attributes.get("r", "")):
                    self._row, self._column = top + 1, left + 1
                self._cell = attributes
                self._pieces.clear()
                self._open.clear()
            case "f" | "rPh" as part:
                self._open.add(part)
            case "is":  # its text replaces a value
                self._open.add("is")
                self._pieces.clear()
            case "v" if "is" not in self._open:
                self._parser.CharacterDataHandler = self._pieces.append
            case "t" if "is" in self._open and "rPh" not in self._open:
                self._parser.CharacterDataHandler = self._pieces.append
            case "mergeCell" | "hyperlink" as kind:
                self._add_range(kind, attributes)
            case _:
                pass

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
            case "rPh":
                self._open.discard("rPh")
            case "c":
                if text := self._text("".join(self._pieces)):
                    self._add(text)
                elif "f" in self._open:
                    self._left["unsaved formula value"] += 1
            case _:
                pass

    def _text(self, value: str) -> str:
        """Return the value of the current cell as text."""
        style = _number(self._cell.get("s", ""), 0)
        match self._cell.get("t", "n"):
            case "n" if value:
                kind = self._formats[style] if style < len(self._formats) else NumberKind.PLAIN
                return number_text(value, kind, self._epoch)
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
        return _unescaped(value)

    def _add(self, text: str) -> None:
        """Set the text of the current cell, within the limits."""
        self._width = max(self._width, self._column)
        if self._column > sheets.COLUMNS_MAX:
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


def _linked(
    links: Iterable[tuple[str, str]],
    relations: Mapping[str, Relation],
    numbers: Sequence[int],
    rows: Sequence[Sequence[str]],
) -> Iterator[tuple[Place, str]]:
    """Yield the cells of ranges with a link, each with its URL.

    Args:
        links: pairs of a range and the id of its target.
        relations: the targets.
        numbers: the numbers of the rows.
        rows: the texts of the rows. A range extends over the texts, and is at least a column wide.
    """
    for reference, known in links:
        relation = relations.get(known)
        if relation is None or not relation.target.lower().startswith(LINKED):
            continue
        for top, left, bottom, right in _placed(reference, numbers):
            for row in range(top, bottom + 1):
                end = max(left + 1, min(right + 1, len(rows[row])))
                yield from (((row, column), relation.target) for column in range(left, end))


def _number(digits: str, default: int) -> int:
    return int(digits) if digits.isdecimal() and len(digits) <= _DIGITS_MAX else default


def _column(letters: str) -> int:
    """Return the number of a column, 1 for ``A``."""
    number = 0
    for letter in letters:
        number = len(ascii_uppercase) * number + ascii_uppercase.index(letter) + 1
    return number


def _spans(reference: str) -> Iterator[Span]:
    """Yield the range as numbers counted from 0, if it is one."""
    if match := _REFERENCE.fullmatch(reference):
        top, left = int(match[2]) - 1, _column(match[1]) - 1
        bottom, right = (int(match[4]) - 1, _column(match[3]) - 1) if match[3] else (top, left)
        yield top, left, bottom, right


def _placed(reference: str, numbers: Sequence[int]) -> Iterator[Span]:
    """Yield the range by the places of its rows among those that are read.

    Nothing is yielded if its first row is not one of them.

    Args:
        reference: the range, for example ``A1:B2``.
        numbers: the numbers of the rows that are read, sorted.
    """
    for top, left, bottom, right in _spans(reference):
        place = bisect_left(numbers, top)
        if place < len(numbers) and numbers[place] == top:
            yield place, left, bisect_right(numbers, bottom) - 1, right
