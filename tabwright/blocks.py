"""The kinds of blocks that an answer of Google AI Mode is made of; see `SearchResult.blocks`."""

from tabwright.protocol.blocks import (
    Citation,
    Code,
    Formula,
    Heading,
    Image,
    Inline,
    Item,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
    ThematicBreak,
)

__all__ = [
    "Citation",
    "Code",
    "Formula",
    "Heading",
    "Image",
    "Inline",
    "Item",
    "ItemList",
    "Paragraph",
    "Quote",
    "TableBlock",
    "TextSpan",
    "ThematicBreak",
]
