"""Building blocks from a page, with the state at the current position.

Flows are nested: the page, a quotation, a list item, a table cell. When a flow ends, its blocks
become one block of the enclosing flow.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import attrs

from tabwright.content.html.tables import Row, Section, TableCell, characters_of, table_blocks
from tabwright.content.html.tree import Addresses
from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Formula,
    Heading,
    Image,
    Inlines,
    Item,
    ItemList,
    Paragraph,
    TextSpan,
)
from tabwright.text.lines import PLAIN, InlineBuilder, linking

# Collecting blocks in a flow, in list items and in table cells.


@attrs.define(eq=False)
class BlockFlow:
    """A list of blocks, and the line that is being built after them.

    Attributes:
        blocks: the completed blocks.
    """

    blocks: list[Block] = attrs.field(factory=list[Block], init=False)
    line: InlineBuilder = attrs.field(factory=InlineBuilder, init=False)
    _loose: "OpenList | None" = attrs.field(default=None, init=False)

    def part(self) -> None:
        """End the paragraph."""
        if self.line.is_begun:
            content = self.line.end()
            self._end_loose()
            self.blocks.append(Paragraph(content))

    def add(self, *blocks: Block) -> None:
        """Add completed blocks."""
        self.part()
        self._end_loose()
        self.blocks += blocks

    def add_item(self, blocks: Blocks) -> None:
        """Add an item outside a list; consecutive items form one list."""
        self.part()
        if self._loose is None:
            self._loose = OpenList(BlockFlow(), ListNumbering())
        self._loose.add(blocks)

    def taken(self) -> Blocks:
        """Return all blocks and empty the flow."""
        self.add()
        blocks = tuple(self.blocks)
        self.blocks.clear()
        return blocks

    def is_empty(self) -> bool:
        """Return whether the flow has no content."""
        return not self.blocks and not self.line.is_begun

    def _end_loose(self) -> None:
        loose, self._loose = self._loose, None
        if loose is not None:
            self.blocks += loose.ended()


@attrs.frozen
class ListNumbering:
    """The numbering of a list.

    Attributes:
        ordered: whether the items are numbered.
        start: the first number; None if the page does not set it.
        descends: whether numbers descend.
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
    """A list under construction.

    Attributes:
        flow: content of the list outside its items, for example a nested list. It belongs to the
            item before it.
    """

    flow: BlockFlow
    _numbering: ListNumbering
    _items: list[_OpenItem] = attrs.field(factory=list[_OpenItem], init=False)
    _has_term: bool = attrs.field(default=False, init=False)

    def add(self, blocks: Blocks, number: int | None = None) -> None:
        """Add an item; the first paragraph in it becomes its line."""
        self._gather()
        self._add(blocks, number if self._numbering.ordered else None)
        self._has_term = False

    def add_term(self, term: Inlines) -> None:
        """Add a term as an item; its definition follows."""
        self._gather()
        if term:
            self._items.append(_OpenItem(term, []))
            self._has_term = True

    def define(self, meaning: Blocks) -> None:
        """Add the definition of the last term; its first paragraph joins the term's line."""
        self._gather()
        match meaning:
            case (Paragraph(content), *rest) if self._has_term:
                term = self._items[-1].content
                between = TextSpan(" " if characters_of(term).endswith(":") else ": ")
                self._items[-1] = _OpenItem((*term, between, *content), rest)
            case _:
                self._hang(meaning)
        self._has_term = False

    def ended(self) -> Blocks:
        """Return the list, if it is not empty."""
        self._gather()
        if self._numbering.ordered:
            self._number()
        items = [item for item in self._items if item.content or item.blocks]
        match items:
            case []:
                return ()
            case [_OpenItem(content=(), blocks=[ItemList() as inner])]:
                return (inner,)  # a list with only a list in it is redundant
            case _:
                listed = (Item(item.content, tuple(item.blocks), item.number) for item in items)
                start = self._numbering.start
                ordered = self._numbering.ordered
                return (ItemList(ordered, tuple(listed), 1 if start is None else start),)

    def _number(self) -> None:
        """Set the numbers that do not follow from the item before; empty items count too."""
        step = -1 if self._numbering.descends else 1
        first = len(self._items) if self._numbering.descends else 1
        number = (first if self._numbering.start is None else self._numbering.start) - step
        is_after_empty = False
        for item in self._items:
            number = number + step if item.number is None else item.number
            if step < 0 or is_after_empty:
                item.number = number
            is_after_empty = not (item.content or item.blocks)

    def _gather(self) -> None:
        self._hang(self.flow.taken())

    def _hang(self, blocks: Blocks) -> None:
        if self._items:
            self._items[-1].blocks += blocks
        elif blocks:
            self._add(blocks)

    def _add(self, blocks: Blocks, number: int | None = None) -> None:
        match blocks:
            case (Paragraph(content), *rest):
                self._items.append(_OpenItem(content, rest, number))
            case (_, *_):
                self._items.append(_OpenItem((), list(blocks), number))
            case _ if self._numbering.ordered:
                self._items.append(_OpenItem((), [], number))
            case _:
                pass


