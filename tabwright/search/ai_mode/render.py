"""A search result as plain JSON-able values, and back."""

from collections.abc import Callable
from typing import TypeAlias

import attrs
import msgspec

from tabwright.protocol.ai_search import SearchResult, SearchSource
from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Citation,
    Code,
    Heading,
    Inline,
    Inlines,
    Item,
    ItemList,
    Paragraph,
    Quote,
    Rule,
    Table,
    Text,
)
from tabwright.protocol.errors import BadInput

Record: TypeAlias = dict[str, object]


@attrs.frozen
class _InlineRecord:
    """A `Citation` where `sources` is there, else a `Text`."""

    text: str = ""
    bold: bool = False
    italic: bool = False
    code: bool = False
    url: str = ""
    sources: tuple[int, ...] | None = None


@attrs.frozen
class _ItemRecord:
    content: tuple[_InlineRecord, ...]
    blocks: "tuple[_BlockRecord, ...]" = ()


@attrs.frozen
class _BlockRecord:
    """Any block; `kind` tells which attributes count."""

    kind: str
    content: tuple[_InlineRecord, ...] = ()
    level: int = 0
    ordered: bool = False
    start: int = 1
    items: tuple[_ItemRecord, ...] = ()
    rows: tuple[tuple[tuple[_InlineRecord, ...], ...], ...] = ()
    text: str = ""
    language: str = ""
    blocks: "tuple[_BlockRecord, ...]" = ()


@attrs.frozen
class _ResultRecord:
    success: bool
    query: str
    ai_answer: str = ""
    sources: tuple[SearchSource, ...] = ()
    error: str = ""
    language: str = ""
    warning: str = ""
    blocks: tuple[_BlockRecord, ...] = ()
    continued: bool = False
    conversation: str = ""


def to_record(result: SearchResult) -> Record:
    """The result as dictionaries, tuples and scalars, under the names of its attributes."""
    return attrs.asdict(result)


def from_record(record: Record) -> SearchResult:
    """The result that `to_record` took apart; other names in the record are ignored.

    Raises:
        BadInput: an attribute is missing or has the wrong type; the message names it.
    """
    try:
        read = msgspec.convert(record, type=_ResultRecord)
    except msgspec.MsgspecError as error:
        raise BadInput(f"The record is not a search result: {error}.") from error
    return SearchResult(
        success=read.success,
        query=read.query,
        ai_answer=read.ai_answer,
        sources=read.sources,
        error=read.error,
        language=read.language,
        warning=read.warning,
        blocks=_blocks(read.blocks),
        continued=read.continued,
        conversation=read.conversation,
    )


def _blocks(records: tuple[_BlockRecord, ...]) -> Blocks:
    return tuple(_block(record) for record in records)


def _block(record: _BlockRecord) -> Block:
    build = _BUILDERS.get(record.kind)
    if build is None:
        raise BadInput(f"The record has a block of the unknown kind {record.kind!r}.")
    return build(record)


_BUILDERS: dict[str, Callable[[_BlockRecord], Block]] = {
    "paragraph": lambda record: Paragraph(_inlines(record.content)),
    "heading": lambda record: Heading(record.level, _inlines(record.content)),
    "list": lambda record: ItemList(
        record.ordered, tuple(_item(item) for item in record.items), record.start
    ),
    "table": lambda record: Table(
        tuple(tuple(_inlines(cell) for cell in row) for row in record.rows)
    ),
    "code": lambda record: Code(record.text, record.language),
    "quote": lambda record: Quote(_blocks(record.blocks)),
    "rule": lambda _: Rule(),
}


def _item(record: _ItemRecord) -> Item:
    return Item(_inlines(record.content), _blocks(record.blocks))


def _inlines(records: tuple[_InlineRecord, ...]) -> Inlines:
    return tuple(_inline(record) for record in records)


def _inline(record: _InlineRecord) -> Inline:
    if record.sources is not None:
        return Citation(record.sources)
    return Text(record.text, record.bold, record.italic, record.code, record.url)
