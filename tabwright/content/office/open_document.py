"""OpenDocument files (OpenDocument 1.3, part 3): texts, spreadsheets and presentations."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from itertools import islice
from xml.etree import ElementTree as ET

import attrs

from tabwright.content.office import sheets
from tabwright.content.office.archive import (
    Archive,
    OfficeContent,
    OfficeFileRefused,
    PartUnreadable,
    attribute,
    counted,
    descendants,
    described,
    element,
    linked,
    local,
    number_of,
)
from tabwright.content.office.sheets import Place, Sheet, Span, cell_name, links_of, trimmed

META = "meta.xml"
MANIFEST = "META-INF/manifest.xml"
ROWS_MAX = 1_048_576
"""The rows of a sheet in LibreOffice; a file can declare more."""

CELLS_OF_ROW_MAX = 16_384
"""The columns of a sheet in LibreOffice."""

SLIDES_MAX = 2_000
SPAN_MAX = 1_000

_LEFT_OUT = frozenset({"tracked-changes", "sequence-decls", "forms", "event-listeners"})
"""Elements without text that a reader sees; tracked changes hold deleted text."""

_OBJECTS = {"image": "picture", "object": "chart or formula"}

_TEXT_SHAPES = frozenset({"text-box", "custom-shape", "rect", "ellipse", "caption"})
"""Shapes on a sheet with paragraphs."""

_INLINES = {"s": " ", "tab": " ", "line-break": "<br>", "page-number": ""}
"""Elements of a line, and what stands for them."""

_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value")
"""Attributes with the value of a cell; a program can leave out its text."""


def read_open_document(archive: Archive) -> OfficeContent:
    """Return the content of a text, a spreadsheet or a presentation.

    Raises:
        OfficeFileRefused: it is encrypted.
    """
    with suppress(KeyError, PartUnreadable):  # the manifest has nothing else that is needed
        if b"encryption-data" in archive.part(MANIFEST):
            raise OfficeFileRefused("is protected by a password")
    root = archive.tree("content.xml")
    left = Counter[str]()
    try:
        styles = archive.tree("styles.xml") if "styles.xml" in archive else ET.Element("styles")
    except PartUnreadable:
        styles = ET.Element("styles")
        left["style sheet"] = 1
    body = next(one for one in root.iter() if local(one) == "body")
    (document,) = list(body)[:1]
    writer = _Writer.of(left, root, styles)
    if local(document) == "spreadsheet":
        for inline in (node for node in document.iter() if local(node) in _INLINES):
            inline.text = " "
        tables = [sheet for sheet in document if local(sheet) == "table"]
        limits = sheets.SheetLimits()
        read = [
            _sheet(table, writer.marked(table, attribute(table, "name")), limits, left)
            for table in tables[: sheets.SHEETS_MAX]
        ]
        left["sheet"] = len(tables) - len(read)
        objects = {"image", "object", "plugin"}
        left["picture or chart"] = sum(
            any(local(part) in objects for part in node)
            for node in document.iter()
            if local(node) == "frame"
        )
        content = OfficeContent(
            blocks=tuple(block for sheet in read for block in sheet.blocks()),
            links=links_of(read),
            left=counted(left),
        )
    elif local(document) == "presentation":
        content = writer.presentation(document)
    else:
        content = writer.text(document, styles)
    return described(content, archive.properties(META), dated="creation-date")


@attrs.define
class _Writer:
    """Writes texts and slides as HTML.

    Attributes:
        numbered: the names of list styles whose first level is numbered.
        bold: the names of styles in bold.
        hidden: the names of styles of hidden slides and sheets.
        left: what was not written.
    """

    numbered: frozenset[str]
    bold: frozenset[str]
    hidden: frozenset[str]
    left: Counter[str]
    _notes: list[str] = attrs.field(factory=list[str])

    @classmethod
    def of(cls, left: Counter[str], *roots: ET.Element) -> "_Writer":
        """Return a writer that knows the styles of a document, and counts in `left`."""
        nodes = [node for root in roots for node in root.iter()]
        styles = [node for node in nodes if local(node) == "style"]
        lists = [node for node in nodes if local(node) == "list-style"]

        def having(**values: str) -> frozenset[str]:
            """Return the names of styles with one of these attributes in their properties."""
            return frozenset(
                attribute(style, "name")
                for style in styles
                for part in style
                if any(attribute(part, name) == value for name, value in values.items())
            )

        return cls(
            numbered=frozenset(
                attribute(style, "name")
                for style in lists
                if any(local(level) == "list-level-style-number" for level in islice(style, 1))
            ),
            bold=having(**{"font-weight": "bold"}),
            hidden=having(visibility="hidden", display="false"),
            left=left,
        )

    def text(self, document: ET.Element, styles: ET.Element) -> OfficeContent:
        """Return the content of a text between its headers and footers, with its notes at the end.

        Args:
            document: the text.
            styles: the root of the styles, whose master pages have the headers and footers.
        """
        html = self._margins(styles, "header") + self._blocks(document)
        html += self._margins(styles, "footer") + self._noted()
        return OfficeContent(html=html, left=counted(self.left))

    def _noted(self) -> str:
        items = (
            f'<li id="note-{number}">{note}</li>' for number, note in enumerate(self._notes, 1)
        )
        return element("ol", "".join(items))

    def _margins(self, styles: ET.Element, name: str) -> str:
        """Return the blocks of headers or footers, each once; most repeat those of other pages."""
        names = {name, f"{name}-left", f"{name}-first"}
        pages = (node for node in styles.iter() if local(node) == "master-page")
        found = (part for page in pages for part in page if local(part) in names)
        return "".join(dict.fromkeys(self._block(block) for part in found for block in part))

    def presentation(self, document: ET.Element) -> OfficeContent:
        """Return a section for each slide."""
        pages = [one for one in document if local(one) == "page"]
        html = "".join(
            self._slide(number, page) for number, page in enumerate(pages[:SLIDES_MAX], 1)
        )
        self.left["slide"] = max(0, len(pages) - SLIDES_MAX)
        return OfficeContent(html=html + self._noted(), left=counted(self.left))

    def _slide(self, number: int, page: ET.Element) -> str:
        titles = [one for one in page if attribute(one, "class") == "title"]
        name = " ".join("".join(titles[0].itertext()).split()) if titles else ""
        notes = [one for one in page if local(one) == "notes"]
        shapes = (one for one in page if one not in titles[:1] and one not in notes)
        body = "".join(map(self._block, shapes))
        quote = element("blockquote", "".join(map(self._blocks, notes)))
        notes_title = "<p><b>Notes</b></p>" if quote else ""
        title = self.marked(page, f"Slide {number}{': ' if name else ''}{escape(name)}")
        return f"<section><h2>{title}</h2>{body}{notes_title}{quote}</section>"

    def marked(self, node: ET.Element, name: str) -> str:
        """Return the name of a slide or a sheet, with a mark if it is hidden."""
        return f"{name} (hidden)" if attribute(node, "style-name") in self.hidden else name

    def _blocks(self, node: ET.Element) -> str:
        return "".join(map(self._block, node))

    def _block(self, node: ET.Element) -> str:
        html = ""
        match local(node):
            case "h":
                level = number_of(node, "outline-level", 6)
                html = element(f"h{level}", self._inlines(node))
            case "p":
                html = element("p", self._inlines(node))
            case "list":
                numbered = attribute(node, "style-name") in self.numbered
                html = element("ol" if numbered else "ul", self._blocks(node))
            case "list-item" | "list-header":
                html = element("li", self._blocks(node))
            case "table":
                html = element("table", "".join(self._rows(node, "td")))
            case "annotation":
                html = element("p", f"Comment: {self._comment(node)}")
            case "title" | "desc":  # of a drawing
                html = element("p", escape(node.text or ""))
            case name if name in _OBJECTS:
                self.left[_OBJECTS[name]] += 1
            case name if name not in _LEFT_OUT:
                html = self._blocks(node)
            case _:
                pass
        return html

    def _rows(self, table: ET.Element, tag: str) -> Iterator[str]:
        for child in table:
            match local(child):
                case "table-row":
                    cells: list[str] = []
                    for cell in (one for one in child if local(one) == "table-cell"):
                        height = number_of(cell, "number-rows-spanned", SPAN_MAX)
                        width = number_of(cell, "number-columns-spanned", SPAN_MAX)
                        text = self._blocks(cell)
                        cells.append(f'<{tag} rowspan="{height}" colspan="{width}">{text}</{tag}>')
                    yield f"<tr>{''.join(cells)}</tr>"
                case "table-header-rows":
                    yield from self._rows(child, "th")
                case "table-row-group" | "table-rows":
                    yield from self._rows(child, tag)
                case _:
                    pass

    def _inlines(self, node: ET.Element) -> str:
        html = [escape(node.text or "")]
        for child in node:
            match local(child):
                case "span" if attribute(child, "style-name") in self.bold:
                    inline = element("b", self._inlines(child))
                case "a":
                    inline = linked(self._inlines(child), attribute(child, "href"))
                case name if name in _INLINES:
                    inline = _INLINES[name]
                case "ruby-text":
                    inline = f"({self._inlines(child)})"
                case "note":
                    bodies = [one for one in child if local(one) == "note-body"]
                    inline = self._reference("".join(map(self._blocks, bodies)))
                case "annotation":
                    inline = self._reference(f"Comment: {self._comment(child)}")
                case "p" | "h" | "list" | "frame" | "custom-shape" | "object" | "image" | "g":
                    inline = self._block(child)
                case _:
                    inline = self._inlines(child)
            html += (inline, escape(child.tail or ""))
        return "".join(html)

    def _comment(self, annotation: ET.Element) -> str:
        """Return the text of a comment, without its author and date."""
        texts = (self._inlines(one) for one in annotation.iter() if local(one) == "p")
        return " ".join(texts)

    def _reference(self, note: str) -> str:
        """Add a note, and return the link to it."""
        self._notes.append(note)
        number = len(self._notes)
        return f'<sup><a href="#note-{number}">[{number}]</a></sup>'


# Spreadsheets.


def _sheet(table: ET.Element, name: str, limits: sheets.SheetLimits, left: Counter[str]) -> Sheet:
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
    left["column"] += max(0, widest - sheets.COLUMNS_MAX)
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
            if text and column < sheets.COLUMNS_MAX:
                for link in (one for one in cell.iter() if local(one) == "a"):
                    urls[column] = attribute(link, "href")
                height = number_of(cell, "number-rows-spanned", sheets.CELLS_MAX)
                spans += [(column, height)] if height > 1 else []
            repeated = number_of(cell, "number-columns-repeated", CELLS_OF_ROW_MAX)
            texts += [text] * min(repeated, sheets.COLUMNS_MAX - len(texts))
            column += repeated
            width = column if text else width
        return cls(list(trimmed(texts)), width, urls, spans, comments)


def _paragraphs(node: ET.Element) -> list[str]:
    return ["".join(one.itertext()) for one in node if local(one) == "p"]
