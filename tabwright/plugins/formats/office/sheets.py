"""Spreadsheets as blocks: a heading, a table and the comments of each sheet."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import TypeAlias

import attrs

from tabwright.content import documents
from tabwright.plugins.formats.office.texts import margin_texts
from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Heading,
    Inlines,
    Paragraph,
    TableBlock,
    TextSpan,
)
from tabwright.protocol.snapshot import PageLink
from tabwright.text.lines import collapse_whitespace

CHARACTERS_MAX = 20_000_000
"""Maximum length of all cells and comments; a file can use one long text for many cells."""

SHEETS_MAX = 500

Place: TypeAlias = tuple[int, int]
"""A row and a column, counted from 0."""

Span: TypeAlias = tuple[int, int, int, int]
"""A merged range: its first row and column, and its last ones."""


@attrs.define
class SheetLimits:
    """How much of the sheets was read so far."""

    cells: int = 0
    characters: int = 0

    @property
    def reached(self) -> bool:
        """Return whether nothing more is to be read."""
        return self.cells >= documents.CELLS_MAX or self.characters >= CHARACTERS_MAX

    def add(self, texts: Sequence[str]) -> None:
        """Count the texts of cells, or of a comment; an empty row counts as a cell."""
        self.cells += max(1, len(texts))
        self.characters += sum(map(len, texts))

    def within(self, comments: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        """Count comments, and return those up to the limit."""
        for number, (_, text) in enumerate(comments):
            if self.reached:
                return comments[:number]
            self.add((text,))
        return comments


@attrs.frozen
class Sheet:
    """A sheet.

    Attributes:
        rows: the texts of its cells; each row ends at its last text.
        urls: the links of cells.
        comments: pairs of the name of a cell, for example ``B2``, and a comment on it, or of an
            empty name and the text of a shape.
        left: what of it was not read, as phrases.
        headers: the lines that are printed above its pages, with marks for page numbers.
        footers: those below them.
    """

    name: str
    rows: Sequence[Sequence[str]]
    urls: Mapping[Place, str] = attrs.field(factory=dict[Place, str])
    spans: Sequence[Span] = ()
    comments: Sequence[tuple[str, str]] = ()
    left: tuple[str, ...] = ()
    headers: Sequence[str] = ()
    footers: Sequence[str] = ()

    def blocks(self, repeated: SheetLimits, left: Counter[str]) -> Iterator[Block]:
        """Yield the heading of the sheet, its table without empty rows, and its comments.

        Args:
            repeated: how many texts merged cells have repeated so far, with the empty cells before
                them.
            left: counts the merged cells that stay empty beyond this limit.
        """
        yield Heading(2, (TextSpan(self.name),))
        rows = [list(row) for row in self.rows]
        urls = dict(self.urls)
        for top, column, bottom, _ in self.spans:
            end = min(bottom + 1, len(rows)) if _at(rows, top, column) else 0
            for row in range(top + 1, end):
                if repeated.reached:
                    left["merged cell"] += end - row
                    break
                added = [""] * (column + 1 - len(rows[row]))
                rows[row] += added
                rows[row][column] = rows[top][column]
                repeated.add((rows[top][column], *added[1:]))
                if (top, column) in urls:
                    urls[row, column] = urls[top, column]
        used = [(number, row) for number, row in enumerate(rows) if any(row)]
        first = min(
            (next(column for column, text in enumerate(row) if text) for _, row in used), default=0
        )
        if used:
            yield TableBlock(
                tuple(
                    tuple(
                        _inlines(text, urls.get((number, column), ""))
                        for column, text in enumerate(row[first:], first)
                    )
                    for number, row in used
                )
            )
        for cell, comment in self.comments:
            if text := collapse_whitespace(comment):
                yield Paragraph((TextSpan(f"Comment on {cell}: {text}" if cell else text),))


def _at(rows: Sequence[Sequence[str]], row: int, column: int) -> str:
    inside = 0 <= row < len(rows) and 0 <= column < len(rows[row])
    return rows[row][column] if inside else ""


def _inlines(text: str, url: str) -> Inlines:
    text = collapse_whitespace(text)
    return (TextSpan(text, url=url),) if text else ()


def blocks_of(sheets: Sequence[Sheet], left: Counter[str]) -> Blocks:
    """Return the blocks of sheets between their headers and footers, which are there once.

    What exceeds the limit of merged cells is counted in `left`.
    """
    repeated = SheetLimits()
    headers = margin_texts(line for sheet in sheets for line in sheet.headers)
    footers = margin_texts(line for sheet in sheets for line in sheet.footers)
    return (
        *(Paragraph((TextSpan(line),)) for line in headers),
        *(block for sheet in sheets for block in sheet.blocks(repeated, left)),
        *(Paragraph((TextSpan(line),)) for line in footers),
    )


def links_of(sheets: Iterable[Sheet]) -> tuple[PageLink, ...]:
    """Return the links of cells, each URL once."""
    texts: dict[str, str] = {}
    for sheet in sheets:
        for (row, column), url in sheet.urls.items():
            texts.setdefault(url, collapse_whitespace(_at(sheet.rows, row, column)) or url)
    return tuple(
        PageLink(number, text, url, "content")
        for number, (url, text) in enumerate(texts.items(), 1)
    )


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell, for example ``B1`` for row 0 and column 1."""
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, len(ascii_uppercase))
        letters = ascii_uppercase[letter] + letters
    return f"{letters}{row + 1}"


def trimmed(row: Sequence[str]) -> Sequence[str]:
    """Return a row without the empty cells at its end."""
    end = len(row)
    while end and not row[end - 1]:
        end -= 1
    return row[:end]