@attrs.define(eq=False)
class OpenTable:
    """A table under construction.

    Attributes:
        flow: content of the table outside its cells.
        is_layout: whether the page marks the table as layout.
        section: the section of the next rows.
    """

    flow: BlockFlow
    is_layout: bool
    section: Section = attrs.field(default=Section.BODY, init=False)
    _rows: list[Row] = attrs.field(factory=list[Row], init=False)
    _caption: Blocks = attrs.field(default=(), init=False)

    def begin_row(self) -> None:
        """Begin a row."""
        self._rows.append(Row(self.section))

    def end_section(self) -> None:
        """End the head or the foot."""
        self.section = Section.BODY

    def add(self, cell: TableCell) -> None:
        """Add a cell to the row."""
        if not self._rows:
            self.begin_row()
        self._rows[-1].cells.append(cell)

    def head(self, caption: Blocks) -> None:
        """Put a caption above the table."""
        self._caption += caption

    def ended(self) -> Blocks:
        """Return content outside cells, the caption, and the table, or the cells of a layout."""
        stray = self.flow.taken()
        return stray + table_blocks(self._rows, self._caption, is_layout=self.is_layout)


# A link around several blocks, such as a card: one of the blocks carries the link.


def linked_once(blocks: Sequence[Block], url: str) -> Iterable[Block]:
    """Return the blocks with one link to `url`: on the first linked heading, or the first block."""
    linking = [place for place, block in enumerate(blocks) if _links(block, url)]
    heads = [place for place in linking if isinstance(blocks[place], Heading)]
    kept = next(iter(heads or linking), None)
    return [block if place == kept else _unlinked(block, url) for place, block in enumerate(blocks)]


def _links(block: Block, url: str) -> bool:
    return isinstance(block, Paragraph | Heading) and any(
        isinstance(run, TextSpan) and run.url == url for run in block.content
    )


def _unlinked(block: Block, url: str) -> Block:
    if not isinstance(block, Paragraph | Heading):
        return block
    return attrs.evolve(
        block,
        content=tuple(
            attrs.evolve(run, url="") if isinstance(run, TextSpan) and run.url == url else run
            for run in block.content
        ),
    )


FLOWS_MAX = 64
"""Maximum nesting of flows; deeper flows are merged into the last one."""

Style: TypeAlias = Literal["bold", "italic", "code", "struck", "sub", "sup"]


@attrs.define(eq=False)
class OpenLink:
    """A link whose text has not come yet.

    Attributes:
        label: its name if it has no content.
        before: the style of the text around it.
        flow: the flow that contains it; `place` is the number of blocks that the flow had.
        pictures: pictures before any text.
        round: the enclosing link, if that has no text yet either.
    """

    url: str
    label: str
    before: TextSpan
    flow: BlockFlow
    place: int
    round: "OpenLink | None"
    pictures: list[Image] = attrs.field(factory=list[Image], init=False)


