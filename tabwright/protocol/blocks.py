"""The content of an answer or a page: blocks in reading order, each with its inline content."""

from typing import Literal, TypeAlias

import attrs

Script: TypeAlias = Literal["", "sub", "sup"]
"""The vertical position of a run: normal, subscript or superscript."""


@attrs.frozen
class TextSpan:
    """A run of characters in one style.

    Attributes:
        text: the characters, with white space collapsed except for line breaks of the page.
        url: the absolute URL that the run links to; empty for plain text.
        struck: whether it is crossed out.
    """

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    url: str = ""
    struck: bool = False
    script: Script = ""


@attrs.frozen
class Image:
    """An inline picture.

    Attributes:
        url: absolute; never empty.
        alt: the alternative text; may be empty.
    """

    url: str
    alt: str = ""


@attrs.frozen
class Formula:
    """A formula.

    Attributes:
        tex: its TeX source if the page contains it; otherwise its characters.
        display: whether it is on a separate line.
    """

    tex: str
    display: bool = False


@attrs.frozen
class Citation:
    """A reference to sources of the answer by their numbers, counted from 1."""

    sources: tuple[int, ...]


Inline: TypeAlias = TextSpan | Image | Formula | Citation
Inlines: TypeAlias = tuple[Inline, ...]


@attrs.frozen
class Paragraph:
    """A paragraph."""

    content: Inlines
    kind: Literal["paragraph"] = attrs.field(default="paragraph", init=False)


@attrs.frozen
class Heading:
    """A heading of level 1 (largest) to 6."""

    level: int
    content: Inlines
    kind: Literal["heading"] = attrs.field(default="heading", init=False)


@attrs.frozen
class Item:
    """A list item: its text, then the blocks nested below it.

    Attributes:
        number: in a numbered list, if it does not follow from the previous item; otherwise None.
    """

    content: Inlines
    blocks: "tuple[Block, ...]" = ()
    number: int | None = None


@attrs.frozen
class ItemList:
    """A bulleted or numbered list; `start` is the number of its first item."""

    ordered: bool
    items: tuple[Item, ...]
    start: int = 1
    kind: Literal["list"] = attrs.field(default="list", init=False)


@attrs.frozen
class TableBlock:
    """A table by rows. The first row is the header; its cells are empty if the table has none.

    In a table read from a page, a cell that spans rows is repeated in each of them. A cell that
    spans columns is in the first of them, and the others are empty.
    """

    rows: tuple[tuple[Inlines, ...], ...]
    kind: Literal["table"] = attrs.field(default="table", init=False)


@attrs.frozen
class Code:
    """A code block with its indentation; `language` is empty if the page does not name it."""

    text: str
    language: str = ""
    kind: Literal["code"] = attrs.field(default="code", init=False)


@attrs.frozen
class Quote:
    """A quotation."""

    blocks: "tuple[Block, ...]"
    kind: Literal["quote"] = attrs.field(default="quote", init=False)


@attrs.frozen
class ThematicBreak:
    """A horizontal rule."""

    kind: Literal["rule"] = attrs.field(default="rule", init=False)


Block: TypeAlias = Paragraph | Heading | ItemList | TableBlock | Code | Quote | ThematicBreak
Blocks: TypeAlias = tuple[Block, ...]
