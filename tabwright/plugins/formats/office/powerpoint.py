"""PowerPoint presentations: a section for each slide, with its tables, charts, notes and comments.

The elements are those of ECMA-376, part 1, chapters 19 (slides) and 21 (text, tables and charts).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from xml.etree import ElementTree as ET

import attrs

from tabwright.content.documents import PAGES_MAX
from tabwright.content.html.tables import COLUMNS_SPANNED_MAX
from tabwright.content.xml_tree import below, local, number_of, relation_id
from tabwright.plugins.formats.office import archive
from tabwright.plugins.formats.office.archive import CORE, Archive, PartUnreadable, Relation
from tabwright.plugins.formats.office.charts import Graphics
from tabwright.plugins.formats.office.content import (
    OfficeContent,
    counted,
    described,
    element,
    linked,
)
from tabwright.plugins.formats.office.texts import margin_texts, paragraph_texts, with_symbols
from tabwright.text.lines import collapse_whitespace

PRESENTATION = "ppt/presentation.xml"
LEVELS_MAX = 8

_TRUE = frozenset({"1", "true"})
_FALSE = frozenset({"0", "false"})
_CONTAINERS = frozenset({"cSld", "spTree", "grpSp", "AlternateContent"})
_TITLES = frozenset({"title", "ctrTitle"})
_MARGINS = frozenset({"dt", "ftr", "hdr"})
"""Kinds of placeholders that repeat the date, the footer or the header on each slide or page."""

_NOT_NOTES = frozenset({"sldImg", "sldNum", *_MARGINS})
"""Kinds of placeholders on a page of notes that are not part of the notes."""


def read_powerpoint(opened: Archive) -> OfficeContent:
    """Return the slides of a presentation in their order."""
    main = opened.main_part(PRESENTATION)
    relations = opened.relations(main)
    lists = (part for part in opened.tree(main) if local(part) == "sldIdLst")
    ids = [relation_id(one) for part in lists for one in part]
    left = Counter[str]()
    reader = _Reader(opened, Graphics(opened, left), left)
    html = "".join(
        reader.slide(number, relations[known].target if known in relations else "")
        for number, known in enumerate(ids[:PAGES_MAX], 1)
    )
    html += "".join(element("p", escape(text)) for text in margin_texts(reader.margins))
    left["slide"] += max(0, len(ids) - PAGES_MAX)
    content = OfficeContent(html=html, left=counted(left))
    return described(content, opened.properties(CORE))


@attrs.define
class _Reader:
    """Reads the slides of a presentation.

    Attributes:
        left: what was not read.
        margins: the dates and the footers of the slides.
    """

    _archive: Archive
    _graphics: Graphics
    left: Counter[str]
    margins: list[str] = attrs.field(factory=list[str], init=False)
    _bytes: int = attrs.field(default=0, init=False)

    def _read(self, part: str, read: Callable[[ET.Element], str]) -> str | None:
        """Return what a function makes of a part; None if it cannot be read."""
        size = self._archive.size(part)
        if self._bytes + size > archive.TREE_BYTES_MAX:
            return None
        try:
            tree = self._archive.tree(part)
            self._bytes += size
            return read(tree)
        except (PartUnreadable, RecursionError):
            return None

    def slide(self, number: int, part: str) -> str:
        """Return a slide as HTML; nothing if it cannot be read."""

        def read(root: ET.Element) -> str:
            relations: Mapping[str, Relation] = {}
            try:
                relations = self._archive.relations(part)
            except PartUnreadable:
                self.left["damaged link and notes list"] += 1
            shapes = list(_shapes(root))
            titles = (one for one in shapes if _placeholder(one) in _TITLES)
            titled = next((one for one in titles if any(paragraph_texts(one))), None)
            name = "" if titled is None else " ".join(paragraph_texts(titled))
            hidden = " (hidden)" if root.get("show") in _FALSE else ""
            heading = f"<h2>Slide {number}{': ' if name else ''}{escape(name)}{hidden}</h2>"
            body = "".join(self._shape(one, relations) for one in shapes if one is not titled)
            notes = element("blockquote", self._attached(relations, "notesSlide", self._notes))
            notes = f"<p><b>Notes</b></p>{notes}" if notes else ""
            comments = self._attached(relations, "comments", _comments)
            return f"<section>{heading}{body}{notes}{comments}</section>"

        html = self._read(part, read)
        self.left["slide"] += html is None
        return html or ""

    def _attached(
        self, relations: Mapping[str, Relation], kind: str, read: Callable[[ET.Element], str]
    ) -> str:
        """Return what a function makes of the notes or comments of a slide."""
        parts = (one.target for one in relations.values() if one.kind == kind)
        texts = [self._read(part, read) for part in parts]
        self.left["notes page or comment list"] += texts.count(None)
        return "".join(filter(None, texts))

    def _notes(self, root: ET.Element) -> str:
        shapes = (one for one in _shapes(root) if _placeholder(one) not in _NOT_NOTES)
        return "".join(
            self._graphic(one, {})
            if local(one) == "graphicFrame"
            else "".join(self._text(body, {}) for body in _bodies(one))
            for one in shapes
        )

    def _shape(self, shape: ET.Element, relations: Mapping[str, Relation]) -> str:
        match local(shape):
            case "sp" if _placeholder(shape) in _MARGINS:
                self.margins += (text for one in _bodies(shape) for text in paragraph_texts(one))
            case "sp":
                is_list = _placeholder(shape) is not None
                return "".join(
                    self._text(one, relations, is_list=is_list) for one in _bodies(shape)
                )
            case "graphicFrame":
                return self._graphic(shape, relations)
            case "pic":
                self.left["picture"] += 1
                names = (node for one in shape if local(one) == "nvPicPr" for node in one)
                texts = (one.get("descr", "") or one.get("title", "") for one in names)
                return element("p", element("em", escape("".join(texts))))
            case "contentPart":
                self.left["drawing"] += 1
            case _:
                pass
        return ""

    def _graphic(self, frame: ET.Element, relations: Mapping[str, Relation]) -> str:
        """Return the table, the chart or the diagram (SmartArt) of a frame."""
        for node in frame.iter():
            if local(node) == "tbl":
                return f"<table>{''.join(self._rows(node, relations))}</table>"
            if html := self._graphics.html(node, relations):
                return html
        self.left["embedded object"] += 1
        return ""

    def _rows(self, table: ET.Element, relations: Mapping[str, Relation]) -> Iterator[str]:
        has_head = any(one.get("firstRow") in _TRUE for one in table if local(one) == "tblPr")
        for number, row in enumerate(one for one in table if local(one) == "tr"):
            tag = "th" if has_head and not number else "td"
            cells = [
                f'<{tag} rowspan="{number_of(cell, "rowSpan", COLUMNS_SPANNED_MAX)}"'
                f' colspan="{number_of(cell, "gridSpan", COLUMNS_SPANNED_MAX)}">'
                f"{''.join(self._text(body, relations) for body in _bodies(cell))}</{tag}>"
                for cell in row
                if local(cell) == "tc" and not {cell.get("hMerge"), cell.get("vMerge")} & _TRUE
            ]
            yield f"<tr>{''.join(cells)}</tr>"

    def _text(
        self, body: ET.Element, relations: Mapping[str, Relation], *, is_list: bool = False
    ) -> str:
        """Return the paragraphs; those of a placeholder are a list, nested by their levels."""
        html: list[str] = []
        depth = 0
        for paragraph in (one for one in body if local(one) == "p"):
            runs = "".join(self._runs(paragraph, relations))
            if not runs.strip():
                continue
            written = next((one.get("lvl", "") for one in paragraph if local(one) == "pPr"), "")
            indent = min(int(written), LEVELS_MAX) if written.isdecimal() else 0
            level = indent + 1 if is_list or indent else 0
            html.append("<ul>" * (level - depth) + "</ul>" * (depth - level))
            html.append(f"<li>{runs}</li>" if level else f"<p>{runs}</p>")
            depth = level
        return "".join(html) + "</ul>" * depth

    def _runs(self, paragraph: ET.Element, relations: Mapping[str, Relation]) -> Iterator[str]:
        for run in (part for child in paragraph for part in _first_choice(child)):
            match local(run):
                case "br":
                    yield "<br>"
                case "m":
                    self.left["formula"] += 1
                case "r" | "fld" if run.get("type") != "slidenum":
                    properties = [one for one in run if local(one) == "rPr"]
                    fonts = (node for one in properties for node in one if local(node) == "sym")
                    font = next((one.get("typeface", "") for one in fonts), "")
                    text = "".join(one.text or "" for one in run if local(one) == "t")
                    text = escape(with_symbols(text, font, self.left))
                    links = (
                        node for one in properties for node in one if local(node) == "hlinkClick"
                    )
                    relation = relations.get(next(map(relation_id, links), ""))
                    is_bold = any(one.get("b") in _TRUE for one in properties)
                    # A link into the file itself leads nowhere.
                    url = relation.target if relation and relation.is_external else ""
                    bold = element("b", text) if is_bold else ""
                    yield linked(bold or text, url)  # a space has no element
                case _:
                    pass


def _shapes(root: ET.Element) -> Iterator[ET.Element]:
    """Yield the shapes of a slide, those of groups one by one."""
    inside = below(root, _in_container)
    return (one for one in inside if local(one) not in _CONTAINERS)


def _in_container(node: ET.Element) -> Iterable[ET.Element]:
    """Return the children of an element with shapes; nothing for a shape."""
    match local(node):
        case "AlternateContent" if len(node):
            return _first_choice(node)
        case name if name in _CONTAINERS:
            return node
        case _:
            return ()


def _first_choice(node: ET.Element) -> Iterable[ET.Element]:
    """Return the first of alternatives, which has the text; the fallback can be a picture of it."""
    return node[0] if local(node) == "AlternateContent" and len(node) else (node,)


def _placeholder(shape: ET.Element) -> str | None:
    """Return the kind of the placeholder that a shape fills; None if it fills none."""
    names = (node for one in shape if local(one).startswith("nv") for node in one.iter())
    return next((one.get("type", "obj") for one in names if local(one) == "ph"), None)


def _bodies(shape: ET.Element) -> Iterator[ET.Element]:
    return (one for one in shape if local(one) == "txBody")


def _comments(comments: ET.Element) -> str:
    """Return the comments on a slide, and the replies to them."""
    nodes = [node for node in comments.iter() if local(node) in {"text", "txBody"}]
    texts = (collapse_whitespace(one.text) or " ".join(paragraph_texts(one)) for one in nodes)
    return "".join(f"<p>Comment: {escape(text)}</p>" for text in texts if text)
