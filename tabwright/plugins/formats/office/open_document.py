"""OpenDocument files (OpenDocument 1.3, part 3): texts and presentations, and which they are."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from itertools import islice
from xml.etree import ElementTree as ET

import attrs

from tabwright.content.documents import PAGES_MAX
from tabwright.content.html.tables import COLUMNS_SPANNED_MAX
from tabwright.content.xml_tree import attribute, descendants, local, number_of
from tabwright.plugins.formats.office.archive import Archive, OfficeFileRefused, PartUnreadable
from tabwright.plugins.formats.office.content import (
    OfficeContent,
    counted,
    described,
    element,
    linked,
)
from tabwright.plugins.formats.office.open_spreadsheet import read_spreadsheet
from tabwright.plugins.formats.office.texts import PAGE_NUMBER, margin_texts, only_numbers_pages
from tabwright.text.lines import collapse_whitespace

META = "meta.xml"
MANIFEST = "META-INF/manifest.xml"

_LEFT_OUT = frozenset({"tracked-changes", "sequence-decls", "forms", "event-listeners"})
"""Elements without text that a reader sees; tracked changes hold deleted text."""

_OBJECTS = {"image": "picture", "object": "chart or formula"}

_INLINES = {"s": " ", "tab": " ", "line-break": "<br>", "page-number": ""}
"""Elements of a line, and what stands for them."""

_PAGE_FIELDS = frozenset({"page-number", "page-count"})


def read_open_document(archive: Archive) -> OfficeContent:
    """Return the content of a text, a spreadsheet or a presentation.

    Raises:
        OfficeFileRefused: it is encrypted.
    """
    with suppress(PartUnreadable):  # the manifest has nothing else that is needed
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
        content = read_spreadsheet(document, root, styles, writer.hidden)
    elif local(document) == "presentation":
        content = writer.presentation(document)
    else:
        content = writer.text(document, styles)
    content = attrs.evolve(content, left=(*counted(left), *content.left))
    return described(content, archive.properties(META), dated="creation-date")


@attrs.define
class _Writer:
    """Writes texts and slides as HTML.

    Attributes:
        numbered: the names of list styles whose first level is numbered.
        bold: the names of styles in bold.
        hidden: the names of styles of hidden slides and sheets.
        displayed: the names of styles of slides that show their footers, and their dates.
        left: what was not written.
    """

    numbered: frozenset[str]
    bold: frozenset[str]
    hidden: frozenset[str]
    displayed: Mapping[str, frozenset[str]]
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
            displayed={
                kind: having(**{f"display-{kind}": "true"}) for kind in ("footer", "date-time")
            },
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
        return OfficeContent(html=html)

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
        html: list[str] = []
        for block in (block for part in found for block in part):
            for field in (one for one in block.iter() if local(one) in _PAGE_FIELDS):
                field.text = PAGE_NUMBER
            if not only_numbers_pages("".join(block.itertext())):
                html.append(self._block(block).replace(PAGE_NUMBER, ""))
        return "".join(dict.fromkeys(html))

    def presentation(self, document: ET.Element) -> OfficeContent:
        """Return a section for each slide."""
        pages = [one for one in document if local(one) == "page"]
        html = "".join(
            self._slide(number, page) for number, page in enumerate(pages[:PAGES_MAX], 1)
        )
        self.left["slide"] = max(0, len(pages) - PAGES_MAX)
        footers = self._slide_margins(document, pages)
        html += "".join(element("p", escape(text)) for text in margin_texts(footers))
        return OfficeContent(html=html + self._noted())

    def _slide_margins(self, document: ET.Element, pages: Sequence[ET.Element]) -> Iterator[str]:
        """Yield the footers and the fixed dates that slides show (section 10.9.3)."""
        for kind in ("footer", "date-time"):
            shown = self.displayed[kind]
            texts = {
                attribute(one, "name"): "".join(one.itertext())
                for one in document
                if local(one) == f"{kind}-decl"
            }
            for page in (one for one in pages if attribute(one, "style-name") in shown):
                yield texts.get(attribute(page, f"use-{kind}-name"), "")

    def _slide(self, number: int, page: ET.Element) -> str:
        titles = [one for one in page if attribute(one, "class") == "title"]
        lines = (line for title in titles[:1] for line in descendants(title, "p"))
        name = collapse_whitespace(" ".join(map(_plain, lines)))
        notes = [one for one in page if local(one) == "notes"]
        shapes = (one for one in page if one not in titles[:1] and one not in notes)
        body = "".join(map(self._block, shapes))
        quote = element("blockquote", "".join(map(self._blocks, notes)))
        notes_title = "<p><b>Notes</b></p>" if quote else ""
        hidden = " (hidden)" if attribute(page, "style-name") in self.hidden else ""
        title = f"Slide {number}{': ' if name else ''}{escape(name)}{hidden}"
        return f"<section><h2>{title}</h2>{body}{notes_title}{quote}</section>"

    def _blocks(self, node: ET.Element) -> str:
        """Return the parts of an element, without the picture that stands for an object."""
        has_object = any(local(part) == "object" for part in node)
        return "".join(
            self._block(part) for part in node if not has_object or local(part) != "image"
        )

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
                        height = number_of(cell, "number-rows-spanned", COLUMNS_SPANNED_MAX)
                        width = number_of(cell, "number-columns-spanned", COLUMNS_SPANNED_MAX)
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
                    inner = self._inlines(child)
                    inline = element("b", inner) or inner  # a space has no element
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


def _plain(line: ET.Element) -> str:
    """Return the text of a line, with a space for each element that stands for one."""
    for space in (node for node in line.iter() if local(node) in _INLINES):
        space.text = " "
    return "".join(line.itertext())
