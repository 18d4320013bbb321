"""PowerPoint presentations: a section for each slide, with its tables, charts, notes and comments.

The elements are those of ECMA-376, part 1, chapters 19 (slides) and 21 (text, tables and charts).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from xml.etree import ElementTree as ET

import attrs

from tabwright.content.office import archive
from tabwright.content.office.archive import (
    CORE,
    Archive,
    OfficeContent,
    PartUnreadable,
    Relation,
    counted,
    described,
    element,
    linked,
    local,
    number_of,
    paragraph_texts,
    relation_id,
)
from tabwright.content.office.charts import ChartTables
from tabwright.text.lines import collapse_whitespace

PRESENTATION = "ppt/presentation.xml"
SLIDES_MAX = 2_000
LEVELS_MAX = 8
SPAN_MAX = 1_000

_TRUE = frozenset({"1", "true"})
_FALSE = frozenset({"0", "false"})
_TITLES = frozenset({"title", "ctrTitle"})
_NOT_NOTES = frozenset({"sldImg", "hdr", "dt", "ftr", "sldNum"})
"""Kinds of placeholders on a page of notes that are not part of the notes."""


def read_powerpoint(opened: Archive) -> OfficeContent:
    """Return the slides of a presentation in their order."""
    main = opened.main_part(PRESENTATION)
    relations = opened.relations(main)
    lists = (part for part in opened.tree(main) if local(part) == "sldIdLst")
    ids = [relation_id(one) for part in lists for one in part]
    left = Counter[str]()
    reader = _Reader(opened, ChartTables(left), left)
    html = "".join(
        reader.slide(number, relations[known].target if known in relations else "")
        for number, known in enumerate(ids[:SLIDES_MAX], 1)
    )
    left["slide"] += max(0, len(ids) - SLIDES_MAX)
    content = OfficeContent(html=html, left=counted(left))
    return described(content, opened.properties(CORE))


@attrs.define
class _Reader:
    """Reads the slides of a presentation.

    Attributes:
        left: what was not read.
    """

    _archive: Archive
    _charts: ChartTables
    left: Counter[str]
    _parts: set[str] = attrs.field(factory=set[str], init=False)
    _bytes: int = attrs.field(default=0, init=False)

    def _read(self, part: str, read: Callable[[ET.Element], str]) -> str | None:
        """Return what a function makes of a part; None if it cannot be read, or was read before.

        Otherwise a small file could use one large part for many slides or shapes.
        """
        if part not in self._archive or part in self._parts:
            return None
        self._parts.add(part)
        self._bytes += self._archive.size(part)
        if self._bytes > archive.TREE_BYTES_MAX:
            return None
        try:
            return read(self._archive.tree(part))
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
        return "".join(self._text(body, {}) for one in shapes for body in _bodies(one))

    def _shape(self, shape: ET.Element, relations: Mapping[str, Relation]) -> str:
        match local(shape):
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
        readers = {"chart": ("id", self._charts.html), "relIds": ("dm", _diagram)}
        for node in frame.iter():
            if local(node) == "tbl":
                return f"<table>{''.join(self._rows(node, relations))}</table>"
            if local(node) in readers:
                name, read = readers[local(node)]
                relation = relations.get(relation_id(node, name))
                if relation and (html := self._read(relation.target, read)):
                    return html
        self.left["embedded object"] += 1
        return ""

    def _rows(self, table: ET.Element, relations: Mapping[str, Relation]) -> Iterator[str]:
        has_head = any(one.get("firstRow") in _TRUE for one in table if local(one) == "tblPr")
        for number, row in enumerate(one for one in table if local(one) == "tr"):
            tag = "th" if has_head and not number else "td"
            cells = [
                f'<{tag} rowspan="{number_of(cell, "rowSpan", SPAN_MAX)}"'
                f' colspan="{number_of(cell, "gridSpan", SPAN_MAX)}">'
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
                    text = escape("".join(one.text or "" for one in run if local(one) == "t"))
                    properties = [one for one in run if local(one) == "rPr"]
                    links = (
                        node for one in properties for node in one if local(node) == "hlinkClick"
                    )
                    relation = relations.get(next(map(relation_id, links), ""))
                    is_bold = any(one.get("b") in _TRUE for one in properties)
                    # A link into the file itself leads nowhere.
                    url = relation.target if relation and relation.is_external else ""
                    yield linked(element("b", text) if is_bold else text, url)
                case _:
                    pass


def _shapes(node: ET.Element) -> Iterator[ET.Element]:
    """Yield the shapes inside an element, those of groups one by one."""
    for child in (part for one in node for part in _first_choice(one)):
        if local(child) in {"cSld", "spTree", "grpSp"}:
            yield from _shapes(child)
        else:
            yield child


def _first_choice(node: ET.Element) -> Iterable[ET.Element]:
    """Return the first of alternatives, which has the text; the fallback can be a picture of it."""
    return node[0] if local(node) == "AlternateContent" and len(node) else (node,)


def _placeholder(shape: ET.Element) -> str | None:
    """Return the kind of the placeholder that a shape fills; None if it fills none."""
    names = (node for one in shape if local(one).startswith("nv") for node in one.iter())
    return next((one.get("type", "obj") for one in names if local(one) == "ph"), None)


def _bodies(shape: ET.Element) -> Iterator[ET.Element]:
    return (one for one in shape if local(one) == "txBody")


def _diagram(data: ET.Element) -> str:
    """Return the texts of a diagram."""
    return "".join(element("p", escape(line)) for line in paragraph_texts(data))


def _comments(comments: ET.Element) -> str:
    """Return the comments on a slide, and the replies to them."""
    nodes = [node for node in comments.iter() if local(node) in {"text", "txBody"}]
    texts = (collapse_whitespace(one.text) or " ".join(paragraph_texts(one)) for one in nodes)
    return "".join(f"<p>Comment: {escape(text)}</p>" for text in texts if text)
