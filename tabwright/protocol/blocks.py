"""What an answer or a page consists of: blocks in reading order, each with its inline content."""

from typing import Literal, TypeAlias

import attrs


@attrs.frozen
class Text:
    """A run of characters in one style.

    Attributes:
        text: the characters, white space collapsed except in `Code`.
        url: where the run links to, absolute; empty for plain text.
    """

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    url: str = ""


@attrs.frozen
class Citation:
    """A mark that names sources of the answer by their numbers, counted from 1."""

    sources: tuple[int, ...]


Inline: TypeAlias = Text | Citation
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
    """One item of a list: its own line, then what is nested below it."""

    content: Inlines
    blocks: "tuple[Block, ...]" = ()


@attrs.frozen
class ItemList:
    """A bulleted or numbered list; `start` is the number of its first item."""

    ordered: bool
    items: tuple[Item, ...]
    start: int = 1
    kind: Literal["list"] = attrs.field(default="list", init=False)


@attrs.frozen
class Table:
    """A table by rows; the first row is the header."""

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
class Rule:
    """A horizontal rule."""

    kind: Literal["rule"] = attrs.field(default="rule", init=False)


Block: TypeAlias = Paragraph | Heading | ItemList | Table | Code | Quote | Rule
Blocks: TypeAlias = tuple[Block, ...]
