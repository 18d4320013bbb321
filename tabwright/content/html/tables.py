"""Tables of a page: spanning cells as a grid, and detection of layout tables."""

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import chain

import attrs
from selectolax.lexbor import LexborNode

from tabwright.content.html.tree import number_in
from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Code,
    Formula,
    Heading,
    Image,
    Inline,
    Inlines,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
    ThematicBreak,
)

# Several blocks as one line.

BREAK = TextSpan("\n")
SPACE = TextSpan(" ")
BULLET = TextSpan("- ")
BAR = TextSpan(" | ")


def flat(blocks: Blocks, between: TextSpan = BREAK) -> Inlines:
    """Join the content of all blocks, with `between` as separator."""
    if len(blocks) == 1 and isinstance(blocks[0], Paragraph):
        return blocks[0].content
    return _joined((_flat(block) for block in blocks), between)


def characters_of(content: Inlines) -> str:
    """Return the text of a line, including alternative texts of pictures."""
    return "".join(map(_run_text, content))


def _flat(block: Block) -> Inlines:
    match block:
        case Paragraph(content) | Heading(_, content):
            return content
        case ItemList(_, items):
            contents = (_joined((item.content, flat(item.blocks)), BREAK) for item in items)
            return _joined(((BULLET, *content) for content in contents), BREAK)
        case TableBlock(rows):
            return _joined((_joined(row, BAR) for row in rows), BREAK)
        case Code(text):
            lines = (line for line in text.split("\n") if line.strip())
            return _joined(((TextSpan(line, code=True),) for line in lines), BREAK)
        case Quote(blocks):
            return flat(blocks)
        case ThematicBreak():
            return ()


def _joined(contents: Iterable[Inlines], between: TextSpan) -> Inlines:
    """Join the contents that are not empty."""
    parts: list[Inlines] = []
    for place, content in enumerate(filter(None, contents)):
        if place:
            parts.append((between,))
        parts.append(content)
    return tuple(chain.from_iterable(parts))


def _run_text(run: Inline) -> str:
    match run:
        case TextSpan(text=text) | Formula(tex=text) | Image(alt=text):
            return text
        case _:
            return ""


def runs_in(blocks: Iterable[Block]) -> Iterator[Inline]:
    """Yield every run of the blocks, in reading order."""
    for block in blocks:
        match block:
            case Paragraph(content) | Heading(_, content):
                yield from content
            case ItemList(_, items):
                for item in items:
                    yield from item.content
                    yield from runs_in(item.blocks)
            case TableBlock(rows):
                yield from chain.from_iterable(chain.from_iterable(rows))
            case Quote(inner):
                yield from runs_in(inner)
            case Code() | ThematicBreak():
                pass


COLUMNS_SPANNED_MAX, ROWS_SPANNED_MAX = 1_000, 65_534
"""Limits of spans (HTML, section 4.9.11)."""

SPANNED_UNTIL = 200
"""The number of columns up to which spans are laid out; cells in later columns take one each."""

CELLS_MAX = 20_000
"""Maximum number of cells that spans can add; a table that exceeds it is treated as layout."""

REPEATED_CHARACTERS_MAX = 20_000
"""Maximum length of text that row spans repeat; beyond it, a text appears only once."""

HEADER_ROLES = frozenset({"columnheader", "rowheader"})

LONG_CHARACTERS = 400
"""In a table without headers, a longer cell is part of a layout."""


@attrs.frozen
class TableCell:
    """A table cell.

    Attributes:
        header: whether it is a header of a column or a row.
        rows, columns: its row and column span.
    """

    blocks: Blocks
    header: bool = False
    rows: int = 1
    columns: int = 1

    @classmethod
    def of(cls, blocks: Blocks, node: LexborNode) -> "TableCell":
        """Read a ``td`` or ``th``, or what is one by its role; a row span of 0 means all rows."""
        attributes = node.attributes
        rows = number_in(attributes.get("rowspan") or "1")
        columns = number_in(attributes.get("colspan"))
        return cls(
            blocks,
            header=node.tag == "th" or attributes.get("role") in HEADER_ROLES,
            rows=max(1, ROWS_SPANNED_MAX if rows == 0 else min(rows or 1, ROWS_SPANNED_MAX)),
            columns=max(1, min(columns or 1, COLUMNS_SPANNED_MAX)),
        )

    def spanned(self, column: int) -> range:
        """Return the columns of the cell if it begins at one; at least that one."""
        return range(column, min(column + self.columns, max(column + 1, SPANNED_UNTIL)))


class Section(IntEnum):
    """A section of a table, in display order."""

    HEAD = 0
    BODY = 1
    FOOT = 2


