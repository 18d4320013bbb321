"""Excel workbooks: values of cells, dates and percentages as such, merged cells, links, comments.

The elements are those of ECMA-376, part 1, chapter 18. A damaged cell or part is counted; the
others are read.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from io import BytesIO
from xml.etree import ElementTree as ET

import attrs

from tabwright.content.xml_tree import attribute, descendants, local, relation_id
from tabwright.plugins.formats.office import sheets
from tabwright.plugins.formats.office.archive import (
    CORE,
    Archive,
    OfficeFileRefused,
    PartUnreadable,
    Relation,
)
from tabwright.plugins.formats.office.content import OfficeContent, counted, described
from tabwright.plugins.formats.office.number_formats import (
    BUILT_IN,
    EPOCH,
    EPOCH_1904,
    PLAIN,
    NumberFormat,
    number_format,
)
from tabwright.plugins.formats.office.sheets import Place, Sheet, SheetLimits, blocks_of, links_of
from tabwright.plugins.formats.office.texts import paragraph_texts
from tabwright.plugins.formats.office.worksheet import (
    WorksheetScan,
    placed_spans,
    spans_of,
    unescaped,
)

WORKBOOK = "xl/workbook.xml"
STRINGS_MAX = 2_000_000
"""Maximum number of texts that the cells of all sheets share."""

EMBEDDED = frozenset({"oleObject", "package"})
"""The kinds of relations of a sheet to files inside it."""

LINKED = ("http://", "https://", "mailto:")


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
        elif relation and len(read) < sheets.SHEETS_MAX:
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
        blocks=blocks_of(read, reader.left),
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
    _formats: Sequence[NumberFormat]
    _epoch: datetime
    left: Counter[str]
    _limits: SheetLimits = attrs.field(factory=SheetLimits, init=False)
    _linked_cells: SheetLimits = attrs.field(factory=SheetLimits, init=False)

    @classmethod
    def of(
        cls, archive: Archive, workbook: ET.Element, relations: Mapping[str, Relation]
    ) -> "_Reader":
        """Return a reader that knows the texts and the number formats of a workbook."""
        parts = {one.kind: one.target for one in relations.values() if one.target in archive}
        properties = (one for one in workbook if local(one) == "workbookPr")
        is_1904 = any(one.get("date1904") in {"1", "true"} for one in properties)
        left = Counter[str]()
        formats: Sequence[NumberFormat] = ()
        try:
            formats = _formats(archive.tree(parts["styles"])) if "styles" in parts else ()
        except (PartUnreadable, OfficeFileRefused):
            left["list of number formats"] = 1
        strings: Sequence[str] = ()
        try:
            if "sharedStrings" in parts:  # otherwise all texts are in their cells
                strings = _strings(archive.xml(parts["sharedStrings"]))
        except PartUnreadable:
            left["list of texts"] = 1
        return cls(archive, strings, formats, EPOCH_1904 if is_1904 else EPOCH, left)

    def sheet(self, name: str, part: str) -> Sheet:
        """Return a sheet, with what was not read of it.

        Raises:
            OfficeFileRefused: it declares entities or default attributes.
            PartUnreadable: it is missing, is damaged, or was read before.
        """
        scan = WorksheetScan(self._limits, self._strings, self._formats, self._epoch)
        scan.read(self._archive.xml(part))
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
            for top, _, _, _ in spans_of(reference):
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
        merged = [span for one in scan.merged for span in placed_spans(one, numbers)]
        phrases = tuple(f"{phrase} of the sheet {name!r}" for phrase in left)
        return Sheet(
            name,
            rows,
            urls,
            merged,
            kept,
            phrases,
            headers=scan.margins("Header"),
            footers=scan.margins("Footer"),
        )

    def _drawn(self, drawing: str) -> Sequence[tuple[str, str]]:
        """Return the texts of the shapes of a drawing, and count its pictures and charts.

        Raises:
            OfficeFileRefused: it is too large.
            PartUnreadable: it is missing, is damaged, or belongs to another sheet, too.
            RecursionError: it is nested too deeply.
        """
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
            OfficeFileRefused: a part is too large.
            PartUnreadable: a part is missing, is damaged, or belongs to another sheet, too.
            RecursionError: a comment is nested too deeply.
        """
        with_threads = set[str]()
        for kind, name in (("threadedComment", "threadedComment"), ("comments", "comment")):
            parts = {one.target for one in relations.values() if one.kind == kind}
            trees = [self._archive.tree(part) for part in sorted(parts)]
            for one in (one for tree in trees for one in tree.iter() if local(one) == name):
                cell = attribute(one, "ref")
                if kind == "threadedComment":
                    with_threads.add(cell)
                elif cell in with_threads:
                    continue
                yield cell, unescaped("".join(_texts(one)))


def _texts(node: ET.Element) -> Iterator[str]:
    """Yield the texts of a comment or a cell, without the pronunciation of Asian ones."""
    for child in node:
        if local(child) in {"t", "text"}:
            yield child.text or ""
        if local(child) in {"text", "r"}:
            yield from _texts(child)


def _strings(data: bytes) -> Sequence[str]:
    """Return the first texts that the cells of all sheets share; those before damaged XML."""
    found: list[str] = []
    try:
        events = ET.iterparse(BytesIO(data), ("start", "end"))  # noqa: S314  (nothing expands)
        _, root = next(events)
        for event, node in events:
            if event == "end" and local(node) == "si":
                found.append(unescaped("".join(_texts(node))))
                root.clear()  # it would keep an empty element for each text
                if len(found) == STRINGS_MAX:
                    break
    except (ET.ParseError, RecursionError):
        pass
    return found


def _formats(styles: ET.Element) -> Sequence[NumberFormat]:
    """Return how numbers with each format of cells are shown."""
    codes = {
        attribute(one, "numFmtId"): number_format(attribute(one, "formatCode"))
        for part in styles
        if local(part) == "numFmts"
        for one in part
    }
    ids = [
        attribute(one, "numFmtId") for part in styles if local(part) == "cellXfs" for one in part
    ]
    return [codes.get(one) or BUILT_IN.get(one, PLAIN) for one in ids]


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
        for top, left, bottom, right in placed_spans(reference, numbers):
            for row in range(top, bottom + 1):
                end = max(left + 1, min(right + 1, len(rows[row])))
                yield from (((row, column), relation.target) for column in range(left, end))
