"""What an answer or a page consists of: blocks in reading order, each with its inline content."""

from typing import Literal, TypeAlias

import attrs

Script: TypeAlias = Literal["", "sub", "sup"]
"""Where a run stands to its line: on it, below it, above it."""


@attrs.frozen
class TextSpan:
    """A run of characters in one style.

    Attributes:
        text: the characters, white space collapsed, but for line breaks of the page.
        url: where the run links to, absolute; empty for plain text.
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
    """A picture in a line.

    Attributes:
        url: absolute; never empty.
        alt: what it shows, in words; may be empty.
    """

    url: str
    alt: str = ""


@attrs.frozen
class Formula:
    """A formula.

    Attributes:
        tex: in TeX, as far as the page gives it; else its characters.
        display: whether it has a line of its own.
    """

    tex: str
    display: bool = False


@attrs.frozen
class Citation:
    """A mark that names sources of the answer by their numbers, counted from 1."""

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
    """One item of a list: its own line, then what is nested below it.

    Attributes:
        number: in a numbered list, where it is not the one after the item before; else None.
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
    """A table by rows; the first row is the header, its cells empty where there is none.

    Read from a page, a cell that spans rows stands in each of them; one that spans columns stands
    in the first of these, and the others are empty.
    """

    rows: tuple[tuple[Inlines, ...], ...]
    kind: Literal["table"] = attrs.field(default="table", init=False)


@attrs.frozen
class Code:
    """A code block, indentation kept; `language` is empty where the page names none."""

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
