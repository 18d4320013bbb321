"""Blocks as they gather: in a flow, in the items of a list, in the cells of a table."""

import attrs

from tabwright.content.html.tables import Cell, Row, Section, table_blocks
from tabwright.protocol.blocks import Block, Blocks, Inlines, Item, ItemList, Paragraph, Text
from tabwright.reading.flattening import characters_of
from tabwright.text.lines import Line


@attrs.define(eq=False)
class Flow:
    """Blocks, and the line that grows behind them.

    Attributes:
        blocks: those that are whole.
    """

    blocks: list[Block] = attrs.field(factory=list[Block], init=False)
    line: Line = attrs.field(factory=Line, init=False)
    _loose: "OpenList | None" = attrs.field(default=None, init=False)

    def part(self) -> None:
        """Ends the paragraph."""
        if self.line.is_begun:
            content = self.line.end()
            self._end_loose()
            self.blocks.append(Paragraph(content))

    def add(self, *blocks: Block) -> None:
        """Adds whole blocks."""
        self.part()
        self._end_loose()
        self.blocks += blocks

    def add_item(self, blocks: Blocks) -> None:
        """Adds an item that is in no list; those that follow one another make one."""
        self.part()
        if self._loose is None:
            self._loose = OpenList(Flow(), Numbering())
        self._loose.add(blocks)

    def taken(self) -> Blocks:
        """All blocks so far; the flow is empty then."""
        self.add()
        blocks = tuple(self.blocks)
        self.blocks.clear()
        return blocks

    def is_empty(self) -> bool:
        """Whether nothing has come yet."""
        return not self.blocks and not self.line.is_begun

    def _end_loose(self) -> None:
        loose, self._loose = self._loose, None
        if loose is not None:
            self.blocks += loose.ended()


@attrs.frozen
class Numbering:
    """How the items of a list are numbered.

    Attributes:
        ordered: whether they are at all.
        start: the first number; None where the page does not say.
        descends: whether numbers go down.
    """

    ordered: bool = False
    start: int | None = None
    descends: bool = False


@attrs.define(eq=False)
class _OpenItem:
    content: Inlines
    blocks: list[Block]
    number: int | None = None


@attrs.define(eq=False)
class OpenList:
    """A list whose items come one by one.

    Attributes:
        flow: gathers what stands in the list without being in an item, as another list may. It
            belongs to the item before it.
    """

    flow: Flow
    _numbering: Numbering
    _items: list[_OpenItem] = attrs.field(factory=list[_OpenItem], init=False)
    _has_term: bool = attrs.field(default=False, init=False)

    def add(self, blocks: Blocks, number: int | None = None) -> None:
        """Adds an item; the first paragraph in it is its own line."""
        self._gather()
        self._add(blocks, number if self._numbering.ordered else None)
        self._has_term = False

    def add_term(self, term: Inlines) -> None:
        """Adds a term as an item; what it means follows."""
        self._gather()
        if term:
            self._items.append(_OpenItem(term, []))
            self._has_term = True

    def define(self, meaning: Blocks) -> None:
        """Adds what the last term means, the beginning of it right behind the term."""
        self._gather()
        match meaning:
            case (Paragraph(content), *rest) if self._has_term:
                term = self._items[-1].content
                between = Text(" " if characters_of(term).endswith(":") else ": ")
                self._items[-1] = _OpenItem((*term, between, *content), rest)
            case _:
                self._hang(meaning)
        self._has_term = False

    def ended(self) -> Blocks:
        """The list, if there is anything in it."""
        self._gather()
        match self._items:
            case []:
                return ()
            case [_OpenItem(content=(), blocks=[ItemList() as inner])]:
                return (inner,)  # a list round a list says nothing
            case _:
                return (self._list(),)

    def _list(self) -> ItemList:
        start = self._numbering.start
        if self._numbering.descends:
            self._count_down(len(self._items) if start is None else start)
        items = (Item(item.content, tuple(item.blocks), item.number) for item in self._items)
        ordered = self._numbering.ordered
        return ItemList(ordered, tuple(items), 1 if start is None else start)

    def _count_down(self, first: int) -> None:
        for place, item in enumerate(self._items):
            if item.number is None:
                item.number = first - place

    def _gather(self) -> None:
        self._hang(self.flow.taken())

    def _hang(self, blocks: Blocks) -> None:
        if self._items:
            self._items[-1].blocks += blocks
        else:
            self._add(blocks)

    def _add(self, blocks: Blocks, number: int | None = None) -> None:
        match blocks:
            case (Paragraph(content), *rest):
                self._items.append(_OpenItem(content, rest, number))
            case (_, *_):
                self._items.append(_OpenItem((), list(blocks), number))
            case _:
                pass


@attrs.define(eq=False)
class OpenTable:
    """A table whose cells come one by one.

    Attributes:
        flow: gathers what stands in the table without being in a cell.
        is_layout: whether the page says that it is no table.
        section: of the rows that come.
    """

    flow: Flow
    is_layout: bool
    section: Section = attrs.field(default=Section.BODY, init=False)
    _rows: list[Row] = attrs.field(factory=list[Row], init=False)
    _caption: Blocks = attrs.field(default=(), init=False)

    def begin_row(self) -> None:
        """Begins a row."""
        self._rows.append(Row(self.section))

    def end_section(self) -> None:
        """Ends the head or the foot."""
        self.section = Section.BODY

    def add(self, cell: Cell) -> None:
        """Adds a cell to the row."""
        if not self._rows:
            self.begin_row()
        self._rows[-1].cells.append(cell)

    def head(self, caption: Blocks) -> None:
        """Puts a caption above the table."""
        self._caption += caption

    def ended(self) -> Blocks:
        """What stood in no cell, the caption, and the table, or what stands in it."""
        stray = self.flow.taken()
        return stray + table_blocks(self._rows, self._caption, is_layout=self.is_layout)
