"""Blocks as they are built from a page: what is open at one place of it.

Flows stand one inside the other: that of the page, of a quotation, of an item, of a cell. What a
flow has gathered goes into one block of the flow round it.
"""

from typing import Literal, TypeAlias

import attrs

from tabwright.content.html.tree import Addresses
from tabwright.protocol.blocks import Blocks, Formula, Picture, Text
from tabwright.reading.flows import Flow, Numbering, OpenList, OpenTable
from tabwright.reading.linked_blocks import linked_once
from tabwright.text.lines import PLAIN, linking

FLOWS_MAX = 64
"""As many flows stand inside one another; what would begin a deeper one is part of the last."""

LINKS_MAX = 20
"""As many links stand inside one another, and wait for text together."""

Style: TypeAlias = Literal["bold", "italic", "code", "struck", "sub", "sup"]


@attrs.define(eq=False)
class OpenLink:
    """A link whose text is on its way.

    Attributes:
        label: what it is called, should it show nothing.
        before: the style of the text round it.
        flow: that it stands in, and `place`, how many blocks that had.
        pictures: what it showed before any text.
        round: the link round it, if that has not come to text either.
    """

    url: str
    label: str
    before: Text
    flow: Flow
    place: int
    round: "OpenLink | None"
    pictures: list[Picture] = attrs.field(factory=list[Picture], init=False)


@attrs.define(eq=False)
class Builder:
    """Builds blocks.

    Attributes:
        addresses: of the document.
        flow: the innermost one.
        style: of the text that comes.
        figures: how many figures are open.
        explained: abbreviations that were written out.
    """

    addresses: Addresses
    flow: Flow = attrs.field(factory=Flow, init=False)
    style: Text = attrs.field(default=PLAIN, init=False)
    figures: int = attrs.field(default=0, init=False)
    explained: set[str] = attrs.field(factory=set[str], init=False)
    _round: list[Flow] = attrs.field(factory=list[Flow], init=False)
    _lists: list[OpenList] = attrs.field(factory=list[OpenList], init=False)
    _tables: list[OpenTable] = attrs.field(factory=list[OpenTable], init=False)
    _links: list[OpenLink] = attrs.field(factory=list[OpenLink], init=False)
    _silent: OpenLink | None = attrs.field(default=None, init=False)
    _styles: dict[tuple[Text, Style], Text] = attrs.field(
        factory=dict[tuple[Text, Style], Text], init=False
    )

    def say(self, text: str) -> None:
        """Comes to text."""
        if self._silent is not None and text.strip():
            self._break_silence(self._silent)
        self.flow.line.add(text, self.style)

    def state(self, formula: Formula) -> None:
        """Comes to a formula."""
        if self._silent is not None:
            self._break_silence(self._silent)
        self.flow.line.place(formula)

    def show(self, picture: Picture) -> None:
        """Comes to a picture; at the beginning of a link it may have to stand for the text."""
        if self._silent is not None:
            self._silent.pictures.append(picture)
        else:
            self.flow.line.place(picture)

    def part(self) -> None:
        """Ends the paragraph."""
        self.flow.part()

    def dress(self, style: Style) -> None:
        """Gives the text that comes one style more."""
        before = self.style
        dressed = self._styles.get((before, style))
        if dressed is None:
            dressed = self._styles[before, style] = _dressed(before, style)
        self.style = dressed

    def wear(self, style: Text) -> None:
        """Gives the text that comes this style."""
        self.style = style

    def is_deep(self) -> bool:
        """Whether no further quotation, list or table can begin in this flow."""
        return len(self._round) >= FLOWS_MAX

    def enter(self) -> None:
        """Begins a flow inside this one."""
        self.flow.part()
        self._round.append(self.flow)
        self.flow = Flow()

    def leave(self) -> Blocks:
        """Ends the flow; what it has gathered."""
        blocks = self.flow.taken()
        self.flow = self._round.pop()
        return blocks

    def add_item(self, blocks: Blocks) -> None:
        """Comes to an item that is in no list."""
        self.flow.add_item(blocks)

    def begin_list(self, numbering: Numbering) -> None:
        """Begins a list."""
        self.enter()
        self._lists.append(OpenList(self.flow, numbering))

    def list_here(self) -> OpenList | None:
        """The list whose next item would come here."""
        return self._lists[-1] if self._lists and self._lists[-1].flow is self.flow else None

    def is_at_item(self) -> bool:
        """Whether an item has begun, and nothing of it has come."""
        is_in_item = bool(self._lists) and self._lists[-1].flow is self._round[-1]
        return is_in_item and self.flow.is_empty()

    def end_list(self) -> None:
        """Ends the list."""
        blocks = self._lists.pop().ended()
        self.leave()
        self.flow.add(*blocks)

    def begin_table(self, *, is_layout: bool) -> None:
        """Begins a table."""
        self.enter()
        self._tables.append(OpenTable(self.flow, is_layout))

    def table_here(self) -> OpenTable | None:
        """The table whose next row or cell would come here."""
        return self._tables[-1] if self._tables and self._tables[-1].flow is self.flow else None

    def end_table(self) -> None:
        """Ends the table."""
        blocks = self._tables.pop().ended()
        self.leave()
        self.flow.add(*blocks)

    def begin_link(self, url: str, label: str) -> None:
        """Begins a link. One may stand in another where shadow roots or frames are opened."""
        place = len(self.flow.blocks)
        round_it = self._silent if len(self._links) < LINKS_MAX else None
        self._silent = OpenLink(url, label, self.style, self.flow, place, round_it)
        self._links.append(self._silent)
        self.style = linking(self.style, url)

    def end_link(self) -> None:
        """Ends the link. One that shows only pictures is called by their words, or its label."""
        link = self._links.pop()
        if link is self._silent:
            self._silent = link.round
            self._call(link)
        self.style = link.before
        if len(self.flow.blocks) > link.place:
            self.flow.part()
            self.flow.blocks[link.place :] = linked_once(self.flow.blocks[link.place :], link.url)

    def _call(self, link: OpenLink) -> None:
        label = link.label or " ".join(picture.alt for picture in link.pictures if picture.alt)
        if label:
            self.say(label)
        else:
            for picture in link.pictures:
                self.show(picture)

    def _break_silence(self, link: OpenLink) -> None:
        """Lets the pictures at the beginning of a link stand before its text."""
        if link.round is not None:
            self._break_silence(link.round)
        self._silent = None
        for picture in link.pictures:
            link.flow.line.place(picture)
        if link.flow is not self.flow:
            link.flow.part()
        elif link.pictures:
            self.flow.line.add(" ", PLAIN)


def _dressed(text: Text, style: Style) -> Text:
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
