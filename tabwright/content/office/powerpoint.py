"""PowerPoint presentations: a section for each slide, with its tables, charts and notes.

Imported only if the extra ``tabwright[office]`` is installed.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from io import BytesIO
from itertools import chain, islice
from posixpath import join, normpath
from xml.etree import ElementTree as ET

from pptx.package import Package
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape
from pptx.shapes.picture import Picture
from pptx.slide import Slide
from pptx.text.text import TextFrame

from tabwright.content.office.archive import (
    CORE,
    Archive,
    OfficeContent,
    attribute,
    counted,
    descendants,
    described,
    element,
    linked,
    local,
)
from tabwright.text.lines import collapse_whitespace

SLIDES_MAX = 2_000
LEVELS_MAX = 8

_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"

_SLIDE = re.compile(r"ppt/(?:slides|notesSlides)/[^/]*\.xml")
"""Parts with a slide, or with its notes."""


def read_powerpoint(archive: Archive) -> OfficeContent:
    """Return the slides of a presentation in their order."""
    archive.check_parts(as_trees=True)
    left = Counter[str]()
    drawn = set[str]()
    parts = {
        name: _prepared(archive, name, drawn, left)
        for name in archive.names
        if _SLIDE.fullmatch(name)
    }
    # `pptx.Presentation` would refuse templates and slide shows.
    package = Package.open(BytesIO(archive.replaced(parts)))
    slides = package.main_document_part.presentation.slides
    html = "".join(
        _slide(number, slide, left) for number, slide in enumerate(islice(slides, SLIDES_MAX), 1)
    )
    left["slide"] = max(0, len(slides) - SLIDES_MAX)
    content = OfficeContent(html=html, left=counted(left))
    return described(content, archive.tree(CORE) if CORE in archive.names else ())


# The XML of slides is changed first, because python-pptx leaves out what it does not know.


def _prepared(archive: Archive, name: str, drawn: set[str], left: Counter[str]) -> bytes:
    """Return the XML of a slide, all of whose text python-pptx reads.

    Args:
        archive: the presentation.
        name: the part of the slide.
        drawn: the parts of the diagrams so far; those of this slide are added.
        left: what was not read.
    """
    root = archive.tree(name)
    folder, _, last = name.rpartition("/")
    path = f"{folder}/_rels/{last}.rels"
    relations = {
        attribute(one, "Id"): one for one in (archive.tree(path) if path in archive.names else ())
    }
    for node in root.iter():
        children = [part for child in node for part in _alternative(child)]
        if local(node) == "rPr":  # a link into the file itself leads nowhere
            children = [one for one in children if not _is_internal(one, relations)]
        left["drawing"] += sum(local(one) == "contentPart" for one in children)
        children = [one for one in children if local(one) != "contentPart"]
        if local(node) == "p":
            left["formula"] += sum(local(one) == "m" for one in children)
            children = [one for one in children if attribute(one, "type") != "slidenum"]
        node[:] = children
        match local(node):
            case "fld":
                node.tag = node.tag.replace("}fld", "}r")
            case "br":
                node.tag = node.tag.replace("}br", "}r")
                ET.SubElement(node, node.tag.replace("}r", "}t")).text = "\n"
            case "graphicFrame":
                _replace_diagram(node, archive, folder, relations, drawn)
            case _:
                pass
    return ET.tostring(root)


def _alternative(node: ET.Element) -> Iterable[ET.Element]:
    """Return the first of alternatives, which has the text; the fallback can be a picture of it."""
    return node[0] if local(node) == "AlternateContent" and len(node) else (node,)


def _is_internal(node: ET.Element, relations: Mapping[str, ET.Element]) -> bool:
    relation = relations.get(attribute(node, "id"))
    is_external = relation is not None and relation.get("TargetMode") == "External"
    return local(node) == "hlinkClick" and not is_external


def _replace_diagram(
    frame: ET.Element,
    archive: Archive,
    folder: str,
    relations: Mapping[str, ET.Element],
    drawn: set[str],
) -> None:
    """Make a diagram (SmartArt) a shape with its text (ECMA-376, part 1, section 21.4).

    One that was drawn already stays as it is, so that a small file does not become a long text.
    """
    for node in (one for one in frame.iter() if local(one) == "relIds"):
        relation = relations.get(attribute(node, "dm"))
        target = "" if relation is None else relation.get("Target", "")
        path = normpath(join(f"/{folder}", target)).lstrip("/")
        if path in drawn or path not in archive.names:
            return
        drawn.add(path)
        ns, a = frame.tag.rpartition("}")[0] + "}", f"{{{_DRAWING}}}"
        frame.tag = f"{ns}sp"
        names, shape, body = (ET.Element(f"{ns}{name}") for name in ("nvSpPr", "spPr", "txBody"))
        names.extend(
            ET.Element(f"{ns}{name}", attributes)
            for name, attributes in (
                ("cNvPr", {"id": "0", "name": ""}),
                ("cNvSpPr", {}),
                ("nvPr", {}),
            )
        )
        for line in _lines(archive.tree(path)):
            run = ET.SubElement(ET.SubElement(body, f"{a}p"), f"{a}r")
            ET.SubElement(run, f"{a}t").text = line
        frame[:] = [names, shape, body]
        return


def _lines(node: ET.Element) -> Iterator[str]:
    """Yield the text of each paragraph."""
    for paragraph in descendants(node, "p"):
        texts = (one.text or "" for one in paragraph.iter() if local(one) == "t")
        if text := collapse_whitespace("".join(texts)):
            yield text


def _slide(number: int, slide: Slide, left: Counter[str]) -> str:
    title = slide.shapes.title
    if title is not None and not title.has_text_frame:  # it holds a picture
        title = None
    name = " ".join(title.text_frame.text.split()) if title is not None else ""
    heading = f"<h2>Slide {number}{': ' if name else ''}{escape(name)}</h2>"
    titled = None if title is None else title.shape_id
    shapes = (one for one in slide.shapes if one.shape_id != titled)
    body = "".join(_shapes(shapes, left))
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    said = "" if notes is None else element("blockquote", _text(notes, as_list=False))
    return f"<section>{heading}{body}{'<p><b>Notes</b></p>' if said else ''}{said}</section>"


def _shapes(shapes: Iterable[BaseShape], left: Counter[str]) -> Iterator[str]:
    for shape in shapes:
        match shape:
            case GroupShape():
                yield from _shapes(shape.shapes, left)
            case GraphicFrame() if shape.has_table:
                rows: list[str] = []
                for number, row in enumerate(shape.table.rows):
                    tag = "th" if shape.table.first_row and not number else "td"
                    cells = (
                        f'<{tag} rowspan="{cell.span_height}" colspan="{cell.span_width}">'
                        f"{_text(cell.text_frame, as_list=False)}</{tag}>"
                        for cell in row.cells
                        if not cell.is_spanned
                    )
                    rows.append(f"<tr>{''.join(cells)}</tr>")
                yield f"<table>{''.join(rows)}</table>"
            case GraphicFrame() if shape.has_chart:
                yield _chart(ET.fromstring(shape.chart.part.blob))  # noqa: S314  (it was checked)
            case GraphicFrame():
                left["embedded object"] += 1
            case Picture():
                left["picture"] += 1
            case _ if shape.has_text_frame:
                yield _text(shape.text_frame, as_list=shape.is_placeholder)
            case _:
                pass


def _text(frame: TextFrame, *, as_list: bool) -> str:
    """Return the paragraphs; those of a placeholder are a list, nested by their levels."""
    html: list[str] = []
    depth = 0
    for paragraph in frame.paragraphs:
        runs = "".join(
            linked(
                element("b", text) if run.font.bold else text,
                run.hyperlink.address or "",
            )
            for run in paragraph.runs
            for text in (escape(run.text).replace("\n", "<br>"),)
        )
        if not runs.strip():
            continue
        level = min(paragraph.level, LEVELS_MAX) + 1 if as_list or paragraph.level else 0
        html.append("<ul>" * (level - depth) + "</ul>" * (depth - level))
        html.append(f"<li>{runs}</li>" if level else f"<p>{runs}</p>")
        depth = level
    return "".join(html) + "</ul>" * depth


def _chart(chart: ET.Element) -> str:
    """Return the saved values of a chart as a table (ECMA-376, part 1, section 21.2.2)."""
    series = [one for one in chart.iter() if local(one) == "ser"]
    names = _points(series[0], "cat", "xVal") if series else {}
    values = [_points(one, "val", "yVal") for one in series]
    head = "".join(element("th", escape(_first_value(one) or "Value")) for one in series)
    body = "".join(
        f"<tr><td>{escape(names.get(row, ''))}</td>"
        + "".join(f"<td>{escape(one.get(row, ''))}</td>" for one in values)
        + "</tr>"
        for row in dict.fromkeys(chain(names, *values))
    )
    title = next((one for one in chart.iter() if local(one) == "title"), ET.Element("title"))
    caption = element("caption", escape(" ".join(_lines(title))))
    return f"<table>{caption}<tr><th></th>{head}</tr>{body}</table>" if body else ""


def _points(series: ET.Element, *kinds: str) -> dict[str, str]:
    """Return the points of a series by their index."""
    nodes = [node for one in series if local(one) in kinds for node in one.iter()]
    return {
        point.get("idx", ""): "".join(point.itertext()).strip()
        for point in nodes
        if local(point) == "pt"
    }


def _first_value(series: ET.Element) -> str:
    names = (node for one in series if local(one) == "tx" for node in one.iter())
    return next((node.text or "" for node in names if local(node) == "v"), "")
