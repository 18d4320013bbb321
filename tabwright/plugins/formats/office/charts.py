"""Charts of office files as tables of their saved values, and diagrams as their texts.

The elements are those of ECMA-376, part 1, section 21.2.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from itertools import chain
from xml.etree import ElementTree as ET

import attrs

from tabwright.content.xml_tree import local, relation_id
from tabwright.plugins.formats.office import archive
from tabwright.plugins.formats.office.archive import Archive, PartUnreadable, Relation
from tabwright.plugins.formats.office.content import element
from tabwright.plugins.formats.office.number_formats import (
    EPOCH,
    EPOCH_1904,
    number_format,
    number_text,
)
from tabwright.plugins.formats.office.texts import paragraph_texts

CELLS_MAX = 50_000
"""Maximum number of cells of the tables of all charts.

A small chart can have many series with a row each, whose table would have a cell for each pair.
"""

_REFERENCES = ("strRef", "numRef", "multiLvlStrRef")
_NUMBERS = frozenset({"numCache", "numLit"})
_CACHES = ("strCache", "numCache", "multiLvlStrCache", "strLit", "numLit")


@attrs.define
class Graphics:
    """Reads the charts and the diagrams (SmartArt) in the text of a file, or on its slides.

    Attributes:
        left: counts what was not read of charts.
    """

    _archive: Archive
    left: Counter[str]
    _charts: "ChartTables" = attrs.field(init=False)
    _bytes: int = attrs.field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        self._charts = ChartTables(self.left)

    def html(self, node: ET.Element, relations: Mapping[str, Relation]) -> str:
        """Return the tables of a chart or the texts of a diagram.

        Empty if the element is neither, or its part has none, cannot be read or was read before.
        """
        readers = {"chart": ("id", self._charts.html), "relIds": ("dm", _diagram)}
        name, read = readers.get(local(node), ("", _diagram))
        relation = relations.get(relation_id(node, name)) if name else None
        size = self._archive.size(relation.target) if relation else 0
        if relation is None or self._bytes + size > archive.TREE_BYTES_MAX:
            return ""
        try:
            tree = self._archive.tree(relation.target)
            self._bytes += size
            return read(tree)
        except (PartUnreadable, RecursionError):
            return ""


def _diagram(data: ET.Element) -> str:
    return "".join(element("p", escape(line)) for line in paragraph_texts(data))


@attrs.define
class ChartTables:
    """Makes tables of the charts of a file, within a limit for all of them.

    Attributes:
        left: counts what was not read.
    """

    left: Counter[str]
    _cells: int = attrs.field(default=0, init=False)

    def html(self, root: ET.Element) -> str:
        """Return the tables of a chart, one for all series with the same categories.

        Args:
            root: the XML of the part with the chart.
        """
        is_1904 = any(one.get("val") in {"1", "true"} for one in _children([root], "date1904"))
        epoch = EPOCH_1904 if is_1904 else EPOCH
        charts = list(_children([root], "chart"))
        areas = list(_children(charts, "plotArea"))
        parts = [part for area in areas for part in area]
        groups: list[tuple[Mapping[str, str], list[ET.Element]]] = []
        for series in _children(parts, "ser"):
            names = _points(series, "cat", "xVal", epoch=epoch)
            if not groups or (names and names != groups[-1][0]):
                groups.append((names, []))
            groups[-1][1].append(series)
            self.left["bubble size"] += len(_points(series, "bubbleSize"))
            labels = _children(_children([series], "dLbls"), "dLbl")
            self.left["point label"] += len(list(_children(labels, "tx")))
        titles = map(_title, _children(chain(charts, parts), "title"))
        caption = element("caption", escape("; ".join(filter(None, titles))))
        tables = [self._rows(*group, epoch) for group in groups]
        return "".join(
            f"<table>{caption if not number else ''}{rows}</table>"
            for number, rows in enumerate(filter(None, tables))
        )

    def _rows(self, names: Mapping[str, str], group: Sequence[ET.Element], epoch: datetime) -> str:
        """Return the rows of a table: one for each category, with the value of each series."""
        values = [_points(one, "val", "yVal", epoch=epoch) for one in group]
        places = list(dict.fromkeys(chain(names, *values)))
        width = 1 + len(values)
        most = max(0, CELLS_MAX - self._cells) // width
        self.left["chart row"] += max(0, len(places) - most)
        self._cells += width * min(len(places), most)
        head = "".join(element("th", escape(_name(one) or "Value")) for one in group)
        body = "".join(
            f"<tr><td>{escape(names.get(place, ''))}</td>"
            + "".join(f"<td>{escape(one.get(place, ''))}</td>" for one in values)
            + "</tr>"
            for place in places[:most]
        )
        return f"<tr><th></th>{head}</tr>{body}" if body else ""


def _children(nodes: Iterable[ET.Element], *names: str) -> Iterator[ET.Element]:
    return (child for node in nodes for child in node if local(child) in names)


def _points(series: ET.Element, *kinds: str, epoch: datetime = EPOCH) -> Mapping[str, str]:
    """Return the points of a series by their index; categories of several levels in one text."""
    sources = list(_children([series], *kinds))
    caches = list(_children(chain(sources, _children(sources, *_REFERENCES)), *_CACHES))
    points: dict[str, list[str]] = {}
    for cache in chain(caches, _children(caches, "lvl")):
        codes = (one.text or "" for one in _children([cache], "formatCode"))
        form = number_format(next(codes, ""))
        for point in _children([cache], "pt"):
            text = " ".join((one.text or "").strip() for one in _children([point], "v"))
            if local(cache) in _NUMBERS:
                text = number_text(text, form, epoch)
            points.setdefault(point.get("idx", ""), []).append(text)
    return {place: " ".join(reversed(levels)) for place, levels in points.items()}


def _name(node: ET.Element) -> str:
    """Return the name of a series or the title of a chart that is the text of a cell."""
    texts = (one.text or "" for one in _children(_children([node], "tx"), "v"))
    return next(chain(texts, _points(node, "tx").values()), "")


def _title(title: ET.Element) -> str:
    return " ".join(paragraph_texts(title)) or _name(title)
