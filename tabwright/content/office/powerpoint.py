"""PowerPoint presentations: a section for each slide, with its tables, charts and notes.

Imported only if the extra ``tabwright[office]`` is installed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from io import BytesIO
from itertools import chain, islice
from xml.etree import ElementTree as ET

from pptx import Presentation
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
    counted,
    described,
    element,
    linked,
    local,
)

SLIDES_MAX = 2_000
LEVELS_MAX = 8


def read_powerpoint(archive: Archive) -> OfficeContent:
    """Return the slides of a presentation in their order."""
    archive.check_parts(as_trees=True)
    slides = Presentation(BytesIO(archive.body)).slides
    left = Counter[str]()
    html = "".join(
        _slide(number, slide, left) for number, slide in enumerate(islice(slides, SLIDES_MAX), 1)
    )
    left["slide"] = max(0, len(slides) - SLIDES_MAX)
    content = OfficeContent(html=html, left=counted(left))
    return described(content, archive.tree(CORE) if CORE in archive.names else ())


def _slide(number: int, slide: Slide, left: Counter[str]) -> str:
    title = slide.shapes.title
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
                left["diagram or embedded object"] += 1
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
                element("b", escape(run.text)) if run.font.bold else escape(run.text),
                run.hyperlink.address or "",
            )
            for run in paragraph.runs
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
    return f"<table><tr><th></th>{head}</tr>{body}</table>" if body else ""


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