@attrs.frozen
class Row:
    """A table row."""

    section: Section = Section.BODY
    cells: list[TableCell] = attrs.field(factory=list[TableCell])


def table_blocks(rows: Sequence[Row], caption: Blocks, *, is_layout: bool) -> Blocks:
    """Return a table with its caption above it, or the cell contents of a layout table in order.

    Args:
        rows: in source order.
        caption: can be empty.
        is_layout: whether the page marks the table as layout.
    """
    ordered = sorted(rows, key=lambda row: row.section)
    if code := _code(ordered):
        return (*caption, code)
    cells = [cell for row in ordered for cell in row.cells]
    grid = [] if is_layout or _is_layout(cells, caption) else spread(ordered)
    is_headed = _is_headed(ordered)
    rows_min = 1 if is_headed or any(cell.header for cell in cells) else 2
    if len(grid) < rows_min or len(grid[0]) == 1:
        return (*caption, *chain.from_iterable(cell.blocks for cell in cells))
    header = () if is_headed else (((),) * len(grid[0]),)
    return (*caption, TableBlock((*header, *grid)))


def _code(rows: Iterable[Row]) -> Code | None:
    """Return the code in a table with one row per line; line numbers were removed before."""
    lines: list[Code] = []
    for row in rows:
        match [block for cell in row.cells for block in cell.blocks]:
            case []:
                lines.append(Code(""))
            case [Code(text) as line] if "\n" not in text:
                lines.append(line)
            case _:
                return None
    text = "\n".join(line.text for line in lines).strip("\n")
    return Code(text, max(line.language for line in lines)) if text else None


def _is_headed(rows: Iterable[Row]) -> bool:
    """Return whether the first row that is not empty is a header."""
    for row in rows:
        if cells := [cell for cell in row.cells if cell.blocks]:
            return row.section is Section.HEAD or all(cell.header for cell in cells)
    return False


def _is_layout(cells: Sequence[TableCell], caption: Blocks) -> bool:
    """Return whether the cells indicate a layout table.

    A table with headers or a caption must consist mostly of other tables.
    """
    if caption or any(cell.header for cell in cells):
        parts = [
            [block for block in cell.blocks if isinstance(block, TableBlock | Heading)]
            for cell in cells
        ]
        inner = sum(map(_text_length, parts))
        return inner > 0 and 2 * inner > sum(_text_length(cell.blocks) for cell in cells)
    return any(
        not all(isinstance(block, Paragraph) for block in cell.blocks)
        or _text_length(cell.blocks) > LONG_CHARACTERS
        for cell in cells
    )


def _text_length(blocks: Iterable[Block]) -> int:
    return len(characters_of(flat(tuple(blocks))))


def spread(rows: Iterable[Row]) -> list[tuple[Inlines, ...]]:
    """Return the rows in equal length, without empty rows and columns.

    The result is empty if spans make the table much larger than its source.
    """
    laying = _Laying()
    lines: list[dict[int, Inlines]] = []
    added = 0
    for row in rows:
        lines.append(laying.line(row))
        added += len(lines[-1]) - len(row.cells)
        if added > CELLS_MAX:
            return []
    used = sorted({column for line in lines for column, content in line.items() if content})
    if len(used) * len(lines) > CELLS_MAX + sum(map(len, lines)):
        return []
    grid = (tuple(line.get(column, ()) for column in used) for line in lines)
    return [line for line in grid if any(line)]


@attrs.frozen
class _Hanging:
    """A cell that spans into the next rows, and the number of those rows."""

    content: Inlines
    characters: int
    left: int


@attrs.define
class _Laying:
    """Places the cells of rows in columns."""

    _repeatable: int = attrs.field(default=REPEATED_CHARACTERS_MAX, init=False)
    _hanging: dict[int, _Hanging] = attrs.field(factory=dict[int, _Hanging], init=False)

    def line(self, row: Row) -> dict[int, Inlines]:
        """Return the contents of a row by column, including cells that span from the rows above."""
        line: dict[int, Inlines] = {}
        for column, hanging in self._hanging.items():
            self._repeatable -= hanging.characters
            line[column] = hanging.content if self._repeatable >= 0 else ()
        self._hanging = {
            column: attrs.evolve(hanging, left=hanging.left - 1)
            for column, hanging in self._hanging.items()
            if hanging.left > 1
        }
        column = 0
        for cell in row.cells:
            while column in line:
                column += 1
            # If it spans columns, its content is in the first of them.
            content = flat(cell.blocks)
            for place in cell.spanned(column):
                shown = content if place == column else ()
                line.setdefault(place, shown)
                if cell.rows > 1:
                    length = len(characters_of(shown))
                    self._hanging[place] = _Hanging(shown, length, cell.rows - 1)
        return line
