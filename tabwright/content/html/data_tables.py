"""Tables as records keyed by their header, and pairs of a label and a value."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.element_path import (
    ElementPaths,
    descendants,
    icon_names,
    is_hidden,
    visible_text,
)
from tabwright.content.html.tables import CELLS_MAX, TableCell
from tabwright.protocol.structured_data import DataField, DataRecord, RecordGroup

ROWS_MAX = 2_000
"""Maximum number of rows of all tables of a page."""

PAIRS_MAX = 500
"""Maximum number of pairs of a page."""

LABELLED = re.compile(r"([^\s:\uff1a][^:\uff1a]{0,39}?)\s*[:\uff1a]\s+(\S.{0,299})")
"""A line with a label, such as ``Weight: 2 kg``."""

_LINES = "p, li, div, span, td, dd, h1, h2, h3, h4, h5, h6"
"""Elements whose text can be a label and its value."""

OLD_PRICES = frozenset(
    {"oldprice", "wasprice", "listprice", "originalprice", "regularprice", "previousprice"}
    | {"formerprice", "priceold", "pricewas", "pricebefore", "old", "was", "rrp", "msrp", "uvp"}
)
"""Names of a price that is usually struck through, in the form of `plain_name`."""


def plain_name(name: str) -> str:
    """Return a name without case, white space and punctuation, so that spellings compare."""
    return re.sub(r"[\W_]", "", name.lower())


def table_groups(document: LexborHTMLParser, paths: ElementPaths) -> Iterator[RecordGroup]:
    """Yield the tables that have a header; layout tables have none."""
    rows_left = ROWS_MAX
    for table in document.css("table"):
        if is_hidden(table) or table.css_first("table table"):
            continue
        # The rows in display order: the head first, the foot last.
        order = {"thead": 0, "tfoot": 2}
        rows = sorted(
            table.css("tr"),
            key=lambda row: order.get((row.parent and row.parent.tag) or "", 1),
        )
        if not (header := _columns(head := _head(rows))):
            continue
        body = rows[len(head) :]
        records = [
            DataRecord(
                paths.of(row),
                tuple(
                    DataField(header[column], text, paths.of(cell))
                    for column, cell in _own(cells)
                    if column < len(header) and (text := visible_text(cell) or icon_names(cell))
                ),
            )
            for row, cells in _placed(body[:rows_left])
        ]
        kept = tuple(record for record in records if record.fields)
        omitted = max(0, len(body) - rows_left)
        rows_left = max(0, rows_left - len(rows))
        if kept:
            caption = table.css_first("caption") or _lone(head[0])
            title = visible_text(caption) if caption else ""
            yield RecordGroup("table", paths.of(table), kept, title, omitted)


def _cells(row: LexborNode) -> list[LexborNode]:
    return [cell for cell in row.iter() if cell.tag in {"td", "th"}]


def _head(rows: Sequence[LexborNode]) -> Sequence[LexborNode]:
    """Return the rows of the header: those of the ``thead``, or the first ones of ``th`` only.

    The last of them has several cells. A table that has no other rows has one row of header.
    """
    in_head = list(
        takewhile(lambda row: row.parent is not None and row.parent.tag == "thead", rows)
    )
    head = in_head or list(takewhile(_is_all_header, rows))
    while head and len(_cells(head[-1])) < 2:  # noqa: PLR2004
        head.pop()
    return head[:1] if len(head) == len(rows) else head


def _lone(row: LexborNode) -> LexborNode | None:
    """Return the only cell of a row; None if there are more."""
    cells = _cells(row)
    return cells[0] if len(cells) == 1 else None


def _is_all_header(row: LexborNode) -> bool:
    cells = _cells(row)
    return bool(cells) and all(cell.tag == "th" for cell in cells)


def _columns(head: Sequence[LexborNode]) -> list[str]:
    """Return the name of each column, from all rows of the header; empty if there is no header.

    What spans the columns of a group is part of the name of each of them; what spans all columns
    is part of none.
    """
    stacks: dict[int, dict[int, str]] = {}
    for row, line in _placed(head):
        if len(_cells(row)) > 1:
            for column, cell in line.items():
                stacks.setdefault(column, {})[cell.mem_id] = visible_text(cell)
    names: list[str] = []
    before: dict[int, str] = {}
    for column in range(max(stacks, default=-1) + 1):
        stack = stacks.get(column, {})
        name = "" if stack.keys() == before.keys() else " ".join(filter(None, stack.values()))
        names.append(name or f"column {column + 1}")
        before = stack
    return names


def _placed(rows: Iterable[LexborNode]) -> Iterator[tuple[LexborNode, dict[int, LexborNode]]]:
    """Yield each row with its cells by column, including those that span from rows above."""
    hanging: dict[int, tuple[LexborNode, int]] = {}
    room = CELLS_MAX
    for row in rows:
        line = {column: cell for column, (cell, _) in hanging.items()}
        following = {column: (cell, left - 1) for column, (cell, left) in hanging.items()}
        column = 0
        for cell in _cells(row):
            while column in line:
                column += 1
            spans = TableCell.of((), cell)
            for place in spans.spanned(column):
                if place not in line:
                    line[place] = cell
                    following[place] = (cell, spans.rows - 1)
        hanging = {place: one for place, one in following.items() if one[1] > 0}
        room -= len(line)
        if room < 0:
            return
        yield row, dict(sorted(line.items()))


def _own(line: Mapping[int, LexborNode]) -> Iterator[tuple[int, LexborNode]]:
    """Yield the cells of a row, each with the first of its columns."""
    before = 0
    for column, cell in line.items():
        if cell.mem_id != before:
            yield column, cell
        before = cell.mem_id


def labelled_pairs(document: LexborHTMLParser, paths: ElementPaths) -> list[DataField]:
    """Return values with the label next to them: in lists of definitions, tables and lines."""
    pairs = islice(_pairs(document), PAIRS_MAX)
    return [DataField(name, value, paths.of(node)) for name, value, node in pairs]


def _pairs(document: LexborHTMLParser) -> Iterator[tuple[str, str, LexborNode]]:
    for term in document.css("dt"):
        value = term.next
        while value is not None and not value.is_element_node:
            value = value.next
        if value is not None and value.tag == "dd":
            yield from _pair(term, value)
    for row in document.css("tr"):
        match _cells(row):
            case [label, value] if value.tag == "td":
                yield from _pair(label, value)
            case _:
                pass
    for line in document.css(_LINES):
        if labelled := labelled_line(line):
            yield *labelled, line


def _pair(label: LexborNode, value: LexborNode) -> Iterator[tuple[str, str, LexborNode]]:
    name, text = visible_text(label).rstrip(":\uff1a "), visible_text(value)
    if name and text and not is_hidden(value):
        yield name, text, value


def labelled_line(node: LexborNode) -> tuple[str, str] | None:
    """Return the label and the value that are the whole text of a small element.

    A value that is struck through counts only after the label of an old price.
    """
    if is_hidden(node) or sum(1 for _ in islice(descendants(node), 12)) > 10:  # noqa: PLR2004
        return None
    found = LABELLED.fullmatch(visible_text(node, with_struck=True))
    if found and plain_name(found[1]) not in OLD_PRICES:
        found = LABELLED.fullmatch(visible_text(node))
    return (found[1], found[2]) if found else None