@attrs.define(eq=False)
class Builder:
    """Builds blocks during a walk over a page.

    Attributes:
        addresses: resolves the URLs of the document.
        flow: the innermost flow.
        style: style of the next text.
        figures: number of open figures.
        explained: expansions of abbreviations that were written.
    """

    addresses: Addresses
    flow: BlockFlow = attrs.field(factory=BlockFlow, init=False)
    style: TextSpan = attrs.field(default=PLAIN, init=False)
    figures: int = attrs.field(default=0, init=False)
    explained: set[str] = attrs.field(factory=set[str], init=False)
    _round: list[BlockFlow] = attrs.field(factory=list[BlockFlow], init=False)
    _lists: list[OpenList] = attrs.field(factory=list[OpenList], init=False)
    _tables: list[OpenTable] = attrs.field(factory=list[OpenTable], init=False)
    _links: list[OpenLink] = attrs.field(factory=list[OpenLink], init=False)
    _silent: OpenLink | None = attrs.field(default=None, init=False)
    _styles: dict[tuple[TextSpan, Style], TextSpan] = attrs.field(
        factory=dict[tuple[TextSpan, Style], TextSpan], init=False
    )

    def say(self, text: str) -> None:
        """Add text."""
        if self._silent is not None and text.strip():
            self._break_silence(self._silent)
        self.flow.line.add(text, self.style)

    def state(self, formula: Formula) -> None:
        """Add a formula."""
        if self._silent is not None:
            self._break_silence(self._silent)
        self.flow.line.place(formula)

    def show(self, picture: Image) -> None:
        """Add a picture; at the beginning of a link, keep it in case no text follows."""
        if self._silent is not None:
            self._silent.pictures.append(picture)
        else:
            self.flow.line.place(picture)

    def part(self) -> None:
        """End the paragraph."""
        self.flow.part()

    def dress(self, style: Style) -> None:
        """Add a style to the following text."""
        before = self.style
        dressed = self._styles.get((before, style))
        if dressed is None:
            dressed = self._styles[before, style] = with_style(before, style)
        self.style = dressed

    def wear(self, style: TextSpan) -> None:
        """Replace the style of the following text."""
        self.style = style

    def is_deep(self) -> bool:
        """Return whether this flow is too deep for another quotation, list or table."""
        return len(self._round) >= FLOWS_MAX

    def enter(self) -> None:
        """Begin a nested flow."""
        self.flow.part()
        self._round.append(self.flow)
        self.flow = BlockFlow()

    def leave(self) -> Blocks:
        """End the flow and return its blocks."""
        blocks = self.flow.taken()
        self.flow = self._round.pop()
        return blocks

    def add_item(self, blocks: Blocks) -> None:
        """Add an item outside a list."""
        self.flow.add_item(blocks)

    def begin_list(self, numbering: ListNumbering) -> None:
        """Begin a list."""
        self.enter()
        self._lists.append(OpenList(self.flow, numbering))

    def list_here(self) -> OpenList | None:
        """Return the list that the next item belongs to."""
        return self._lists[-1] if self._lists and self._lists[-1].flow is self.flow else None

    def is_at_item(self) -> bool:
        """Return whether an item has begun and is still empty."""
        is_in_item = bool(self._lists) and self._lists[-1].flow is self._round[-1]
        return is_in_item and self.flow.is_empty()

    def end_list(self) -> None:
        """End the list."""
        blocks = self._lists.pop().ended()
        self.leave()
        self.flow.add(*blocks)

    def begin_table(self, *, is_layout: bool) -> None:
        """Begin a table."""
        self.enter()
        self._tables.append(OpenTable(self.flow, is_layout))

    def table_here(self) -> OpenTable | None:
        """Return the table that the next row or cell belongs to."""
        return self._tables[-1] if self._tables and self._tables[-1].flow is self.flow else None

    def end_table(self) -> None:
        """End the table."""
        blocks = self._tables.pop().ended()
        self.leave()
        self.flow.add(*blocks)

    def begin_link(self, url: str, label: str) -> None:
        """Begin a link. Links can be nested through shadow roots and frames."""
        place = len(self.flow.blocks)
        self._silent = OpenLink(url, label, self.style, self.flow, place, self._silent)
        self._links.append(self._silent)
        self.style = linking(self.style, url)

    def end_link(self) -> None:
        """End the link. With pictures only, its text is its label, or their alternative texts."""
        link = self._links.pop()
        if link is self._silent:
            self._silent = link.round
            label = link.label or " ".join(picture.alt for picture in link.pictures if picture.alt)
            if label:
                self.say(label)
            else:
                for picture in link.pictures:
                    self.show(picture)
        self.style = link.before
        if len(self.flow.blocks) > link.place:
            self.flow.part()
            self.flow.blocks[link.place :] = linked_once(self.flow.blocks[link.place :], link.url)

    def _break_silence(self, link: OpenLink) -> None:
        """Insert the pictures at the beginning of a link and of those around it before its text."""
        waiting = [link]
        while (outer := waiting[-1].round) is not None:
            waiting.append(outer)
        self._silent = None
        for one in reversed(waiting):
            for picture in one.pictures:
                one.flow.line.place(picture)
            if one.flow is not self.flow:
                one.flow.part()
            elif one.pictures:
                self.flow.line.add(" ", PLAIN)


def with_style(text: TextSpan, style: Style) -> TextSpan:
    """Return a text in one more style."""
    match style:
        case "bold":
            return attrs.evolve(text, bold=True)
        case "italic":
            return attrs.evolve(text, italic=True)
        case "code":
            return attrs.evolve(text, code=True)
        case "struck":
            return attrs.evolve(text, struck=True)
        case "sub" | "sup":
            return attrs.evolve(text, script=style)
